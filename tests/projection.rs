//! A walk whose sizes and times are not read does not query them, with the same results.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Ran, has_strace, ns, run};

/// Uses of a walk of `DIR`, none of which reads sizes or times.
const USES: [&str; 5] = [
    "SET w = FS.WalkDir(DIR)\nEMIT w == nil\n",
    "FOR EACH e IN FS.WalkDir(DIR) DO\nEMIT e.path, \" \", e.name, \" \", e.isDir\nEND\n",
    "CALL FS.WalkDir(DIR)\nSET w = LAST\nIF w THEN\nEMIT LEN(w), w[0].path, w[-1].name\nEND\nEMIT LAST_ERROR\n",
    "MUST CALL FS.WalkDir(DIR), \"no walk\"\nFOR EACH i, e IN LAST DO\nEMIT i, \" \", e[\"path\"]\nEND\n",
    "SET n = 0\nFOR EACH e IN FS.WalkDir(DIR) DO\nIF e.isDir THEN\nSET n = n + 1\nEND\nEND\nEMIT n\n",
];

/// Dead code that makes a walk query everything.
const READS_ALL: &str = "IF false THEN\nFOR EACH e IN FS.WalkDir(\".\") DO\nEMIT e\nEND\nEND\n";

fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    let root = place.path();
    fs::set_permissions(root, fs::Permissions::from_mode(0o755)).expect("its mode");
    for (name, content) in [("a/b/c.txt", "c"), ("a/d.txt", ""), ("e", "eee"), ("closed/in", "x"), ("listed/in", "x")] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    fs::create_dir_all(root.join("empty/below")).expect("folders");
    fs::create_dir(root.join("bare")).expect("a folder");
    symlink("a", root.join("link")).expect("a link");
    symlink("nowhere", root.join("a/dangling")).expect("a link");
    assert!(Command::new("mkfifo").arg(root.join("a/pipe")).status().expect("mkfifo").success());
    for (name, mode) in [("closed", 0o000), ("listed", 0o444), ("bare", 0o444)] {
        fs::set_permissions(root.join(name), fs::Permissions::from_mode(mode)).expect("a mode");
    }
    place
}

fn eval(root: &Path, user: Option<u32>, text: &str, words: &[&str]) -> Ran {
    let script = tempfile::NamedTempFile::with_suffix(".ns").expect("a file for the script");
    fs::set_permissions(script.path(), fs::Permissions::from_mode(0o644)).expect("its mode");
    fs::write(script.path(), text).expect("the script");
    let mut command = ns(root);
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let ran = run(command.arg("run").args(words).arg(script.path()));
    let name = script.path().to_string_lossy().into_owned();
    Ran { stderr: ran.stderr.replace(&name, "SCRIPT"), ..ran }
}

#[test]
fn answers_are_the_same() {
    let place = tree();
    let nobody = 65_534;
    let is_root = fs::metadata(place.path().join("closed/in")).is_ok();
    let users = if is_root { vec![None, Some(nobody)] } else { vec![None] };
    for user in users {
        for folder in [".", "a", "empty", "bare", "closed", "listed", "link", "e", "missing", "a/pipe", "../x"] {
            for used in USES {
                let text = used.replace("DIR", &format!("\"{folder}\""));
                let spared = eval(place.path(), user, &text, &[]);
                let whole = eval(place.path(), user, &format!("{text}{READS_ALL}"), &[]);
                let said = |ran: &Ran| (ran.code, ran.stdout.clone(), ran.stderr.clone());
                assert_eq!(said(&spared), said(&whole), "{user:?} {text}");
            }
        }
    }
}

/// Directories changed under a plan are read through the overlay.
#[test]
fn a_plan_sees_the_same() {
    let place = tree();
    let change = "MUST CALL FS.WriteFile(\"a/new.txt\", \"new\")\nMUST CALL FS.DeleteFile(\"a/b\", recursive: true)\n";
    for used in USES {
        let text = format!("{change}{}", used.replace("DIR", "\"a\""));
        let spared = eval(place.path(), None, &text, &["--plan"]);
        let whole = eval(place.path(), None, &format!("{text}{READS_ALL}"), &["--plan"]);
        assert_eq!((spared.code, spared.stdout), (whole.code, whole.stdout), "{text}");
    }
}

/// Returns how many entries a walk queries.
fn looks(root: &Path, text: &str) -> usize {
    let script = tempfile::NamedTempFile::with_suffix(".ns").expect("a file for the script");
    fs::write(script.path(), text).expect("the script");
    let trace = tempfile::NamedTempFile::new().expect("a file for the trace");
    let mut command = Command::new("strace");
    command
        .args(["-f", "--seccomp-bpf", "-qq", "-e", "trace=statx", "-o"])
        .arg(trace.path())
        .arg(env!("CARGO_BIN_EXE_ns"));
    let ran = run(command.args(["run", "--sandbox"]).arg(root).arg(script.path()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    fs::read_to_string(trace.path()).expect("a trace").lines().filter(|line| line.contains("file-")).count()
}

#[test]
fn entries_are_not_looked_at() {
    if !has_strace() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder for the test");
    for number in 0..200 {
        fs::write(place.path().join(format!("file-{number}")), "").expect("a file");
    }
    assert_eq!(looks(place.path(), "FOR EACH e IN FS.WalkDir(\".\") DO\nSET n = e.path\nEND"), 1);
    assert_eq!(looks(place.path(), "FOR EACH e IN FS.WalkDir(\".\") DO\nSET n = e.size\nEND"), 200);
}
