//! The offer of a server: registry tools by their wire names and the server's own methods, in a fixed order. Each
//! definition is derived from the declaration that the gate and the policy use.

mod context;
mod instructions;
pub mod script;
pub mod shape;

use std::sync::Arc;

use rmcp::model::{Tool as Definition, ToolAnnotations};
use serde_json::{Map, Value as Json, json};

use crate::gate::Policy;
use crate::toolkit::{Declaration, Effect, Failure, MediaFields, Param, Registry, Spec, groups, schema};

use super::hints::HiddenTool;
use super::methods::{Method, Report};
use super::sandboxes::{SANDBOX, Sandboxes, takes_sandbox};

use context::Context;
pub use instructions::instructions;
pub use script::{PLAN, ScriptFault, ScriptTool};

/// Wire names offered by default, in the order in which they are listed. `list_dir` is among them because its text takes
/// a tenth of the bytes of the records of `find`.
const DEFAULT: [&str; 8] =
    ["find", "list_dir", "read_file", "read_files", "search_files", "run_script", "read_result", "language_guide"];
/// Wire names offered in addition if the policy allows changes.
const DEFAULT_CHANGES: [&str; 8] =
    ["write_file", "edit_file", "move_file", "copy_file", "delete_file", "create_directory", "undo", "history"];

/// Arguments that few calls need. The default set does not describe them, but they are accepted, and the failures in
/// which they help name them. A tool that is named in `--tools` describes all its arguments.
const RARE: [(&str, &[&str]); 6] = [
    ("find", &["follow", "exact_times", "identity"]),
    ("list_dir", &["follow_folder_symlinks", "follow_file_symlinks", "filter", "show_data", "target", "memory_key"]),
    ("read_file", &["max_size_mb", "checksum", "decompress", "entry"]),
    ("read_files", &["max_size_mb", "encoding", "decompress"]),
    ("search_files", &["encoding", "decompress"]),
    ("edit_file", &["create_backup", "max_size_mb", "encoding"]),
];

/// The method that lists the sandboxes, which is offered if there are several, or if it is named.
const LIST: Offered = Offered::Method(Method::ListAllowedDirectories);

/// How much a definition describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// All arguments.
    Full,
    /// All but the rare ones.
    Common,
}

/// The target of an offered name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// A tool of the registry.
    Tool(OfferedTool),
    /// A method of the server.
    Method(Method),
    /// A script, by its index among the offered scripts.
    Script(usize),
}

/// A tool of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferedTool {
    /// Its name in scripts.
    pub name: &'static str,
    /// Whether a result may be a text, which is the answer by itself.
    pub may_be_text: bool,
    /// The fields of a result that is an image or audio.
    pub media: Option<MediaFields>,
}

impl OfferedTool {
    fn of(tool: &Declaration) -> OfferedTool {
        OfferedTool { name: tool.spec.name, may_be_text: may_be_text(tool), media: tool.media }
    }
}

impl Offered {
    /// Whether it runs in a worker.
    pub fn is_script(self) -> bool {
        matches!(self, Offered::Method(Method::RunScript) | Offered::Script(_))
    }
}

/// The tools, methods and scripts that a client sees.
#[derive(Debug)]
pub struct Offer {
    entries: Vec<(Offered, Definition)>,
    /// Scripts that are offered as tools.
    scripts: Vec<ScriptTool>,
    /// Tools and methods that exist but are not offered.
    hidden: Vec<HiddenTool>,
}

impl Offer {
    /// Builds the offer for the sandboxes from words (`default`, `all`, `script`, `none`, a group of tools or a wire
    /// name) and adds the scripts.
    ///
    /// # Errors
    /// Returns a sentence that names the unknown word, or the script whose name or parameter is already in use.
    pub fn choose(words: &[String], scripts: Vec<ScriptTool>, sandboxes: &Sandboxes) -> Result<Offer, String> {
        let context = Context::of(sandboxes);
        let mut chosen: Vec<&'static str> = Vec::new();
        let mut named_outright: Vec<&'static str> = Vec::new();
        let every = all(sandboxes.engine(0).registry());
        for word in words {
            let names = named(word, &every, context.is_read_only())
                .ok_or_else(|| format!("`{word}` is no group of tools and no wire name"))?;
            if word != "default" {
                named_outright.extend(&names);
            }
            chosen.extend(names);
        }
        // `read_result` is always needed for truncated answers.
        chosen.push(Method::ReadResult.spec().wire);
        if context.are_several() {
            chosen.push(Method::ListAllowedDirectories.spec().wire);
        }
        let mut entries = Vec::new();
        let mut hidden = Vec::new();
        let mut offered = Vec::new();
        for wire in chosen {
            let entry = every.iter().find(|entry| entry.spec.wire == wire).expect("names are of entries");
            if !offered.contains(&wire) && entry.hidden(&context).is_none() {
                offered.push(wire);
                let detail = if named_outright.contains(&wire) { Detail::Full } else { Detail::Common };
                entries.push((entry.offered, entry.definition(&context, detail)));
            }
        }
        for entry in every.iter().filter(|entry| !offered.contains(&entry.spec.wire)) {
            let why = entry.hidden(&context).unwrap_or_else(|| "name it in `--tools` to offer it".to_owned());
            hidden.push(HiddenTool { wire: entry.spec.wire, why });
        }
        for (number, script) in scripts.iter().enumerate() {
            let is_taken = every.iter().any(|entry| entry.spec.wire == script.wire)
                || scripts[..number].iter().any(|other| other.wire == script.wire);
            if is_taken {
                return Err(format!("`{}` would be called `{}`, as another tool is", script.file, script.wire));
            }
            if context.are_several() && script.takes(SANDBOX) {
                let file = &script.file;
                return Err(format!("with several sandboxes the parameter `{SANDBOX}` of `{file}` needs another name"));
            }
            entries.push((Offered::Script(number), definition_of_script(script, &context)));
        }
        Ok(Offer { entries, scripts, hidden })
    }

