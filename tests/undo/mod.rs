//! Undo restores the whole tree: names that share an inode, permission bits, and the times of directories.

#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

#[path = "../../fuzz/src/chains/snapshot.rs"]
mod snapshot;

mod after_redo;
mod devices;
mod force;
mod kept;
mod killed;
mod links;
mod mounts;
mod moved_trees;
mod names;
mod owners;
mod read_only;
mod renames;
mod restored_trees;
mod rolled_back;
mod strange_names;
mod table;
mod times;

use crate::support;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::support::{Ran, ns, run};
use snapshot::Snapshot;

/// A sandbox, and a directory beside it.
struct Place {
    folder: TempDir,
}

impl Place {
    /// Creates a sandbox in which `a`, `b` and `d/c` are names of one file, and `outer` is a name of a file outside.
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder") };
        for name in ["root/d/in", "root/e"] {
            fs::create_dir_all(place.path(name)).expect("folders");
        }
        for (name, text) in [("root/a", "old"), ("root/d/in/f", "f"), ("root/alone", "alone"), ("outside", "outside")] {
            fs::write(place.path(name), text).expect("a file");
        }
        for (name, further) in [("root/a", "root/b"), ("root/a", "root/d/c"), ("outside", "root/outer")] {
            fs::hard_link(place.path(name), place.path(further)).expect("a hard link");
        }
        support::set_times(&place.root(), support::FIXED_TIME);
        place
    }

    /// Creates an empty sandbox.
    fn empty() -> Place {
        Place::in_folder(tempfile::tempdir().expect("a folder"))
    }

    /// Creates the empty sandbox of a case. Every second one is in memory, where nothing waits for a disk and an inode
    /// is given once only; a disk gives it again.
    fn of_case(number: usize) -> Place {
        if number % 2 == 1 { Place::in_folder(support::folder_in_memory()) } else { Place::empty() }
    }

    fn in_folder(folder: TempDir) -> Place {
        let place = Place { folder };
        fs::create_dir(place.root()).expect("a folder");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn root(&self) -> PathBuf {
        self.path("root")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap_or_default()
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::take(&self.root())
    }

    /// Runs `ns`, which must end with this exit code.
    fn ns(&self, code: i32, words: &[&str]) -> Ran {
        let ran = run(ns(&self.root()).args(words));
        assert_eq!(ran.code, code, "{words:?}: {}{}", ran.stdout, ran.stderr);
        ran
    }

    fn eval(&self, script: &str) -> Ran {
        self.ns(0, &["run", "-e", script])
    }

    /// Runs a script, and returns the name of the run.
    fn run(&self, script: &str) -> String {
        self.eval(script);
        self.newest()
    }

    /// Returns the name of the newest run.
    fn newest(&self) -> String {
        let runs: serde_json::Value =
            serde_json::from_str(&self.ns(0, &["--output", "json", "log"]).stdout).expect("a list");
        runs[0]["run"].as_str().expect("a name").to_owned()
    }

    fn expect(&self, expected: &Snapshot, when: &str) {
        expected.expect(&self.snapshot(), when);
    }
}

/// Returns the short name of a run.
fn short(run: &str) -> String {
    run.rsplit('-').next().expect("a name").to_owned()
}

/// Waits until the time stamps of the file system have advanced.
fn tick() {
    std::thread::sleep(Duration::from_millis(20));
}

fn inode(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().expect("it is there").ino()
}
