//! Arguments of calls by a server's clients, in other spellings and in the text form of their type: every tool, every
//! parameter.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

use crate::mcp::client::Client;
use crate::support::{folder_in_memory, ns, run};
use crate::tools::declarations;

/// Returns the schema of each parameter of a tool.
fn parameters(tool: &Json) -> Map<String, Json> {
    tool["input_schema"]["properties"].as_object().cloned().unwrap_or_default()
}

/// Creates a sandbox in which whatever would change something is refused after its arguments were bound, because nobody
/// can be asked.
fn sandbox() -> TempDir {
    let place = folder_in_memory();
    std::fs::write(place.path().join("a.txt"), "one\ntwo\nthree\n").expect("a file");
    let changing: Vec<Json> = declarations()
        .into_iter()
        .filter(|tool| ["writes", "deletes"].contains(&tool["effect"].as_str().unwrap_or_default()))
        .map(|tool| tool["script_name"].clone())
        .collect();
    assert!(changing.len() > 10, "{changing:?}");
    let policy = format!("[tools]\nask = {}\n", json!(changing));
    std::fs::write(place.path().join("neuroscript.toml"), policy).expect("a policy");
    place
}

/// Returns the answers to calls, each a tool with its arguments, as one server gives them.
fn answers(place: &TempDir, calls: &[(String, Json)]) -> Vec<Json> {
    let mut client = Client::open(place.path(), &["--write", "--tools", "all"]);
    calls.iter().map(|(tool, arguments)| client.call(tool, arguments.clone())["structuredContent"].take()).collect()
}

/// Makes each call in two ways and requires the same answers.
fn agree(pairs: &[(String, Json, Json)]) {
    let place = sandbox();
    let side = |other: bool| {
        let arguments = |(tool, one, two): &(String, Json, Json)| (tool.clone(), if other { two } else { one }.clone());
        answers(&place, &pairs.iter().map(arguments).collect::<Vec<_>>())
    };
    for ((one, two), (tool, first, second)) in side(false).iter().zip(side(true)).zip(pairs) {
        let is_random = ["random", "uuid", "time_"].iter().any(|group| tool.starts_with(group));
        let is_same = if is_random { one["error"] == two["error"] } else { *one == two };
        assert!(is_same, "{tool}: {first} gives {one}, {second} gives {two}");
    }
}

fn spellings(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let pascal: String = words.iter().map(|word| capital(word)).collect();
    let camel = words[0].to_owned() + &words[1..].iter().map(|word| capital(word)).collect::<String>();
    let all = [camel, pascal, words.join("-"), words.concat(), name.to_uppercase()];
    all.into_iter().filter(|spelling| spelling != name).collect()
}

#[test]
fn names_are_understood_in_every_spelling() {
    let mut pairs = Vec::new();
    for tool in declarations() {
        let wire = tool["name"].as_str().expect("a wire name").to_owned();
        let parameters = parameters(&tool);
        let aliases = tool["parameter_aliases"].as_object().cloned().unwrap_or_default();
        let mut names: BTreeMap<String, String> = parameters.keys().map(|name| (name.clone(), name.clone())).collect();
        for (alias, name) in aliases {
            names.insert(alias, name.as_str().expect("a name").to_owned());
        }
        for (name, parameter) in &names {
            // A spelling that is the letter or the name of a parameter stands for that one.
            for spelling in spellings(name).into_iter().filter(|spelling| !names.contains_key(spelling)) {
                // Of a wrong type, so that the answer names the parameter.
                let wrong = json!({ "no": ["value"] });
                pairs.push((wire.clone(), json!({ parameter: wrong }), json!({ spelling: wrong })));
            }
        }
    }
    assert!(pairs.len() > 1_000, "only {} spellings", pairs.len());
    agree(&pairs);
}

