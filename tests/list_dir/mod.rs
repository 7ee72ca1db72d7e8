//! `FS.ListDir` line by line of docs/specs/list_dir.md, and hostile trees.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod bounds;
mod links;
mod parameters;
mod rules;
mod shown;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::{Ran, ns, run};

/// A sandbox called `box`, with space beside it.
struct Place {
    top: TempDir,
}

impl Place {
    /// Creates a sandbox with files (`a/b.txt`), directories (`a/`), links (`a -> b`) and contents (`a = text`).
    fn new(entries: &[&str]) -> Place {
        let place = Place { top: tempfile::tempdir().expect("a folder for the test") };
        fs::create_dir(place.sandbox()).expect("a sandbox");
        place.add(entries);
        place
    }

    fn add(&self, entries: &[&str]) {
        for entry in entries {
            let (name, link) = entry.split_once(" -> ").map_or((*entry, None), |(name, target)| (name, Some(target)));
            let (name, content) = name.split_once(" = ").unwrap_or((name, ""));
            let path = self.at(name);
            fs::create_dir_all(path.parent().expect("an entry lies in a folder")).expect("a folder of the tree");
            match link {
                Some(target) => symlink(target, path).expect("a link of the tree"),
                None if name.ends_with('/') => fs::create_dir_all(path).expect("a folder of the tree"),
                None => fs::write(path, content).expect("a file of the tree"),
            }
        }
    }

    fn sandbox(&self) -> PathBuf {
        self.top.path().join("box")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.sandbox().join(name)
    }

    fn call(&self, args: Json) -> Ran {
        run(ns(&self.sandbox()).args(["call", "list_dir", &args.to_string()]))
    }

    /// Returns the answer of a call that succeeds without warnings.
    fn list(&self, args: Json) -> String {
        let ran = self.call(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        // A text listing does not end with a line feed; JSON output does.
        ran.stdout.strip_suffix('\n').unwrap_or(&ran.stdout).to_owned()
    }

    /// Returns a listing with `.gitignore`, and the warnings on standard error.
    fn ignoring(&self, path: &str) -> (String, String) {
        let ran = self.call(json!({ "path": path, "recursive": true, "use_gitignore": true, "filter": "files" }));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (ran.stdout.trim_end().to_owned(), ran.stderr)
    }

    /// Returns the `code` and `argument` of a failing call.
    fn refusal(&self, args: Json) -> (String, Json) {
        let ran = self.call(args);
        assert_eq!(ran.stdout, "", "a refusal prints nothing on standard output");
        let error: Json = serde_json::from_str(ran.stderr.trim()).expect("one line of JSON on standard error");
        (error["error"]["code"].as_str().expect("a code").to_owned(), error["error"]["argument"].clone())
    }
}

fn bad(argument: &str) -> (String, Json) {
    ("bad_args".to_owned(), json!(argument))
}
