//! Progress of a run on the terminal, and the output that a pipe receives while the run continues.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::ended::begin;
use super::terminal::{PtySession, command, ends_with, plain, send, spawn_command, until};

/// Waits in each iteration until a file is created.
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
        // Output in the meantime is on a line of its own.
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
    // Longer than the line would take to appear.
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

/// Starts `ns` at a terminal with a system call delayed by some milliseconds. Returns `None` without strace.
fn begin_slowly(place: &Path, (call, delay): (&str, u64), script: &str) -> Option<PtySession> {
    if !crate::support::has_strace() {
        return None;
    }
    let mut strace = Command::new("strace");
    for (name, value) in command(place).get_envs() {
        strace.env(name, value.expect("the environment is added to"));
    }
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    strace.args(["-e", &format!("inject={call}:delay_enter={}", delay * 1_000), env!("CARGO_BIN_EXE_ns")]);
    strace.args(["-e", script]).current_dir(place);
    Some(spawn_command(strace, 60_000).expect("a terminal"))
}

#[test]
fn a_copy_that_is_written_says_that_it_syncs() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("large"), vec![b'x'; 1 << 20]).expect("a file");
    let script = "CALL FS.CopyFile(\"large\", \"copy\")\nEMIT LAST.error";
    let Some(mut session) = begin_slowly(place.path(), ("fsync", 250), script) else { return };
    let shown = until(&mut session, "syncing");
    assert!(shown.contains("FS.CopyFile: 1.00 MiB of 1.00 MiB"), "{shown}");
    ends_with(&mut session, 0);
}

/// A second walk of the same tree knows the number of entries from the first.
#[test]
fn a_walk_of_a_known_tree_says_how_much_there_is() {
    let place = tempfile::tempdir().expect("a folder for the test");
    for folder in 0..8 {
        fs::create_dir_all(place.path().join(format!("tree/{folder}"))).expect("folders");
        fs::write(place.path().join(format!("tree/{folder}/file")), "x").expect("a file");
    }
    let script = "EMIT LEN(FS.Find(\"tree\")), \" files\"\nEMIT \"all \", LEN(FS.WalkDir(\"tree\"))";
    let Some(mut session) = begin_slowly(place.path(), ("getdents64", 80), script) else { return };
    let first = until(&mut session, "8 files");
    assert!(first.contains("FS.Find: ") && first.contains(" entries, ") && !first.contains(" of "), "{first}");
    let second = until(&mut session, "all 16");
    assert!(second.contains("FS.WalkDir: ") && second.contains(" of about 16 entries, "), "{second}");
    ends_with(&mut session, 0);
}

#[test]
fn a_copy_of_a_tree_says_how_much_there_is() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::create_dir(place.path().join("tree")).expect("a folder");
    for file in 0..8 {
        fs::write(place.path().join(format!("tree/{file}")), vec![b'x'; 1 << 10]).expect("a file");
    }
    let script = "CALL FS.CopyFile(\"tree\", \"copy\", recursive: true)\nEMIT LAST.error";
    let Some(mut session) = begin_slowly(place.path(), ("fsync", 150), script) else { return };
    let shown = until(&mut session, "of 9, ");
    assert!(shown.contains("FS.CopyFile: "), "{shown}");
    until(&mut session, "of 8.00 KiB, ");
    ends_with(&mut session, 0);
}

/// A running script, and one that waits for input, do not hold back their output.
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
        // A buffered line would never arrive: no file is created and nothing is typed before it is received.
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

/// Functions that call a procedure for each element, and what the procedure returns.
const EACH: [(&str, &str); 9] = [
    ("LIST.Map([1, 2, 3], Wait)", "a"),
    ("LIST.Filter([1, 2, 3], Wait)", "true"),
    ("LIST.Reduce([1, 2, 3], Wait)", "5"),
    ("LIST.SortBy([1, 2, 3], Wait)", "a"),
    ("LIST.GroupBy([1, 2, 3], Wait)", "\"k\""),
    ("LIST.Any([1, 2, 3], Wait)", "false"),
    ("LIST.All([1, 2, 3], Wait)", "true"),
    ("MAP.Map({\"a\": 1, \"b\": 2, \"c\": 3}, Wait)", "a"),
    ("MAP.Filter({\"a\": 1, \"b\": 2, \"c\": 3}, Wait)", "true"),
];

#[test]
fn a_function_over_elements_says_where_it_is() {
    std::thread::scope(|scope| EACH.iter().for_each(|(call, answer)| drop(scope.spawn(|| waits_in(call, answer)))));
}

/// Checks that a call, which waits at its second element, shows the outermost loop only.
fn waits_in(call: &str, answer: &str) {
    let place = tempfile::tempdir().expect("a folder for the test");
    let script = format!(
        "DEFINE PROCEDURE Same(x)\n  RETURN x\nEND\n\
         DEFINE PROCEDURE Wait(a, b: 0)\n  WHILE (a == 2 OR b == 2) AND NOT FS.Exists(\"go1\") DO\n    \
         SET seen = LIST.Map([1, 2, 3, 4, 5, 6, 7], Same)\n  END\n  RETURN {answer}\nEND\n\
         SET made = {call}\nEMIT \"over\"\n"
    );
    let mut session = begin(place.path(), &["-e", &script]);
    let before = until(&mut session, "1 of 3, ");
    assert!(!before.contains("of 7"), "{call}: {before}");
    go(place.path(), 1);
    until(&mut session, "over");
    ends_with(&mut session, 0);
}
