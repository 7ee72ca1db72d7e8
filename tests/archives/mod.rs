//! Hostile archives built byte by byte, archives of other programs, and truncated archives.
//!
//! A refused archive must leave nothing behind: the tests compare the sandbox and its surroundings.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests set up folders of their own")]

mod between;
mod compressed;
mod hostile;
mod make;
mod names;
mod others;
mod whole;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::{Ran, describe, folder_in_memory, ns, run};

/// A sandbox, and files beside it that must not be reached.
struct Place {
    top: TempDir,
}

impl Place {
    fn new() -> Place {
        let top = folder_in_memory();
        std::fs::create_dir(top.path().join("root")).expect("a sandbox");
        std::fs::create_dir(top.path().join("outside")).expect("a folder outside");
        std::fs::write(top.path().join("outside/f"), "SECRET").expect("a file outside");
        Place { top }
    }

    fn root(&self) -> PathBuf {
        self.top.path().join("root")
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().expect("it lies in the sandbox")).expect("a folder");
        std::fs::write(path, bytes).expect("a file in the sandbox");
    }

    /// Describes all files in and beside the sandbox except `.ns`, which contains backups.
    fn state(&self) -> String {
        let all = describe(self.top.path());
        all.split_inclusive('\n').filter(|line| !line.starts_with("root/.ns")).collect()
    }

    fn eval(&self, code: &str) -> Ran {
        run(ns(&self.root()).args(["run", "-e", code]))
    }

    /// Extracts archives one after another into `x`, with further arguments. Returns `ok` or the error code for each.
    fn extract_all(&self, archives: &[String], further: &str) -> Vec<String> {
        let mut code = String::new();
        for archive in archives {
            let _ = write!(
                code,
                "SET r = FS.Extract(\"{archive}\", \"x\"{further})\nIF r.success THEN\n  EMIT \"ok\"\n  CALL FS.DeleteFile(\"x\", \
                 recursive: true)\nELSE\n  EMIT LAST_ERROR.code, \" \", r.error\nENDIF\n"
            );
        }
        std::fs::write(self.top.path().join("script.ns"), code).expect("a script");
        let ran = run(ns(&self.root()).arg("run").arg(self.top.path().join("script.ns")));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        std::fs::remove_file(self.top.path().join("script.ns")).expect("the script is there");
        let lines: Vec<String> = ran.stdout.lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), archives.len(), "{}", ran.stdout);
        lines
    }
}

impl Place {
    /// Lists archives, and reads an entry that none has. Returns both codes for each archive.
    fn look_into_all(&self, archives: &[String], further: &str) -> Vec<String> {
        let mut code = format!(
            "DEFINE PROCEDURE Listed(name)\n  ON ERROR AS err DO\n    RETURN err.code\n  END\n  SET _list = \
             FS.ListArchive(name{further})\n  RETURN \"ok\"\nEND\n"
        );
        for archive in archives {
            let _ = write!(
                code,
                "SET listed = Listed(\"{archive}\")\nCALL FS.ReadFile(\"{archive}\", entry: \"no such\")\n\
                 EMIT listed, \" \", LAST_ERROR.code\n"
            );
        }
        let ran = self.eval(&code);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        ran.stdout.lines().map(str::to_owned).collect()
    }
}

/// Whether a system program is installed. Reports the skipped test if not.
fn has(program: &str) -> bool {
    let is_there = ["/usr/bin", "/bin", "/usr/local/bin"].iter().any(|folder| Path::new(folder).join(program).exists());
    if !is_there {
        println!("SKIPPED in part: there is no `{program}`");
    }
    is_there
}
