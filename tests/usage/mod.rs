//! The usage of a script: in its `--help`, in its error messages, and in `ns check --info`.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod clashes;
mod help;
mod kinds;
mod mistakes;
mod version;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{Ran, ns_without_sandbox, run};

const TIDY: &str = r#"#!/usr/bin/env ns
:: description: Moves old files of a folder into an archive.
:: arg folder: the folder to tidy
:: arg newer-than: leave files alone that were changed since
:: arg go: move them
:: arg keep: leave the newest alone
:: arg [archive]: where they go

DEFINE PROCEDURE Main(folder, archive: "old", newer_than: nil, go: false, keep: true, skip: ["a"], vars: {}, most: 5)
  CALL FS.WriteFile("ran.txt", "x")
END

DEFINE PROCEDURE Undo(steps: 1)
  CALL FS.WriteFile("ran.txt", "x")
END
"#;

const HELP: &str = "\
Moves old files of a folder into an archive.

Usage: ns tidy.ns FOLDER [ARCHIVE] [OPTIONS]

Arguments:
  FOLDER             the folder to tidy
  [ARCHIVE]          where they go [default: \"old\"]

Options:
  --newer-than TEXT  leave files alone that were changed since
  --go               move them
  --no-keep          turn off: leave the newest alone
  --skip TEXT        may be repeated [default: [\"a\"]]
  --vars KEY=VALUE   may be repeated
  --most N           [default: 5]
  -h, --help         show this

Options of `ns`, such as --plan and --sandbox DIR, may stand before the file or after it; `ns run --help` lists them.
";

fn place(files: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (name, text) in files {
        fs::write(place.path().join(name), text).expect("a file");
    }
    place
}

fn ns(place: &Path, words: &[&str]) -> Ran {
    run(ns_without_sandbox().current_dir(place).args(words))
}
