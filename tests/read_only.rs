//! `--read-only` holds for every command that writes, also for those that write the user's own files without an engine.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;

use crate::support::{contents_of, ns_without_sandbox, run};

#[test]
fn commands_that_write_files_of_the_user_are_refused_by_read_only() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let at = |name: &str| place.path().join(name);
    fs::write(at("a.ns"), "EMIT   1\nEMIT LEN( [])==0\n").expect("a script");
    fs::write(at("a.out"), "2\n").expect("a golden file");
    let before = contents_of(place.path());
    let mut tried = 0;
    for words in [
        &["new", "b"][..],
        &["fmt", "a.ns"],
        &["check", "--fix", "a.ns"],
        &["test", "--update", "a.ns"],
        &["gc"],
        &["memory", "set", "k", "1"],
        &["undo"],
    ] {
        for option in [0, words.len()] {
            let mut words = words.to_vec();
            words.insert(option, "--read-only");
            let ran = run(ns_without_sandbox().current_dir(place.path()).args(&words));
            assert!(ran.code != 0, "{words:?}: {}", ran.stdout);
            assert_eq!(contents_of(place.path()), before, "{words:?}");
            tried += usize::from(ran.code == 4);
        }
    }
    assert!(tried >= 8, "{tried} were refused as such");
    for words in [&["fmt", "--check", "a.ns"][..], &["fmt", "--diff", "a.ns"], &["check", "a.ns"], &["test", "a.ns"]] {
        let ran = run(ns_without_sandbox().current_dir(place.path()).args(words).arg("--read-only"));
        assert!(ran.code != 4, "{words:?}: {}", ran.stderr);
    }
}
