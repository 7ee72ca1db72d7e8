//! `ns fmt` from a shell.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use crate::support::{Ran, describe, ns, run, with_input};

const BEFORE: &str = "IF 1\nEMIT 1 # one\nEND\n";
const AFTER: &str = "IF 1 THEN\n  EMIT 1  # one\nEND\n";

/// Creates a directory tree of scripts, one of them formatted.
fn tree() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("a.ns", BEFORE);
    write("good.ns", AFTER);
    write("sub/deep/b.ns", BEFORE);
    write("sub/c.ns.txt", BEFORE);
    write("sub/notes.txt", BEFORE);
    write(".hidden/d.ns", BEFORE);
    write(
        "page.md",
        &format!("# Title\n\n```neuroscript\n{BEFORE}```\n\n- item\n\n  ```ns\n{}  ```\n", indented(BEFORE)),
    );
    folder
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn fmt(folder: &Path, words: &[&str]) -> Ran {
    run(ns(folder).current_dir(folder).arg("fmt").args(words))
}

fn read(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).expect("the file is there")
}

#[test]
fn files_are_written_in_place_and_folders_are_searched() {
    let folder = tree();
    let ran = fmt(folder.path(), &["."]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", "3 of 4 files formatted\n"));
    for path in ["a.ns", "good.ns", "sub/deep/b.ns", "sub/c.ns.txt"] {
        assert_eq!(read(folder.path(), path), AFTER, "{path}");
    }
    for path in [".hidden/d.ns", "sub/notes.txt"] {
        assert_eq!(read(folder.path(), path), BEFORE, "{path}");
    }
    let before = describe(folder.path());
    assert_eq!(fmt(folder.path(), &["."]).stderr, "");
    assert_eq!(describe(folder.path()), before, "nothing lies beside what was written, nothing of ours was made");
}

#[test]
fn check_names_the_files_and_changes_nothing() {
    let folder = tree();
    let before = describe(folder.path());
    let ran = fmt(folder.path(), &["--check", "a.ns", "good.ns", "sub"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, "a.ns\nsub/c.ns.txt\nsub/deep/b.ns\n"));
    assert_eq!(ran.stderr, "3 of 4 files not formatted\n");
    assert_eq!(fmt(folder.path(), &["--check", "good.ns"]).code, 0);
    assert_eq!(describe(folder.path()), before);
}

#[test]
fn a_difference_is_shown() {
    let folder = tree();
    let ran = fmt(folder.path(), &["--diff", "a.ns", "good.ns"]);
    let wanted =
        "--- a.ns\n+++ a.ns (formatted)\n@@ -1,3 +1,3 @@\n-IF 1\n-EMIT 1 # one\n+IF 1 THEN\n+  EMIT 1  # one\n END\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (3, wanted));
    assert_eq!(read(folder.path(), "a.ns"), BEFORE);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let folder = tree();
    let mut command = ns(folder.path());
    let ran = with_input(command.args(["fmt", "-"]), BEFORE);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, AFTER, ""));
    let ran = with_input(ns(folder.path()).args(["fmt", "--keywords", "lower", "-"]), BEFORE);
    assert_eq!(ran.stdout, AFTER.to_lowercase());
    let ran = with_input(ns(folder.path()).args(["fmt", "--check", "-"]), BEFORE);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, "<stdin>\n"));
}

#[test]
fn the_scripts_in_a_document_are_formatted() {
    let folder = tree();
    assert_eq!(fmt(folder.path(), &["page.md"]).code, 0);
    let wanted = format!("# Title\n\n```neuroscript\n{AFTER}```\n\n- item\n\n  ```ns\n{}  ```\n", indented(AFTER));
    assert_eq!(read(folder.path(), "page.md"), wanted);
    assert_eq!(fmt(folder.path(), &["--check", "page.md"]).code, 0);
    fs::write(folder.path().join("page.md"), "text\n```ns\nEMIT (\n```\n").expect("a document");
    let ran = fmt(folder.path(), &["page.md"]);
    assert!(ran.code == 3 && ran.stderr.contains("page.md:3:6"), "{}", ran.stderr);
}

#[test]
fn a_text_with_faults_is_left_as_it_is_and_the_others_are_not() {
    let folder = tree();
    fs::write(folder.path().join("bad.ns"), "IF 1\n").expect("a script");
    let ran = fmt(folder.path(), &["bad.ns", "a.ns"]);
    assert!(ran.code == 3 && ran.stderr.contains("NS0007"), "{} {}", ran.code, ran.stderr);
    assert_eq!(read(folder.path(), "bad.ns"), "IF 1\n");
    assert_eq!(read(folder.path(), "a.ns"), AFTER);
    let ran = fmt(folder.path(), &["none.ns", "bad.ns"]);
    assert!(ran.code == 2 && ran.stderr.contains("`none.ns` cannot be read"), "{}", ran.stderr);
}

#[test]
fn the_mode_stays_and_links_stay_links() {
    let folder = tree();
    let script = folder.path().join("a.ns");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o751)).expect("a mode");
    symlink("a.ns", folder.path().join("link.ns")).expect("a link");
    assert_eq!(fmt(folder.path(), &["link.ns"]).code, 0);
    assert!(folder.path().join("link.ns").is_symlink());
    assert_eq!(read(folder.path(), "a.ns"), AFTER);
    assert_eq!(fs::metadata(&script).expect("it is there").permissions().mode() & 0o7777, 0o751);
}

#[test]
fn a_file_that_may_not_be_written_is_left_as_it_is() {
    let folder = tree();
    let script = folder.path().join("a.ns");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o444)).expect("a mode");
    let before = describe(folder.path());
    let ran = fmt(folder.path(), &["a.ns"]);
    assert!(ran.code == 1 && ran.stderr.contains("`a.ns` cannot be written: it is read-only"), "{}", ran.stderr);
    assert_eq!(describe(folder.path()), before);
}
