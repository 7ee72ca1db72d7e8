//! No tool lists `.ns` or the policy file, or reaches them by any spelling.
//!
//! The tools and their path parameters are taken from the reference documentation, so a new tool is covered
//! automatically.

use std::os::unix::fs::symlink;
use std::path::Path;

use neuroscript::engine::{Engine, Options, Value};
use serde_json::{Map, Value as Json, json};

use super::{keep, sandbox};
use crate::support::{describe, folder_in_memory, package_files};

/// A tool that takes paths: its wire name, and its parameters with type and whether they are optional.
pub struct Tool {
    pub name: String,
    pub params: Vec<(String, String, bool)>,
}

pub fn tools_with_paths() -> Vec<Tool> {
    let pages = package_files("docs/tools", &["md"]);
    let pages = pages.iter().map(|page| std::fs::read_to_string(page).expect("the reference documentation"));
    let page: String = pages.collect();
    // Functions that take a procedure are listed among the tools, but have no wire name.
    let sections = page.split("\n## ").skip(1).filter(|section| section.contains("- Other names: `"));
    let tools: Vec<Tool> = sections.map(tool).collect();
    let tools: Vec<Tool> =
        tools.into_iter().filter(|tool| tool.params.iter().any(|(_, kind, _)| kind == "path")).collect();
    assert!(tools.len() >= 9, "the documentation lists tools with paths");
    tools
}

fn tool(section: &str) -> Tool {
    let name = section.split("- Other names: `").nth(1).and_then(|rest| rest.split('`').next()).expect("a wire name");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let params = rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (cells[1].split('`').nth(1).expect("a name").to_owned(), cells[2].to_owned(), cells[3] == "required")
    });
    Tool { name: name.to_owned(), params: params.collect() }
}

/// Creates a sandbox with our own files, links to them, and a decoy.
fn tree() -> tempfile::TempDir {
    let place = folder_in_memory();
    keep(place.path(), "secret", "\"in memory\"");
    std::fs::write(place.path().join("neuroscript.toml"), "[limits]\n").expect("a policy");
    refresh(place.path());
    place
}

/// Restores files that a tool may have moved or removed legitimately.
fn refresh(place: &Path) {
    std::fs::create_dir_all(place.join("a/b")).expect("folders");
    std::fs::write(place.join("a/file"), "text").expect("a file");
    let links = [
        ("link", ".ns"),
        ("into", ".ns/memory.db"),
        ("policy", "neuroscript.toml"),
        ("a/up", ".."),
        ("a/over", "../.NS/../.ns"),
        ("chain", "link"),
        ("self", "."),
    ];
    for (name, target) in links {
        let _ = std::fs::remove_file(place.join(name));
        symlink(target, place.join(name)).expect("a link");
    }
    let absolute = place.canonicalize().expect("the sandbox has a path").join(".ns");
    let _ = std::fs::remove_file(place.join("absolute"));
    symlink(absolute, place.join("absolute")).expect("a link");
}

pub fn call(engine: &Engine, tool: &str, args: Map<String, Json>) -> Result<Value, (String, String)> {
    let args: Value = serde_json::from_value(Json::Object(args)).expect("arguments are values");
    engine.call(tool, &args).map_err(|error| (error.code.id().to_owned(), error.message))
}

/// Returns arguments with one path, and values for the other required ones.
pub fn arguments(tool: &Tool, param: &str, path: &str) -> Map<String, Json> {
    let mut args = Map::new();
    for (name, kind, required) in &tool.params {
        if name == param {
            args.insert(name.clone(), json!(path));
        } else if *required || ["source", "destination", "old_text", "new_text"].contains(&name.as_str()) {
            let value = match kind.as_str() {
                "path" if name.starts_with("dest") => json!("fresh"),
                "path" => json!("a/file"),
                "int" => json!(1),
                "bool" => json!(true),
                _ if name == "mode" => json!("644"),
                _ if name == "time" => json!("2001-01-01T00:00:00Z"),
                _ => json!(format!("x {name}")),
            };
            args.insert(name.clone(), value);
        } else if name == "recursive" && kind == "bool" {
            args.insert(name.clone(), json!(true));
        }
    }
    args
}

pub fn engine(place: &Path) -> Engine {
    Engine::open(&Options { sandbox: Some(place.to_owned()), ..Options::default() }).expect("an engine")
}

