//! Display of the changes of a run: a tree with marks, and diffs as long as the contents are available.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{ns, run};

fn sandbox() -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    let files: [(&str, &[u8]); 5] = [
        ("a.txt", b"one\ntwo\nthree\n"),
        ("b.txt", b"gone\n"),
        ("d/in/c.txt", b"c\n"),
        ("pic.bin", b"\0\x01\x02"),
        ("run.sh", b"#!/bin/sh\n"),
    ];
    for (name, content) in files {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, content).expect("a file");
    }
    place
}

const CHANGES: &str = "\
MUST FS.EditFile(\"a.txt\", \"two\", \"2\")
MUST FS.DeleteFile(\"b.txt\")
MUST FS.WriteFile(\"new/x.txt\", \"x\\ny\")
MUST FS.MoveFile(\"d\", \"new/e\")
MUST FS.EditFile(\"new/e/in/c.txt\", \"c\", \"C\")
MUST FS.CopyFile(\"run.sh\", \"pic.bin\", overwrite: true)
MUST FS.SetPermissions(\"run.sh\", \"755\")
";

fn eval(place: &Path, script: &str) {
    let ran = run(ns(place).args(["run", "-e", script]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{script}");
}

fn newest(place: &Path) -> String {
    let ran = run(ns(place).args(["--output", "json", "log"]));
    let runs: Vec<Json> = serde_json::from_str(&ran.stdout).expect("a list");
    runs[0]["run"].as_str().expect("a name").to_owned()
}

/// Returns the display of a run, without the lines that identify the run.
fn page(place: &Path, words: &[&str]) -> String {
    let ran = run(ns(place).arg("show").args(words));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
    ran.stdout.split_once("\n\n").expect("a head").1.to_owned()
}

fn changes(place: &Path, words: &[&str]) -> Vec<Json> {
    let ran = run(ns(place).args(["--output", "json", "show"]).args(words));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
    let shown: Json = serde_json::from_str(&ran.stdout).expect("a run");
    shown["changes"].as_array().expect("changes").clone()
}

const TREE: &str = "\
~ a.txt        +1 -1
- b.txt        -1
+ new/
>   e/         from d
      in/
~       c.txt  +1 -1
+   x.txt      +2
~ pic.bin      binary, 3 to 10 bytes
~ run.sh       mode 0644 to 0755

2 created, 4 changed, 1 moved, 1 deleted, 4 lines added, 3 lines removed
";

const DIFFERENCES: &str = "\
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
--- a/new/e/in/c.txt
+++ b/new/e/in/c.txt
@@ -1 +1 @@
-c
+C
--- /dev/null
+++ b/new/x.txt
@@ -0,0 +1,2 @@
+x
+y
\\ No newline at end of file
";

#[test]
fn a_run_is_a_tree_with_marks_and_differences() {
    let place = sandbox();
    eval(place.path(), CHANGES);
    let run = newest(place.path());
    assert_eq!(page(place.path(), &[&run]), TREE);
    assert_eq!(page(place.path(), &[&run, "--diff"]), format!("{TREE}\n{DIFFERENCES}"));
}

/// Contents are found wherever later runs put them: undone, redone, replaced, moved, deleted.
#[test]
fn contents_are_followed_through_later_runs() {
    let place = sandbox();
    eval(place.path(), CHANGES);
    let shown = newest(place.path());
    let expected = format!("{TREE}\n{DIFFERENCES}");
    let is_shown = |after: &str| assert_eq!(page(place.path(), &[&shown, "--diff"]), expected, "after {after}");
    for command in ["undo", "redo", "undo", "redo"] {
        assert_eq!(run(ns(place.path()).arg(command)).code, 0, "{command}");
        is_shown(command);
    }
    for script in [
        "MUST FS.WriteFile(\"a.txt\", \"another\")\nMUST FS.WriteFile(\"b.txt\", \"another\")",
        "MUST FS.MoveFile(\"new\", \"old\")",
        "MUST FS.EditFile(\"old/x.txt\", \"x\", \"X\")\nMUST FS.DeleteFile(\"old\", recursive: true)",
    ] {
        eval(place.path(), script);
        is_shown(script);
    }
    for _ in 0..3 {
        assert_eq!(run(ns(place.path()).arg("undo")).code, 0);
        is_shown("taking back");
    }
}

/// For a file that was moved and then replaced or deleted, the first path leads to its backup.
#[test]
fn what_was_moved_and_then_changed_is_shown_with_both_contents() {
    let place = sandbox();
    eval(
        place.path(),
        "MUST FS.MoveFile(\"a.txt\", \"z.txt\")\nMUST FS.EditFile(\"z.txt\", \"two\", \"2\")\nMUST FS.MoveFile(\"b.txt\", \"y\")\nMUST FS.DeleteFile(\"y\")",
    );
    let tree = "- a.txt  -3\n- b.txt  -1\n+ z.txt  +3\n\n1 created, 2 deleted, 3 lines added, 4 lines removed\n";
    assert_eq!(page(place.path(), &[&newest(place.path())]), tree);
    assert_eq!(run(ns(place.path()).arg("undo")).code, 0);
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("a file"), "one\ntwo\nthree\n");
}

/// Entries that a run deletes and restores itself need no undo, and cause no conflict.
#[test]
fn what_was_brought_back_by_the_same_run_is_no_longer_kept() {
    let place = sandbox();
    eval(
        place.path(),
        "SET gone = FS.DeleteFile(\"b.txt\")\nMUST FS.RestoreBackup(gone.backupPath)\nMUST FS.MoveFile(\"a.txt\", \"z\")\n\
         SET gone = FS.DeleteFile(\"z\")\nMUST FS.RestoreBackup(gone.backupPath)",
    );
    assert_eq!(run(ns(place.path()).args(["undo"])).code, 0);
    assert!(place.path().join("a.txt").exists() && place.path().join("b.txt").exists());
}

#[test]
fn what_is_no_longer_to_be_had_is_said() {
    let place = sandbox();
    eval(place.path(), CHANGES);
    let shown = newest(place.path());
    fs::remove_dir_all(place.path().join(".ns/trash/b.txt")).expect("somebody removes it");
    fs::write(place.path().join("a.txt"), "theirs, and longer").expect("somebody writes");
    let rows = changes(place.path(), &[&shown, "--diff"]);
    let note = |path: &str| rows.iter().find(|row| row["path"] == path).expect("a row")["note"].clone();
    assert_eq!(note("b.txt"), "it is no longer kept");
    assert_eq!(note("a.txt"), "it was changed since by something else");
    assert_eq!(note("pic.bin"), "binary");
    let page = page(place.path(), &[&shown]);
    assert!(page.contains("- b.txt        5 bytes; it is no longer kept\n"), "{page}");
    assert!(page.contains("~ a.txt        14 to 12 bytes; it was changed since by something else\n"), "{page}");
}

/// Programs get a list of changes, with diffs on request.
#[test]
fn programs_get_the_same_as_json() {
    let place = sandbox();
    eval(place.path(), CHANGES);
    let shown = newest(place.path());
    let rows = changes(place.path(), &[&shown]);
    let told: Vec<_> =
        rows.iter().map(|row| (row["what"].as_str(), row["path"].as_str(), row["added"].as_i64())).collect();
    let expected = [
        ("changed", "a.txt", Some(1)),
        ("deleted", "b.txt", Some(0)),
        ("created", "new/", None),
        ("moved", "new/e/", None),
        ("changed", "new/e/in/c.txt", Some(1)),
        ("created", "new/x.txt", Some(2)),
        ("changed", "pic.bin", None),
        ("mode", "run.sh", None),
    ];
    assert_eq!(told, expected.map(|(what, path, added)| (Some(what), Some(path), added)));
    assert!(rows.iter().all(|row| row.get("diff").is_none()), "{rows:?}");
    let rows = changes(place.path(), &[&shown, "--diff"]);
    assert!(rows[0]["diff"].as_str().expect("a difference").starts_with("--- a/a.txt\n+++ b/a.txt\n@@ -1,3"));
}

/// Large contents are described by their sizes, and contents that the policy refuses are not read.
#[test]
fn what_is_too_large_or_refused_is_told_by_its_size() {
    let place = sandbox();
    eval(
        place.path(),
        "MUST FS.WriteFile(\"big\", STR.Repeat(\"line\\n\", 300000))\nMUST FS.WriteFile(\"a.txt\", \"secret\")",
    );
    let policy = "[policy]\nblocked_extensions = [\"txt\"]\n";
    fs::write(place.path().join("neuroscript.toml"), policy).expect("a policy");
    let page = page(place.path(), &[&newest(place.path()), "--diff"]);
    let expected = "~ a.txt  14 to 6 bytes; the policy refuses to read it\n+ big    1500000 bytes; it is too large to be compared\n";
    assert!(page.starts_with(expected) && !page.contains("secret"), "{page}");
}

/// After a forced undo, the display says what became of each content: put back, or replaced by something else.
#[test]
fn a_forced_undo_is_shown_as_it_is() {
    let place = sandbox();
    eval(
        place.path(),
        "MUST FS.WriteFile(\"a.txt\", \"new\")\nMUST FS.DeleteFile(\"b.txt\")\nMUST FS.DeleteFile(\"d\", recursive: true)",
    );
    let shown = newest(place.path());
    for name in ["a.txt", "b.txt"] {
        fs::write(place.path().join(name), "theirs, and longer").expect("somebody writes");
    }
    assert_eq!(run(ns(place.path()).args(["undo", "--force"])).code, 0);
    let tree = "~ a.txt  14 to 3 bytes; it was changed since by something else\n- b.txt  -1\n- d/     1 file (2 bytes)\n\n\
                1 changed, 2 deleted, directories among them with 1 file (2 bytes), 0 lines added, 1 line removed\n";
    assert_eq!(page(place.path(), &[&shown]), tree);
    let rows = changes(place.path(), &[&shown]);
    assert!(rows.iter().all(|row| row.get("kept").is_none_or(Json::is_null)), "what was put back: {rows:?}");
    // The undo itself names what it displaced.
    let all = run(ns(place.path()).args(["--output", "json", "log", "--all"])).stdout;
    let undo = serde_json::from_str::<Vec<Json>>(&all).expect("a list").swap_remove(0);
    let rows = changes(place.path(), &[undo["run"].as_str().expect("a name")]);
    for name in ["a.txt", "b.txt"] {
        let kept = rows.iter().find(|row| row["path"] == name).expect("a row")["kept"].as_str().expect("a backup");
        assert_eq!(fs::read(place.path().join(kept)).expect("a file"), b"theirs, and longer");
    }
}
