//! Tools that read files by lines end soon after an interrupt inside one line of many megabytes.

use std::fs;
use std::path::Path;

use neuroscript::engine::Ending;

use super::expressions::PATTERNS;
use super::{Trial, Trials, engine};

/// Number of bytes of each file.
const BYTES: usize = 30_000_000;

/// Files of one line: a name, the beginning, a repeated unit and the end.
const FILES: [(&str, &str, &str, &str); 6] = [
    ("ascii", "", "ab", ""),
    ("words", "İ ", "ab ", ""),
    ("other", "", "ab", "c"),
    ("bytes", "", "a\u{e9}", ""),
    ("quoted.csv", "a\n\"", "two words, ", "\""),
    ("plain.csv", "a\n", "two words", ""),
];

/// Calls on these files, apart from searches.
const CALLS: [&str; 18] = [
    "FS.ReadFile(\"ascii\", max_size_mb: 100)",
    "FS.ReadFile(\"words\", max_size_mb: 100, skip_lines: 1, max_lines: 1)",
    "FS.ReadFile(\"bytes\", max_size_mb: 100, encoding: \"shift_jis\")",
    "FS.ReadFile(\"bytes\", max_size_mb: 100, encoding: \"auto\")",
    "FS.EditFile(\"ascii\", \"ab\", \"c\", replace_all: true, max_size_mb: 100)",
    "FS.EditFile(\"words\", \"ab ab\\n\", \"c\", max_size_mb: 100)",
    "FS.EditFile(\"bytes\", \"q\", \"c\", max_size_mb: 100, encoding: \"latin-1\")",
    "FS.DiffFiles(\"ascii\", \"other\", max_size_mb: 100)",
    "FS.DiffFiles(\"words\", \"bytes\", max_size_mb: 100, encoding: \"latin-1\")",
    "FS.LineCount(\"ascii\")",
    "FS.Lines(\"words\")",
    "FS.Lines(\"bytes\", encoding: \"shift_jis\")",
    "LEN(FS.Lines(\"ascii\"))",
    "CSV.Rows(\"quoted.csv\")",
    "CSV.Rows(\"plain.csv\")",
    "CSV.Parse(quoted)",
    "CSV.Parse(plain)",
    "CSV.Text([{\"a\": plain}])",
];

fn make(root: &Path) {
    for (name, head, unit, tail) in FILES {
        let text = format!("{head}{}{tail}", unit.repeat(BYTES / unit.len()));
        fs::write(root.join(name), text).expect("a file");
    }
}

#[test]
fn no_search_in_a_line_goes_on_after_an_interrupt() {
    let place = tempfile::tempdir().expect("a folder for the test");
    make(place.path());
    let engine = engine(place.path());
    let mut trials = Trials::new(&engine, "");
    // No expression for lines holds a line end.
    let regular = PATTERNS
        .iter()
        .filter(|pattern| !pattern.contains(r"\n"))
        .map(|pattern| format!("'''{pattern}''', regex: true"));
    let literal = ["\"q\"", "\"AQ\", ignore_case: true", "\"a\", whole_word: true", "\"é q\", encoding: \"utf-16le\""];
    for query in regular.chain(literal.map(str::to_owned)) {
        for name in ["ascii", "words", "bytes"] {
            let call = format!("FS.SearchFiles(\"{name}\", {query})");
            let Trial { ending, message, .. } = trials.interrupt(&call);
            assert!(matches!(ending, Ending::Interrupted | Ending::Done), "{ending:?}: {message}: {call}");
        }
    }
    trials.end(2);
}

#[test]
fn nothing_reads_on_in_a_line_after_an_interrupt() {
    let place = tempfile::tempdir().expect("a folder for the test");
    make(place.path());
    let engine = engine(place.path());
    let read = "SET NAME = FS.ReadFile(\"NAME.csv\", max_size_mb: 100).content\n";
    let mut trials = Trials::new(&engine, &["quoted", "plain"].map(|name| read.replace("NAME", name)).concat());
    for call in CALLS {
        let Trial { ending, message, .. } = trials.interrupt(call);
        assert!(matches!(ending, Ending::Interrupted | Ending::Done), "{ending:?}: {message}: {call}");
    }
    // Some of them end before the interrupt on a fast machine.
    trials.end(3);
}
