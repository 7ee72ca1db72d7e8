//! `FS.ReplaceInFiles` on generated trees: each file becomes what a reference makes of its text, nothing else changes,
//! the result counts what was replaced, and `ns undo` restores all of it.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use regex::{NoExpand, Regex, RegexBuilder};
use serde_json::{Value as Json, json};

use crate::support::{contents_of, ns, run};

/// The arguments of a call, apart from the path.
#[derive(Clone, Debug)]
struct Call {
    text: String,
    replacement: String,
    regex: bool,
    ignore_case: bool,
    whole_word: bool,
}

const PATTERNS: &[&str] =
    &[r"a+", r"^", r"$", r"\s+$", r"(a)(b)?", r"(?<n>[ab])\s", r"\b", r"[^a]", r"a|bb", r".", r"\.", r"^$"];
const REPLACEMENTS: &[&str] = &["", "x", "$0$0", "$$", "a\nb", "${0}1"];

fn calls() -> impl Strategy<Value = Call> {
    let plain = ("[abA .$()\n]{1,3}", "[abx$1{}\n]{0,4}", any::<bool>(), any::<bool>());
    let plain = plain.prop_map(|(text, replacement, ignore_case, whole_word)| {
        let is_in_lines = (ignore_case || whole_word) && text.contains('\n');
        let (ignore_case, whole_word) = if is_in_lines { (false, false) } else { (ignore_case, whole_word) };
        Call { text, replacement, regex: false, ignore_case, whole_word }
    });
    let expressions =
        (prop::sample::select(PATTERNS), prop::sample::select(REPLACEMENTS), any::<bool>(), any::<bool>());
    let expressions = expressions.prop_map(|(text, replacement, ignore_case, whole_word)| Call {
        text: text.to_owned(),
        replacement: replacement.to_owned(),
        regex: true,
        ignore_case,
        whole_word,
    });
    prop_oneof![plain, expressions]
}

/// Texts with the line ends that files have: all alike, or mixed.
fn texts() -> impl Strategy<Value = String> {
    let line = "[abA .é$]{0,4}";
    (prop::collection::vec(line, 0..5), 0..4_usize).prop_map(|(lines, ends)| {
        let end = |at: usize| match ends {
            0 => "\n",
            1 => "\r\n",
            _ if at.is_multiple_of(2) => "\n",
            _ => "\r\n",
        };
        let joined: String = lines.iter().enumerate().map(|(at, line)| format!("{line}{}", end(at))).collect();
        if ends == 3 { joined.trim_end().to_owned() } else { joined }
    })
}

/// Converts a text to the line ends of a file, if all are alike.
fn with_ends<'t>(text: &'t str, file: &str) -> Cow<'t, str> {
    let feeds = file.matches('\n').count();
    match file.matches("\r\n").count() {
        _ if feeds == 0 => text.into(),
        0 => text.replace("\r\n", "\n").into(),
        pairs if pairs == feeds => text.replace("\r\n", "\n").replace('\n', "\r\n").into(),
        _ => text.into(),
    }
}

/// Returns what a file becomes, and how often the text is replaced.
fn replaced(call: &Call, file: &str) -> (String, usize) {
    let new = with_ends(&call.replacement, file);
    if !call.regex && !call.ignore_case && !call.whole_word {
        let old = with_ends(&call.text, file);
        let (feeds, pairs) = (file.matches('\n').count(), file.matches("\r\n").count());
        let is_mixed = (1..feeds).contains(&pairs);
        if is_mixed && old.contains('\n') {
            return in_mixed(file, &old, &new);
        }
        return (file.replace(&*old, &new), file.matches(&*old).count());
    }
    let pattern = if call.regex { call.text.clone() } else { regex::escape(&call.text) };
    let pattern = if call.whole_word { format!(r"\b{{start-half}}(?:{pattern})\b{{end-half}}") } else { pattern };
    let pattern = RegexBuilder::new(&pattern).case_insensitive(call.ignore_case).build().expect("an expression");
    let mut count = 0;
    let lines = file.split_inclusive('\n').map(|line| {
        let content = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        count += pattern.find_iter(content).count();
        format!("{}{}", in_line(&pattern, call, content, &new), &line[content.len()..])
    });
    let text = lines.collect();
    (text, count)
}

