//! `docs/stability.md`: the forms of files are those of its table, newer forms are refused untouched, and no name that
//! is promised has disappeared.

#![allow(clippy::disallowed_methods, reason = "tests read and write files of their own")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use neuroscript::text::{Code, ToolCode};
use serde_json::Value as Json;

use crate::support::{ns, package, run};

/// Returns the number in the last but one column of the row that begins with this cell.
fn form_on_the_page(file: &str) -> i64 {
    let page = fs::read_to_string(package("docs/stability.md")).expect("the page is there");
    let row = page.lines().find(|line| line.starts_with(&format!("| {file}"))).expect("the page has the file");
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    cells[cells.len() - 3].parse().expect("the form is a number")
}

/// Runs a script that must succeed and returns what it prints.
fn done(sandbox: &Path, words: &[&str]) -> String {
    let ran = run(ns(sandbox).args(words));
    assert_eq!(ran.code, 0, "{words:?}: {}", ran.stderr);
    ran.stdout
}

const CHANGE: [&str; 3] = ["run", "-e", "MUST FS.WriteFile(\"a.txt\", \"one\")"];

/// Returns the message that a file has the form after that of the page.
fn newer_than(form: i64) -> String {
    format!("it has form {}, and this program knows form {form}", form + 1)
}

/// A journal that carries the user's seal as well is in `journal/history.rs`.
#[test]
fn journals_have_the_form_of_the_page_and_newer_ones_are_refused() {
    let place = tempfile::tempdir().expect("a sandbox");
    done(place.path(), &CHANGE);
    let entries = fs::read_dir(place.path().join(".ns/runs")).expect("journals");
    let mut paths = entries.map(|entry| entry.expect("an entry").path());
    let (path, journal) = paths
        .find_map(|path| {
            fs::read_to_string(&path).ok().filter(|text| text.starts_with("{\"begin\"")).map(|text| (path, text))
        })
        .expect("there is a journal");
    let form = form_on_the_page("journal of a run");
    let begin = serde_json::Deserializer::from_str(&journal).into_iter::<Json>().next().expect("a first line");
    assert_eq!(begin.expect("it begins with JSON")["begin"]["version"], form);
    let newer = journal.replacen(&format!("\"version\":{form}"), &format!("\"version\":{}", form + 1), 1);
    fs::write(&path, &newer).expect("a newer journal");
    let ran = run(ns(place.path()).args(["adopt", "--yes"]));
    assert!(ran.stdout.contains(&newer_than(form)), "{}{}", ran.stdout, ran.stderr);
    assert_ne!(run(ns(place.path()).arg("undo")).code, 0);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), newer);
    assert!(place.path().join("a.txt").exists());
}

#[test]
fn plans_have_the_form_of_the_page_and_newer_ones_are_refused() {
    let place = tempfile::tempdir().expect("a sandbox");
    let text = done(place.path(), &[&CHANGE[..], &["--plan=json"]].concat());
    let mut plan: Json = serde_json::from_str(&text).expect("a plan is JSON");
    let form = form_on_the_page("plan");
    assert_eq!(plan["plan"], form);
    plan["plan"] = (form + 1).into();
    let file = place.path().join("newer.json");
    fs::write(&file, plan.to_string()).expect("a plan");
    let ran = run(ns(place.path()).arg("apply").arg(&file));
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains(&newer_than(form)), "{}", ran.stderr);
    assert!(!place.path().join("a.txt").exists());
}

#[test]
fn project_memory_has_the_form_of_the_page_and_newer_ones_stay_as_they_are() {
    let place = tempfile::tempdir().expect("a sandbox");
    done(place.path(), &["memory", "set", "key", "1"]);
    let file = place.path().join(".ns/memory.db");
    let database = rusqlite::Connection::open(&file).expect("a database");
    let form: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
    assert_eq!(form, form_on_the_page("project memory"));
    database.pragma_update(None, "user_version", form + 1).expect("a newer version");
    database.pragma_update(None, "wal_checkpoint", "TRUNCATE").expect("everything is in the file");
    drop(database);
    let before = fs::read(&file).expect("the file");
    let ran = run(ns(place.path()).args(["memory", "set", "key", "2"]));
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stderr.contains(&(form + 1).to_string()), "{}", ran.stderr);
    assert_eq!(fs::read(&file).expect("the file"), before);
}

