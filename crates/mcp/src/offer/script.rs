//! Scripts offered as tools: their parameters define the schema, and their text runs in workers.

use serde_json::{Map, Value as Json, json};

use crate::engine::{Element, Interface, Kind, Parameter, Role, Script, describe_script};
use crate::text::{Diagnostic, Sources, ToolCode};
use crate::toolkit::ToolError;
use crate::value::Value;

/// Maximum length of a tool name, in characters.
const MAX_NAME: usize = 64;
/// The argument that requests a plan, unless the script has a parameter of that name.
pub const PLAN: &str = "plan";
/// The argument with the command-line words, for scripts that read `ARGS`.
const ARGS: &str = "args";

/// A script that is offered as a tool.
#[derive(Clone, Debug)]
pub struct ScriptTool {
    /// The wire name, derived from the name of the file.
    pub wire: String,
    /// The file name used in messages and lists of runs.
    pub file: String,
    /// The text of the script.
    pub text: String,
    /// The description for clients.
    pub description: String,
    /// The schema of its arguments.
    pub input: Map<String, Json>,
    /// Whether the server handles the argument `plan`; otherwise it belongs to the script.
    pub can_plan: bool,
}

/// The reason why a script cannot be offered.
pub enum ScriptFault {
    /// The script has errors.
    Faulty(Vec<Diagnostic>, Sources),
    /// The name of its file yields no tool name.
    Name(String),
}

impl ScriptTool {
    /// Describes a script as a tool.
    ///
    /// # Errors
    /// Returns the errors of the script, or its file name if that yields no tool name.
    pub fn new(script: &Script) -> Result<ScriptTool, ScriptFault> {
        let file = script.file_name().to_owned();
        let wire = wire_name(&file).ok_or_else(|| ScriptFault::Name(file.clone()))?;
        let described = describe_script(script, None);
        let Some(interface) = described.interface else {
            return Err(ScriptFault::Faulty(described.findings, described.sources));
        };
        let can_plan = parameters_of(&interface).iter().all(|parameter| parameter.name != PLAN);
        let description = match &interface.description {
            Some(description) => description.split_whitespace().collect::<Vec<_>>().join(" "),
            None => format!("Runs the script {file}."),
        };
        let input = input(&interface, can_plan);
        Ok(ScriptTool { wire, text: script.code(), file, description, input, can_plan })
    }
}

impl ScriptTool {
    /// Whether the script has a parameter of this name.
    pub fn takes(&self, name: &str) -> bool {
        self.input["properties"].get(name).is_some()
    }

    /// Checks the arguments of a call before a worker is started for it.
    pub fn check(&self, given: &Value) -> Result<(), ToolError> {
        let script = Script::new(self.file.as_str(), self.text.as_str());
        let (Some(interface), Value::Map(given)) = (describe_script(&script, None).interface, given) else {
            return Ok(());
        };
        let Err(findings) = interface.bind_named(given) else { return Ok(()) };
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        let error = ToolError::new(ToolCode::BadArgs, messages.join("; "));
        Err(match findings.iter().find_map(|finding| finding.help.clone()) {
            Some(help) => error.hint(help),
            None => error,
        })
    }
}

/// Derives the tool name from the file name: `Tidy-Downloads.ns` becomes `tidy_downloads`. Returns `None` if the result
/// would not start with a letter.
fn wire_name(file: &str) -> Option<String> {
    let stem = file.strip_suffix(".ns.txt").or_else(|| file.rsplit_once('.').map(|(stem, _)| stem)).unwrap_or(file);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = stem.chars().map(plain).take(MAX_NAME).collect();
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(name)
}

/// Returns the parameters that a call gives by name. A script without an entry procedure has none: the words that it
/// documents are in `args`.
fn parameters_of(interface: &Interface) -> &[Parameter] {
    if interface.procedure.is_some() { &interface.parameters } else { &[] }
}

fn input(interface: &Interface, can_plan: bool) -> Map<String, Json> {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    for parameter in parameters_of(interface) {
        properties.insert(parameter.name.to_string(), property(parameter));
        required.extend(parameter.is_required().then_some(parameter.name.as_str()));
    }
    if interface.procedure.is_none() {
        let usage = interface.usage.as_deref().unwrap_or("the words of its command line");
        properties
            .insert(ARGS.to_owned(), json!({ "type": "array", "items": { "type": "string" }, "description": usage }));
    }
    if can_plan {
        let what = "change nothing, and list the changes that would be made";
        properties.insert(PLAN.to_owned(), json!({ "type": "boolean", "default": false, "description": what }));
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Json::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(parameter: &Parameter) -> Json {
    let mut schema = match parameter.kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::One(element) => json!({ "type": type_of(element) }),
        Kind::List(element) => json!({ "type": "array", "items": { "type": type_of(element) } }),
        Kind::Map(element) => json!({ "type": "object", "additionalProperties": { "type": type_of(element) } }),
    };
    if parameter.role == Role::Rest && parameter.is_required() {
        schema["minItems"] = json!(1);
    }
    if let Some(documentation) = &parameter.documentation {
        schema["description"] = json!(documentation);
    }
    if let Some(default) = parameter.default.as_ref().map(|default| json!(default)).filter(|default| !default.is_null())
    {
        schema["default"] = default;
    }
    schema
}

fn type_of(element: Element) -> &'static str {
    match element {
        Element::Text => "string",
        Element::Int => "integer",
        Element::Float => "number",
    }
}
