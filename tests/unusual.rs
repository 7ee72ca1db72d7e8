//! `ns check`, `ns fmt`, `ns run`, `ns test`, `ns new` and `ns doc` on files that are unusual: each ends at once with the
//! exit code of its page and a short message that names the file.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Ran, ns, ns_without_sandbox, run, with_input};

/// The size of a long text in bytes: below the limit of scripts, and above it.
const LONG: usize = 4 << 20;
const TOO_LONG: usize = 10_000_000;

/// The exit codes of `ns check`, `ns fmt --check` and `ns run`, and a part of their messages.
struct Expected {
    content: Vec<u8>,
    codes: [i32; 3],
    said: &'static str,
}

fn case(content: impl Into<Vec<u8>>, codes: [i32; 3], said: &'static str) -> Expected {
    Expected { content: content.into(), codes, said }
}

fn cases() -> Vec<Expected> {
    vec![
        case("", [0, 0, 0], ""),
        case("\n\n", [0, 3, 0], ""),
        case("EMIT 1", [0, 3, 0], ""),
        case("EMIT 1\r\nEMIT 2\r\n", [0, 0, 0], ""),
        case("\u{feff}EMIT 1\n", [0, 3, 0], ""),
        case("FOR EACH x IN [1] DO\n\tEMIT\tx\nEND\n", [0, 3, 0], ""),
        case("#!/usr/bin/env ns\n", [0, 0, 0], ""),
        case("EMIT 1\rEMIT 2\r", [3, 3, 1], "carriage return"),
        case("\0\u{1}", [3, 3, 1], "NUL"),
        case("EMIT 1\n\u{1a}", [3, 3, 1], "U+001A"),
        case(*b"EMIT \"\xff\"\n", [3, 3, 1], "the byte 0xFF is not UTF-8"),
        case(*b"\xff\xfeE\0M\0", [3, 3, 1], "the script is UTF-16"),
        case(*b"\xfe\xff\0E\0M", [3, 3, 1], "the script is UTF-16"),
        case(format!("EMIT \"{}\"\n", "a".repeat(LONG)), [0, 0, 0], ""),
        case(format!("EMIT 1  # {}\n", "a".repeat(LONG)), [0, 0, 0], ""),
        case(format!("EMIT \"{}\" x\n", "a".repeat(LONG)), [3, 3, 1], "found `x`"),
        case("x".repeat(LONG), [3, 3, 1], "expected a statement, found `xxx"),
        case(format!("CALL {}()\n", "x".repeat(LONG)), [3, 0, 1], "there is no"),
        case(format!("EMIT {}\n", "x".repeat(LONG)), [3, 0, 1], "nothing sets `xxx"),
        case("x".repeat(TOO_LONG), [3, 3, 1], "`s.ns` has 10000000 bytes"),
    ]
}

fn place() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Runs `ns` in a folder with words.
fn told(place: &Path, words: &[&str]) -> Ran {
    run(ns_without_sandbox().current_dir(place).args(words))
}

/// Asserts that a message is short, and that nothing broke.
fn assert_short(ran: &Ran, what: &str) {
    assert!(ran.stderr.len() < 10_000, "{what}: {} bytes", ran.stderr.len());
    assert!(!ran.stderr.contains("panicked") && !ran.stderr.contains("NS0901"), "{what}: {}", ran.stderr);
}

#[test]
fn each_unusual_text_is_read_or_refused_with_its_name() {
    for Expected { content, codes, said } in cases() {
        let begins = String::from_utf8_lossy(&content[..content.len().min(20)]).into_owned();
        let place = place();
        fs::write(place.path().join("s.ns"), &content).expect("a script");
        for (words, code) in
            [(&["check", "s.ns"][..], codes[0]), (&["fmt", "--check", "s.ns"], codes[1]), (&["run", "s.ns"], codes[2])]
        {
            let ran = told(place.path(), words);
            assert_short(&ran, &begins);
            assert_eq!(ran.code, code, "{words:?} of {begins:?}: {}", ran.stderr);
            let is_refused = ran.stderr.contains("error[");
            assert!(
                !is_refused || ran.stderr.contains(said) && ran.stderr.contains("s.ns"),
                "{words:?} {begins:?}: {}",
                ran.stderr
            );
        }
        let ran = with_input(ns(place.path()).args(["check", "-"]), &String::from_utf8_lossy(&content));
        assert_short(&ran, &begins);
    }
}

