//! Changes that a run rolled back itself cause no conflict for earlier runs: an atomic run that failed, and an
//! all-or-nothing call.

use super::Place;

/// Runs that put a whole tree at `d`.
const PUT: [&str; 4] = [
    "SET gone = FS.DeleteFile(\"d\", recursive: true)\nCALL FS.RestoreBackup(gone.backupPath)",
    "CALL FS.MoveFile(\"d\", \"moved\")\nCALL FS.MoveFile(\"moved\", \"d\")",
    "CALL FS.CopyFile(\"d\", \"copy\", recursive: true)\nCALL FS.DeleteFile(\"d\", recursive: true)\nCALL FS.MoveFile(\"copy\", \"d\")",
    "CALL FS.Compress(\"d\", \"d.zip\")\nCALL FS.DeleteFile(\"d\", recursive: true)\nCALL FS.Extract(\"d.zip\", \".\")",
];

/// Changes in that tree that are rolled back.
const CHANGES: [&str; 9] = [
    "CALL FS.SetPermissions(\"d/in/f\", mode: \"755\")",
    "CALL FS.SetModified(\"d/in/f\", \"2024-05-01T12:30:00.5Z\")",
    "CALL FS.SetModified(\"d/in\", \"2024-05-01T12:30:00.5Z\")",
    "CALL FS.EditFile(\"d/in/f\", old_text: \"f\", new_text: \"g\")",
    "CALL FS.AppendFile(\"d/in/f\", \"more\")",
    "CALL FS.DeleteFile(\"d/in/f\")",
    "CALL FS.MoveFile(\"d/in/f\", \"out\")",
    "CALL FS.MoveFile(\"d/in\", \"d/other\")\nCALL FS.WriteFile(\"d/other/f\", \"new\")",
    "CALL FS.WriteFile(\"d/in/new/deep\", \"new\")\nCALL FS.CopyFile(\"a\", \"d/in/f\", overwrite: true)",
];

/// Undoes the newest run after something in its tree was changed and rolled back.
fn undo_after(put: &str, taken_back: &dyn Fn(&Place)) {
    let place = Place::new();
    let before = place.snapshot();
    place.ns(0, &["run", "-e", put]);
    let after = place.snapshot();
    taken_back(&place);
    after.expect(&place.snapshot(), "it was taken back");
    place.ns(0, &["undo"]);
    before.expect(&place.snapshot(), put);
}

#[test]
fn an_atomic_run_that_failed_is_no_conflict() {
    for put in PUT {
        for change in CHANGES {
            undo_after(put, &|place| {
                place.ns(1, &["run", "--atomic", "-e", &format!("{change}\nFAIL \"on purpose\"")]);
            });
        }
    }
}

#[test]
fn a_call_that_did_all_or_nothing_is_no_conflict() {
    for put in PUT {
        undo_after(put, &|place| {
            let script = "CALL FS.DeleteFile(paths: [\"d/in/f\", \"missing\"], all_or_nothing: true)";
            place.ns(0, &["run", "-e", script]);
        });
    }
}
