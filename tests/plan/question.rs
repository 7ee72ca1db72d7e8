//! The question at a terminal whether to apply a plan.

use std::process::Stdio;

use crate::plan::Place;
use crate::support::ns;
use crate::support::pty::spawn_command;

/// Plans a script that creates `new` at a terminal, answers with these keys, and returns the exit code.
fn answered(place: &Place, keys: &str) -> i32 {
    let mut command = ns(&place.root());
    command.args(["run", "--plan", "-e", "MUST FS.WriteFile(\"new\", \"1\")"]);
    command.stdin(Stdio::inherit()).env("TERM", "xterm");
    let mut session = spawn_command(command, 20_000).expect("a terminal");
    session.exp_string("[n]o: ").expect("the question");
    // The question discards what was typed before it.
    std::thread::sleep(std::time::Duration::from_millis(300));
    session.send(keys).expect("keys");
    session.exp_eof().expect("the end");
    // The type of the status is private to the crate of the terminal.
    let status = format!("{:?}", session.process().wait().expect("the end"));
    let code = status.strip_prefix("Exited(").and_then(|rest| rest.strip_suffix(')')?.rsplit(", ").next());
    code.and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{keys:?}: {status}"))
}

#[test]
fn every_answer_has_its_exit_code_and_only_yes_changes_something() {
    for (keys, code, is_applied) in [
        ("y\n", 0, true),
        ("yes\n", 0, true),
        ("n\n", 0, false),
        ("\n", 0, false),
        ("what\nn\n", 0, false),
        ("\u{4}", 0, false),
        ("\u{3}", 130, false),
        ("y\u{3}", 130, false),
    ] {
        let place = Place::new();
        assert_eq!(answered(&place, keys), code, "{keys:?}");
        assert_eq!(place.root().join("new").exists(), is_applied, "{keys:?}");
    }
}