/// `ns fmt` writes no byte order mark and only the line ends of the first line, and leaves its own output alone.
#[test]
fn the_formatter_makes_unusual_texts_usual_once() {
    for (content, formatted) in [
        ("\u{feff}EMIT 1\r\n\tEMIT  2\n", "EMIT 1\r\nEMIT 2\r\n"),
        ("EMIT 1\n  EMIT 2\r\n", "EMIT 1\nEMIT 2\n"),
        ("EMIT 1", "EMIT 1\n"),
        ("\r\n\r\n", ""),
        ("", ""),
    ] {
        let place = place();
        let file = place.path().join("s.ns");
        fs::write(&file, content).expect("a script");
        assert_eq!(told(place.path(), &["fmt", "s.ns"]).code, 0);
        assert_eq!(fs::read_to_string(&file).expect("the script"), formatted, "{content:?}");
        assert_eq!(told(place.path(), &["fmt", "--check", "s.ns"]).code, 0);
        let piped = with_input(ns(place.path()).args(["fmt", "-"]), content);
        assert_eq!(piped.stdout, formatted, "{content:?}: {}", piped.stderr);
    }
}

#[test]
fn what_is_no_script_is_refused_with_its_name_and_nothing_waits() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("empty")).expect("a folder");
    symlink("nowhere", at("dangling.ns")).expect("a link");
    symlink("round.ns", at("round.ns")).expect("a link");
    assert!(Command::new("mkfifo").arg(at("pipe.ns")).status().expect("mkfifo").success());
    for (name, said) in [
        ("dangling.ns", "it is a link to `nowhere`, which does not exist"),
        ("round.ns", "Too many levels of symbolic links"),
        ("pipe.ns", "it is a pipe that nobody writes to"),
        ("missing.ns", "No such file"),
    ] {
        for words in [&["check", name][..], &["fmt", name], &["run", name]] {
            let ran = told(place.path(), words);
            let fits = ran.stderr.contains(said) && ran.stderr.contains(name);
            assert!(ran.code == 2 && fits, "{words:?}: {} {}", ran.code, ran.stderr);
        }
    }
    for (name, said) in [("pipe.ns", "is no regular file"), ("missing.ns", "does not exist"), ("-", "does not exist")] {
        let ran = told(place.path(), &["test", name]);
        assert!(ran.code == 2 && ran.stderr.contains(&format!("`{name}` {said}")), "{name}: {}", ran.stderr);
    }
    for words in [["check", "empty"], ["fmt", "empty"]] {
        let ran = told(place.path(), &words);
        assert!(ran.code == 0 && ran.stderr.contains("`empty` has no scripts"), "{words:?}: {}", ran.stderr);
    }
}

#[test]
fn a_name_that_is_not_utf_8_is_shown_escaped() {
    let place = place();
    let name = OsStr::from_bytes(b"n\xff.ns");
    fs::write(place.path().join(name), "EMIT 1 2\n").expect("a script");
    for words in [&["check"][..], &["fmt"], &["run"], &["test"], &["new"]] {
        let ran = run(ns_without_sandbox().current_dir(place.path()).args(words).arg(name));
        assert!(ran.code != 0 && ran.stderr.contains("n\u{fffd}.ns"), "{words:?}: {}", ran.stderr);
    }
    let long = "a".repeat(100_000);
    let ran = told(place.path(), &["doc", &long]);
    assert_short(&ran, "a long name");
    assert!(ran.code == 2 && ran.stderr.contains("there is no page about `aaa"), "{}", ran.stderr);
}

/// A new script lies below the current directory.
#[test]
fn a_new_script_is_made_nowhere_else() {
    let place = place();
    let inner = place.path().join("in");
    fs::create_dir(&inner).expect("a directory");
    let absolute = place.path().join("absolute");
    for name in ["../out", "deep/../../out", "deep/../x", absolute.to_str().expect("a path in UTF-8")] {
        let ran = run(ns_without_sandbox().current_dir(&inner).args(["new", name]));
        assert!(ran.code == 2 && ran.stderr.contains("below the current directory"), "{name}: {}", ran.stderr);
    }
    assert_eq!(fs::read_dir(&inner).expect("it is there").count(), 0);
    let ran = run(ns_without_sandbox().current_dir(&inner).args(["new", "deep/tidy"]));
    assert!(ran.code == 0 && inner.join("deep/tidy.ns").exists(), "{}", ran.stderr);
}
