//! Colours of output: `STR.Color` at terminals and elsewhere, and escape sequences of others.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::pty::spawn_command;
use crate::support::{ns, run};

/// Returns what a terminal gets from a script.
fn shown(command: Command) -> String {
    let mut session = spawn_command(command, 20_000).expect("a terminal");
    session.exp_eof().expect("it ends")
}

fn at_a_terminal(place: &Path, arguments: &[&str]) -> String {
    let mut command = ns(place);
    command.env_remove("NO_COLOR").env("TERM", "xterm").args(arguments);
    shown(command)
}

const SCRIPT: &str = r#"EMIT "a " + STR.Color("red", "red") + " b"
EMIT STR.Color("all " + STR.Color("inner", "green") + " of it", "bold red"), STR.Color("", "dim")
EMIT LEN(STR.Color("x", "red")) > 1"#;

#[test]
fn a_terminal_gets_colours_and_nothing_else_does() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let colored = at_a_terminal(place.path(), &["run", "-e", SCRIPT]);
    let red = "a \u{1b}[31mred\u{1b}[39m b\u{1b}[0m\r\n";
    let nested = "\u{1b}[1m\u{1b}[31mall \u{1b}[32minner\u{1b}[31m of it\u{1b}[39m\u{1b}[22m\
        \u{1b}[2m\u{1b}[22m\u{1b}[0m\r\n";
    assert_eq!(colored, format!("{red}{nested}true\r\n"));
    let plain = "a red b\nall inner of it\nfalse\n";
    assert_eq!(run(ns(place.path()).env_remove("NO_COLOR").args(["run", "-e", SCRIPT])).stdout, plain);
    let plain = plain.replace('\n', "\r\n");
    let mut refused = ns(place.path());
    refused.env("NO_COLOR", "1").env("TERM", "xterm").args(["run", "-e", SCRIPT]);
    assert_eq!(shown(refused), plain);
    let mut dumb = ns(place.path());
    dumb.env_remove("NO_COLOR").env("TERM", "dumb").args(["run", "-e", SCRIPT]);
    assert_eq!(shown(dumb), plain);
}

#[test]
fn data_has_no_colours() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let json = at_a_terminal(place.path(), &["--output", "json", "run", "-e", "EMIT STR.Color(\"a\", \"red\")"]);
    assert_eq!(json, "\"a\"\r\n");
    let called = at_a_terminal(place.path(), &["call", "STR.Color", r#"{"text": "a", "style": "red"}"#]);
    assert_eq!(called, "a\r\n");
    let table = "EMIT [{\"name\": STR.Color(\"a\", \"red\")}]";
    assert!(!at_a_terminal(place.path(), &["--output", "table", "run", "-e", table]).contains('\u{1b}'));
}

#[test]
fn sequences_in_a_file_do_not_reach_the_terminal() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let hostile = "\u{1b}[31mred \u{1b}[8mhidden\u{1b}[0m \u{1b}]0;title\u{7}\u{1b}[31;00000000000000000000m";
    std::fs::write(place.path().join("a.txt"), hostile).expect("a file");
    let script = "EMIT STR.Color(\"my\", \"red\"), FS.ReadFile(\"a.txt\").content";
    let shown = at_a_terminal(place.path(), &["run", "-e", script]);
    let escaped = hostile.replace('\u{1b}', "\\u{1b}").replace('\u{7}', "\\u{7}");
    assert_eq!(shown, format!("\u{1b}[31mmy\u{1b}[39m{escaped}\u{1b}[0m\r\n"));
    // A pipe gets every byte.
    assert_eq!(run(ns(place.path()).args(["run", "-e", script])).stdout, format!("my{hostile}\n"));
}

#[test]
fn messages_and_prompts_have_no_colours() {
    let place = tempfile::tempdir().expect("a folder for the test");
    for script in [
        "FAIL STR.Color(\"bad\", \"red\")",
        "MUST 1 == 2, STR.Color(\"bad\", \"red\")",
        "ON ERROR AS err DO\n  EMIT err.message\nEND\nFAIL STR.Color(\"bad\", \"red\")",
    ] {
        let shown = at_a_terminal(place.path(), &["run", "-e", script]);
        assert!(shown.contains("bad") && !shown.contains("u{1b}[31;"), "{shown}");
        assert!(!shown.contains("\u{1b}[31mbad"), "{shown}");
    }
    let script = "SET name = IO.Input(STR.Color(\"Name? \", \"red\"))\nEMIT name";
    let mut command = ns(place.path());
    command.env_remove("NO_COLOR").env("TERM", "xterm").stdin(Stdio::inherit()).args(["run", "-e", script]);
    let mut session = spawn_command(command, 20_000).expect("a terminal");
    session.exp_string("Name? ").expect("the prompt");
    session.send_line("me").expect("a line");
    let shown = session.exp_eof().expect("it ends");
    assert!(!shown.contains("u{1b}"), "{shown}");
}

#[test]
fn nested_colours_grow_with_their_number() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let script = "SET s = \"\"\nFOR EACH i IN RANGE(2000) DO\n  SET s = STR.Color(s + \"x\", \"red\")\nEND\nEMIT LEN(s) < 200000";
    assert_eq!(at_a_terminal(place.path(), &["run", "-e", script]), "true\r\n");
}
