//! Several runs that append to one file and edit it at the same time: nothing of any of them is lost.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use support::ns;

/// Runs that change the file at once, and how often each does.
const RUNS: usize = 4;
const TIMES: usize = 40;

fn start(sandbox: &Path, run: usize, statement: &str) -> Child {
    let script =
        format!("FOR EACH i IN RANGE({TIMES}) DO\nSET text = \"{run} \" + i + \"\\n\"\nMUST CALL {statement}\nEND\n");
    let mut command = ns(sandbox);
    command.args(["run", "-e", &script]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("ns starts")
}

/// Has several runs do the same at once, and gives what the file holds then.
fn all_at_once(sandbox: &Path, statement: &str) -> String {
    let runs: Vec<Child> = (0..RUNS).map(|run| start(sandbox, run, statement)).collect();
    for run in runs {
        let output = run.wait_with_output().expect("ns ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    fs::read_to_string(sandbox.join("log/all.txt")).expect("the file is there")
}

/// Every line of every run is there once, those of one run in their order.
fn check_lines(text: &str) {
    assert_eq!(text.lines().count(), RUNS * TIMES, "{text}");
    for run in 0..RUNS {
        let begins = format!("{run} ");
        let numbers: Vec<usize> = text.lines().filter_map(|line| line.strip_prefix(&begins)?.parse().ok()).collect();
        assert_eq!(numbers, (0..TIMES).collect::<Vec<_>>(), "run {run}");
    }
}

#[test]
fn nothing_is_lost_of_what_several_append() {
    let place = tempfile::tempdir().expect("a folder for the test");
    check_lines(&all_at_once(place.path(), "FS.AppendFile(\"log/all.txt\", text)"));
    let place = tempfile::tempdir().expect("a folder for the test");
    check_lines(&all_at_once(place.path(), "FS.AppendFile(\"log/all.txt\", text, create_backup: false)"));
}

#[test]
fn nothing_is_lost_of_what_several_edit() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::create_dir(place.path().join("log")).expect("a folder");
    fs::write(place.path().join("log/all.txt"), "end").expect("a file");
    let text = all_at_once(place.path(), "FS.EditFile(\"log/all.txt\", \"end\", text + \"end\")");
    check_lines(text.strip_suffix("end").expect("the end stays the end"));
}