/// Replaces a text with LF and the same text with CRLF, each by the new text with the same line ends.
fn in_mixed(file: &str, old: &str, new: &str) -> (String, usize) {
    let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    let (old_crlf, new_crlf) = (crlf(old), crlf(new));
    let (mut text, mut rest, mut count) = (String::new(), file, 0);
    while let Some(next) = rest.chars().next() {
        let found = [(old, new), (&*old_crlf, &*new_crlf)].into_iter().find(|(old, _)| rest.starts_with(old));
        let (gone, come) = found.unwrap_or((&rest[..next.len_utf8()], &rest[..next.len_utf8()]));
        count += usize::from(found.is_some());
        text.push_str(come);
        rest = &rest[gone.len()..];
    }
    (text, count)
}

fn in_line<'l>(pattern: &Regex, call: &Call, line: &'l str, new: &str) -> Cow<'l, str> {
    if call.regex { pattern.replace_all(line, new) } else { pattern.replace_all(line, NoExpand(new)) }
}

fn arguments(given: &Call, dry_run: bool) -> Json {
    let Call { text, replacement, regex, ignore_case, whole_word } = given;
    json!({
        "path": ".", "text": text, "replacement": replacement, "regex": regex, "ignore_case": ignore_case,
        "whole_word": whole_word, "dry_run": dry_run,
    })
}

fn answer(place: &Path, arguments: &Json) -> Json {
    let ran = run(ns(place).args(["call", "FS.ReplaceInFiles", &arguments.to_string()]));
    assert_eq!(ran.code, 0, "{arguments}: {} {}", ran.stdout, ran.stderr);
    serde_json::from_str(&ran.stdout).expect("an answer is JSON")
}

#[test]
fn each_file_becomes_what_the_reference_makes_of_it() {
    let cases = if std::env::var_os("NS_LONG").is_some() { 3_000 } else { 60 };
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let inputs = (calls(), prop::collection::vec(texts(), 1..4));
    let checked = runner.run(&inputs, |(given, files)| {
        // A text is not replaced by itself.
        prop_assume!(given.text != given.replacement || given.regex);
        let place = tempfile::tempdir().expect("a folder for the test");
        let mut wanted = BTreeMap::new();
        let mut rows = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let name = format!("{number}/f");
            fs::create_dir(place.path().join(number.to_string())).expect("a folder");
            fs::write(place.path().join(&name), file).expect("a file");
            let (text, count) = replaced(&given, file);
            if count > 0 {
                rows.push((name.clone(), count as u64));
            }
            wanted.insert(name, text);
        }
        let content = |name: &String| fs::read_to_string(place.path().join(name)).expect("a file");
        let before = contents_of(place.path());
        let looked = answer(place.path(), &arguments(&given, true));
        prop_assert_eq!(contents_of(place.path()), before, "a dry run changes nothing");
        let done = answer(place.path(), &arguments(&given, false));
        for answer in [&looked, &done] {
            let row =
                |row: &Json| (row["path"].as_str().unwrap_or("").to_owned(), row["replacements"].as_u64().unwrap_or(0));
            let found: Vec<_> = answer["items"].as_array().into_iter().flatten().map(row).collect();
            prop_assert_eq!(&found, &rows, "{}", answer);
            prop_assert_eq!(answer["replacements"].as_u64(), Some(rows.iter().map(|row| row.1).sum()), "{}", answer);
        }
        for (name, text) in &wanted {
            prop_assert_eq!(&content(name), text, "{}", name);
        }
        if wanted.iter().zip(&files).any(|((_, new), old)| new != old) {
            let undone = run(ns(place.path()).arg("undo"));
            prop_assert_eq!(undone.code, 0, "{}", undone.stderr);
        }
        for (name, old) in wanted.keys().zip(&files) {
            prop_assert_eq!(&content(name), old, "{}", name);
        }
        Ok(())
    });
    checked.unwrap_or_else(|failure| panic!("{failure}"));
}

/// The diffs of a dry run have a bound together, and each row says how much would be replaced.
#[test]
fn a_dry_run_of_much_is_bounded() {
    let place = tempfile::tempdir().expect("a folder for the test");
    for name in ["a", "b", "c"] {
        fs::write(place.path().join(name), "a".repeat(300_000)).expect("a file");
    }
    fs::write(place.path().join("d"), "a\n").expect("a file");
    let arguments = json!({"path": ".", "text": "a", "replacement": "x".repeat(50), "dry_run": true});
    let answer = answer(place.path(), &arguments);
    assert!(answer.to_string().len() < 2 << 20, "{} bytes", answer.to_string().len());
    let rows = answer["items"].as_array().expect("rows");
    let counts: Vec<u64> = rows.iter().filter_map(|row| row["replacements"].as_u64()).collect();
    assert_eq!(counts, [300_000, 300_000, 300_000, 1]);
    assert!(rows[0]["diff"].is_null() && rows[3]["diff"].is_string(), "{}", rows[3]);
}
