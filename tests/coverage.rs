//! Every code and every limit has a test case.

#![allow(clippy::disallowed_methods, reason = "the test reads the package's own files")]

use crate::support;
use std::fs;
use std::path::Path;

use neuroscript::text::{Code, ToolCode};

/// Codes that no test case can trigger, with the reason.
const WITHOUT_CASE: [(&str, &str); 1] =
    [("NS0901", "a fault of ours; `engine/stack` has the test of how one is caught")];

/// Returns all texts that may contain a case: the tests, except those that only list codes.
fn cases() -> String {
    let mut text = String::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut text);
    text
}

fn collect(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("the tests can be read") {
        let path = entry.expect("the tests can be read").path();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() {
            collect(&path, text);
        } else if ["rs", "ns", "json"].contains(&extension)
            && !(path.ends_with("coverage.rs") || path.ends_with("mutations.rs"))
        {
            text.push_str(&fs::read_to_string(&path).expect("a case is UTF-8"));
        }
    }
}

/// Whether a text contains a word that is not part of another.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

#[test]
fn every_code_has_a_case() {
    let cases = cases();
    let codes = Code::ALL.iter().map(|code| code.id()).chain(ToolCode::ALL.iter().map(|code| code.id()));
    for id in codes {
        let excused = WITHOUT_CASE.iter().any(|(code, _)| *code == id);
        assert!(excused || has_word(&cases, id), "{id} has no case");
    }
}

/// A limit, a small value for it, the code of exceeding it, and a script that exceeds it.
const LIMITS: [(&str, &str, &str, &str); 14] = [
    ("max_steps", "100", "NS0603", "WHILE true DO\nEND\n"),
    ("timeout_s", "0.1", "NS0604", "WHILE true DO\nEND\n"),
    (
        "call_depth",
        "10",
        "NS0605",
        "DEFINE PROCEDURE F(n)\n  IF n > 0 THEN\n    CALL F(n - 1)\n  END\nEND\nCALL F(50)\n",
    ),
    ("nesting", "10", "NS0602", "EMIT [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n"),
    ("value_depth", "5", "NS0606", "SET a = 1\nFOR EACH i IN RANGE(10) DO\n  SET a = [a]\nEND\n"),
    ("memory_bytes", "5000000", "NS0607", "SET l = LIST.Map(RANGE(1000000), \"STR\")\n"),
    ("string_bytes", "1000", "NS0608", "SET t = STR.Repeat(\"x\", 2000)\n"),
    ("collection_items", "10", "NS0609", "SET l = RANGE(20)\n"),
    ("script_bytes", "10", "NS0601", "EMIT \"longer than ten bytes\"\n"),
    ("modules", "1", "NS0615", "USE \"one.ns\" AS one\nUSE \"two.ns\" AS two\n"),
    ("output_bytes", "10", "NS0610", "EMIT \"longer than ten bytes\"\n"),
    ("tool_output_bytes", "100", "NS0611", "SET r = FS.ReadFile(\"long\")\n"),
    ("files_changed", "1", "NS0612", "CALL FS.WriteFile(\"a\", \"\")\nCALL FS.WriteFile(\"b\", \"\")\n"),
    ("bytes_written", "5", "NS0613", "CALL FS.WriteFile(\"a\", \"longer\")\n"),
];

#[test]
fn every_limit_is_set_and_met_in_a_case() {
    let page = fs::read_to_string(support::package("docs/policy.md")).expect("the page");
    let documented: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | `[limits]` |"))
        .map(|(key, _)| key)
        .collect();
    assert_eq!(documented, LIMITS.map(|(limit, ..)| limit));
    let place = tempfile::tempdir().expect("a folder for the test");
    let root = place.path().join("root");
    fs::create_dir(&root).expect("a folder");
    for (name, text) in [("one.ns", ""), ("two.ns", ""), ("long", &*"line\n".repeat(200))] {
        fs::write(root.join(name), text).expect("a file");
    }
    let policy = place.path().join("policy.toml");
    for (limit, value, code, script) in LIMITS {
        let plain = support::run(support::ns(&root).args(["--timeout", "1", "run", "-e", script]));
        assert!(
            limit == "max_steps" || limit == "timeout_s" || !plain.stderr.contains(code),
            "{limit}: {}",
            plain.stderr
        );
        fs::write(&policy, format!("[limits]\n{limit} = {value}\n")).expect("a policy");
        let ran = support::run(support::ns(&root).arg("--policy").arg(&policy).args(["run", "-e", script]));
        assert!(ran.code != 0 && ran.stderr.contains(code), "{limit}: exit {} {}{}", ran.code, ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(limit), "the message names `{limit}`: {}", ran.stderr);
    }
}

#[test]
fn every_test_file_is_part_of_a_program() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest: toml::Table =
        fs::read_to_string(package.join("Cargo.toml")).expect("a manifest").parse().expect("the manifest is TOML");
    let programs = manifest["test"].as_array().expect("programs of tests");
    let named: Vec<&str> = programs.iter().map(|program| program["name"].as_str().expect("a name")).collect();
    let list = fs::read_to_string(package.join("tests/integration.rs")).expect("the list of modules");
    for entry in fs::read_dir(package.join("tests")).expect("the tests can be read") {
        let path = entry.expect("the tests can be read").path();
        let is_test = path.extension().is_some_and(|extension| extension == "rs") || path.join("mod.rs").is_file();
        let name = path.file_stem().expect("a name").to_string_lossy();
        let is_part = named.contains(&&*name) || list.lines().any(|line| line == format!("mod {name};"));
        assert!(is_part || !is_test, "`{}` is part of no program of tests", path.display());
    }
}