    /// Returns all definitions, in order.
    pub fn definitions(&self) -> Vec<Definition> {
        self.entries.iter().map(|(_, definition)| definition.clone()).collect()
    }

    /// Returns an offered script by its index.
    pub fn script(&self, number: usize) -> &ScriptTool {
        &self.scripts[number]
    }

    /// Returns the tools and methods that are not offered.
    pub fn hidden(&self) -> &[HiddenTool] {
        &self.hidden
    }

    /// Resolves a wire name; the error explains why it is not offered.
    pub fn find(&self, wire: &str) -> Result<Offered, String> {
        if let Some((offered, _)) = self.entries.iter().find(|(_, definition)| definition.name == wire) {
            return Ok(*offered);
        }
        let shown = crate::value::print::shortened(wire, 60);
        if let Some(hidden) = self.hidden.iter().find(|hidden| hidden.wire == wire) {
            return Err(hidden.sentence());
        }
        let names = self.entries.iter().map(|(_, definition)| &*definition.name);
        let near = crate::text::nearest(wire, names).map(|near| format!("; did you mean `{near}`?"));
        Err(format!("unknown tool `{shown}`{}", near.unwrap_or_default()))
    }
}

/// Returns the definition of a tool as a server declares it under a policy without restrictions.
pub fn definition(tool: &Declaration) -> Json {
    let entry =
        Entry { offered: Offered::Tool(OfferedTool::of(tool)), spec: tool.spec, params: tool.params, tool: Some(tool) };
    serde_json::to_value(entry.definition(&Context::unrestricted(), Detail::Full))
        .expect("a definition has a JSON form")
}

/// Returns the input schema of a tool in its plain form.
pub fn plain_input(tool: &Declaration) -> Json {
    shape::flat(schema::input_schema(tool), shape::Words::Kept)
}

/// A tool or a method with its declaration.
struct Entry<'r> {
    offered: Offered,
    spec: Spec,
    params: &'static [Param],
    tool: Option<&'r Declaration>,
}

fn all(registry: &Registry) -> Vec<Entry<'_>> {
    let tools = registry.iter().map(|tool| Entry {
        offered: Offered::Tool(OfferedTool::of(tool)),
        spec: tool.spec,
        params: tool.params,
        tool: Some(tool),
    });
    let methods = Method::ALL.into_iter().map(|method| Entry {
        offered: Offered::Method(method),
        spec: method.spec(),
        params: method.params(),
        tool: None,
    });
    tools.chain(methods).collect()
}

/// Returns the definition of an offered script. Its output schema is that of `run_script`.
fn definition_of_script(script: &ScriptTool, context: &Context<'_>) -> Definition {
    let input = context.with_sandbox(script.input.clone());
    Definition::new(script.wire.clone(), script.description.clone(), Arc::new(input))
        .with_title(script.file.clone())
        .with_raw_output_schema(Arc::new(output(Report::schema())))
        .with_annotations(hints(&Method::RunScript.spec(), context.is_read_only()))
}

