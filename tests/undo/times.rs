//! Times of directories: whatever was created, removed or undone in one, in any order, its original time is restored.

use super::Place;

/// Calls that fail after they have begun to change something.
const FAILURES: [&str; 7] = [
    "FS.CopyFile(\"pipes\", \"copy\", recursive: true)",
    "FS.CopyFile(\"pipes\", \"new/deep/copy\", recursive: true)",
    "FS.CopyFile(paths: [\"alone\", \"pipes\"], destination_path: \"e\", recursive: true, all_or_nothing: true)",
    "FS.DeleteFile(paths: [\"alone\", \"none\"], all_or_nothing: true)",
    "FS.Extract(\"broken.zip\", \"e\")",
    "FS.MoveFile(\"alone\", \"a\")",
    "FS.WriteFile(\"d/in\", \"x\")",
];

/// Creates archives, and a directory that cannot be copied completely.
fn prepare(place: &Place) {
    place.eval("MUST FS.Compress(\"d\", \"d.zip\")\nMUST FS.CreateDirectory(\"pipes\")");
    std::fs::remove_dir_all(place.root().join(".ns")).expect("nothing of that run is of use");
    let mut broken = std::fs::read(place.root().join("d.zip")).expect("an archive");
    // The checksum of the last file, in its entry of the central directory.
    let at = broken.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").expect("an entry");
    broken[at + 16] ^= 1;
    std::fs::write(place.root().join("broken.zip"), broken).expect("a broken archive");
    crate::support::set_times(&place.root(), crate::support::FIXED_TIME);
    let made = std::process::Command::new("mkfifo").arg(place.root().join("pipes/pipe")).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe");
    crate::support::set_time(&place.root().join("pipes"), crate::support::FIXED_TIME);
}

#[test]
fn a_call_that_fails_leaves_no_trace() {
    for call in FAILURES {
        let place = Place::new();
        prepare(&place);
        let before = place.snapshot();
        let ran = place.eval(&format!("SET r = {call}\nEMIT r.error != nil"));
        assert_eq!(ran.stdout, "true\n", "{call}");
        place.expect(&before, call);
    }
}

#[test]
fn a_directory_that_was_extracted_into_has_its_time_again() {
    for to in [".", "e", "d", "d/in", "new/deep"] {
        let place = Place::new();
        place.eval("MUST FS.Compress(\"d/in\", \"e/in.zip\")");
        crate::support::set_times(&place.root(), crate::support::FIXED_TIME);
        let before = place.snapshot();
        let script = format!("MUST FS.Extract(\"e/in.zip\", \"{to}\")");
        if to == "d" {
            // Its file exists.
            place.ns(1, &["run", "-e", &script]);
            place.expect(&before, to);
            continue;
        }
        place.eval(&script);
        place.ns(0, &["undo"]);
        place.expect(&before, to);
        place.ns(1, &["run", "--atomic", "-e", &format!("{script}\nFAIL \"no\"")]);
        place.expect(&before, to);
    }
}

/// Three runs that change the same directories, undone in every order.
#[test]
fn runs_that_are_undone_in_any_order_leave_the_first_times() {
    let scripts = [
        "MUST FS.WriteFile(\"e/1\", \"1\")\nMUST FS.DeleteFile(\"d/in/f\")",
        "MUST FS.WriteFile(\"e/2\", \"2\")\nMUST FS.MoveFile(\"d/c\", \"d/in/c\")",
        "MUST FS.WriteFile(\"e/3\", \"3\")\nMUST FS.WriteFile(\"d/in/3/x\", \"3\")",
    ];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let place = Place::new();
        let mut states = vec![place.snapshot()];
        let mut runs = Vec::new();
        for script in scripts {
            place.eval(script);
            states.push(place.snapshot());
            runs.push(place.newest());
        }
        for run in order {
            place.ns(0, &["undo", &runs[run]]);
        }
        place.expect(&states[0], &format!("undone in the order {order:?}"));
        for _ in order {
            place.ns(0, &["redo"]);
        }
        place.expect(&states[3], &format!("redone after {order:?}"));
    }
}

/// Runs that change the same directories, and those of them that are undone and redone before all are undone.
const REVERSALS: [(&[&str], &[usize]); 6] = [
    // A directory has the same time twice.
    (&[DATE, "MUST FS.DeleteFile(\"d/c\")", DATE], &[2]),
    // The last change of a directory gave it an old time.
    (&["MUST FS.WriteFile(\"d/new\", \"new\")", DATE], &[0]),
    // Setting the time is undone and redone while another change stays.
    (&[DATE, "MUST FS.WriteFile(\"d/new\", \"new\")"], &[0, 1]),
    // A later run changed a directory that the run moved.
    (&["MUST FS.DeleteFile(\"d/c\")\nMUST FS.MoveFile(\"d\", \"m\")", "MUST FS.WriteFile(\"m/new\", \"new\")"], &[0]),
    // A run changes a directory and removes it.
    (
        &[
            "MUST FS.WriteFile(\"d/new\", \"new\")",
            "MUST FS.DeleteFile(\"d/c\")\nMUST FS.DeleteFile(\"d\", recursive: true)",
            "MUST FS.WriteFile(\"d/c\", \"new\")",
        ],
        &[2, 1, 0],
    ),
    // Several of these at once.
    (&[DATE, "MUST FS.MoveFile(\"d/in\", \"e/in\")", "MUST FS.SetModified(\"e\", \"2024-05-01\")"], &[1, 0, 2]),
];

/// Sets the time of a directory.
const DATE: &str = "MUST FS.SetModified(\"d\", \"2024-05-01\")";

#[test]
fn runs_that_are_undone_and_redone_leave_the_times_of_each_moment() {
    for (scripts, order) in REVERSALS {
        let place = Place::new();
        let (mut states, mut runs) = (vec![place.snapshot()], Vec::new());
        for script in scripts {
            runs.push(place.run(script));
            states.push(place.snapshot());
        }
        let mut before = Vec::new();
        for run in order {
            before.push(place.snapshot());
            place.ns(0, &["undo", &runs[*run]]);
        }
        for state in before.iter().rev() {
            place.ns(0, &["redo"]);
            place.expect(state, &format!("redone after {order:?} of {scripts:?}"));
        }
        for (run, state) in runs.iter().zip(&states).rev() {
            place.ns(0, &["undo", run]);
            place.expect(state, &format!("undone after {order:?} of {scripts:?}"));
        }
        for state in &states[1..] {
            place.ns(0, &["redo"]);
            place.expect(state, &format!("all redone after {order:?} of {scripts:?}"));
        }
    }
}

/// A directory that a run created is the same one after an undo and a redo, so that later runs can be undone.
#[test]
fn a_directory_that_is_made_again_is_the_same_one() {
    let place = Place::new();
    place.eval("MUST FS.CreateDirectory(\"n\")");
    place.eval("MUST FS.SetPermissions(\"n\", \"700\")");
    let after = place.snapshot();
    for _ in 0..2 {
        place.ns(0, &["undo"]);
        place.ns(0, &["undo"]);
        place.ns(0, &["redo"]);
        place.ns(0, &["redo"]);
        place.expect(&after, "redone");
    }
}
