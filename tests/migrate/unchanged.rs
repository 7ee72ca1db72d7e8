//! No migration changes a valid program of ours.

use super::{migrated, syntax_errors};
use crate::format::program::program;
use crate::support::package_files;

#[test]
fn generated_programs_keep_their_bytes() {
    let count = if std::env::var_os("NS_LONG").is_some() { 10_000 } else { 300 };
    for seed in 0..count {
        let text = program(seed).text;
        assert_eq!(syntax_errors(&text), [""; 0], "seed {seed}");
        assert_eq!(migrated(&text).text, text, "seed {seed}");
    }
}

#[test]
fn the_scripts_of_the_repository_keep_their_bytes() {
    let files = package_files("scripts", &["ns"]);
    assert!(files.len() > 3);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a script");
        let migration = migrated(&text);
        assert_eq!(migration.text, text, "{}", file.display());
        assert_eq!(migration.notes, [], "{}", file.display());
    }
}

#[test]
fn texts_that_are_no_scripts_end() {
    let deep = "(".repeat(100_000);
    let brackets = "[[".repeat(100_000);
    let lists = "set a = [[1]],".to_owned() + &"[[1]],".repeat(50_000);
    let no = "emit ".to_owned() + &"no ".repeat(100_000) + "x";
    for text in
        [deep.as_str(), &brackets, &lists, &no, "", "\u{feff}", "[[", "\"", "'''", "COMMENT:", "::", "call", "set"]
    {
        assert_eq!(migrated(text).text, text);
    }
}