/// Returns a value for a schema, and forms in which programs send it.
fn values(schema: &Json) -> Option<(Json, Vec<Json>)> {
    let types: Vec<&str> = match &schema["type"] {
        Json::String(one) => vec![one],
        Json::Array(several) => several.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    match types.as_slice() {
        ["integer"] => {
            let value = schema["minimum"].as_i64().unwrap_or(1).max(1);
            Some((json!(value), vec![json!(value.to_string())]))
        }
        ["number"] => Some((json!(2.5), vec![json!("2.5")])),
        ["boolean"] => Some((json!(true), vec![json!("true"), json!("True")])),
        ["boolean", "array"] => Some((json!(false), vec![json!("false")])),
        ["array"] if schema["items"]["type"] == "string" => {
            Some((json!(["a.txt"]), vec![json!("a.txt"), json!("[\"a.txt\"]")]))
        }
        ["string", "array"] => Some((json!(["a.txt", "b"]), vec![json!("[\"a.txt\", \"b\"]")])),
        ["array"] if schema["items"].is_null() => Some((json!([1, 2]), vec![json!("[1, 2]")])),
        ["object"] => Some((json!({ "k": 1 }), vec![json!("{\"k\": 1}")])),
        _ => None,
    }
}

#[test]
fn values_are_understood_in_the_text_form_of_their_type() {
    let mut pairs = Vec::new();
    for tool in declarations() {
        let wire = tool["name"].as_str().expect("a wire name").to_owned();
        let required: Vec<Json> = tool["input_schema"]["required"].as_array().cloned().unwrap_or_default();
        let parameters = parameters(&tool);
        let rest: Map<String, Json> = required
            .iter()
            .filter_map(|name| Some((name.as_str()?.to_owned(), values(&parameters[name.as_str()?])?.0)))
            .collect();
        for (name, schema) in &parameters {
            let with = |value: Json| {
                let mut arguments = rest.clone();
                arguments.insert(name.clone(), value);
                Json::Object(arguments)
            };
            if let Some((value, forms)) = values(schema) {
                pairs.extend(forms.into_iter().map(|form| (wire.clone(), with(value.clone()), with(form))));
            }
            // A strict schema makes programs send every argument.
            if !required.contains(&json!(name)) && schema["type"].is_string() {
                pairs.push((wire.clone(), Json::Object(rest.clone()), with(Json::Null)));
            }
        }
    }
    assert!(pairs.len() > 300, "only {} forms", pairs.len());
    agree(&pairs);
}

#[test]
fn names_of_other_servers_are_understood() {
    let same = |tool: &str, one: Json, two: Json| (tool.to_owned(), one, two);
    let mut pairs = Vec::new();
    for guess in ["file", "filename", "file_name", "filePath", "FilePath", "filepath", "pathname"] {
        pairs.push(same("read_file", json!({ "path": "a.txt" }), json!({ guess: "a.txt" })));
        pairs.push(same("file_info", json!({ "path": "a.txt" }), json!({ guess: "a.txt" })));
    }
    for guess in ["dir", "directory", "folder", "dirPath"] {
        pairs.push(same("find", json!({ "path": "." }), json!({ guess: "." })));
        pairs.push(same("list_directory", json!({ "path": "." }), json!({ guess: "." })));
    }
    pairs.push(same("read_file", json!({ "path": "a.txt", "max_lines": 1 }), json!({ "path": "a.txt", "head": "1" })));
    pairs.push(same("read_file", json!({ "path": "a.txt", "last_lines": 1 }), json!({ "path": "a.txt", "tail": 1 })));
    pairs.push(same("read_files", json!({ "paths": ["a.txt"] }), json!({ "files": "[\"a.txt\"]" })));
    pairs.push(same("read_file", json!({ "path": "7" }), json!({ "path": 7 })));
    pairs.push(same("read_files", json!({ "paths": ["a.txt", "7"] }), json!({ "paths": ["a.txt", 7] })));
    pairs.push(same("find", json!({ "pattern": ["*.txt"] }), json!({ "glob": "[\"*.txt\"]" })));
    for guess in ["query", "search", "needle"] {
        pairs.push(same("search_files", json!({ "text": "two" }), json!({ guess: "two" })));
    }
    pairs.push(same(
        "search_files",
        json!({ "text": "T", "pattern": "*.txt" }),
        json!({ "query": "T", "glob": "*.txt" }),
    ));
    let edit = json!({ "path": "a.txt", "edits": [{ "old_text": "one", "new_text": "1" }], "dry_run": true });
    for (old, new) in [("oldText", "newText"), ("old_string", "new_string"), ("old_str", "new_str")] {
        let guess = json!({ "path": "a.txt", "edits": [{ old: "one", new: "1" }], "dryRun": "true" });
        pairs.push(same("edit_file", edit.clone(), guess));
        let edits = json!([{ old: "one", new: "1" }]).to_string();
        pairs.push(same("edit_file", edit.clone(), json!({ "path": "a.txt", "edits": edits, "dryRun": true })));
    }
    agree(&pairs);
}

/// A name that can mean two parameters or one that is given already, and a value that can mean two, are errors.
#[test]
fn doubtful_arguments_stay_errors() {
    let calls = [
        ("read_file", json!({ "path": "a.txt", "file": "b.txt" })),
        ("read_file", json!({ "filename": "a.txt", "file": "b.txt" })),
        ("copy_file", json!({ "path": "a.txt", "destination": "b.txt" })),
        ("str_find", json!({ "text": "abc", "search": "b" })),
        ("regex_match", json!({ "text": "abc", "glob": "*" })),
        ("read_file", json!({ "path": "a.txt", "max_lines": "1 line" })),
        ("read_file", json!({ "path": "a.txt", "max_lines": "" })),
        ("read_file", json!({ "path": "a.txt", "line_numbers": "yes" })),
        ("read_file", json!({ "path": null })),
        ("read_file", json!({ "path": "a.txt", "filename": null })),
        ("read_file", json!({ "folder": "a.txt" })),
        ("find", json!({ "filename": "a.txt" })),
        ("extract", json!({ "folder": "a.zip", "destination": "out" })),
        ("write_file", json!({ "path": "a.txt", "search": "one" })),
        ("append_file", json!({ "path": "a.txt", "query": "one" })),
        ("set_permissions", json!({ "path": "a.txt", "mode": 436 })),
        ("read_files", json!({ "paths": "[a.txt" })),
        ("read_files", json!({ "paths": 7 })),
        ("edit_file", json!({ "path": "a.txt", "edits": [{ "old": "one", "old_string": "two", "new": "1" }] })),
    ];
    let calls: Vec<(String, Json)> = calls.map(|(tool, arguments)| (tool.to_owned(), arguments)).into();
    for ((tool, arguments), answer) in calls.iter().zip(answers(&sandbox(), &calls)) {
        assert_eq!(answer["error"]["code"], "bad_args", "{tool} {arguments}: {answer}");
    }
}

/// `ns call` takes arguments as they are declared.
#[test]
fn only_a_server_takes_guesses() {
    let place = folder_in_memory();
    std::fs::write(place.path().join("a.txt"), "one\n").expect("a file");
    for arguments in [json!({ "filePath": "a.txt" }), json!({ "path": "a.txt", "max_lines": "1" })] {
        assert_eq!(run(ns(place.path()).args(["call", "read_file", &arguments.to_string()])).code, 2, "{arguments}");
    }
}
