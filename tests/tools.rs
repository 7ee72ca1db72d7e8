//! Rules for every tool's declaration, and the documentation generated from it.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use serde_json::Value as Json;

use crate::support::{golden, ns, package, run};

fn declarations() -> Vec<Json> {
    let place = tempfile::tempdir().expect("a folder for the test");
    let ran = run(ns(place.path()).args(["tools", "--format", "json"]));
    let json: Json = serde_json::from_str(&ran.stdout).expect("the declarations are JSON");
    json.as_array().expect("the declarations are a list").clone()
}

#[test]
fn every_example_prints_what_it_promises() {
    for tool in declarations() {
        let place = tempfile::tempdir().expect("a folder for the example");
        let script = tool["example"]["script"].as_str().expect("an example has a script");
        let wanted = tool["example"]["output"].as_str().expect("an example has an output");
        let ran = run(ns(place.path()).args(["run", "-e", script]));
        assert_eq!(
            (ran.stdout.as_str(), ran.code),
            (wanted, 0),
            "the example of {}: {}",
            tool["script_name"],
            ran.stderr
        );
    }
}

#[test]
fn reference_documentation_is_fresh() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let ran = run(ns(place.path()).args(["tools", "--format", "markdown"]));
    golden(&package("docs/tools.md"), &ran.stdout).unwrap_or_else(|fault| panic!("{fault}"));
}

#[test]
fn names_are_for_machines_and_people() {
    let mut wire_names = std::collections::BTreeSet::new();
    for tool in declarations() {
        let wire = tool["name"].as_str().expect("a tool has a wire name");
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(wire.starts_with(|c: char| c.is_ascii_lowercase()) && wire.chars().all(fits), "wire name {wire}");
        assert!(wire_names.insert(wire.to_owned()), "two tools are called {wire}");
        let name = tool["script_name"].as_str().expect("a tool has a script name");
        let (group, verb) = name.split_once('.').expect("a script name is GROUP.VerbNoun");
        assert!(group.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()), "script name {name}");
        assert!(verb.starts_with(|c: char| c.is_ascii_uppercase()), "script name {name}");
        let summary = tool["description"].as_str().expect("a tool has a description");
        assert!(!summary.ends_with('.') && summary.len() > 10, "summary of {name}: {summary}");
    }
}

#[test]
fn schemas_are_flat_objects() {
    for tool in declarations() {
        let name = tool["script_name"].as_str().expect("a tool has a script name");
        let input = &tool["input_schema"];
        assert_eq!(input["type"], "object", "{name}");
        assert_eq!(input["additionalProperties"], false, "{name}");
        let text = tool.to_string();
        // A parameter may be called `format`; as a keyword of JSON Schema it has a text.
        assert!(!text.contains("$ref") && !text.contains("\"format\":\""), "{name}: {text}");
        for (param, schema) in input["properties"].as_object().expect("a schema has properties") {
            assert!(schema["description"].is_string(), "{name} does not say what `{param}` means");
        }
    }
}

/// The result of a tool has the keys that its output schema promises.
#[test]
fn answers_have_the_shape_of_their_schema() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let calls = [
        ("write_file", "{\"file_path\": \"d/a.txt\", \"content\": \"x\"}"),
        ("read_file", "{\"file_path\": \"d/a.txt\"}"),
        ("file_info", "{\"path\": \"d/a.txt\"}"),
        ("hash_file", "{\"path\": \"d/a.txt\"}"),
        ("create_directory", "{\"directory_path\": \"e\"}"),
        ("list_directory", "{\"path\": \".\"}"),
        ("move_file", "{\"source\": \"d/a.txt\", \"destination\": \"e/a.txt\"}"),
        ("delete_file", "{\"path\": \"e\", \"recursive\": true}"),
    ];
    let declarations = declarations();
    for (tool, args) in calls {
        let ran = run(ns(place.path()).args(["call", tool, args]));
        let answer: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{tool}: {}", ran.stderr));
        let declaration =
            declarations.iter().find(|declaration| declaration["name"] == tool).expect("the tool is declared");
        let properties = declaration["output_schema"]["properties"].as_object().expect("the answer is an object");
        for key in answer.as_object().expect("the answer is an object").keys() {
            assert!(properties.contains_key(key), "{tool} answers `{key}`, which its schema lacks");
        }
        for required in declaration["output_schema"]["required"].as_array().into_iter().flatten() {
            assert!(answer.get(required.as_str().expect("a key")).is_some(), "{tool} lacks {required}");
        }
    }
}
