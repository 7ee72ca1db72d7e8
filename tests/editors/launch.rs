//! The arguments of `launch` that editors describe: they must be those of `docs/debugger.md` and of `ns dap`.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::package;

#[test]
fn editors_know_the_arguments_of_launch() {
    let documented = documented();
    assert!(documented.contains("program"), "{documented:?}");
    assert_eq!(documented, accepted(), "docs/debugger.md and src/dap/arguments.rs differ");
    let package_json = json_of("editors/vscode/package.json");
    let of_vscode = &package_json["contributes"]["debuggers"][0]["configurationAttributes"]["launch"];
    let of_zed = json_of("editors/zed/debug_adapter_schemas/neuroscript.json");
    for (editor, schema) in [("VS Code", of_vscode), ("Zed", &of_zed)] {
        assert_eq!(documented, described(schema), "docs/debugger.md and the schema of {editor} differ");
        assert_eq!(schema["required"], serde_json::json!(["program"]), "{editor}");
    }
}

/// Returns the names in the table of `docs/debugger.md`.
fn documented() -> BTreeSet<String> {
    let page = text_of("docs/debugger.md");
    let section = page.split("\n## ").find(|section| section.starts_with("Start\n")).expect("the page has `Start`");
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    cells.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`').to_owned()).collect()
}

/// Returns the members that `ns dap` reads, except `noDebug`, which editors set by themselves.
fn accepted() -> BTreeSet<String> {
    let source = text_of("src/dap/arguments.rs");
    let (_, after) = source.split_once("pub struct Launch {").expect("the source has `Launch`");
    let (fields, _) = after.split_once('}').expect("the structure ends");
    let names = fields.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split(':').next());
    names.filter(|name| *name != "no_debug").map(in_camel_case).collect()
}

/// Returns the members of a schema, except `request`, which belongs to every configuration.
fn described(schema: &Value) -> BTreeSet<String> {
    let members = schema["properties"].as_object().expect("the schema has properties");
    members.keys().filter(|name| *name != "request").cloned().collect()
}

fn in_camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
}

fn text_of(file: &str) -> String {
    fs::read_to_string(package(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn json_of(file: &str) -> Value {
    serde_json::from_str(&text_of(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}
