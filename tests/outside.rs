//! Inputs of scripts other than files: standard input, the clock, random numbers, the environment.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{Ran, ns, run};

/// Runs a script with bytes on its standard input.
fn fed(command: &mut Command, input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ns can be started");
    child.stdin.take().expect("the input is a pipe").write_all(input).expect("the input is read");
    let output = child.wait_with_output().expect("ns ends");
    Ran {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap_or(-1),
    }
}

const LINES: &str = "SET line = IO.Input(\"? \")\nWHILE line != nil DO\n  EMIT \"[\", line, \"]\"\n  SET line = IO.Input()\nENDBLOCK\nEMIT IO.Input()";

#[test]
fn lines_of_a_pipe_are_read_one_by_one() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let ran = fed(ns(place.path()).args(["run", "-e", LINES]), b"one\r\n\n\xc5\xbc\xff\nlast");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.code), ("[one]\n[]\n[ż\u{fffd}]\n[last]\nnil\n", "", 0));
}

#[test]
fn many_lines_come_whole() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let input: String = (0..50_000).map(|number| format!("line {number}\n")).collect();
    let script = "SET sum = 0\nSET line = IO.Input()\nWHILE line != nil DO\n  SET sum = sum + INT(STR.Sub(line, 5))\n  SET line = IO.Input()\nENDBLOCK\nEMIT sum";
    let ran = fed(ns(place.path()).args(["run", "-e", script]), input.as_bytes());
    assert_eq!((ran.stdout.as_str(), ran.code), ("1249975000\n", 0), "{}", ran.stderr);
}

#[test]
fn a_line_has_no_more_bytes_than_a_text() {
    let place = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(place.path().join("neuroscript.toml"), "[limits]\nstring_bytes = 1000\n").expect("a policy");
    let ran = fed(ns(place.path()).args(["run", "-e", "EMIT LEN(IO.Input())"]), &[b'x'; 5000]);
    assert!(ran.stderr.contains("NS0608") && ran.stdout.is_empty(), "{} {}", ran.stdout, ran.stderr);
}

#[test]
fn waiting_for_a_line_ends_with_the_time() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut command = ns(place.path());
    command.args(["--timeout", "200ms", "run", "-e", "EMIT IO.Input()"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("ns can be started");
    // The pipe stays open without data.
    let input = child.stdin.take();
    let status = child.wait().expect("ns ends");
    drop(input);
    assert_eq!(status.code(), Some(124));
}

#[test]
fn time_and_chance_can_be_fixed() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let script = "EMIT TIME.Now(), \" \", RANDOM.Int(1, 1000000), \" \", UUID.New(version: 7)";
    let fixed = |seed: &str| {
        run(ns(place.path()).args(["--now", "2024-05-01T12:00:00Z", "--seed", seed, "run", "-e", script])).stdout
    };
    assert_eq!(fixed("7"), fixed("7"));
    assert_ne!(fixed("7"), fixed("8"));
    assert!(fixed("7").starts_with("2024-05-01T12:00:00Z "));
    let free = || run(ns(place.path()).args(["run", "-e", script])).stdout;
    assert_ne!(free(), free());
}

#[test]
fn the_policy_of_a_root_does_not_open_the_environment() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let policy = "[tools.env]\nnames = [\"SECRET\"]\n";
    std::fs::write(place.path().join("neuroscript.toml"), policy).expect("a policy");
    let own = tempfile::tempdir().expect("a folder for the user's policy");
    let file = own.path().join("policy.toml");
    std::fs::write(&file, policy).expect("a policy");
    let ask =
        |command: &mut Command| run(command.env("SECRET", "open").args(["run", "-e", "EMIT ENV.Get(\"SECRET\")"]));
    let ran = ask(&mut ns(place.path()));
    assert!(ran.stdout.is_empty() && ran.stderr.contains("may not see the variable `SECRET`"), "{}", ran.stderr);
    let ran = ask(ns(place.path()).arg("--policy").arg(&file));
    assert_eq!((ran.stdout.as_str(), ran.code), ("open\n", 0), "{}", ran.stderr);
}

#[test]
fn what_a_call_prints_is_no_part_of_its_answer() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let ran = run(ns(place.path()).args(["call", "io_print", "{\"value\": \"shown\"}"]));
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.code), ("null\n", "shown\n", 0));
}
