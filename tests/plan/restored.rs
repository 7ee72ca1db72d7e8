//! Plans that restore a directory from the trash and change something in it.

use std::fs;

use crate::plan::Place;

/// Changes in the directory `d` after it was restored, or around it.
const CHANGES: [&str; 13] = [
    "MUST FS.DeleteFile(\"d/f\")",
    "MUST FS.DeleteFile(\"d/deep\", recursive: true)",
    "MUST FS.WriteFile(\"d/deep/g\", \"other\")",
    "MUST FS.WriteFile(\"d/new/h\", \"h\")",
    "MUST FS.SetPermissions(\"d/deep/g\", \"600\")",
    "MUST FS.SetPermissions(\"d\", \"700\")",
    "MUST FS.SetModified(\"d/f\", \"2024-05-01\")",
    "MUST FS.MoveFile(\"d/deep\", \"out\")",
    "MUST FS.MoveFile(\"d/deep/g\", \"d/g\")",
    "MUST FS.DeleteFile(\"a.txt\")\nMUST FS.MoveFile(\"d/f\", \"a.txt\")",
    "MUST FS.DeleteFile(\"d/f\")\nMUST FS.MoveFile(\"b.txt\", \"d/f\")",
    "MUST FS.DeleteFile(\"d/deep\", recursive: true)\nMUST FS.WriteFile(\"d/deep\", \"a file now\")",
    "MUST FS.DeleteFile(\"d/f\")\nMUST FS.MoveFile(\"d/deep\", \"d/f\")",
];

/// Moves the restored directory.
const MOVE: &str = "MUST FS.MoveFile(\"d\", \"moved\")";

/// Scripts that put something at the path of the restored directory before the run.
const BEFORE: [&str; 3] = ["", "MUST FS.WriteFile(\"d/f\", \"later\")", "MUST FS.WriteFile(\"d\", \"a file\")"];

/// Deletes `d`, and returns a script that restores it.
fn restoring(place: &Place, before: &str) -> String {
    let deleted = place.ns(0, &["run", "-e", "EMIT FS.DeleteFile(\"d\", recursive: true)[\"backupPath\"]"]).stdout;
    let restore = format!("MUST FS.RestoreBackup(\"{}\")\n", deleted.trim());
    if before.is_empty() {
        return restore;
    }
    place.ns(0, &["run", "-e", before]);
    format!("MUST FS.DeleteFile(\"d\", recursive: true)\n{restore}")
}

/// Compares a plan with the run: each change alone, and one in five of their combinations with what was there before
/// and with a move of the restored directory afterwards (all with `NS_LONG`).
#[test]
fn what_is_restored_can_be_changed_in_the_same_plan() {
    let is_long = std::env::var_os("NS_LONG").is_some();
    for (row, before) in BEFORE.iter().enumerate() {
        let place = Place::new();
        let restore = restoring(&place, before);
        let state = place.state();
        for (column, change) in CHANGES.iter().enumerate() {
            if before.is_empty() {
                compare(&place, &state, &format!("{restore}{change}"));
            }
            if is_long || (row + column) % 5 == 0 {
                compare(&place, &state, &format!("{restore}{change}\n{MOVE}"));
            }
        }
    }
}

/// Runs a script, takes it back, plans and applies it, and takes that back.
fn compare(place: &Place, before: &[String], script: &str) {
    place.ns(0, &["run", "-e", script]);
    let after = place.contents();
    place.ns(0, &["undo"]);
    assert_eq!(place.state(), before, "{script}");
    let plan = place.plan(script);
    place.apply(0, &plan);
    assert_eq!(place.contents(), after, "{script}");
    place.ns(0, &["undo"]);
    assert_eq!(place.state(), before, "{script}");
}

/// Applying a plan compares the content of a backup, like everything else that the plan changes.
#[test]
fn a_backup_that_was_changed_is_noticed() {
    let place = Place::new();
    let restore = restoring(&place, "");
    let plan = place.plan(&format!("{restore}MUST FS.DeleteFile(\"d/f\")"));
    let kept = restore.split('"').nth(1).expect("a path");
    fs::write(place.root().join(kept).join("f"), "theirs").expect("a file");
    let refused = place.apply(1, &plan);
    assert!(refused.stderr.contains("`d/f`: it was changed since"), "{}", refused.stderr);
    assert!(!place.root().join("d").exists());
}

/// Only entries of a tree that the same plan restores may be named, and only in a plan that this user made.
#[test]
fn nothing_else_comes_out_of_what_is_kept() {
    let place = Place::new();
    let restore = restoring(&place, "");
    let plan = place.plan(&format!("{restore}MUST FS.DeleteFile(\"d/f\")\nMUST FS.DeleteFile(\"a.txt\")"));
    let made: serde_json::Value = serde_json::from_str(&fs::read_to_string(&plan).expect("a plan")).expect("JSON");
    let changes = made["changes"].as_array().expect("changes");
    let origin =
        changes.iter().find_map(|change| change["origin"].as_str()).expect("an origin in the trash").to_owned();
    let state = place.state();
    let refused = |text: &str, reason: &str| {
        assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
        fs::write(&plan, text).expect("a plan");
        let refused = place.apply(4, &plan);
        assert!(refused.stderr.contains(reason), "{text}\n{}", refused.stderr);
        assert_eq!(place.state(), state, "{text}");
    };
    let text = made.to_string();
    refused(&text, "`d/f`: it would come from what is kept, and your key did not seal this plan");
    for other in [".ns/key", ".ns/journal", ".ns/trash", "d/../.ns/key"] {
        refused(&text.replace(&origin, other), &format!("`d/f`: no plan may name `{other}`"));
    }
    let mut alone = made;
    let rows = alone["changes"].as_array_mut().expect("changes");
    rows.retain(|change| change["change"] != "restored");
    refused(&alone.to_string(), &format!("`d/f`: no plan may name `{origin}`"));
}
