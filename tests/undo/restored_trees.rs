//! A directory that a run restores from the backup of an earlier run, and in which it changes something: it goes back
//! to the backup with the times that its directories had.

use super::Place;

/// Changes in the restored directory `d`, in which `in` is a directory with the file `f`.
const CHANGES: [&str; 9] = [
    "MUST FS.WriteFile(\"d/new\", \"new\")",
    "MUST FS.WriteFile(\"d/in/new\", \"new\")",
    "MUST FS.CreateDirectory(\"d/in/deep/er\")\nMUST FS.WriteFile(\"d/in/deep/er/new\", \"new\")",
    "MUST FS.DeleteFile(\"d/in/f\")",
    "MUST FS.MoveFile(\"d/in/f\", \"d/moved\")",
    "MUST FS.CopyFile(\"alone\", \"d/in/alone\")",
    "MUST FS.MoveFile(\"d\", \"e/d\")\nMUST FS.WriteFile(\"e/d/in/new\", \"new\")",
    "MUST FS.MoveFile(\"d/in\", \"out\")\nMUST FS.WriteFile(\"out/new\", \"new\")",
    "SET again = FS.DeleteFile(\"d\", recursive: true)\nMUST FS.RestoreBackup(again.backupPath)\n\
     MUST FS.WriteFile(\"d/in/new\", \"new\")",
];

/// Ways to take back the changes.
#[derive(Clone, Copy, Debug)]
enum Manner {
    Undo,
    UndoAndRedo,
    Atomic,
}

fn check(change: &str, manner: Manner) {
    let place = Place::new();
    let first = place.snapshot();
    let backup = place.eval("SET r = FS.DeleteFile(\"d\", recursive: true)\nEMIT r.backupPath").stdout;
    let deleted = place.snapshot();
    let script = format!("MUST FS.RestoreBackup({:?})\n{change}", backup.trim());
    match manner {
        Manner::Atomic => drop(place.ns(1, &["run", "--atomic", "-e", &format!("{script}\nFAIL \"on purpose\"")])),
        Manner::Undo | Manner::UndoAndRedo => {
            place.eval(&script);
            let changed = place.snapshot();
            place.ns(0, &["undo"]);
            if let Manner::UndoAndRedo = manner {
                place.ns(0, &["redo"]);
                place.expect(&changed, &format!("redo of {change}"));
                place.ns(0, &["undo"]);
            }
        }
    }
    place.expect(&deleted, &format!("{manner:?} of {change}"));
    place.ns(0, &["undo"]);
    place.expect(&first, &format!("the deletion is undone after {manner:?} of {change}"));
}

/// The same for a directory that was in a directory that the run moved before.
#[test]
fn times_in_a_tree_that_is_moved_piece_by_piece_are_restored() {
    let scripts = [
        "MUST FS.MoveFile(\"d\", \"x\")\nMUST FS.MoveFile(\"x/in\", \"out\")\nMUST FS.WriteFile(\"out/new\", \"new\")",
        "MUST FS.MoveFile(\"d\", \"x\")\nMUST FS.MoveFile(\"x/in\", \"out\")\nMUST FS.MoveFile(\"out\", \"e/y\")\n\
         MUST FS.DeleteFile(\"e/y/f\")",
        "MUST FS.MoveFile(\"d\", \"x\")\nSET r = FS.DeleteFile(\"x/in\", recursive: true)\n\
         MUST FS.RestoreBackup(r.backupPath)\nMUST FS.WriteFile(\"x/in/new\", \"new\")",
    ];
    for script in scripts {
        let place = Place::new();
        let first = place.snapshot();
        place.eval(script);
        let changed = place.snapshot();
        place.ns(0, &["undo"]);
        place.expect(&first, &format!("undo of {script}"));
        place.ns(0, &["redo"]);
        place.expect(&changed, &format!("redo of {script}"));
    }
}

#[test]
fn times_in_a_restored_tree_are_restored() {
    for change in CHANGES {
        for manner in [Manner::Undo, Manner::UndoAndRedo, Manner::Atomic] {
            check(change, manner);
        }
    }
}
