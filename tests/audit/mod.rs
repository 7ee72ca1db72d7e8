//! The audit log: its lines, the detection of changes by its chain, and behaviour when it cannot be written.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests set up folders of their own")]

mod chain;
mod lines;
mod many;
mod places;
mod room;
mod show;
mod state;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ran, ns, run};

fn sandbox() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Runs a script given on the command line.
fn eval(place: &Path, code: &str) -> Ran {
    run(ns(place).args(["run", "-e", code]))
}

/// Runs `ns audit` with arguments.
fn audit(place: &Path, words: &[&str]) -> Ran {
    run(ns(place).arg("audit").args(words))
}

/// Returns the path of the log of a sandbox.
fn file(place: &Path) -> PathBuf {
    place.join(".ns/audit.jsonl")
}

/// Returns the lines of a log as text.
fn texts(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("there is a log");
    assert!(text.ends_with('\n'), "the log ends in a whole line");
    text.lines().map(str::to_owned).collect()
}

/// Returns the parsed lines of a sandbox's log.
fn lines(place: &Path) -> Vec<Value> {
    texts(&file(place)).iter().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Asserts that the chain holds.
fn holds(place: &Path) {
    let ran = audit(place, &["verify"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// Adds `count` lines.
fn fill(place: &Path, count: usize) {
    let ran = eval(place, &format!("FOR EACH i IN RANGE({count}) DO\nCALL FS.WriteFile(\"f\" + i, \"x\")\nEND"));
    // A run that was killed before is recovered, which is reported.
    let others = ran.stderr.lines().filter(|line| !line.contains("was interrupted"));
    assert_eq!((ran.code, others.collect::<Vec<_>>()), (0, Vec::new()));
}
