//! Words for the script: they reach it unchanged, or are refused if the script does not read them or if they could be
//! the value of an option.

use std::fs;

use super::{WRITES, ns, place, write};
use crate::support::{ns_without_sandbox, run};

/// A word that could be meant as the value of the option before it is neither that nor, silently, a word for the script.
#[test]
fn a_value_that_stands_apart_is_refused() {
    let place = place();
    write(place.path(), "s.ns", &format!("{WRITES}EMIT ARGS\n"));
    let pairs = ["text", "json", "html", "JSON"].iter().flat_map(|form| [("--plan", *form), ("--dry-run", *form)]);
    let switches = ["--atomic", "--read-only", "--strict", "--quiet", "-q", "--verbose", "-v"];
    let switches = switches.iter().flat_map(|option| [(*option, "true"), (*option, "false")]);
    for (option, value) in pairs.chain(switches) {
        for words in [
            vec!["s.ns", option, value],
            vec!["run", "s.ns", option, value],
            vec![option, value, "s.ns"],
            vec!["run", option, value, "s.ns"],
            vec!["-e", WRITES, option, value],
        ] {
            let ran = ns(place.path(), &words);
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?} {}", ran.stderr);
            let message = format!("`{value}` is not read as the value of `{option}`");
            assert!(ran.stderr.contains(&message), "{words:?} {}", ran.stderr);
            assert!(!place.path().join("made.txt").exists(), "{words:?}");
        }
        for words in [vec!["s.ns", value, option], vec!["s.ns", option, "--", value], vec![option, "s.ns", value]] {
            let ran = ns(place.path(), &words);
            let given = format!("[\"{value}\"]\n");
            assert!(
                ran.code != 2 && ran.stdout.contains(&given) | ran.stderr.contains("read-only"),
                "{words:?} {}",
                ran.stderr
            );
            let _ = fs::remove_file(place.path().join("made.txt"));
        }
    }
}

#[test]
fn words_that_a_script_does_not_read_are_refused() {
    let place = place();
    write(place.path(), "s.ns", WRITES);
    write(place.path(), "quiet.ns", "DEFINE PROCEDURE F()\n  RETURN 1\nEND\n");
    write(place.path(), "reads.ns", "DEFINE PROCEDURE Words()\n  RETURN args\nEND\n");
    write(place.path(), "uses.ns", "USE \"quiet.ns\" AS m\nEMIT m.F()\n");
    write(place.path(), "knows.ns", "USE \"reads.ns\" AS m\nEMIT m.Words()\n");
    for words in
        [&["s.ns", "x"][..], &["s.ns", "--", "x"], &["-e", WRITES, "x"], &["-e", WRITES, "s.ns"], &["uses.ns", "x"]]
    {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?} {}", ran.stderr);
        assert!(ran.stderr.contains("is too much: the script does not read `ARGS`"), "{words:?} {}", ran.stderr);
        assert!(!place.path().join("made.txt").exists(), "{words:?}");
    }
    for (words, out) in [
        (&["knows.ns", "x"][..], "[\"x\"]\n"),
        (&["-e", "EMIT ```{{ARGS}}```", "x"], "[\"x\"]\n"),
        (&["-e", "SET f = LIST.Map([1], W)\nEMIT f\nfunc W(x) means\n  return args[0]\nend", "x"], "[\"x\"]\n"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, out), "{words:?} {}", ran.stderr);
    }
}

#[test]
fn a_word_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let place = place();
    write(place.path(), "s.ns", "EMIT ARGS\n");
    let word = std::ffi::OsStr::from_bytes(b"a\xffb");
    for words in [&["s.ns"][..], &["s.ns", "--"]] {
        let ran = run(ns_without_sandbox().current_dir(place.path()).args(words).arg(word));
        assert!(ran.code == 2 && ran.stderr.contains("not UTF-8") && ran.stdout.is_empty(), "{}", ran.stderr);
    }
}

#[test]
fn negative_numbers_and_a_dash_are_words() {
    let place = place();
    write(place.path(), "s.ns", "EMIT ARGS\n");
    let ran = ns(place.path(), &["s.ns", "-5", "-0.5", "-.5", "-"]);
    assert_eq!(ran.stdout, "[\"-5\", \"-0.5\", \"-.5\", \"-\"]\n", "{}", ran.stderr);
}
