//! What the tools of `ns` declare, so that vectors for what is not there yet are skipped.

use std::collections::{HashMap, HashSet};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The names of the parameters of a tool, by any of its names.
pub fn parameters(tool: &str) -> Option<&'static HashSet<String>> {
    static TOOLS: OnceLock<HashMap<String, HashSet<String>>> = OnceLock::new();
    let tools = TOOLS.get_or_init(|| {
        let output = Command::new(env!("CARGO_BIN_EXE_ns")).args(["tools", "--format", "json"]).output();
        let output = output.expect("ns can be started").stdout;
        let tools: Vec<Value> = serde_json::from_slice(&output).expect("declarations are JSON");
        tools.iter().flat_map(names_and_parameters).collect()
    });
    tools.get(&tool.to_lowercase())
}

fn names_and_parameters(tool: &Value) -> Vec<(String, HashSet<String>)> {
    let properties = tool["input_schema"]["properties"].as_object();
    let parameters: HashSet<String> = properties.into_iter().flat_map(|map| map.keys().cloned()).collect();
    let aliases = tool["aliases"].as_array().into_iter().flatten();
    let names = aliases.chain([&tool["name"], &tool["script_name"]]).filter_map(Value::as_str);
    names.map(|name| (name.to_lowercase(), parameters.clone())).collect()
}
