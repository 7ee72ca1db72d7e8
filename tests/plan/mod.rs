//! Plans: a plan equals the effect of the run, planning changes nothing, and a plan is applied completely or not at
//! all.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod applied;
mod left;
mod question;
mod random;
mod refused;
mod restored;
mod shown;

use crate::support;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::ns;
use tempfile::TempDir;

/// A sandbox with a small tree, and a directory for plans beside it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        Place::in_folder(tempfile::tempdir().expect("a folder"))
    }

    fn in_folder(folder: TempDir) -> Place {
        let place = Place { folder };
        fs::create_dir_all(place.root().join("d/deep")).expect("folders");
        for (name, text) in [("a.txt", "one\ntwo\n"), ("b.txt", "b\n"), ("d/f", "f\n"), ("d/deep/g", "g\n")] {
            fs::write(place.root().join(name), text).expect("a file");
        }
        place
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn state(&self) -> Vec<String> {
        support::state_of(&self.root())
    }

    fn contents(&self) -> Vec<String> {
        support::contents_of(&self.root())
    }

    /// Runs `ns`, which must end with `code`, and returns its output.
    fn ns(&self, code: i32, words: &[&str]) -> support::Ran {
        let ran = support::run(ns(&self.root()).args(words));
        assert_eq!(ran.code, code, "{words:?}: {}{}", ran.stdout, ran.stderr);
        ran
    }

    /// Plans a script into a file and returns the path.
    fn plan(&self, script: &str) -> PathBuf {
        let plan = self.folder.path().join("plan.json");
        fs::write(&plan, self.ns(0, &["run", "--plan=json", "-e", script]).stdout).expect("a plan");
        plan
    }

    fn apply(&self, code: i32, plan: &Path) -> support::Ran {
        self.ns(code, &["apply", plan.to_str().expect("a path that is text")])
    }
}
