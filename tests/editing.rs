//! Concurrent runs that append to and edit the same file lose nothing, and a file that others write to is read
//! consistently.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::support::{ns, run};

/// Number of concurrent runs, and of changes by each.
const RUNS: usize = 4;
const TIMES: usize = 40;

fn start(sandbox: &Path, run: usize, statement: &str) -> Child {
    let script =
        format!("FOR EACH i IN RANGE({TIMES}) DO\nSET text = \"{run} \" + i + \"\\n\"\nMUST CALL {statement}\nEND\n");
    let mut command = ns(sandbox);
    command.args(["run", "-e", &script]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("ns starts")
}

/// Runs the same statement in several processes at once, and returns the final content of the file.
fn all_at_once(sandbox: &Path, statement: &str) -> String {
    let runs: Vec<Child> = (0..RUNS).map(|run| start(sandbox, run, statement)).collect();
    for run in runs {
        let output = run.wait_with_output().expect("ns ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    fs::read_to_string(sandbox.join("log/all.txt")).expect("the file is there")
}

/// Checks that each line of each run appears once and in order.
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

/// Reads a file once, and checks that content, size and checksum belong to the same bytes.
fn check_reading(sandbox: &Path, encoding: &str) -> usize {
    let arguments = json!({"file_path": "log", "encoding": encoding, "max_size_mb": 1024});
    let ran = run(ns(sandbox).args(["call", "read_file", &arguments.to_string()]));
    let answer: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("no answer: {}", ran.stderr));
    let content = answer["content"].as_str().expect("a text");
    let bytes = match encoding {
        "base64" => STANDARD.decode(content).expect("what is read is base64"),
        _ => content.as_bytes().to_vec(),
    };
    assert_eq!(answer["sizeBytes"], bytes.len());
    let checksum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(answer["checksum"], checksum, "the checksum is that of what the caller has seen");
    bytes.len()
}

#[test]
fn of_a_file_that_grows_all_is_told_of_the_same_bytes() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut log = File::create(place.path().join("log")).expect("a file");
    let done = AtomicBool::new(false);
    let (most, turns) = if std::env::var_os("NS_LONG").is_some() { (64 << 20, 20) } else { (16 << 20, 8) };
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) && log.metadata().is_ok_and(|metadata| metadata.len() < most) {
                log.write_all(b"a line of the log\n").expect("room for the log");
            }
        });
        let lengths: Vec<usize> = (0..turns)
            .map(|turn| check_reading(place.path(), if turn % 2 == 0 { "utf-8" } else { "base64" }))
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(lengths.first() < lengths.last(), "the file grew meanwhile: {lengths:?}");
    });
}