/// `UPDATE=1` adds the names that are new. One that was promised is removed by hand, with its line in `CHANGELOG.md`.
#[test]
fn nothing_that_was_promised_is_gone() {
    let file = package("tests/stability/promised.txt");
    let text = fs::read_to_string(&file).expect("the list of promised names");
    let promised: BTreeSet<String> = text.lines().map(ToOwned::to_owned).collect();
    let present = promises();
    let gone: Vec<&String> = promised.difference(&present).collect();
    assert!(gone.is_empty(), "promised in tests/stability/promised.txt, and gone: {gone:#?}");
    if std::env::var_os("UPDATE").is_some() {
        let lines: Vec<String> = present.into_iter().collect();
        fs::write(&file, lines.join("\n") + "\n").expect("the file is written");
        return;
    }
    let unlisted: Vec<&String> = present.difference(&promised).collect();
    assert!(unlisted.is_empty(), "not in tests/stability/promised.txt; UPDATE=1 adds them: {unlisted:#?}");
}

/// Returns the names that the page covers and `ns` lists, each with its kind.
fn promises() -> BTreeSet<String> {
    let place = tempfile::tempdir().expect("a sandbox");
    let tools: Vec<Json> =
        serde_json::from_str(&done(place.path(), &["tools", "--format", "json"])).expect("the tools as JSON");
    let doctor: Json =
        serde_json::from_str(&done(place.path(), &["doctor", "--output", "json"])).expect("the policy as JSON");
    let mut names: BTreeSet<String> = tools.iter().flat_map(promises_of).collect();
    names.extend(Code::ALL.iter().map(|code| format!("code {code}")));
    names.extend(ToolCode::ALL.iter().map(|code| format!("failure {code}")));
    let keys = doctor["values"].as_array().expect("the keys of the policy");
    names.extend(keys.iter().map(|row| format!("policy {} {}", text(&row["section"]), text(&row["key"]))));
    let pages: Vec<Json> =
        serde_json::from_str(&done(place.path(), &["doc", "--format", "json"])).expect("the pages as JSON");
    let built_in = pages.iter().filter(|page| page["kind"] == "built-in");
    names.extend(built_in.map(|page| format!("built-in {}", text(&page["name"]))));
    names.extend(commands(place.path(), &[]));
    names
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_else(|| panic!("expected a text, found {value}"))
}

/// Returns the names of a tool, of its parameters and of the fields of its result.
fn promises_of(tool: &Json) -> Vec<String> {
    let name = text(&tool["script_name"]);
    let mut names = vec![format!("tool {name}"), format!("tool {}", text(&tool["name"]))];
    names.extend(tool["aliases"].as_array().into_iter().flatten().map(|alias| format!("tool {}", text(alias))));
    let parameters = tool["input_schema"]["properties"].as_object().into_iter().flatten();
    names.extend(parameters.map(|(parameter, _)| format!("parameter {name} {parameter}")));
    let aliases = tool["parameter_aliases"].as_object().into_iter().flatten();
    names.extend(aliases.map(|(alias, _)| format!("parameter {name} {alias}")));
    names.extend(fields(&tool["output_schema"], "").into_iter().map(|field| format!("result {name} {field}")));
    names
}

/// Returns the paths of the fields that a schema describes.
fn fields(schema: &Json, above: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{above}.{name}");
        found.extend(fields(below, &path));
        found.push(path);
    }
    if schema["items"].is_object() {
        found.extend(fields(&schema["items"], &format!("{above}[]")));
    }
    found
}

/// Returns the commands below one, with their options, from their manual pages.
fn commands(sandbox: &Path, words: &[&str]) -> Vec<String> {
    let page = done(sandbox, &[&["man"], words].concat()).replace("\\-", "-");
    let command = [&["ns"], words].concat().join(" ");
    let prefix = format!("{}-", command.replace(' ', "-"));
    let mut found = Vec::new();
    for line in page.lines() {
        for option in line.split("\\fB").skip(1).filter_map(|rest| rest.split("\\fR").next()) {
            if option.starts_with("--") {
                found.push(format!("option {command} {option}"));
            }
        }
        let below = line.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix("(1)"));
        if let Some(below) = below.filter(|below| *below != "help") {
            found.push(format!("command {command} {below}"));
            found.extend(commands(sandbox, &[words, &[below]].concat()));
        }
    }
    found
}
