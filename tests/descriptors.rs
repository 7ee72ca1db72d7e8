//! Calls on thousands of entries need few file descriptors.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::process::Command;

use crate::support::{ns, run};

/// File descriptors that a process may have.
const LIMIT: u32 = 64;
/// Directories, and files in each.
const SIZE: (usize, usize) = (20, 8);

#[test]
fn calls_on_many_files_need_few_descriptors() {
    let scripts = [
        "MUST FS.Compress(\"t\", \"t.zip\")\nMUST FS.Extract(\"t.zip\", \"out\")",
        "MUST FS.Compress(\"t\", \"t.tar.gz\")\nMUST FS.Extract(\"t.tar.gz\", \"out\")",
        "MUST FS.CopyFile(glob: \"t/**/*\", destination: \"u\")\nMUST FS.CopyFile(glob: \"t/**/*\", destination: \"u\", overwrite: true)",
        "MUST FS.CopyFile(\"t\", \"u\", recursive: true)\nMUST FS.DeleteFile(\"t\", recursive: true)",
        "SET paths = LIST.Column(FS.Find(\"t\"), \"path\")\nMUST FS.DeleteFile(paths: paths)",
        "MUST FS.DeleteFile(glob: \"t/**/*\")",
        "MUST FS.DeleteFile(glob: \"t/**/*\", all_or_nothing: true)",
        "MUST LEN(FS.HashFiles(LIST.Column(FS.Find(\"t\"), \"path\"))) == 160\nMUST FS.DeleteFile(\"t/1\", recursive: true)",
        "MUST LEN(FS.FindDuplicates()[0].paths) == 160\nMUST FS.DeleteFile(\"t/1\", recursive: true)",
        "MUST FS.SearchFiles(\"t\", \"x\").totalMatches == 160\nMUST FS.DeleteFile(\"t/1\", recursive: true)",
        "FOR EACH file IN FS.Find(\"t\") DO\nMUST FS.EditFile(file.path, \"x\", \"y\")\nEND",
    ];
    for script in scripts {
        let place = tempfile::tempdir().expect("a folder");
        for folder in 0..SIZE.0 {
            let folder = place.path().join(format!("t/{folder}/in"));
            fs::create_dir_all(&folder).expect("folders");
            (0..SIZE.1).for_each(|file| fs::write(folder.join(file.to_string()), "x").expect("a file"));
        }
        let mut command = Command::new("sh");
        let limited = format!("ulimit -n {LIMIT} && exec \"$0\" run --jobs 16 --sandbox \"$1\" -e \"$2\"");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_ns")]).arg(place.path()).arg(script);
        let state = tempfile::tempdir().expect("a folder");
        let ran = run(command.env("XDG_STATE_HOME", state.path()));
        assert_eq!(ran.code, 0, "{script}: {}", ran.stderr);
        let undone = run(ns(place.path()).arg("undo").env("XDG_STATE_HOME", state.path()));
        assert_eq!(undone.code, 0, "undo of {script}: {}", undone.stderr);
    }
}
