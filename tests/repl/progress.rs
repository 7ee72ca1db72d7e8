//! How far a run has come, on the terminal; and what a reader of a pipe gets while it goes on.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::ended::begin;
use super::terminal::{ends_with, plain, send, until};

/// Waits in each turn until somebody makes a file.
const WAITS: &str = "\
FOR EACH turn IN RANGE(3) DO
  EMIT \"turn \", turn
  WHILE NOT FS.Exists(\"go\" + turn) DO
    FOR EACH inner IN RANGE(7) DO
      SET seen = inner
    END
  END
END
EMIT \"over\"
";

fn go(place: &Path, turn: usize) {
    fs::write(place.join(format!("go{turn}")), "").expect("a file");
}

#[test]
fn the_outermost_loop_says_where_it_is() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = begin(place.path(), &["-e", WAITS]);
    for turn in 0..3 {
        let before = session.exp_string(&format!("{turn} of 3, ")).expect("the line comes");
        assert!(before.contains(&format!("turn {turn}")) && !before.contains("of 7"), "{before}");
        // What is printed meanwhile stands on a line of its own.
        assert!(turn == 0 || before.contains(&format!("\r\u{1b}[Kturn {turn}\r\n")), "{before:?}");
        go(place.path(), turn);
    }
    let last = session.exp_string("over").expect("it ends");
    assert!(last.ends_with("\r\u{1b}[K"), "{last:?}");
    ends_with(&mut session, 0);
}

#[test]
fn nobody_who_wants_quiet_is_shown_a_line() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = begin(place.path(), &["--quiet", "-e", WAITS]);
    session.exp_string("turn 0").expect("it begins");
    // Longer than the line would take to come.
    std::thread::sleep(std::time::Duration::from_secs(3));
    (0..3).for_each(|turn| go(place.path(), turn));
    let rest = until(&mut session, "over");
    assert!(!rest.contains("of 3"), "{rest}");
    ends_with(&mut session, 0);
}

#[test]
fn a_call_says_how_much_there_is() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let large = File::create(place.path().join("large")).expect("a file");
    large.set_len(1 << 40).expect("a hole");
    let mut session = begin(place.path(), &["-e", "EMIT FS.HashFile(\"large\").size"]);
    let shown = until(&mut session, "of 1.00 TiB, ");
    assert!(shown.contains("FS.HashFile: "), "{shown}");
    send(&session, [3]);
    plain(&session.exp_eof().expect("it ends"));
}

/// A script that goes on, and one that waits for input, do not keep what they have printed.
#[test]
fn a_pipe_gets_what_was_printed_while_the_run_goes_on() {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (script, is_json) in
        [(WAITS, false), (WAITS, true), ("EMIT \"turn \", 0\nSET line = IO.Input()\nEMIT \"over\"\n", false)]
    {
        let mut ns = Command::new(env!("CARGO_BIN_EXE_ns"));
        ns.args(["--timeout", "60", "--output", if is_json { "json" } else { "auto" }, "-e", script])
            .current_dir(place.path());
        ns.env("HOME", "/nonexistent").env("XDG_STATE_HOME", place.path().with_extension("state"));
        let mut ns = ns.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("ns starts");
        let mut lines = BufReader::new(ns.stdout.take().expect("it is piped")).lines();
        // A line that is kept never comes: nobody makes the file, and nobody types, before it is there.
        let first = lines.next().expect("a line").expect("it is text");
        assert!(first.contains("turn"), "{first}");
        (0..3).for_each(|turn| go(place.path(), turn));
        drop(ns.stdin.take());
        let last = lines.last().expect("a line").expect("it is text");
        assert!(last.contains("over"), "{last}");
        assert!(ns.wait().expect("it ends").success());
        (0..3).for_each(|turn| fs::remove_file(place.path().join(format!("go{turn}"))).expect("the file"));
    }
    let _ = fs::remove_dir_all(place.path().with_extension("state"));
}
