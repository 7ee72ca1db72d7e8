//! The policy file for users: errors in it, which file is in force, directories outside the root, recursive changes
//! that encounter a refusal, and questions at a terminal.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod file;
mod layers;
mod outside;
mod rules;
mod terminal;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{Ran, ns, run};

/// A sandbox, a directory outside and a policy file beside them.
struct Place {
    top: TempDir,
}

impl Place {
    fn new(policy: &str) -> Place {
        let top = tempfile::tempdir().expect("a folder for the test");
        for name in ["root", "outside", "config/neuroscript"] {
            fs::create_dir_all(top.path().join(name)).expect("a folder");
        }
        let place = Place { top };
        place.write("policy.toml", policy);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().expect("the folder is there").join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    fn ns(&self) -> Command {
        let mut command = ns(&self.path("root"));
        command.arg("--policy").arg(self.path("policy.toml"));
        command
    }

    fn call(&self, tool: &str, arguments: Json) -> Ran {
        run(self.ns().args(["call", tool, &arguments.to_string()]))
    }

    /// Returns the code and the message of a failing call.
    fn refused(&self, tool: &str, arguments: Json) -> (String, String) {
        let ran = self.call(tool, arguments);
        assert_eq!(ran.stdout, "", "a failure prints nothing");
        let json: Json = serde_json::from_str(&ran.stderr).unwrap_or_else(|_| panic!("not JSON: {}", ran.stderr));
        let text = |key: &str| json["error"][key].as_str().unwrap_or_default().to_owned();
        (text("code"), text("message"))
    }
}
