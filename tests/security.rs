//! `SECURITY.md`: every test that it names exists.

#![allow(clippy::disallowed_methods, reason = "tests read the package's own files")]

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Splits a line at backticks: the quoted texts alternate with the text between them, which is skipped.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// Whether a function of this name exists, with `#[test]` among its attributes.
fn is_test(text: &str, name: &str) -> bool {
    let Some((before, _)) = text.split_once(&format!("fn {name}(")) else { return false };
    let attributes = before.trim_end().lines().rev().map(str::trim).take_while(|line| line.starts_with("#["));
    attributes.into_iter().any(|line| line == "#[test]")
}

/// Whether a file has a test, a category or a case of this name.
fn has(file: &str, text: &str, name: &str) -> bool {
    match file.rsplit_once('.').map(|(_, extension)| extension) {
        // A test, or the name of a race, which the harness runs as a test.
        Some("rs") => is_test(text, name) || text.contains(&format!("_race(\"{name}\",")),
        Some("json") => {
            text.contains(&format!("\"category\": \"{name}\"")) || text.contains(&format!("\"category\":\"{name}\""))
        }
        _ => text.contains(&format!("--- {name}\n")),
    }
}

#[test]
fn every_test_that_is_named_is_there() {
    let page = read("SECURITY.md");
    let mut threats = 0;
    for threat in page.split("\n### ").skip(1) {
        threats += 1;
        assert!(threat.starts_with(&format!("T{threats}: ")), "the threats are numbered: {threat}");
        let held = threat.lines().find_map(|line| line.strip_prefix("Tests: ")).unwrap_or_default();
        assert!(!held.is_empty(), "nothing holds {threat}");
        let (mut file, mut text) = ("", String::new());
        for name in quoted(held) {
            if name.starts_with("tests/") {
                (file, text) = (name, read(name))
            } else {
                assert!(has(file, &text, name), "T{threats}: {file} has no `{name}`")
            }
        }
    }
    assert!(threats >= 18, "{threats} threats");
}

#[test]
fn unsafe_code_is_forbidden() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("the manifest is TOML");
    assert_eq!(manifest["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true));
    let crates = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).expect("the crates");
    for directory in crates {
        let path = directory.expect("a crate").path().join("Cargo.toml");
        let manifest: toml::Table = read(&path.to_string_lossy()).parse().expect("the manifest is TOML");
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{}", path.display());
    }
    assert_eq!(read("fuzz/src/lib.rs").matches("unsafe").count(), 0);
}
