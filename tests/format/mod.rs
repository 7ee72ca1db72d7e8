//! `ns fmt`: its output in golden files, the proof that it changes nothing else, and the command.
//!
//! `golden/NAME.before.ns` is formatted to `golden/NAME.after.ns`.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod command;
pub mod corpus;
mod generated;
pub mod program;

use std::fs;

use neuroscript::engine::{Script, Spelling, format_script};
use neuroscript::text::Diagnostic;

use crate::support::{golden, package};

/// Formats a text. The error contains the codes of its findings.
fn form(text: &str, keywords: Option<Spelling>) -> Result<String, Vec<&'static str>> {
    let codes = |findings: Vec<Diagnostic>| findings.iter().map(|finding| finding.code.id()).collect();
    format_script(&Script::new("case.ns", text), keywords).result.map_err(codes)
}

/// Formats a valid text.
fn formed(text: &str) -> String {
    form(text, None).unwrap_or_else(|codes| panic!("{codes:?} in\n{text}"))
}

#[test]
fn forms_are_those_of_the_golden_files() {
    let folder = package("tests/format/golden");
    let mut faults = Vec::new();
    for entry in fs::read_dir(&folder).expect("the golden files are there") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".before.ns") else { continue };
        let before = fs::read_to_string(&path).expect("a case is UTF-8");
        faults.extend(golden(&folder.join(format!("{name}.after.ns")), &formed(&before)).err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn line_ends_are_those_of_the_first_line() {
    assert_eq!(
        formed("SET x = 1\r\nIF x\r\nEMIT [\r\n1]\r\nEND\r\n"),
        "SET x = 1\r\nIF x THEN\r\n  EMIT [\r\n    1,\r\n  ]\r\nEND\r\n"
    );
    assert_eq!(formed("EMIT 1\nSET x = '''a\r\nb'''\r\n"), "EMIT 1\nSET x = '''a\r\nb'''\n");
    assert_eq!(formed("SET x = '''a\nb'''\r\nEMIT x # c\r\n\r\n"), "SET x = '''a\nb'''\nEMIT x  # c\n");
}

#[test]
fn a_comment_does_not_turn_into_a_shebang() {
    for before in [" ", "\n", "\r\n", "\t", "\u{feff} ", "\u{feff}\n", "\n\n  "] {
        for text in ["#!/usr/bin/env ns", "#!", "#!/usr/bin/x--: s", "#! `a"] {
            for rest in ["", "\n", "\nEMIT 1\n", "\n#!/bin/sh\n"] {
                let formed = formed(&format!("{before}{text}{rest}"));
                assert!(formed.starts_with(" #!"), "{formed:?}");
                assert_eq!(self::formed(&formed), formed);
            }
        }
    }
}

#[test]
fn a_byte_order_mark_goes_and_a_shebang_stays() {
    assert_eq!(formed("\u{feff}#!/usr/bin/env  ns \nEMIT 1"), "#!/usr/bin/env  ns \nEMIT 1\n");
    assert_eq!(formed(""), "");
    assert_eq!(formed("\n \n\n"), "");
}

#[test]
fn metadata_that_carries_on_to_nothing_stays_the_same_metadata() {
    for (text, form) in [
        (":: a: b \\", ":: a: b\n"),
        (":: a: b \\\n\\\n", ":: a: b\n"),
        ("::a: b\\\\", ":: a: b\\\\\n\n"),
        ("  ::\n", "::\n"),
        (":::a\n", ":: :a\n"),
        ("IF 1\n:: a: b \\\n   c  \nEND\n", "IF 1 THEN\n  :: a: b \\\n      c\nEND\n"),
    ] {
        assert_eq!(formed(text), form, "{text:?}");
        assert_eq!(formed(form), form, "{text:?} again");
    }
}

#[test]
fn a_text_with_faults_has_no_form() {
    assert_eq!(form("IF 1 THEN\nEMIT 1\n", None), Err(vec!["NS0007"]));
    assert_eq!(form("EMIT (1\nEMIT 2\n", None), Err(vec!["NS0002"]));
    let bytes = Script::new("case.ns", vec![0x45, 0xff]);
    assert_eq!(format_script(&bytes, None).result.expect_err("no UTF-8")[0].code.id(), "NS0010");
}

#[test]
fn a_name_that_reads_as_a_closer_does_not_begin_a_line() {
    let text = format!("SET endif = 1\nSET x = [endif, \"{}\", endif]\n", "x".repeat(90));
    let form = formed(&text);
    assert!(form.contains("[endif,"), "{form}");
    assert_eq!(formed(&form), form);
}

#[test]
fn what_is_deep_or_long_has_a_form() {
    for text in [
        format!("EMIT {}1{}\n", "(".repeat(256), ")".repeat(256)),
        format!("EMIT {}1{}\n", "[\n".repeat(255), "]".repeat(255)),
        format!("EMIT {}1\n", "- ".repeat(256)),
        format!("EMIT 1{}\n", " + 1".repeat(10_000)),
        format!("EMIT [{}]\n", "1, ".repeat(50_000)),
        format!("EMIT \"{}\"\n", "x".repeat(1_000_000)),
        format!("{}EMIT 1\n{}", "IF 1\n".repeat(256), "END\n".repeat(256)),
    ] {
        let form = formed(&text);
        assert_eq!(formed(&form), form);
    }
}
