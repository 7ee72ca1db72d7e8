//! The five documents in `docs/specs/`: every script in them runs as printed and produces the output that its comments
//! promise; their schemas and settings equal ours.
//!
//! Golden files are in `tests/specs/`.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::support::{Ran, describe, golden, ns, package, run};

/// Returns the blocks of a document in a language, without the indentation of the surrounding list.
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

/// Runs a script in a fresh sandbox that `prepare` has filled, and compares the result with a golden file.
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

/// Returns the declaration that `ns tools NAME --format json` prints.
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

/// Returns the indented lines of list_dir.md that follow a line, without their indentation.
fn excerpt(after: &str) -> String {
    let text = fs::read_to_string(package("docs/specs/list_dir.md")).expect("the document is there");
    let mut lines = text.lines().skip_while(|line| !line.contains(after)).skip(1).skip_while(|line| line.is_empty());
    let first = lines.next().unwrap_or_else(|| panic!("the document lacks {after:?}"));
    let indent = first.len() - first.trim_start().len();
    let rest = lines.take_while(|line| !line.is_empty()).map(|line| &line[indent..]);
    std::iter::once(&first[indent..]).chain(rest).collect::<Vec<_>>().join("\n")
}

/// Returns the answer of `list_dir` in a tree of files (`a`), links (`a -> b`) and directories (`a/`).
fn list_dir(tree: &[&str], args: &Json) -> String {
    let place = tempfile::tempdir().expect("a folder for the test");
    for entry in tree {
        let (name, target) = entry.split_once(" -> ").map_or((*entry, None), |(name, target)| (name, Some(target)));
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().expect("an entry lies in a folder")).expect("a folder of the tree");
        match target {
            Some(target) => std::os::unix::fs::symlink(target, path).expect("a link of the tree"),
            None if name.ends_with('/') => fs::create_dir_all(path).expect("a folder of the tree"),
            None => fs::write(path, "").expect("a file of the tree"),
        }
    }
    let ran = run(ns(place.path()).args(["call", "list_dir", &args.to_string()]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args}");
    ran.stdout.trim_end().to_owned()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Sorts every list in a JSON value, because the document's examples are unordered.
fn ordered(json: Json) -> Json {
    match json {
        Json::Array(items) => {
            let mut items: Vec<Json> = items.into_iter().map(ordered).collect();
            items.sort_by_key(Json::to_string);
            items.into()
        }
        Json::Object(map) => map.into_iter().map(|(key, value)| (key, ordered(value))).collect(),
        other => other,
    }
}

#[test]
fn list_dir_text_examples() {
    let tree = ["src/main.py", "src/utils/helpers.py"];
    let args = serde_json::json!({ "path": "src", "recursive": true });
    assert_eq!(list_dir(&tree, &args), excerpt("Example (show_data=false):"));
    let tree = ["src/main.py", "src/utils/helpers.py", "src/data.csv"];
    for (show_data, after) in [(false, "show_data=false):"), (true, "show_data=true):")] {
        let args = serde_json::json!({ "recursive": true, "filter": "files", "show_data": show_data });
        let wanted = excerpt(&format!("Example (filter=\"files\", {after}"));
        assert_eq!(sorted(&list_dir(&tree, &args)), sorted(&wanted));
    }
}

#[test]
fn list_dir_json_examples() {
    let check = |tree: &[&str], filter: &str, after: &str| {
        let wanted: Json = serde_json::from_str(&excerpt(after)).expect("the document's example is JSON");
        let follow = filter != "folders";
        let args = serde_json::json!({
            "path": "src", "recursive": true, "filter": filter, "format": "json", "follow_folder_symlinks": follow
        });
        let answer: Json = serde_json::from_str(&list_dir(tree, &args)).expect("the answer is JSON");
        assert_eq!(ordered(answer), ordered(wanted), "{after}");
    };
    let tree = ["src/main.py", "src/utils/helpers.py", "src/link_to_old -> ../old", "src/followed_link -> ../other"];
    check(&[&tree[..], &["other/data.csv"]].concat(), "both", "A single root object representing");
    let tree =
        ["src/main.py", "src/utils/helpers.py", "src/followed_link -> ../other", "src/link_to_file -> ../real.txt"];
    check(&[&tree[..], &["other/data.csv", "real.txt"]].concat(), "files", "relative path from the listed root");
    check(&["src/utils/sub/", "src/link_to_old -> ../old", "old/"], "folders", "For filter=\"folders\":");
}

/// Names, types, allowed words and defaults of the parameters, in the document's order.
#[test]
fn list_dir_parameters_are_those_of_the_document() {
    let declaration = declaration("list_dir");
    let ours = declaration["input_schema"]["properties"].as_object().expect("the schema has properties");
    assert!(declaration["input_schema"].get("required").is_none(), "every parameter is optional");
    let text = fs::read_to_string(package("docs/specs/list_dir.md")).expect("the document is there");
    let section =
        text.split("PARAMETERS\n").nth(1).and_then(|rest| rest.split("OUTPUT FORMAT").next()).expect("a section");
    let mut names = Vec::new();
    for line in section.lines() {
        if let Some((name, kind)) = line.strip_suffix(", optional)").and_then(|line| line.split_once(" (")) {
            let kind = kind.split_whitespace().next().expect("a parameter has a type");
            assert_eq!(ours[name]["type"], kind, "the type of `{name}`");
            names.push(name);
        }
        let name = names.last().copied().unwrap_or_default();
        if let Some(words) = line.trim().strip_prefix("Allowed values: ") {
            let enumerated = ours[name]["enum"].as_array().expect("a parameter with words");
            for word in words.split(", ") {
                assert!(enumerated.iter().any(|ours| *ours == word.trim_matches('"')), "`{name}` lacks {word}");
            }
        }
        if let Some(default) = line.trim().strip_prefix("Default: ") {
            match default {
                "os.getcwd()" => assert_eq!(ours[name]["default"], "."),
                "null" => assert!(ours[name].get("default").is_none(), "`{name}`"),
                default => assert_eq!(ours[name]["default"].to_string(), default, "the default of `{name}`"),
            }
        }
    }
    assert_eq!(names, ours.keys().map(String::as_str).collect::<Vec<_>>());
}
