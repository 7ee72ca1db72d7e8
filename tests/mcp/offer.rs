//! The tools that a client sees: their order, their schemas and their size.

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

const READING: [&str; 8] =
    ["find", "list_dir", "read_file", "read_files", "search_files", "run_script", "read_result", "language_guide"];
const CHANGING: [&str; 8] =
    ["write_file", "edit_file", "move_file", "copy_file", "delete_file", "create_directory", "undo", "history"];

/// Bytes per token, as assumed by the budgets.
const TOKEN: usize = 4;

fn offered(options: &[&str]) -> Vec<Json> {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), options);
    let answer = client.request("tools/list", json!({}));
    answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

fn names(tools: &[Json]) -> Vec<String> {
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn the_default_set_is_small_and_in_order() {
    let tools = offered(&[]);
    assert_eq!(names(&tools), READING);
    let bytes = Json::Array(tools).to_string().len();
    println!("definitions: {bytes} bytes");
    assert!(bytes / TOKEN < 2_200, "{} tokens", bytes / TOKEN);
    let tools = offered(&["--write"]);
    assert_eq!(names(&tools), [&READING[..], &CHANGING].concat());
    let bytes = Json::Array(tools).to_string().len();
    println!("definitions with --write: {bytes} bytes");
    assert!(bytes / TOKEN < 4_300, "{} tokens", bytes / TOKEN);
}

/// A bundle asks a person whether changes are allowed, and can pass only the answer.
#[test]
fn write_takes_a_value() {
    assert_eq!(names(&offered(&["--write=false"])), READING);
    assert_eq!(names(&offered(&["--write=true"])), [&READING[..], &CHANGING].concat());
}

/// The default set leaves out what few calls need; a tool that is named describes all of it.
#[test]
fn rare_arguments_are_accepted_where_they_are_not_described() {
    let describes = |options: &[&str], tool: &str, argument: &str| {
        let tool = offered(options).into_iter().find(|offered| offered["name"] == tool).expect("it is offered");
        tool["inputSchema"]["properties"].get(argument).is_some()
    };
    assert!(!describes(&[], "read_file", "max_size_mb") && describes(&[], "read_file", "last_lines"));
    for options in [["--tools", "read_file"], ["--tools", "all"], ["--tools", "default,fs"]] {
        assert!(describes(&options, "read_file", "max_size_mb"), "{options:?}");
    }
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("large.txt"), "x".repeat(11 << 20)).expect("a file");
    let mut client = Client::open(place.path(), &[]);
    let failure = client.failed("read_file", json!({ "path": "large.txt" }));
    assert!(failure["hint"].as_str().is_some_and(|hint| hint.contains("max_size_mb")), "{failure}");
    assert_eq!(client.done("read_file", json!({ "path": "large.txt", "max_size_mb": 12 }))["lineCount"], 1);
}

#[test]
fn groups_and_names_are_chosen() {
    assert_eq!(
        names(&offered(&["--tools", "hash_file,uuid"])),
        ["hash_file", "uuid_new", "uuid_is_valid", "read_result"]
    );
    let all = names(&offered(&["--tools", "all", "--write"]));
    assert!(all.len() > 150 && all.contains(&"run_script".to_owned()), "{}", all.len());
    let reading = names(&offered(&["--tools", "all"]));
    assert!(!reading.contains(&"write_file".to_owned()) && reading.contains(&"str_upper".to_owned()), "{reading:?}");
}

#[test]
fn a_policy_hides_what_it_refuses() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("neuroscript.toml"), "[tools]\ndeny = [\"read_file\"]\n").expect("a policy");
    let mut client = Client::open(place.path(), &["--write"]);
    let answer = client.request("tools/list", json!({}));
    let tools = names(answer["result"]["tools"].as_array().expect("tools"));
    assert!(!tools.contains(&"read_file".to_owned()) && tools.contains(&"write_file".to_owned()), "{tools:?}");
    let answer = client.request("tools/call", json!({ "name": "read_file", "arguments": { "file_path": "a" } }));
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("deny")), "{answer}");
}

/// Words of the instructions that are no tools.
const ARGUMENTS: [&str; 5] = ["/", ".", ".gitignore", "gitignore", "path"];

