//! The suite's scripts with pieces removed, moved and inserted: the check and the run always end within their limits
//! and without an internal error.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use neuroscript::engine::{Engine, Invocation, Options, Script};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::support::{Captured, package};

/// Pieces to insert: words, punctuation, and troublesome characters.
const PIECES: &[&str] = &[
    "IF ",
    "THEN",
    "ELSE",
    "END\n",
    "WHILE ",
    "DO\n",
    "FOR EACH ",
    " IN ",
    "SET ",
    "CALL ",
    "RETURN ",
    "EMIT ",
    "LAST",
    " AND ",
    " NOT ",
    "MUST ",
    "FAIL ",
    "ON ERROR DO\n",
    "CLEAR_ERROR\n",
    "DEFINE PROCEDURE ",
    "func ",
    " means\n",
    "command\n",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ".",
    "\"",
    "'",
    "```",
    "'''",
    "\\",
    " -- ",
    "#",
    "=",
    "+",
    "-",
    "**",
    "{{",
    "}}",
    "é",
    "\0",
    "\u{200b}",
    "\r",
    "\n",
    "1",
    "1.5",
    "1e400",
    "9223372036854775808",
    "RANGE(3)",
    "FS.WalkDir(\".\")",
    "STR.Repeat(\"x\", 3)",
    "EVAL(\"{{x}}\")",
    "COMMENT:",
    "ENDCOMMENT",
    ":: a: b",
];

/// One change of a text; positions are fractions of its length.
#[derive(Clone, Debug)]
enum Change {
    Cut(f64, usize),
    Insert(f64, &'static str),
    Copy(f64, f64, usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        (0.0..1.0, 1_usize..8).prop_map(|(at, length)| Change::Cut(at, length)),
        (0.0..1.0, prop::sample::select(PIECES)).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (0.0..1.0, 0.0..1.0, 1_usize..40).prop_map(|(from, to, length)| Change::Copy(from, to, length)),
    ];
    prop::collection::vec(change, 1..6)
}

fn apply(text: &str, changes: &[Change]) -> String {
    let mut text = text.to_owned();
    for change in changes {
        let place = |share: f64| text.floor_char_boundary((share * text.len() as f64) as usize);
        let after = |at: usize, length: usize| text.floor_char_boundary((at + length).min(text.len()));
        match *change {
            Change::Cut(at, length) => {
                let at = place(at);
                let end = after(at, length).max(at);
                text.replace_range(at..end, "");
            }
            Change::Insert(at, piece) => text.insert_str(place(at), piece),
            Change::Copy(from, to, length) => {
                let from = place(from);
                let piece = text[from..after(from, length).max(from)].to_owned();
                text.insert_str(place(to), &piece);
            }
        }
    }
    text
}

/// Returns the texts of all cases of the suite, without their expectations.
fn scripts() -> Vec<String> {
    let mut scripts = Vec::new();
    collect(&package("tests/suite"), &mut scripts);
    scripts
}

fn collect(folder: &Path, scripts: &mut Vec<String>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the suite is there").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, scripts);
            continue;
        }
        for case in fs::read_to_string(&path).expect("cases are UTF-8").split("--- ").skip(1) {
            let lines = case.lines().skip(1).filter(|line| !line.trim_start().starts_with("#"));
            scripts.push(lines.flat_map(|line| [line, "\n"]).collect());
        }
    }
}

#[test]
fn no_text_is_a_fault_of_ours() {
    let folder = tempfile::tempdir().expect("a sandbox");
    let state = tempfile::tempdir().expect("a folder beside it");
    let options = Options {
        sandbox: Some(folder.path().to_owned()),
        state: Some(state.path().to_owned()),
        read_only: true,
        max_steps: Some(20_000),
        timeout: Some(Duration::from_secs(10)),
        ..Options::default()
    };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
    let scripts = scripts();
    assert!(scripts.len() > 500, "the suite has {} cases", scripts.len());
    let long = std::env::var_os("NS_LONG").is_some();
    let cases = if long { 200_000 } else { 3_000 };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    // The short form is deterministic, so that a change is blamed only for its own effects.
    let mut runner = if long {
        TestRunner::new(config)
    } else {
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    };
    let ended = runner.run(&(prop::sample::select(scripts), changes()), |(script, changes)| {
        let script = Script::new("mutated.ns", apply(&script, &changes));
        let checked = engine.check(&script);
        let outcome = engine.run(&script, &Invocation::default(), Box::new(Captured::default()));
        for finding in checked.findings.iter().chain(&outcome.findings) {
            prop_assert_ne!(finding.code.id(), "NS0901", "{}", &finding.message);
        }
        Ok(())
    });
    ended.unwrap_or_else(|error| panic!("{error}"));
}
