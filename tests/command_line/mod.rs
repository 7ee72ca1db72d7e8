//! The rule for the words of a command line that runs a script: every option of `ns`, in every position and spelling,
//! takes effect or is refused; the words of the script reach it unchanged.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod help;
mod mistakes;
mod options;
mod sources;
mod unknown;
mod words;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{Ran, ns_without_sandbox, run};

const WRITES: &str = "CALL FS.WriteFile(\"made.txt\", \"x\")\nEMIT LAST.error\n";

/// Creates a directory with the files of the cases.
fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (path, text) in [
        ("other/only-in-other.txt", ""),
        ("many/1.txt", ""),
        ("many/2.txt", ""),
        ("many/3.txt", ""),
        ("many/4.txt", ""),
        ("many/5.txt", ""),
        ("closed.toml", "[policy]\nread_only = true\n"),
        ("modules/m.ns", "func Name() means\n  RETURN \"library\"\nendfunc\n"),
    ] {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    place
}

fn write(place: &Path, name: &str, text: &str) {
    fs::write(place.join(name), text).expect("a script");
}

fn ns(place: &Path, words: &[&str]) -> Ran {
    run(ns_without_sandbox().current_dir(place).args(words))
}
