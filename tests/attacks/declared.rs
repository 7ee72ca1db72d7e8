//! The tools that `ns` declares, so that vectors for missing ones can be skipped.

use std::collections::{HashMap, HashSet};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The declaration of a tool.
struct Declared {
    script_name: String,
    /// The names of its parameters, including aliases.
    parameters: HashSet<String>,
    /// The name of a parameter by alias.
    other_names: HashMap<String, String>,
    /// Its effect.
    effect: String,
    /// Whether its result may be a text.
    gives_text: bool,
}

/// Returns the names of a tool's parameters, including aliases, by any name of the tool.
pub fn parameters(tool: &str) -> Option<&'static HashSet<String>> {
    tools().get(&tool.to_lowercase()).map(|declared| &declared.parameters)
}

/// Returns the script name of a tool by its wire name.
pub fn script_name(tool: &str) -> Option<&'static str> {
    let declared = tools().get(tool)?;
    let is_wire = tool.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
    is_wire.then_some(&declared.script_name)
}

/// Whether a tool only reads, so that the sandbox too must be unchanged.
pub fn reads(tool: &str) -> bool {
    tools().get(tool).is_some_and(|declared| declared.effect == "reads")
}

/// Whether the result of a tool may be a text.
pub fn gives_text(tool: &str) -> bool {
    tools().get(tool).is_some_and(|declared| declared.gives_text)
}

/// Returns the name of a parameter by any of its names.
pub fn parameter(tool: &str, name: &str) -> String {
    let other = tools().get(tool).and_then(|declared| declared.other_names.get(name));
    other.map_or(name, String::as_str).to_owned()
}

/// Returns the tools that access files or memory by wire name, with their parameters.
pub fn reaching() -> Vec<(&'static str, &'static HashSet<String>)> {
    let reaches = |name: &str| ["FS.", "MEMORY."].iter().any(|room| name.starts_with(room));
    let tools = tools().iter().filter(|(name, declared)| !name.contains('.') && reaches(&declared.script_name));
    tools.map(|(name, declared)| (name.as_str(), &declared.parameters)).collect()
}

fn tools() -> &'static HashMap<String, Declared> {
    static TOOLS: OnceLock<HashMap<String, Declared>> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let output = Command::new(env!("CARGO_BIN_EXE_ns")).args(["tools", "--format", "json"]).output();
        let output = output.expect("ns can be started").stdout;
        let tools: Vec<Value> = serde_json::from_slice(&output).expect("declarations are JSON");
        tools.iter().flat_map(declared).collect()
    })
}

fn declared(tool: &Value) -> Vec<(String, Declared)> {
    let properties = tool["input_schema"]["properties"].as_object();
    let mut parameters: HashSet<String> = properties.into_iter().flat_map(|map| map.keys().cloned()).collect();
    let others = tool["parameter_aliases"].as_object().into_iter().flatten();
    let other_names: HashMap<String, String> =
        others.map(|(other, name)| (other.clone(), name.as_str().expect("a name").to_owned())).collect();
    parameters.extend(other_names.keys().cloned());
    let script_name = tool["script_name"].as_str().expect("a tool has a name").to_owned();
    let effect = tool["effect"].as_str().expect("a tool says what it does").to_owned();
    let kinds = &tool["output_schema"]["type"];
    let gives_text = kinds == "string" || kinds.as_array().is_some_and(|kinds| kinds.contains(&"string".into()));
    let aliases = tool["aliases"].as_array().into_iter().flatten();
    let names = aliases.chain([&tool["name"], &tool["script_name"]]).filter_map(Value::as_str);
    let declared = |name: &str| {
        let (script_name, parameters, effect) = (script_name.clone(), parameters.clone(), effect.clone());
        let other_names = other_names.clone();
        (name.to_lowercase(), Declared { script_name, parameters, other_names, effect, gives_text })
    };
    names.map(declared).collect()
}
