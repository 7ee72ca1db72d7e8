//! Runs that may change nothing below the root: the log is in the user state.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::{fill, sandbox, texts};
use crate::support::{Ran, describe, ns, run};

const CODE: &str =
    "CALL FS.WriteFile(\"new\", \"GEHEIM\")\nCALL FS.ReadFile(\"../x\")\nEMIT FS.ReadFile(\"f0\").content";

fn read_only(place: &Path, state: &Path, words: &[&str]) -> Ran {
    run(ns(place).env("XDG_STATE_HOME", state).args(words))
}

/// Describes the names, contents and times of a tree.
fn picture(place: &Path) -> String {
    let stamp = |path: PathBuf| {
        let metadata = path.symlink_metadata().expect("an entry");
        format!("{} {}.{}\n", path.display(), metadata.mtime(), metadata.mtime_nsec())
    };
    let inside = std::fs::read_dir(place).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut stamps: Vec<String> = inside.chain([place.to_owned()]).map(stamp).collect();
    stamps.sort();
    describe(place) + &stamps.concat()
}

#[test]
fn refusals_are_kept_in_the_state_folder() {
    let (place, state) = (sandbox(), sandbox());
    std::fs::write(place.path().join("f0"), "x").expect("a file");
    let before = picture(place.path());
    let base = state.path().join("not/there");
    let ran = read_only(place.path(), &base, &["--read-only", "run", "-e", CODE]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "x\n"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("audit"), "{}", ran.stderr);
    assert_eq!(picture(place.path()), before);
    let folder = base.join("neuroscript/audit");
    let logs: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("a log").path()).collect();
    assert_eq!(logs.len(), 1);
    let mode = |path: &Path| path.metadata().expect("it was made").permissions().mode() & 0o777;
    assert_eq!((mode(&logs[0]), mode(&folder), mode(&base)), (0o600, 0o700, 0o700));
    let lines = texts(&logs[0]);
    assert!(lines.len() == 2 && lines.iter().all(|line| !line.contains("GEHEIM")), "{lines:?}");
    for words in [&["audit", "verify", "--state"][..], &["--read-only", "audit", "show", "--state"]] {
        let ran = read_only(place.path(), &base, words);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let ran = read_only(place.path(), &base, &["audit", "verify"]);
    assert!(ran.code == 1 && ran.stderr.contains("give `--state`"), "{}", ran.stderr);
    assert_eq!(picture(place.path()), before);
}

#[test]
fn what_cannot_be_kept_is_said_once_and_reads_go_on() {
    let place = sandbox();
    fill(place.path(), 1);
    let before = picture(place.path());
    let state = sandbox();
    symlink(place.path(), state.path().join("inside")).expect("a link");
    symlink("/tmp", state.path().join("neuroscript")).expect("a link");
    std::fs::write(state.path().join("file"), "x").expect("a file");
    for (base, words) in [
        (place.path().join("state"), "it lies below the root"),
        (state.path().join("inside/state"), "it lies below the root"),
        (state.path().to_owned(), "it is a link"),
        (state.path().join("file"), "the audit log cannot be written"),
        (PathBuf::new(), "there is no state folder"),
    ] {
        let ran = read_only(place.path(), &base, &["--read-only", "run", "-e", CODE]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "x\n"), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("the audit log cannot be written").count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    assert_eq!(picture(place.path()), before);
    assert!(!Path::new("/tmp/audit").exists());
}
