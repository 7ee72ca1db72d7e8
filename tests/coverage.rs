//! Every code and every limit has a case: what is documented has been seen to happen.

#![allow(clippy::disallowed_methods, reason = "the test reads the package's own files")]

use std::fs;
use std::path::Path;

use neuroscript::text::{Code, ToolCode};

/// Codes that no case can bring about, and why.
const WITHOUT_CASE: [(&str, &str); 1] =
    [("NS0901", "a fault of ours; `engine/stack` has the test of how one is caught")];

/// All texts in which a case can stand: the tests, without those that only name codes.
fn cases() -> String {
    let mut text = String::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut text);
    text
}

fn collect(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("the tests can be read") {
        let path = entry.expect("the tests can be read").path();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() {
            collect(&path, text);
        } else if ["rs", "ns", "json"].contains(&extension)
            && !(path.ends_with("coverage.rs") || path.ends_with("mutations.rs"))
        {
            text.push_str(&fs::read_to_string(&path).expect("a case is UTF-8"));
        }
    }
}

/// Whether a word stands in a text, not as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

#[test]
fn every_code_has_a_case() {
    let cases = cases();
    let codes = Code::ALL.iter().map(|code| code.id()).chain(ToolCode::ALL.iter().map(|code| code.id()));
    for id in codes {
        let excused = WITHOUT_CASE.iter().any(|(code, _)| *code == id);
        assert!(excused || has_word(&cases, id), "{id} has no case");
    }
}

#[test]
fn every_limit_is_set_and_met_in_a_case() {
    const LIMITS: [&str; 14] = [
        "max_steps",
        "timeout_s",
        "call_depth",
        "nesting",
        "value_depth",
        "memory_bytes",
        "string_bytes",
        "collection_items",
        "script_bytes",
        "modules",
        "output_bytes",
        "tool_output_bytes",
        "files_changed",
        "bytes_written",
    ];
    let cases = cases();
    for limit in LIMITS {
        assert!(cases.contains(&format!("{limit} = ")), "{limit}");
    }
}
