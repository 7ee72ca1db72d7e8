//! An unexpected object in place of the log: changes are refused, and the object is neither followed nor changed.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{eval, file, fill, holds, sandbox};
use crate::support::{describe, ns, run};

/// A part of the error message, and the function that creates the object at a path.
type Put<'a> = (&'a str, &'a dyn Fn(&Path));

#[track_caller]
fn refused(place: &Path, words: &str) {
    let ran = eval(place, "MUST FS.WriteFile(\"new\", \"x\")");
    assert!(
        ran.code == 1 && ran.stderr.contains("nothing is changed, since the audit log cannot be written"),
        "{}",
        ran.stderr
    );
    // Without `.ns`, nothing can be changed, with or without a log.
    let advises_no_log = !words.starts_with("`.ns` is");
    assert!(
        ran.stderr.contains(words) && ran.stderr.contains("enable_audit_logging") == advises_no_log,
        "{words}: {}",
        ran.stderr
    );
    assert!(!place.join("new").exists(), "nothing is changed");
    // Refusals and failures stay as they are; the unwritable log is reported once.
    let ran = eval(place, "CALL FS.ReadFile(\"../x\")\nCALL FS.ReadFile(\"../y\")\nEMIT LAST_ERROR.code");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "sandbox_violation\n"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("the audit log cannot be written").count(), 1, "{}", ran.stderr);
    assert_eq!(eval(place, "CALL FS.DeleteFile(\"nope\")\nEMIT LAST_ERROR.code").stdout, "not_found\n");
    assert_eq!(eval(place, "EMIT FS.ReadFile(\"here\").content").stdout, "text\n", "reads go on");
}

#[test]
fn something_else_in_its_place_is_neither_followed_nor_changed() {
    let outside = sandbox();
    fill(outside.path(), 2);
    let target = file(outside.path());
    let put: [Put<'_>; 6] = [
        ("it is a link", &|path| symlink(&target, path).expect("a link")),
        ("it is a link", &|path| symlink(outside.path().join("new"), path).expect("a dangling link")),
        ("it is a file with more than one name", &|path| std::fs::hard_link(&target, path).expect("a second name")),
        ("it is a directory", &|path| std::fs::create_dir(path).expect("a folder")),
        ("it is a pipe, socket or device", &|path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
        }),
        ("it is a pipe, socket or device", &|path| {
            drop(std::os::unix::net::UnixListener::bind(path).expect("a socket"));
        }),
    ];
    let before = describe(outside.path());
    let bytes = std::fs::read(&target).expect("the log outside");
    for (words, put) in put {
        let place = sandbox();
        std::fs::write(place.path().join("here"), "text").expect("a file");
        std::fs::create_dir(place.path().join(".ns")).expect("a folder");
        put(&file(place.path()));
        refused(place.path(), words);
        let ran = run(ns(place.path()).args(["audit", "verify"]));
        assert!(ran.code == 1 && ran.stderr.contains(words), "{}", ran.stderr);
    }
    let place = sandbox();
    std::fs::write(place.path().join("here"), "text").expect("a file");
    symlink(outside.path().join(".ns"), place.path().join(".ns")).expect("a link");
    refused(place.path(), "`.ns` is not NeuroScript's own: it is a link");
    assert_eq!(describe(outside.path()), before);
    assert_eq!(std::fs::read(&target).expect("the log outside"), bytes);
}

#[test]
fn a_log_of_another_user_is_refused() {
    let place = sandbox();
    std::fs::write(place.path().join("here"), "text").expect("a file");
    fill(place.path(), 1);
    if run(std::process::Command::new("chown").arg("65534").arg(file(place.path()))).code != 0 {
        println!("SKIPPED: only root can give a file away");
        return;
    }
    refused(place.path(), "it is a file of another user");
}

/// As an ordinary user: a read-only log, and a root in which `.ns` cannot be created.
#[test]
fn a_log_that_may_not_be_written_refuses_changes() {
    if run(std::process::Command::new("setpriv").args(["--reuid=65534", "--clear-groups", "true"])).code != 0 {
        println!("SKIPPED: only root can act as another user");
        return;
    }
    let place = sandbox();
    let binary = place.path().join("ns-binary");
    std::fs::copy(env!("CARGO_BIN_EXE_ns"), &binary).expect("a binary that others may run");
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode can be set");
    };
    mode(place.path(), 0o755);
    let root = place.path().join("root");
    std::fs::create_dir_all(root.join("sub")).expect("folders");
    mode(&root.join("sub"), 0o777);
    let as_nobody = |code: &str| {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(&binary);
        command.arg("--sandbox").arg(&root).args(["run", "-e", code]).env("HOME", "/nonexistent");
        run(command.env("NO_COLOR", "1").env_remove("XDG_STATE_HOME"))
    };
    let ran = as_nobody("MUST FS.WriteFile(\"sub/new\", \"x\")");
    assert!(ran.code == 1 && ran.stderr.contains("`.ns`: permission denied"), "{}", ran.stderr);
    assert!(ran.stderr.contains("give yourself the right to write in its root"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("enable_audit_logging"), "{}", ran.stderr);
    assert!(!root.join("sub/new").exists());
    mode(&root, 0o777);
    assert_eq!(as_nobody("MUST FS.WriteFile(\"sub/new\", \"x\")").code, 0);
    mode(&file(&root), 0o400);
    let ran = as_nobody("MUST FS.DeleteFile(\"sub/new\")");
    assert!(ran.code == 1 && ran.stderr.contains("`.ns/audit.jsonl`: permission denied"), "{}", ran.stderr);
    assert!(root.join("sub/new").exists());
}

/// A state directory that is removed while in use is noticed: the next change creates a new log.
#[test]
fn a_log_that_goes_away_is_made_anew() {
    let place = sandbox();
    let (sandbox, state) = (Some(place.path().to_owned()), Some(crate::support::state_home()));
    let options = neuroscript::engine::Options { sandbox, state, ..Default::default() };
    let engine = neuroscript::engine::Engine::open(&options).expect("an engine");
    let write = || engine.keep_in_memory("k", 1.into());
    write().expect("it is kept");
    std::fs::remove_dir_all(place.path().join(".ns")).expect("the folder goes");
    write().expect("it is kept");
    write().expect("it is kept");
    assert_eq!(super::lines(place.path()).len(), 2);
    holds(place.path());
}
