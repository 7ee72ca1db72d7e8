//! A killed undo or redo leaves nothing half-done: the next command rolls it back, and it can be repeated.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{ns, run};

/// Number of files that the run changes.
const FILES: usize = 150;

fn contents(root: &Path) -> Vec<String> {
    (0..FILES).map(|number| fs::read_to_string(root.join(format!("f{number}"))).unwrap_or_default()).collect()
}

/// Starts a command, and kills it as soon as it has changed some of the files. Returns whether it was in the middle.
fn killed(root: &Path, args: &[&str]) -> bool {
    let before = contents(root);
    let mut child = ns(root).args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("ns starts");
    let since = Instant::now();
    while contents(root) == before && since.elapsed() < Duration::from_secs(30) {
        if child.try_wait().expect("a child").is_some() {
            break;
        }
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let after = contents(root);
    let changed = after.iter().zip(&before).filter(|(after, before)| after != before).count();
    changed > 0 && changed < FILES
}

#[test]
fn a_killed_undo_or_redo_is_rolled_back_and_can_be_repeated() {
    let place = tempfile::tempdir().expect("a folder");
    let root = place.path();
    for number in 0..FILES {
        fs::write(root.join(format!("f{number}")), format!("old {number}")).expect("a file");
    }
    let old = contents(root);
    let script = format!("FOR EACH i IN RANGE({FILES})\n  MUST FS.AppendFile(\"f\" + i, \" new\")\nEND");
    assert_eq!(run(ns(root).args(["-e", &script])).code, 0);
    let new = contents(root);
    let mut in_the_middle = 0;
    for (command, before, after) in [("undo", &new, &old), ("redo", &old, &new), ("undo", &new, &old)] {
        for force in [&["--force"][..], &[]] {
            in_the_middle += usize::from(killed(root, &[&[command], force].concat()));
            let listed = run(ns(root).arg("log"));
            assert_eq!(listed.code, 0, "{}", listed.stderr);
            if contents(root) == *after {
                // It had ended before it was killed.
                let other = if command == "undo" { "redo" } else { "undo" };
                assert_eq!(run(ns(root).arg(other)).code, 0);
            }
            assert!(contents(root) == *before, "a killed {command} {force:?} is not rolled back: {}", listed.stderr);
        }
        let ran = run(ns(root).arg(command));
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        assert!(contents(root) == *after, "{command}: {}", ran.stdout);
    }
    assert!(in_the_middle > 0, "no command was killed in the middle");
}
