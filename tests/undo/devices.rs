//! Undo with a part of the tree on another file system: an entry copied there and back counts as the same.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Place, support};

const CHILD: &str = "NS_UNDO_DEVICES";

/// Scripts of runs that are undone together.
const RUNS: [&[&str]; 9] = [
    &["MUST FS.WriteFile(\"mnt/f\", \"1\")"],
    &["MUST FS.WriteFile(\"mnt/f\", \"1\")\nMUST FS.WriteFile(\"mnt/f\", \"2\")\nMUST FS.WriteFile(\"mnt/n\", \"1\")"],
    &["MUST FS.WriteFile(\"mnt/f\", \"1\")", "MUST FS.WriteFile(\"mnt/f\", \"2\")", "MUST FS.DeleteFile(\"mnt/f\")"],
    &[
        "MUST FS.WriteFile(\"alone\", \"1\")\nMUST FS.MoveFile(\"alone\", \"mnt/a\")\nMUST FS.WriteFile(\"mnt/a\", \"2\")",
    ],
    &[
        "MUST FS.WriteFile(\"d/in/f\", \"1\")\nMUST FS.MoveFile(\"d\", \"mnt/d\")\nMUST FS.WriteFile(\"mnt/d/in/f\", \"2\")",
    ],
    &[
        "MUST FS.WriteFile(\"d/in/f\", \"1\")",
        "MUST FS.MoveFile(\"d\", \"mnt/d\")",
        "MUST FS.WriteFile(\"mnt/d/x\", \"2\")",
    ],
    &["MUST FS.WriteFile(\"mnt/dir/g\", \"2\")\nMUST FS.DeleteFile(\"mnt/dir\", recursive: true)"],
    &[
        "MUST FS.CreateDirectory(\"mnt/q\")",
        "MUST FS.SetPermissions(\"mnt/q\", \"700\")\nMUST FS.MoveFile(\"mnt/q\", \"e/q\")",
    ],
    &[
        "MUST FS.CreateDirectory(\"mnt/q\")\nMUST FS.SetModified(\"mnt/q\", \"2024-05-01\")",
        "MUST FS.WriteFile(\"mnt/q/n\", \"1\")",
    ],
];

/// Not a test of its own: runs where another file system can be mounted.
#[test]
fn worker() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    for runs in RUNS {
        let place = Place::new();
        let device = Device::mount(&place.root().join("mnt"));
        fs::create_dir(device.0.join("dir")).expect("a folder");
        fs::write(device.0.join("f"), "f").and_then(|()| fs::write(device.0.join("dir/g"), "g")).expect("files");
        support::set_times(&place.root(), support::FIXED_TIME);
        let mut states = vec![place.snapshot().without_inodes()];
        for run in runs {
            place.eval(run);
            states.push(place.snapshot().without_inodes());
        }
        for _ in 0..2 {
            for state in states.iter().rev().skip(1) {
                place.ns(0, &["undo"]);
                state.expect(&place.snapshot().without_inodes(), &format!("undo of {runs:?}"));
            }
            for state in &states[1..] {
                place.ns(0, &["redo"]);
                state.expect(&place.snapshot().without_inodes(), &format!("redo of {runs:?}"));
            }
        }
    }
    println!("all of them");
}

/// A file system, mounted until dropped.
struct Device(std::path::PathBuf);

impl Device {
    fn mount(place: &Path) -> Device {
        fs::create_dir(place).expect("a folder");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(place).status();
        assert!(mounted.is_ok_and(|status| status.success()), "it is mounted");
        Device(place.to_owned())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "it is unmounted");
    }
}

#[test]
fn what_is_copied_back_counts_as_the_same() {
    let own = std::env::current_exe().expect("this binary");
    let mut command = Command::new("unshare");
    command.arg("--mount").arg(own).args(["undo::devices::worker", "--exact", "--nocapture"]).env(CHILD, "1");
    let ran = support::run(&mut command);
    if ran.stderr.contains("unshare failed") {
        println!("SKIPPED: nothing can be mounted: {}", ran.stderr);
        return;
    }
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("all of them"), "{}", ran.stdout);
}