#[test]
fn every_spelling_is_refused_by_every_tool() {
    let place = tree();
    let root = place.path().canonicalize().expect("the sandbox has a path");
    let own = |place: &Path| {
        let policy = std::fs::read(place.join("neuroscript.toml")).expect("the policy");
        // Refusals are recorded in our own log. Backups of links that tools delete or replace are no secret.
        let is_kept = |line: &&str| {
            ["audit.jsonl ", "lock ", "backups/", "trash/", "runs/"].iter().any(|name| line.starts_with(name))
        };
        let described = describe(&place.join(".ns"));
        let lines: Vec<String> = described.lines().filter(|line| !is_kept(line)).map(str::to_owned).collect();
        (lines, policy)
    };
    let before = own(place.path());
    let mut spellings: Vec<String> = [
        ".ns",
        ".NS",
        ".nS",
        ".n\u{17f}",
        ".ns/",
        "./.ns",
        "a/../.ns",
        "a/b/../../.ns",
        "a/up/.ns",
        "self/.ns",
        "a/up/a/up/.ns",
        "a/over/memory.db",
        ".ns/memory.db",
        ".ns/.",
        ".ns/..",
        ".ns/../a/file",
        ".ns/new",
        ".ns/new/deeper",
        ".NS/memory.db",
        "link/",
        "link/memory.db",
        "link/new",
        "link/../a/file",
        "chain/memory.db",
        "absolute/memory.db",
        ".ns.",
        ".ns ",
        ".ns:x",
        "neuroscript.toml",
        "NeuroScript.TOML",
        "./neuroscript.toml",
        "a/up/neuroscript.toml",
        "neuroscript.toml/",
        "neuroscript.toml/x",
        "neuro\u{17f}cript.toml",
        "self/neuroscript.toml",
        ".n\u{34f}s",
        ".ns\u{fe0f}",
    ]
    .map(str::to_owned)
    .to_vec();
    spellings.push(format!("{}/.ns", root.display()));
    spellings.push(format!("{}/.ns/memory.db", root.display()));
    spellings.push(format!("{}/a/../.ns", root.display()));
    // These paths denote a link itself, which some tools change; then only the link is gone.
    let links = ["link", "into", "policy", "chain", "absolute", "a/over"];
    for tool in tools_with_paths() {
        for (param, _, _) in tool.params.iter().filter(|(_, kind, _)| kind == "path") {
            for spelling in spellings.iter().map(String::as_str).chain(links) {
                refresh(place.path());
                let engine = engine(place.path());
                let result = call(&engine, &tool.name, arguments(&tool, param, spelling));
                let is_link = links.contains(&spelling);
                match result {
                    Ok(value) => {
                        assert!(is_link, "{}({param}: {spelling:?}) gave {value:?}", tool.name);
                        let mut answer = serde_json::to_value(&value).expect("an answer has JSON");
                        // The target of a link is what its creator wrote.
                        answer.as_object_mut().map(|answer| answer.remove("target"));
                        let text = answer.to_string();
                        assert!(!text.contains("memory.db") && !text.contains("[limits]"), "{}: {text}", tool.name);
                    }
                    // Created names must not contain `:` at all, and a selector after a letter is not shown.
                    Err((code, _)) if code == "bad_args" && spelling.contains([':', '\u{fe0f}']) => {}
                    Err((code, message)) if !is_link => {
                        assert_eq!(code, "sandbox_violation", "{}({param}: {spelling:?}): {message}", tool.name);
                    }
                    Err(_) => {}
                }
                assert_eq!(own(place.path()), before, "{}({param}: {spelling:?}) changed our files", tool.name);
            }
        }
    }
}

/// The name of the policy file is refused even if there is no such file.
#[test]
fn names_that_do_not_exist_yet_are_refused_too() {
    let place = sandbox();
    std::fs::create_dir(place.path().join("a")).expect("a folder");
    std::fs::write(place.path().join("a/file"), "text").expect("a file");
    symlink(".ns", place.path().join("dangling")).expect("a link");
    symlink("neuroscript.toml", place.path().join("policy")).expect("a link");
    let engine = engine(place.path());
    for tool in tools_with_paths() {
        for (param, _, _) in tool.params.iter().filter(|(_, kind, _)| kind == "path") {
            for spelling in
                [".ns", ".NS/x", "neuroscript.toml", "NEUROSCRIPT.TOML", "dangling/x", "a/../.ns", "policy/"]
            {
                let result = call(&engine, &tool.name, arguments(&tool, param, spelling));
                let (code, message) = result.err().unwrap_or_else(|| panic!("{}({param}: {spelling:?})", tool.name));
                assert_eq!(code, "sandbox_violation", "{}({param}: {spelling:?}): {message}", tool.name);
            }
        }
    }
    let mut names: Vec<_> = std::fs::read_dir(place.path())
        .expect("the sandbox")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, [".ns", "a", "dangling", "policy"]);
    assert!(describe(place.path()).contains(".ns/audit.jsonl (the audit log)\n"), "the log is what was made");
    assert!(!place.path().join(".ns/x").exists());
}

#[test]
fn no_listing_shows_or_counts_them() {
    let with = tree();
    let without = sandbox();
    std::fs::create_dir_all(without.path().join("x/y")).expect("folders");
    for name in [".Ns", "NeuroScript.toml"] {
        std::fs::write(with.path().join(name), "").expect("another spelling");
    }
    let engine = engine(with.path());
    let mut listings = 0;
    for tool in tools_with_paths() {
        for (param, _, _) in tool.params.iter().filter(|(_, kind, _)| kind == "path") {
            for path in [".", "a/..", "self", "a/up", "./", "a/up/."] {
                let mut args = arguments(&tool, param, path);
                for (name, kind, _) in &tool.params {
                    if kind == "bool" && name.starts_with("include_") {
                        args.insert(name.clone(), json!(true));
                    }
                }
                let Ok(value) = call(&engine, &tool.name, args) else { continue };
                let text = serde_json::to_string(&value).expect("an answer has JSON").to_lowercase();
                assert!(
                    !text.contains("memory.db") && !text.contains("\".ns\"") && !text.contains("\"neuroscript.toml\""),
                    "{}: {text}",
                    tool.name
                );
                listings += usize::from(text.contains("\"file\""));
            }
        }
    }
    assert!(listings >= 4, "tools list what else is there");
}
