//! Every script in the repository: the suite's cases, `scripts/`, the blocks of `docs/` and of the five documents.

use std::fs;
use std::path::Path;

use neuroscript::engine::{Engine, Options, Script, Spelling};

use super::{form, formed};
use crate::support::{ns, package, package_files, run};

/// Returns all scripts of the repository with their locations.
pub fn scripts() -> Vec<(String, String)> {
    let read = |path: &Path| fs::read_to_string(path).expect("files of the package are UTF-8");
    let mut scripts = Vec::new();
    for path in package_files("tests/suite", &["ns"]) {
        for case in read(&path).split("--- ").skip(1) {
            let (name, text) = case.split_once('\n').unwrap_or((case, ""));
            scripts.push((format!("{} {name}", path.display()), text.to_owned()));
        }
    }
    for path in package_files("scripts", &["ns"]).into_iter().chain(package_files("tests/scripts", &["ns"])) {
        scripts.push((path.display().to_string(), read(&path)));
    }
    for path in package_files("docs", &["md"]) {
        for block in blocks(&read(&path)) {
            scripts.push((path.display().to_string(), block));
        }
    }
    scripts
}

/// Returns the script blocks of a document, without the indentation of the surrounding list.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let margin = line.len() - line.trim_start().len();
        let words = line.trim_start().strip_prefix("```").unwrap_or_default();
        if !["neuroscript", "ns"].contains(&words.split(' ').next().unwrap_or_default()) {
            continue;
        }
        let body = lines.by_ref().take_while(|line| line.trim() != "```");
        blocks.push(body.map(|line| format!("{}\n", line.get(margin..).unwrap_or_default())).collect());
    }
    blocks
}

#[test]
fn every_script_keeps_its_meaning_and_its_form_is_stable() {
    let folder = tempfile::tempdir().expect("a sandbox");
    let options = Options { sandbox: Some(folder.path().to_owned()), read_only: true, ..Options::default() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
    let found_in = |text: &str| -> Vec<&'static str> {
        let checked = engine.check(&Script::new("case.ns", text));
        let mut codes: Vec<_> = checked.findings.iter().map(|finding| finding.code.id()).collect();
        codes.sort_unstable();
        codes
    };
    let scripts = scripts();
    assert!(scripts.len() > 1_400, "{} scripts", scripts.len());
    let mut with_form = 0;
    for (place, text) in &scripts {
        match form(text, None) {
            Err(codes) => assert!(!codes.contains(&"NS0901"), "{place}: {codes:?}"),
            Ok(form) => {
                with_form += 1;
                assert_eq!(formed(&form), form, "{place}");
                // Lines move, so the number of locations in a warning may change, but not its code.
                assert_eq!(found_in(&form), found_in(text), "{place}:\n{form}");
                let lower = super::form(text, Some(Spelling::Lower)).expect("a text with one form has all");
                let upper = super::form(&lower, Some(Spelling::Upper)).expect("a form has a form");
                assert_eq!(Ok(&upper), super::form(text, Some(Spelling::Upper)).as_ref(), "{place}");
            }
        }
    }
    assert!(with_form > 1_000, "{with_form} scripts have a form");
}

#[test]
fn what_lies_in_the_repository_is_formatted() {
    let mut command = ns(&package(""));
    command.args(["fmt", "--check"]).arg(package("scripts")).arg(package("README.md"));
    command.args(package_files("docs", &["md"]).iter().filter(|path| !path.starts_with(package("docs/specs"))));
    let ran = run(&mut command);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
}
