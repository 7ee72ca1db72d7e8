//! An undo or redo uses the names of earlier backups again: whatever has such a name stays. Two of them at once never
//! reverse the same run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::{ns, run};

/// Returns the only backup of a path in a part of the backup store.
fn backup(place: &Path, store: &str, name: &str) -> PathBuf {
    let directory = place.join(".ns").join(store).join(name);
    let mut entries = fs::read_dir(directory).expect("there are backups");
    let path = entries.next().expect("there is one").expect("an entry").path();
    assert!(entries.next().is_none(), "one backup of `{name}`");
    path
}

/// Overwrites `k`, deletes `g`, and undoes that. Returns the names that the backups had.
fn overwritten_and_undone(place: &Path) -> [PathBuf; 2] {
    fs::write(place.join("k"), "orig").expect("a file");
    fs::write(place.join("g"), "gone").expect("a file");
    let script = "MUST FS.WriteFile(\"k\", \"new\")\nMUST FS.DeleteFile(\"g\")";
    assert_eq!(run(ns(place).args(["run", "-e", script])).code, 0);
    let names = [backup(place, "backups", "k"), backup(place, "trash", "g")];
    assert_eq!(run(ns(place).arg("undo")).code, 0);
    names
}

#[test]
fn what_has_the_name_of_an_earlier_backup_stays() {
    for force in [false, true] {
        for number in [0, 1] {
            let place = tempfile::tempdir().expect("a directory");
            let name = overwritten_and_undone(place.path()).into_iter().nth(number).expect("two names");
            fs::create_dir_all(name.parent().expect("a parent")).expect("directories");
            fs::write(&name, "precious").expect("a file");
            let mut redo = ns(place.path());
            redo.arg("redo").args(force.then_some("--force"));
            let ran = run(&mut redo);
            assert_ne!(ran.code, 0, "{}", ran.stderr);
            assert!(ran.stderr.contains(&*name.file_name().expect("a name").to_string_lossy()), "{}", ran.stderr);
            assert_eq!(fs::read_to_string(&name).expect("it stays"), "precious");
            let old = [("k", "orig"), ("g", "gone")][number];
            assert_eq!(fs::read_to_string(place.path().join(old.0)).expect("it was not replaced"), old.1);
        }
    }
}

#[test]
fn two_undos_at_once_reverse_a_run_once() {
    for verb in ["undo", "redo"] {
        for _ in 0..5 {
            let place = tempfile::tempdir().expect("a directory");
            overwritten_and_undone(place.path());
            if verb == "undo" {
                assert_eq!(run(ns(place.path()).arg("redo")).code, 0);
            }
            let start = || {
                let mut command = ns(place.path());
                command.args([verb, "--force"]).stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().expect("`ns` starts")
            };
            let both = [start(), start()].map(|child| child.wait_with_output().expect("it ends"));
            let done = both.iter().filter(|output| output.status.success()).count();
            let said = both.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
            assert_eq!(done, 1, "{verb}: {said:?}");
            let back = if verb == "undo" { "redo" } else { "undo" };
            assert_eq!(run(ns(place.path()).arg(back)).code, 0);
            let k = fs::read_to_string(place.path().join("k")).expect("a file");
            assert_eq!(k, if verb == "undo" { "new" } else { "orig" }, "{said:?}");
        }
    }
}
