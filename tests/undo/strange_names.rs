//! Names that no tool creates, but that files of other programs have: what is moved or copied may keep its name.

use std::fs;

use super::Place;

const NAMES: [&str; 7] = ["two\nlines", "\t", "a\u{202e}b", "back\\slash", "con", "file:stream", "a\u{feff}"];

#[test]
fn a_strange_name_is_kept() {
    for name in NAMES {
        let place = Place::new();
        fs::write(place.root().join(name), "strange").expect("a file");
        let before = place.snapshot();
        place.eval(&format!(
            "SET name = {name:?}\nMUST FS.CopyFile(name, \"e/\" + name)\nMUST FS.MoveFile(name, \"d/\" + name)\n\
             MUST FS.CopyFile(paths: [\"d/\" + name], destination: \"new\")\n"
        ));
        for directory in ["d", "e", "new"] {
            assert_eq!(place.read(&format!("{directory}/{name}")), "strange", "{directory}/{name:?}");
        }
        place.ns(0, &["undo"]);
        place.expect(&before, &format!("undo of {name:?}"));
    }
}

/// Tools neither rename an entry to a strange name nor create a directory with one.
#[test]
fn a_strange_name_is_never_given() {
    for name in NAMES {
        let place = Place::new();
        let before = place.snapshot();
        for call in [
            "FS.MoveFile(\"alone\", \"e/\" + name)",
            "FS.CopyFile(\"alone\", \"e/\" + name)",
            "FS.CopyFile(\"alone\", name + \"/alone\")",
            "FS.CopyFile(paths: [\"alone\"], destination: name)",
            "FS.WriteFile(name, \"\")",
        ] {
            let ran = place.ns(1, &["run", "-e", &format!("SET name = {name:?}\nMUST {call}\n")]);
            assert!(ran.stderr.contains("bad_args"), "{call} of {name:?}: {}", ran.stderr);
        }
        place.expect(&before, &format!("refused: {name:?}"));
    }
}