/// Returns the wire names that a word of `--tools` selects.
fn named(word: &str, every: &[Entry<'_>], is_read_only: bool) -> Option<Vec<&'static str>> {
    let of = |fits: &dyn Fn(&Entry<'_>) -> bool| {
        let names: Vec<&'static str> = every.iter().filter(|entry| fits(entry)).map(|entry| entry.spec.wire).collect();
        (!names.is_empty()).then_some(names)
    };
    match word {
        "default" if is_read_only => Some(DEFAULT.to_vec()),
        "default" => Some([&DEFAULT[..], &DEFAULT_CHANGES].concat()),
        "all" => of(&|_| true),
        "none" => Some(Vec::new()),
        "script" => of(&|entry| !matches!(entry.offered, Offered::Tool(_) | LIST)),
        word => of(&|entry| entry.tool.is_some() && groups::group_of(entry.spec.name).eq_ignore_ascii_case(word))
            .or_else(|| of(&|entry| entry.spec.wire == word)),
    }
}

impl Entry<'_> {
    /// Returns the reason why the policy of every sandbox prevents offering it, if so. The gate decides on each call.
    fn hidden(&self, context: &Context<'_>) -> Option<String> {
        let reasons: Option<Vec<String>> = context.policies.iter().map(|policy| self.hidden_by(policy)).collect();
        reasons?.into_iter().next()
    }

    fn hidden_by(&self, policy: &Policy) -> Option<String> {
        let only_reads = matches!(self.offered, Offered::Method(Method::RunScript));
        if policy.read_only && !only_reads && self.spec.effect.changes_files() {
            return Some(match policy.provenance.of("read_only") {
                Some(stated) => format!("this server changes nothing, because of `read_only = true` at {stated}"),
                None => "this server changes nothing; `--write` allows changes, as does `write = true` of a token"
                    .to_owned(),
            });
        }
        match (self.tool, policy.admit(&self.spec)) {
            (Some(_), Err(refusal)) => Some(refusal.message),
            _ => None,
        }
    }

    fn definition(&self, context: &Context<'_>, detail: Detail) -> Definition {
        let mut schema = schema::input_schema_of(self.params);
        if let (Detail::Common, Json::Object(properties)) = (detail, &mut schema["properties"]) {
            let rare = RARE.iter().find(|(wire, _)| *wire == self.spec.wire).map_or(&[][..], |(_, rare)| rare);
            properties.retain(|name, _| !rare.contains(&name.as_str()));
        }
        let Json::Object(input) = shape::brief(shape::flat(schema, shape::Words::Kept)) else {
            unreachable!("the arguments are an object")
        };
        let input = if self.takes_sandbox() { context.with_sandbox(input) } else { input };
        let description = format!("{}.", self.spec.summary);
        let definition = Definition::new(self.spec.wire, description, Arc::new(input))
            .with_title(title(self.spec.name))
            .with_annotations(hints(&self.spec, context.is_read_only()));
        match self.output() {
            Some(output) => definition.with_raw_output_schema(Arc::new(output)),
            None => definition,
        }
    }

    fn takes_sandbox(&self) -> bool {
        match self.offered {
            Offered::Method(method) => method.takes_sandbox(),
            Offered::Tool(_) | Offered::Script(_) => takes_sandbox(self.spec.effect),
        }
    }

    /// Returns the output schema; `None` if an answer may be a text by itself.
    fn output(&self) -> Option<Map<String, Json>> {
        let schema = match (self.tool, self.offered) {
            (Some(tool), _) => Some(output_schema(tool)).filter(|_| !may_be_text(tool)),
            (None, Offered::Method(method)) => method.output(),
            (None, Offered::Tool(_) | Offered::Script(_)) => unreachable!("only methods have no declaration of a tool"),
        };
        schema.map(output)
    }
}

/// Returns the plain form of an output schema. Some clients validate failures against it too, so it says nothing about
/// `error`, which is null in results and an object in failures.
fn output(schema: Json) -> Map<String, Json> {
    let Json::Object(mut schema) = shape::flat(schema, shape::Words::Dropped) else {
        unreachable!("a result is an object")
    };
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        properties.remove("error");
    }
    schema
}

/// Whether a result of a tool may be a text: all are, or its type is open.
fn may_be_text(tool: &Declaration) -> bool {
    schema::output_schema(tool)["type"].as_str().is_none_or(|only| only == "string")
}

/// Returns the output schema for a client: always an object, whatever type the tool returns, and without the data of an
/// image or audio, which is content of its own.
fn output_schema(tool: &Declaration) -> Json {
    let mut schema = schema::output_schema(tool);
    if let Some(fields) = tool.media {
        without_property(&mut schema, fields.data);
    }
    if schema["type"] == "object" {
        return schema;
    }
    if let (Failure::Nil, Json::Object(schema)) = (tool.spec.failure, &mut schema) {
        // A missing result is null.
        schema.remove("type");
    }
    json!({ "type": "object", "properties": { "result": schema } })
}

/// Removes a property from the schema of an object.
fn without_property(schema: &mut Json, name: &str) {
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        properties.remove(name);
    }
    if let Some(Json::Array(required)) = schema.get_mut("required") {
        required.retain(|required| required != name);
    }
}

/// Converts a tool name to a title: `FS.ListDirectory` becomes `List directory`. The group precedes it, except for `FS`
/// and `NS`.
pub fn title(name: &str) -> String {
    let (group, verb) = name.split_once('.').unwrap_or(("", name));
    let mut words = String::new();
    for (at, letter) in verb.chars().enumerate() {
        if at > 0 && letter.is_ascii_uppercase() {
            words.push(' ');
            words.push(letter.to_ascii_lowercase());
        } else {
            words.push(letter);
        }
    }
    match group {
        "" | "FS" | "NS" => words,
        group => format!("{group}: {words}"),
    }
}

/// Returns the annotations for the declared effect. `is_read_only` if no sandbox can be changed.
pub fn hints(spec: &Spec, is_read_only: bool) -> ToolAnnotations {
    let only_reads = !spec.effect.is_side_effecting() || is_read_only && spec.effect.changes_files();
    let destroys = !only_reads && spec.effect != Effect::Adds;
    let repeats = only_reads;
    ToolAnnotations::from_raw(None, Some(only_reads), Some(destroys), Some(repeats), Some(false))
}
