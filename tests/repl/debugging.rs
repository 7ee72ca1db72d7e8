//! `:break` and `:step`: scripts and lines under a debugger at the terminal.

use std::fs;

use tempfile::TempDir;

use crate::repl::terminal::{PtySession, session, type_line};

const ON: &str = "ns> ";
const STOP: &str = "debug> ";

const SCRIPT: &str = "\
DEFINE PROCEDURE Save(name)
  CALL FS.WriteFile(name, \"x\")
  RETURN LEN(name)
END
SET sum = 0
FOR EACH name IN [\"a.txt\", \"b.txt\"] DO
  SET sum = sum + Save(name)
END
EMIT \"sum\", sum
";

fn start() -> (TempDir, PtySession) {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("save.ns"), SCRIPT).expect("a script");
    let session = session(place.path());
    (place, session)
}

fn shows(session: &mut PtySession, line: &str, prompt: &str, expected: &str) {
    let shown = type_line(session, line, prompt);
    assert!(shown.contains(expected), "`{line}` shows no `{expected}`: {shown}");
}

#[test]
fn a_script_is_stepped_through_and_back() {
    let (place, mut session) = start();
    let has = |name: &str| place.path().join(name).exists();
    let file = place.path().join("save.ns");
    let step = format!(":step {}", file.display());
    shows(&mut session, &step, STOP, "save.ns:5 in top level");
    shows(&mut session, ":next", STOP, "     6 | FOR EACH");
    shows(&mut session, "", STOP, "save.ns:7 in top level");
    shows(&mut session, "name", STOP, "a.txt");
    shows(&mut session, ":step", STOP, "save.ns:2 in Save");
    shows(&mut session, ":where", STOP, "save.ns:7 in top level");
    shows(&mut session, ":vars", STOP, "sum = 0");
    assert!(!has("a.txt"));
    shows(&mut session, ":next", STOP, "save.ns:3 in Save");
    assert!(has("a.txt"));
    shows(&mut session, ":back", STOP, "before change 1 of 1: ");
    assert!(!has("a.txt"));
    shows(&mut session, ":back", STOP, "no file before");
    shows(&mut session, "SET name = 1", STOP, "go forward");
    shows(&mut session, ":next", STOP, "made again");
    assert!(has("a.txt"));
    shows(&mut session, "SET name = \"long name\"", STOP, "");
    shows(&mut session, ":out", STOP, "save.ns:7 in top level");
    shows(&mut session, "sum + 1", STOP, "10");
    shows(&mut session, "nobody", STOP, "nobody");
    shows(&mut session, ":nonsense", STOP, ":continue");
    shows(&mut session, ":continue", ON, "sum14");
    assert!(has("b.txt"));
    shows(&mut session, "sum", ON, "14");
}

#[test]
fn breakpoints_hold_until_they_are_removed() {
    let (place, mut session) = start();
    let load = format!(":load {}", place.path().join("save.ns").display());
    shows(&mut session, ":break", ON, "there are no breakpoints");
    shows(&mut session, ":break 9", ON, "runs stop at line 9");
    shows(&mut session, ":break Save", ON, "runs stop at Save");
    shows(&mut session, ":break", ON, "line 9\nSave");
    shows(&mut session, &load, STOP, "breakpoint: ");
    shows(&mut session, ":continue", STOP, "save.ns:2 in Save");
    shows(&mut session, ":continue", STOP, "save.ns:9 in top level");
    shows(&mut session, ":quit", ON, "interrupted");
    // The file is read again, with its new text.
    let file = place.path().join("save.ns");
    fs::write(&file, SCRIPT.replace("\"sum\", sum", "\"total\", sum")).expect("the script changes");
    shows(&mut session, &load, STOP, "save.ns:2 in Save");
    shows(&mut session, ":continue", STOP, "save.ns:2 in Save");
    shows(&mut session, ":continue", STOP, "     9 | EMIT \"total\", sum");
    shows(&mut session, ":quit", ON, "interrupted");
    shows(&mut session, "SET before = 1", ON, "");
    shows(&mut session, "Save(\"c.txt\")", STOP, "save.ns:2 in Save");
    shows(&mut session, ":continue", ON, "5");
    shows(&mut session, ":break off", ON, "removed");
    shows(&mut session, "Save(\"dd.txt\")", ON, "6");
    shows(&mut session, ":step Save(\"e.txt\")", STOP, "<line ");
    shows(&mut session, ":continue", ON, "5");
}

#[test]
fn a_path_is_a_script_and_anything_else_a_line() {
    let (place, mut session) = start();
    fs::write(place.path().join("my notes.markdown"), "```neuroscript\nEMIT 7\n```\n").expect("a document");
    for line in ["SET f = \"tidy.ns\"", "\"a\" + \".ns\"", "LEN(\"tidy.ns\")", "\"a.ns\" == \"b.ns\""] {
        shows(&mut session, &format!(":step {line}"), STOP, "<line ");
        shows(&mut session, ":continue", ON, "");
    }
    shows(&mut session, "f", ON, "tidy.ns");
    let step = format!(":step \"{}\"", place.path().join("my notes.markdown").display());
    shows(&mut session, &step, STOP, "     2 | EMIT 7");
    shows(&mut session, ":continue", ON, "7");
    shows(&mut session, ":step nobody.ns", ON, "nobody.ns");
}

#[test]
fn breakpoints_are_set_and_removed_at_a_stop() {
    let (place, mut session) = start();
    let step = format!(":step {}", place.path().join("save.ns").display());
    shows(&mut session, ":break Save", ON, "runs stop at Save");
    shows(&mut session, &step, STOP, "save.ns:5 in top level");
    shows(&mut session, ":break 9", STOP, "runs stop at line 9");
    shows(&mut session, ":break 99", STOP, "no statement on or after line 99");
    let listed = type_line(&mut session, ":break", STOP);
    assert!(listed.contains("Save\nline 9\nline 99"), "{listed}");
    assert!(!listed.contains("no statement"), "{listed}");
    shows(&mut session, ":continue", STOP, "save.ns:2 in Save");
    shows(&mut session, ":b", STOP, "no file before");
    shows(&mut session, ":break off", STOP, "the breakpoints are removed");
    shows(&mut session, ":break 9", STOP, "runs stop at line 9");
    shows(&mut session, ":continue", STOP, "breakpoint: ");
    shows(&mut session, ":break", STOP, "line 9");
    shows(&mut session, ":break off", STOP, "the breakpoints are removed");
    shows(&mut session, ":continue", ON, "sum10");
    shows(&mut session, ":break", ON, "there are no breakpoints");
    // Without breakpoints, a line is not debugged: all its changes are one run.
    shows(&mut session, "SET all = LIST.Map([\"c.txt\", \"d.txt\"], Save)", ON, "");
    shows(&mut session, ":undo", ON, "");
    assert!(!place.path().join("c.txt").exists() && !place.path().join("d.txt").exists());
    // One that is set at a stop holds for later lines.
    shows(&mut session, ":step Save(\"e.txt\")", STOP, "stopped: ");
    shows(&mut session, ":break Save", STOP, "runs stop at Save");
    shows(&mut session, ":continue", STOP, "breakpoint: ");
    shows(&mut session, ":continue", ON, "5");
    shows(&mut session, "Save(\"f.txt\")", STOP, "breakpoint: ");
    shows(&mut session, ":continue", ON, "5");
}

#[test]
fn the_help_at_a_stop_lists_what_holds_there() {
    let (_place, mut session) = start();
    for line in [":help", ":nonsense", ":step save.ns"] {
        shows(&mut session, ":step 1 + 1", STOP, "stopped: ");
        let help = type_line(&mut session, line, STOP);
        let listed: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  :")).collect();
        assert_eq!(listed.len(), 12, "`{line}` shows {help}");
        assert!(!help.contains("tidy.ns"), "`{line}` shows {help}");
        // Each command that is listed holds.
        for command in listed.iter().map(|line| line.split("  ").next().unwrap_or_default().trim()) {
            if !["step", "next", "out", "continue", "quit"].contains(&command) {
                let shown = type_line(&mut session, &format!(":{command}"), STOP);
                assert!(!shown.contains("these commands hold"), "`:{command}` shows {shown}");
            }
        }
        shows(&mut session, ":quit", ON, "interrupted");
    }
}
