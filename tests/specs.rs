//! The five documents in `docs/specs/`: every script in them runs as printed and prints what its
//! comments promise; schemas and settings in them are the ones that we have.
//!
//! Golden files are in `tests/specs/`.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use support::{Ran, describe, golden, ns, package, run};

/// The blocks of a document in a language, without the indentation of the list they stand in.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(package("docs/specs").join(document)).expect("the document is there");
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if line.trim() != format!("```{language}") {
            continue;
        }
        let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
        let body = body.iter().map(|line| line.get(indent..).unwrap_or_else(|| line.trim_start()));
        found.push(body.map(|line| format!("{line}\n")).collect());
    }
    found
}

/// Runs a script in a fresh sandbox that `prepare` has filled, and compares with a golden file.
fn check_script(name: &str, script: &str, prepare: impl Fn(&Path)) -> Ran {
    let place = tempfile::tempdir().expect("a folder for the test");
    let sandbox = place.path().join("sandbox");
    fs::create_dir(&sandbox).expect("a sandbox");
    prepare(&sandbox);
    let file = place.path().join("script.ns");
    fs::write(&file, script).expect("the script can be written");
    let ran = run(ns(&sandbox).arg("run").arg(&file));
    let tree = describe(&sandbox);
    let actual =
        format!("exit {}\n\n--- output\n{}\n--- errors\n{}\n--- tree\n{tree}", ran.code, ran.stdout, ran.stderr);
    golden(&package("tests/specs").join(format!("{name}.txt")), &actual).unwrap_or_else(|fault| panic!("{fault}"));
    ran
}

#[test]
fn walk_dir_example() {
    let scripts = blocks("fs_walkdir.md", "neuroscript");
    assert_eq!(scripts.len(), 1, "the document has one script");
    let ran = check_script("fs_walkdir", &scripts[0], |_| {});
    let promised = scripts[0].lines().filter_map(|line| line.trim().strip_prefix("# - Path: "));
    let promised: Vec<String> = promised.map(|line| format!(" - Path: {line}\n")).collect();
    assert_eq!(promised.len(), 3, "the document promises three lines");
    for line in promised {
        assert!(ran.stdout.contains(&line), "the output lacks {line:?}:\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains("returned nil for non-existent path (expected)"), "{}", ran.stdout);
}

#[test]
fn move_file_example() {
    let scripts = blocks("move_file.md", "neuroscript");
    assert_eq!(scripts.len(), 1, "the document has one script");
    let ran = check_script("move_file", &scripts[0], |sandbox| {
        for name in ["old_name.txt", "report.txt", "some_other_file.txt"] {
            fs::write(sandbox.join(name), name).expect("a file of the example");
        }
        fs::create_dir(sandbox.join("reports")).expect("a folder of the example");
    });
    assert!(ran.stdout.starts_with("Overwrite attempt error: destination path already exists"), "{}", ran.stdout);
}

#[test]
fn move_file_example_without_its_files() {
    let script = &blocks("move_file.md", "neuroscript")[0];
    let ran = check_script("move_file_missing", script, |_| {});
    assert!(ran.stdout.contains("Error renaming file: source path does not exist"), "{}", ran.stdout);
}

#[test]
fn no_other_document_holds_a_script() {
    for document in ["file_system_tool.md", "list_dir.md", "list_directory_srd.md"] {
        assert!(blocks(document, "neuroscript").is_empty(), "{document} has a script that no test runs");
    }
}

/// The declaration that `ns tools NAME --format json` prints.
fn declaration(tool: &str) -> Json {
    let place = tempfile::tempdir().expect("a folder for the test");
    let ran = run(ns(place.path()).args(["tools", tool, "--format", "json"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("the declaration is JSON")
}

#[test]
fn list_directory_schema_is_that_of_the_document() {
    let schemas = blocks("list_directory_srd.md", "json");
    let normative: Json = serde_json::from_str(&schemas[0]).expect("the document's schema is JSON");
    let declaration = declaration("list_directory");
    let ours = &declaration["input_schema"];
    assert_eq!(ours["type"], normative["type"]);
    assert_eq!(ours["required"], normative["required"]);
    let properties = normative["properties"].as_object().expect("the schema has properties");
    let our_properties = ours["properties"].as_object().expect("our schema has properties");
    assert_eq!(our_properties.len(), properties.len());
    for (name, property) in properties {
        let mut ours = our_properties[name].clone();
        ours.as_object_mut().expect("a property is an object").remove("description");
        assert_eq!(&ours, property, "the property `{name}` differs");
    }
    // FR-LD-DEF-01 to 04
    assert_eq!(declaration["name"], "list_directory");
    assert_eq!(declaration["description"], "List directory entries");
    assert_eq!(declaration["is_side_effecting"], false);
    assert_eq!(declaration["requires_approval"], false);
    assert_eq!(declaration["risk"], "Low");
}

#[test]
fn list_directory_settings_are_those_of_the_document() {
    let settings = &blocks("list_directory_srd.md", "toml")[0];
    let place = tempfile::tempdir().expect("a folder for the test");
    let policy = place.path().join("policy.toml");
    let sandbox = place.path().join("sandbox");
    fs::create_dir(&sandbox).expect("a sandbox");
    for number in 0..201 {
        fs::write(sandbox.join(format!("f{number:03}")), "").expect("a file to list");
    }
    let returned = |policy: &Path| {
        let ran = run(ns(&sandbox).arg("--policy").arg(policy).args(["call", "list_directory", "{\"path\": \".\"}"]));
        let listing: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
        (listing["returned"].clone(), listing["max_entries"].clone(), listing["truncated"].clone())
    };
    fs::write(&policy, settings).expect("a policy");
    let documented = returned(&policy);
    fs::write(&policy, "").expect("a policy");
    assert_eq!(returned(&policy), documented, "the built-in values are those of the document (CFG-LD-05)");
    fs::write(&policy, settings.replace("max_entries = 200", "max_entries = 7")).expect("a policy");
    assert_eq!(returned(&policy).0, 7, "the file's value is in force");
}
