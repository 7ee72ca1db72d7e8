//! The conformance cases in `tests/cases/`, run by their own runner through `ns call`.
//!
//! The runner is Python; the test fails with a message if Python is missing.

#![allow(clippy::disallowed_methods, reason = "tests look at their own files")]

use std::process::Command;

use crate::support::{package, run};

/// Returns the interpreter itself: the `python3` of a version manager is a script that takes longer to start.
fn python() -> String {
    let ran = run(Command::new("python3").args(["-c", "import sys; print(sys.executable)"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout.trim_end().to_owned()
}

/// Runs the cases of a file, or those of one of its tools.
fn check(file: &str, tool: Option<&str>) {
    let cases = package("tests/cases");
    let adapter = cases.join("adapter.py");
    let words = "{document} {tool} {args_file} {sandbox} {config_file} {config_toml_file}";
    let ns = env!("CARGO_BIN_EXE_ns");
    let python = python();
    let command = format!("'{python}' -I -S '{}' '{ns}' {words}", adapter.display());
    let mut runner = Command::new(python);
    runner.arg(cases.join("run_cases.py")).arg("--cmd").arg(command).arg(cases.join(file));
    runner.args(tool.map(|tool| ["--tool", tool]).iter().flatten());
    runner.env("NS_ADAPTER_TIMEOUT", "60").arg("--timeout").arg("90");
    let ran = run(&mut runner);
    assert_eq!(ran.code, 0, "{file}:\n{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(" 0 failed"), "the runner did not say how it went:\n{}", ran.stdout);
}

#[test]
fn walk_dir() {
    check("000_walkdir.json", None);
}

#[test]
fn list_directory() {
    check("001_list_directory.json", None);
}

#[test]
fn file_system_tool() {
    check("003_file_system_tool.json", None);
}

#[test]
fn list_dir() {
    check("002_list_dir.json", None);
}

#[test]
fn gitignore_vectors() {
    check("002_gitignore_vectors.json", None);
}

#[test]
fn move_file() {
    check("004_movefile.json", None);
}
