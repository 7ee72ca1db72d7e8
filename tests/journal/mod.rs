//! Changes of runs are listed, shown and undone; conflicts are reported, and nothing is lost.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod in_the_way;
mod named;
mod reports;
mod states;
mod unchanged;

use crate::support;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{Ran, ns, run, state_of};

fn sandbox() -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (name, content) in [("a.txt", "a"), ("b.txt", "b"), ("d/in/c.txt", "c")] {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, content).expect("a file");
    }
    support::set_times(place.path(), support::FIXED_TIME);
    place
}

fn eval(place: &Path, script: &str) -> Ran {
    let ran = run(ns(place).args(["run", "-e", script]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{script}");
    ran
}

fn undo(place: &Path, words: &[&str]) -> Ran {
    run(ns(place).arg("undo").args(words))
}

/// Returns the runs as `ns log` lists them, the newest first.
fn log(place: &Path) -> Vec<Json> {
    let ran = run(ns(place).args(["--output", "json", "log"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str::<Vec<Json>>(&ran.stdout).expect("a list")
}

fn name_of(run: &Json) -> &str {
    run["run"].as_str().expect("a name")
}

fn show(place: &Path, words: &[&str]) -> Ran {
    run(ns(place).args(["--output", "json", "show"]).args(words))
}

/// Returns the journal of a run that ended.
fn journal(place: &Path, run: &Json) -> PathBuf {
    place.join(".ns/runs").join(name_of(run))
}

const CHANGES: &str = "\
MUST FS.WriteFile(\"new/deep/x.txt\", \"x\")
MUST FS.WriteFile(\"a.txt\", \"changed\")
MUST FS.MoveFile(\"d\", \"new/e\")
MUST FS.EditFile(\"new/e/in/c.txt\", \"c\", \"C\")
MUST FS.CopyFile(\"new\", \"copy\", recursive: true)
MUST FS.DeleteFile(\"b.txt\")
MUST FS.SetPermissions(\"a.txt\", \"600\")
MUST FS.SetModified(\"a.txt\", \"2024-05-01T12:30:00.5Z\")
MUST FS.SetModified(\"new/e/in\", \"2024-05-02\")
MUST FS.SetModified(\"new\", \"2024-05-03\")
";

#[test]
fn a_run_is_taken_back_and_done_again_to_the_last_time() {
    let place = sandbox();
    let before = state_of(place.path());
    eval(place.path(), CHANGES);
    let after = state_of(place.path());
    assert_ne!(before, after);
    for _ in 0..3 {
        assert_eq!(undo(place.path(), &[]).code, 0);
        assert_eq!(state_of(place.path()), before);
        assert_eq!(run(ns(place.path()).arg("redo")).code, 0);
        assert_eq!(state_of(place.path()), after);
    }
    assert_eq!(undo(place.path(), &[]).code, 0);
    let nothing = undo(place.path(), &[]);
    assert!(nothing.stderr.contains("there is nothing to undo"), "{}", nothing.stderr);
    assert_eq!(nothing.code, 1);
}

/// Directories that a run creates in place of others, or moves, have times of their own.
#[test]
fn folders_made_under_the_names_of_others() {
    let place = sandbox();
    eval(place.path(), "MUST FS.WriteFile(\"e/in/c.txt\", \"e\")");
    support::set_times(place.path(), support::FIXED_TIME);
    let before = state_of(place.path());
    let made_below_a_moved_one = "\
MUST FS.EditFile(\"e/in/c.txt\", \"e\", \"E\")
MUST FS.DeleteFile(\"e\", recursive: true)
MUST FS.DeleteFile(\"d/in\", recursive: true)
MUST FS.MoveFile(\"d\", \"e\")
MUST FS.CreateDirectory(\"e/in\")
MUST FS.WriteFile(\"e/in/c.txt\", \"new\")
";
    let made_and_moved = "\
MUST FS.DeleteFile(\"d\", recursive: true)
MUST FS.WriteFile(\"d/n\", \"n\")
MUST FS.MoveFile(\"d\", \"moved\")
MUST FS.WriteFile(\"moved/x\", \"x\")
";
    let copied_as_a_tree = "\
MUST FS.DeleteFile(\"d\", recursive: true)
MUST FS.CopyFile(\"e\", \"d\", recursive: true)
MUST FS.WriteFile(\"d/in/x\", \"x\")
";
    let scripts = [made_below_a_moved_one, made_and_moved, copied_as_a_tree, COPIED_OVER_WHAT_WAS_CHANGED];
    for script in scripts {
        eval(place.path(), script);
        let undone = undo(place.path(), &[]);
        assert_eq!(undone.code, 0, "{script}{}", undone.stderr);
        assert_eq!(state_of(place.path()), before, "{script}");
    }
}

/// `d/in` is changed before `d` is deleted, and the tree copied in its place has an entry of the same name.
const COPIED_OVER_WHAT_WAS_CHANGED: &str = "\
MUST FS.SetPermissions(\"d/in\", \"700\")
MUST FS.DeleteFile(\"d\", recursive: true)
MUST FS.CopyFile(\"e\", \"d\", recursive: true)
";

#[test]
fn what_others_put_into_a_copied_tree_stays() {
    for last in ["", "MUST FS.DeleteFile(\"d/in\", recursive: true)\n"] {
        let place = sandbox();
        eval(place.path(), "MUST FS.WriteFile(\"e/in/c.txt\", \"e\")");
        eval(place.path(), &format!("{COPIED_OVER_WHAT_WAS_CHANGED}{last}"));
        // The time stamps of the file system advance only every few milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::create_dir_all(place.path().join("d/in")).expect("a folder");
        fs::write(place.path().join("d/in/theirs"), "theirs").expect("a file");
        let before = state_of(place.path());
        let refused = undo(place.path(), &[]);
        assert!(refused.stderr.contains("`d`: `in` in it was changed since"), "{}", refused.stderr);
        assert_eq!(state_of(place.path()), before, "nothing was done");
    }
}

/// Runs that moved entries in a tree that an earlier run left, and were undone.
#[test]
fn a_tree_is_as_it_was_once_later_runs_are_taken_back() {
    let place = sandbox();
    let before = state_of(place.path());
    eval(place.path(), "MUST FS.CopyFile(\"d\", \"copy\", recursive: true)");
    let copied = state_of(place.path());
    for later in [
        "MUST FS.MoveFile(\"copy/in/c.txt\", \"out.txt\")",
        "MUST FS.MoveFile(\"copy/in\", \"out\")",
        "MUST FS.WriteFile(\"copy/in/c.txt\", \"new\")",
        "MUST FS.SetPermissions(\"copy/in/c.txt\", \"600\")",
        "MUST FS.DeleteFile(\"copy/in\", recursive: true)",
    ] {
        eval(place.path(), later);
        let undone = undo(place.path(), &[]);
        assert_eq!(undone.code, 0, "{later}: {}", undone.stderr);
        assert_eq!(state_of(place.path()), copied, "{later}");
    }
    let undone = undo(place.path(), &[]);
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert_eq!(state_of(place.path()), before);
}

/// A change to a sandbox outside of the run under test.
type Change = fn(&Path);

/// Changes by later runs or by other processes in such a tree are preserved.
#[test]
fn a_tree_that_others_changed_is_not_as_it_was() {
    let moved = "MUST FS.MoveFile(\"copy/in/c.txt\", \"out.txt\")";
    let changes: [(&str, Change); 4] = [
        ("redone", |place| assert_eq!(run(ns(place).arg("redo")).code, 0)),
        ("another run's", |place| drop(eval(place, "MUST FS.MoveFile(\"a.txt\", \"copy/in/a.txt\")"))),
        ("new content", |place| fs::write(place.join("copy/in/c.txt"), "theirs").expect("a file")),
        ("a new name", |place| fs::rename(place.join("a.txt"), place.join("copy/in/z")).expect("a file")),
    ];
    for (what, change) in changes {
        let place = sandbox();
        eval(place.path(), "MUST FS.CopyFile(\"d\", \"copy\", recursive: true)");
        let copied = name_of(&log(place.path())[0]).to_owned();
        eval(place.path(), moved);
        assert_eq!(undo(place.path(), &[]).code, 0);
        // The time stamps of the file system advance only every few milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(50));
        change(place.path());
        let before = state_of(place.path());
        let refused = undo(place.path(), &[&copied]);
        assert!(refused.stderr.contains("`copy`: "), "{what}: {}", refused.stderr);
        assert_eq!(state_of(place.path()), before, "{what}: nothing was done");
    }
}

#[test]
fn several_runs_go_back_one_by_one() {
    let place = sandbox();
    let mut states = vec![state_of(place.path())];
    for script in
        ["CALL FS.WriteFile(\"a.txt\", \"1\")", "CALL FS.MoveFile(\"a.txt\", \"m\")", "CALL FS.DeleteFile(\"m\")"]
    {
        eval(place.path(), script);
        states.push(state_of(place.path()));
    }
    for expected in states.iter().rev().skip(1) {
        assert_eq!(undo(place.path(), &[]).code, 0);
        assert_eq!(&state_of(place.path()), expected);
    }
}

#[test]
fn the_log_names_each_run_and_what_became_of_it() {
    let place = sandbox();
    eval(place.path(), "EMIT 1");
    assert_eq!(log(place.path()), Vec::<Json>::new(), "a run that changes nothing has no journal");
    assert!(!place.path().join(".ns").exists());
    eval(place.path(), "CALL FS.WriteFile(\"a.txt\", \"1\")\nCALL FS.DeleteFile(\"b.txt\")");
    run(ns(place.path()).args(["call", "delete_file", "{\"path\": \"a.txt\"}"]));
    run(ns(place.path()).args(["run", "-e", "CALL FS.WriteFile(\"x\", \"1\")\nFAIL \"no\""]));
    let runs = log(place.path());
    let told: Vec<_> =
        runs.iter().map(|run| (run["command"].as_str(), run["changes"].as_i64(), run["state"].as_str())).collect();
    assert_eq!(
        told,
        [
            (Some("ns run -e 'CALL FS.WriteFile(\"x\", \"1\"); FAIL \"no\"'"), Some(1), Some("failed")),
            (Some("ns call delete_file a.txt"), Some(1), Some("done")),
            (
                Some("ns run -e 'CALL FS.WriteFile(\"a.txt\", \"1\"); CALL FS.DeleteFile(\"b.txt\")'"),
                Some(2),
                Some("done")
            ),
        ]
    );
    let shown = run(ns(place.path()).args(["--output", "json", "show", name_of(&runs[2])]));
    let shown: Json = serde_json::from_str(&shown.stdout).expect("a run");
    let changes: Vec<_> = shown["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .map(|change| (change["what"].as_str(), change["path"].as_str()))
        .collect();
    assert_eq!(changes, [(Some("changed"), Some("a.txt")), (Some("deleted"), Some("b.txt"))]);
    assert!(shown["changes"][0]["kept"].as_str().expect("a path").starts_with(".ns/backups/a.txt/"));
}

#[test]
fn a_damaged_or_foreign_journal_is_said_and_changes_nothing() {
    let place = sandbox();
    eval(place.path(), CHANGES);
    let before = state_of(place.path());
    let runs = log(place.path());
    let file = journal(place.path(), &runs[0]);
    let text = fs::read_to_string(&file).expect("a journal");
    let lines: Vec<&str> = text.lines().collect();
    for (at, broken) in [(4, "garbage".to_owned()), (3, lines[3].replace("new", "old")), (2, String::new())] {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines[at] = broken;
        fs::write(&file, lines.join("\n") + "\n").expect("a journal");
        let refused = undo(place.path(), &[]);
        assert!(refused.stderr.contains(&format!("line {} is damaged", at + 1)), "{}", refused.stderr);
        assert_eq!(state_of(place.path()), before);
    }
    for foreign in ["", "no journal\n", &text.replacen("\"version\":2", "\"version\":9", 1)] {
        fs::write(&file, foreign).expect("a journal");
        let refused = undo(place.path(), &[name_of(&runs[0])]);
        let words = "cannot be read: it is foreign: your key did not seal it for this directory";
        assert!(refused.stderr.contains(words), "{foreign}: {}", refused.stderr);
        assert_eq!(state_of(place.path()), before);
    }
    fs::write(place.path().join(".ns/runs/notes.txt"), "not ours").expect("a file");
    assert_eq!(log(place.path()).len(), 1);
}

#[test]
fn a_run_that_goes_on_is_not_taken_back() {
    let place = sandbox();
    let script = "CALL FS.WriteFile(\"a.txt\", \"1\")\nWHILE true DO\nSET x = 1\nEND";
    let mut command = ns(place.path());
    let mut child = command.args(["--max-steps", "1000000000000", "run", "-e", script]).spawn().expect("a run");
    while fs::read_to_string(place.path().join("a.txt")).expect("a file") != "1" {
        std::thread::yield_now();
    }
    let runs = log(place.path());
    assert_eq!(runs[0]["state"], "goes on");
    let refused = undo(place.path(), &[name_of(&runs[0])]);
    assert!(refused.stderr.contains("still goes on"), "{}", refused.stderr);
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let undone = undo(place.path(), &[]);
    assert!(undone.stderr.contains("was interrupted; 1 change stays"), "{}", undone.stderr);
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("a file"), "a");
}

/// Plain undo does not pass over an active run to an older one.
#[test]
fn a_run_that_goes_on_is_the_newest() {
    let place = sandbox();
    eval(place.path(), "MUST FS.WriteFile(\"b.txt\", \"new\")");
    let script = "MUST FS.WriteFile(\"a.txt\", \"1\")\nWHILE true DO\nSET x = 1\nEND";
    let mut command = ns(place.path());
    let mut child = command.args(["--max-steps", "1000000000000", "run", "-e", script]).spawn().expect("a run");
    while fs::read_to_string(place.path().join("a.txt")).expect("a file") != "1" {
        std::thread::yield_now();
    }
    let read = || fs::read_to_string(place.path().join("b.txt")).expect("a file");
    let refused = undo(place.path(), &[]);
    assert!(refused.code == 1 && refused.stderr.contains("still goes on"), "{}", refused.stderr);
    assert_eq!(read(), "new");
    let skipped = undo(place.path(), &["--skip"]);
    assert_eq!((skipped.code, read().as_str()), (0, "b"), "{}", skipped.stderr);
    child.kill().and_then(|()| child.wait()).expect("it is killed");
}

#[test]
fn an_atomic_run_that_fails_leaves_nothing() {
    let place = sandbox();
    let before = state_of(place.path());
    for end in [
        "FAIL \"no\"",
        "SET x = 1 / 0",
        "SET t = FS.TempDirectory().path\nCALL FS.MoveFile(\"a.txt\", \"z\")\nFAIL \"no\"",
    ] {
        let script = format!("{CHANGES}{end}");
        let ran = run(ns(place.path()).args(["run", "--atomic", "-e", &script]));
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.ends_with("\nwhat the run had changed was taken back\n"), "{}", ran.stderr);
        assert_eq!(state_of(place.path()), before, "{end}");
        assert_eq!(log(place.path())[0]["state"], "rolled back");
    }
    let nothing = run(ns(place.path()).args(["run", "--atomic", "-e", "FAIL \"no\""]));
    assert!(!nothing.stderr.contains("taken back"), "{}", nothing.stderr);
    assert_eq!(run(ns(place.path()).args(["run", "--atomic", "-e", CHANGES])).code, 0);
    assert_ne!(state_of(place.path()), before, "one that goes well stays");
}

#[test]
fn a_read_only_run_takes_nothing_back() {
    let place = sandbox();
    eval(place.path(), CHANGES);
    let before = state_of(place.path());
    let refused = run(ns(place.path()).args(["--read-only", "undo"]));
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert_eq!(state_of(place.path()), before);
}

/// A run undone before newer work is not the one that a redo should affect.
#[test]
fn a_new_run_ends_what_can_be_done_again() {
    let place = sandbox();
    let write = |name: &str| drop(eval(place.path(), &format!("MUST FS.WriteFile(\"{name}\", \"x\")")));
    let redo = || run(ns(place.path()).arg("redo"));
    write("old");
    assert_eq!(undo(place.path(), &[]).code, 0);
    write("new");
    let refused = redo();
    assert!(refused.code == 1 && refused.stderr.contains("no run was taken back"), "{}", refused.stderr);
    assert!(!place.path().join("old").exists());
    // Once the new run is undone, it can be redone, and then counts as new work again.
    assert_eq!(undo(place.path(), &[]).code, 0);
    assert!(!place.path().join("new").exists());
    assert_eq!(redo().code, 0);
    assert!(place.path().join("new").exists());
    assert_eq!(redo().code, 1);
    assert!(!place.path().join("old").exists());
    // Several runs undone one after another are redone in turn.
    write("newer");
    for name in ["newer", "new"] {
        assert_eq!(undo(place.path(), &[]).code, 0);
        assert!(!place.path().join(name).exists());
    }
    for name in ["new", "newer"] {
        assert_eq!(redo().code, 0, "{name}");
        assert!(place.path().join(name).exists(), "{name}");
    }
}