#[test]
fn the_instructions_name_only_what_is_offered() {
    let place = tempfile::tempdir().expect("a sandbox");
    let singles = [&READING[..], &CHANGING].concat();
    let mut named = 0;
    for tools in [&["default", "all", "script", "none", "fs", "hash"][..], &singles].concat() {
        for more in [&[][..], &["--write"]] {
            let mut client = Client::open(place.path(), &[&["--tools", tools], more].concat());
            let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
            let offered = names(listed.as_array().expect("tools"));
            let text = client.server["instructions"].as_str().expect("instructions").to_owned();
            for word in text.split('`').skip(1).step_by(2).filter(|word| !ARGUMENTS.contains(word)) {
                assert!(offered.iter().any(|name| name == word), "{tools} {more:?}: {word} in {text}");
                named += 1;
            }
        }
    }
    assert!(named > 60, "{named}");
    let mut client = Client::open(place.path(), &["--write"]);
    let text = client.server["instructions"].take().to_string();
    for word in ["find", "read_files", "undo", "language_guide", "run_script", "read_result"] {
        assert!(text.contains(&format!("`{word}`")), "{word} in {text}");
    }
}

#[test]
fn schemas_are_flat() {
    for tool in offered(&["--tools", "all", "--write"]) {
        let name = tool["name"].as_str().expect("a name");
        for schema in ["inputSchema", "outputSchema"].into_iter().filter(|schema| tool.get(schema).is_some()) {
            assert_eq!(tool[schema]["type"], "object", "{schema} of {name}");
            look(&tool[schema], &format!("{schema} of {name}"));
        }
    }
}

/// Checks a schema and all its subschemas.
fn look(schema: &Json, place: &str) {
    let Some(schema) = schema.as_object() else { return };
    for word in ["$ref", "$defs", "anyOf", "oneOf", "allOf", "format", "definitions"] {
        assert!(!schema.contains_key(word), "{word} in {place}");
    }
    assert!(schema.get("type").is_none_or(Json::is_string), "several types in {place}");
    for (name, property) in schema.get("properties").and_then(Json::as_object).into_iter().flatten() {
        look(property, &format!("{name} in {place}"));
    }
    for inner in ["items", "additionalProperties"] {
        schema.get(inner).into_iter().for_each(|inner| look(inner, place));
    }
}

#[test]
fn every_tool_has_a_title_and_all_hints() {
    let hint = |tool: &Json, name: &str| tool["annotations"][name].as_bool().expect("a hint");
    for tool in offered(&["--tools", "all", "--write"]) {
        assert!(tool["title"].as_str().is_some_and(|title| title.len() > 1), "{tool}");
        for name in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            hint(&tool, name);
        }
        let name = tool["name"].as_str().expect("a name");
        match name {
            "read_file" | "find" | "str_upper" | "history" => assert!(hint(&tool, "readOnlyHint"), "{name}"),
            "delete_file" => assert!(hint(&tool, "destructiveHint") && !hint(&tool, "readOnlyHint")),
            "write_file" | "run_script" | "undo" => assert!(!hint(&tool, "readOnlyHint"), "{name}"),
            _ => {}
        }
    }
    let scripts = offered(&[]).into_iter().find(|tool| tool["name"] == "run_script").expect("run_script");
    assert!(hint(&scripts, "readOnlyHint"), "nothing can be changed without --write");
}

/// Some clients validate failures too, so no schema excludes one.
#[test]
fn output_schemas_hold_for_failures() {
    for tool in offered(&["--tools", "all", "--write"]) {
        let schema = &tool["outputSchema"];
        assert!(schema.get("required").is_none() && schema.get("additionalProperties").is_none(), "{tool}");
        assert!(schema["properties"].get("error").is_none(), "{tool}");
    }
}

/// A tool that may replace or remove something destroys; the others only add.
#[test]
fn what_may_overwrite_is_destructive() {
    let additive = ["append_file", "create_directory", "create_link", "extract", "temp_directory"];
    for tool in offered(&["--tools", "all", "--write"]) {
        let (name, hints) = (tool["name"].as_str().expect("a name"), &tool["annotations"]);
        let destroys = hints["readOnlyHint"] == false && !additive.contains(&name);
        assert_eq!(hints["destructiveHint"], destroys, "{name}");
    }
}
