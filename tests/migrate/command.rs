//! `ns migrate` from a shell.

use std::fs;
use std::path::Path;

use crate::support::{Ran, ns, run, with_input};

const BEFORE: &str = "emit tool.str.ToUpper(\"a\") # kept\n";
const AFTER: &str = "emit STR.Upper(\"a\") # kept\n";

fn migrate(folder: &Path, words: &[&str]) -> Ran {
    run(ns(folder).current_dir(folder).arg("migrate").args(words))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    fs::write(folder.path().join("a.ns"), BEFORE).expect("a script");
    fs::write(folder.path().join("ours.ns"), "EMIT 1\n").expect("a script");
    folder
}

fn content(folder: &Path) -> String {
    fs::read_to_string(folder.join("a.ns")).expect("the script")
}

#[test]
fn without_an_option_it_prints() {
    let folder = folder();
    let ran = migrate(folder.path(), &["a.ns"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, AFTER));
    assert_eq!(
        ran.stderr,
        "a.ns:1: rewritten: `tool.str.ToUpper` is `STR.Upper`\n1 file: 1 place rewritten, 0 to check, 0 left\n"
    );
    assert_eq!(content(folder.path()), BEFORE);
    let ran = with_input(ns(folder.path()).args(["migrate", "-q", "-"]), BEFORE);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, AFTER));
    assert_eq!(ran.stderr, "1 file: 1 place rewritten, 0 to check, 0 left\n");
    let ran = migrate(folder.path(), &["."]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
}

#[test]
fn it_writes_lists_and_compares() {
    let folder = folder();
    let ran = migrate(folder.path(), &["--check", "."]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, "./a.ns\n"));
    let ran = migrate(folder.path(), &["--diff", "a.ns"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stdout.contains("+++ a.ns (migrated)") && ran.stdout.contains(&format!("\n+{AFTER}")),
        "{}",
        ran.stdout
    );
    assert_eq!(content(folder.path()), BEFORE);
    let ran = migrate(folder.path(), &["--write", "--read-only", "a.ns"]);
    assert_eq!((ran.code, content(folder.path()).as_str()), (4, BEFORE));
    let ran = migrate(folder.path(), &["--write", "."]);
    assert_eq!((ran.code, ran.stdout.as_str(), content(folder.path()).as_str()), (0, "", AFTER));
    assert_eq!(migrate(folder.path(), &["--check", "."]).code, 0);
}

#[test]
fn what_is_left_ends_with_3() {
    let folder = folder();
    fs::write(folder.path().join("a.ns"), "ask \"m\", \"x\" into y\nemit tool.none.Such(1)\nset = 1\n")
        .expect("a script");
    let ran = migrate(folder.path(), &["--write", "a.ns"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("a.ns:1: left: the statement has no counterpart: a script asks no model"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("there is no tool `tool.none.Such`"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("1 file: 0 places rewritten, 0 to check, 3 left\n"), "{}", ran.stderr);
    let ran = migrate(folder.path(), &["none.ns"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    for page in ["page.md", "page.MD", "page.markdown"] {
        fs::write(folder.path().join(page), "emit no x\n").expect("a page");
        assert_eq!(migrate(folder.path(), &["--write", page]).code, 2);
        assert_eq!(fs::read_to_string(folder.path().join(page)).expect("the page"), "emit no x\n");
    }
    fs::write(folder.path().join("a.ns"), b"\xff").expect("a script");
    assert_eq!(migrate(folder.path(), &["a.ns"]).code, 3);
}

#[test]
fn a_check_warns_of_calls_that_mean_something_else() {
    let folder = folder();
    fs::write(folder.path().join("a.ns"), "EMIT tool.str.Substring(\"abcdef\", 1, 3)\n").expect("a script");
    let ran = run(ns(folder.path()).current_dir(folder.path()).args(["check", "a.ns"]));
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("warning[NS0126]"), "{}", ran.stderr);
    assert_eq!(migrate(folder.path(), &["-q", "--write", "a.ns"]).code, 0);
    let ran = run(ns(folder.path()).current_dir(folder.path()).args(["check", "a.ns"]));
    assert_eq!(ran.stderr, "");
    assert_eq!(run(ns(folder.path()).current_dir(folder.path()).args(["run", "a.ns"])).stdout, "bcd\n");
}
