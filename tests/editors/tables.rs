//! Files of `editors/` that contain words of the language: they must be those of the tables.
//!
//! `UPDATE=1 cargo test --test integration -- editors::` writes them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use neuroscript::engine::{BEGINNING_WORDS, CONSTANTS, HEAD_WORDS, RESERVED, STATEMENT_WORDS};
use serde_json::{Map, Value, json};

use super::regions::refreshed;
use super::words::{
    self, COMMENT_BLOCK, OPERATOR_WORDS, any_of, closers_of, of_head, region_of_emacs, region_of_kakoune,
    region_of_sublime, region_of_vim,
};
use crate::support::{golden, package};

/// A function that gives the lines of a region by its name.
type Lines = fn(&str) -> Option<Vec<String>>;

/// Files that are written by hand except for their regions.
const WITH_REGIONS: [(&str, Lines); 6] = [
    ("editors/sublime/NeuroScript.sublime-syntax", region_of_sublime),
    ("editors/vim/syntax/neuroscript.vim", region_of_vim),
    ("editors/vim/ftplugin/neuroscript.vim", region_of_vim),
    ("editors/vim/indent/neuroscript.vim", region_of_vim),
    ("editors/emacs/neuroscript-mode.el", region_of_emacs),
    ("editors/kakoune/neuroscript.kak", region_of_kakoune),
];

#[test]
fn the_words_in_the_files_are_those_of_the_language() {
    let made = [
        ("editors/tree-sitter/keywords.json", keywords()),
        ("editors/tree-sitter/src/reserved.h", reserved_header()),
        ("editors/textmate/neuroscript.tmLanguage.json", text_mate()),
    ];
    let refreshed = WITH_REGIONS.map(|(file, lines)| (file, with_regions(file, lines)));
    let outcomes = made.into_iter().chain(refreshed).map(|(file, text)| golden(&package(file), &text));
    let faults: Vec<String> = outcomes.filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_parser_of_tree_sitter_is_generated_from_these_words() {
    let grammar = json_of("editors/tree-sitter/src/grammar.json");
    let mut found = BTreeSet::new();
    strings_of(&grammar["rules"], &mut found);
    let spellings = words::spelled(&[words::all(), COMMENT_BLOCK.to_vec()].concat());
    let operators = quoted(&rule("infix")).into_iter().chain(quoted(&rule("prefix")));
    let wanted: BTreeSet<String> = spellings.into_iter().chain(operators).collect();
    let is_word = |text: &&String| text.starts_with(|c: char| c.is_ascii_alphabetic());
    let missing: Vec<_> = wanted.difference(&found).collect();
    let unknown: Vec<_> = found.iter().filter(is_word).filter(|word| !wanted.contains(*word)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}: run editors/generate");
}

#[test]
fn the_tables_have_the_keywords_of_the_grammar() {
    let text = pest();
    let keywords = text.split("\nkw_").skip(1).flat_map(|text| quoted(text.lines().next().unwrap_or_default()));
    let closers = quoted(&rule("closer"));
    let found: BTreeSet<String> = keywords.chain(closers).map(|word| word.to_uppercase()).collect();
    // These are operators and values of the grammar, and have no rules of their own.
    let operands = ["LAST", "AND", "OR", "NOT", "TRUE", "FALSE", "NIL", "NULL"];
    let wanted = words::all().into_iter().filter(|word| !operands.contains(word)).map(str::to_owned);
    assert_eq!(found, wanted.collect());
}

/// Returns a file with its regions made anew.
fn with_regions(file: &str, lines: Lines) -> String {
    let text = fs::read_to_string(package(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    refreshed(&text, lines).unwrap_or_else(|fault| panic!("{file}: {fault}"))
}

/// Returns the text of the pest grammar.
fn pest() -> String {
    fs::read_to_string(package("grammar/neuroscript.pest")).expect("the grammar can be read")
}

/// Returns the text of a rule of the pest grammar.
fn rule(name: &str) -> String {
    let text = pest();
    let start = text.lines().position(|line| line.split([' ', '=']).next() == Some(name)).expect("the rule exists");
    let mut lines = text.lines().skip(start);
    let mut rule = lines.next().unwrap_or_default().to_owned();
    if !rule.ends_with('}') {
        lines
            .take_while(|line| !line.starts_with('}') && !line.starts_with("  )"))
            .for_each(|line| rule.push_str(line));
    }
    rule
}

/// Returns the texts in quotes, except blanks.
fn quoted(text: &str) -> Vec<String> {
    let parts = text.split('"').skip(1).step_by(2);
    parts.filter(|part| !part.trim().is_empty() && !part.starts_with('\\')).map(str::to_owned).collect()
}

/// Adds the texts of the `STRING` rules of a tree-sitter grammar.
fn strings_of(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            if map.get("type").and_then(Value::as_str) == Some("STRING") {
                found.extend(map.get("value").and_then(Value::as_str).map(str::to_owned));
            }
            map.values().for_each(|value| strings_of(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| strings_of(value, found)),
        _ => {}
    }
}

fn json_of(file: &str) -> Value {
    let text = fs::read_to_string(package(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the words from which `grammar.js` makes its rules.
fn keywords() -> String {
    let heads: Map<String, Value> = HEAD_WORDS.iter().map(|(head, words)| ((*head).to_owned(), json!(words))).collect();
    let of_any =
        words::closers().into_iter().filter(|word| words::openers().iter().all(|head| closers_of(head).contains(word)));
    let of_any: Vec<&str> = of_any.collect();
    let of_one = |head: &str| closers_of(head).into_iter().filter(|word| !of_any.contains(word)).collect::<Vec<_>>();
    let mut closers: Map<String, Value> = [("ANY".to_owned(), json!(of_any))].into_iter().collect();
    closers.extend(words::openers().into_iter().map(|head| (head.to_owned(), json!(of_one(head)))));
    let table = json!({
        "reserved": RESERVED, "statements": STATEMENT_WORDS, "heads": heads, "closers": closers,
        "comment_block": COMMENT_BLOCK,
    });
    format!("{table:#}\n")
}

/// Returns the words that the scanner of tree-sitter must know.
fn reserved_header() -> String {
    let mut text = String::from(
        "// Reserved words that cannot be the name in a placeholder, in both spellings. Written by\n\
         // `UPDATE=1 cargo test --test integration -- editors::`.\n\n\
         #ifndef NEUROSCRIPT_RESERVED_H\n#define NEUROSCRIPT_RESERVED_H\n\n#include <stddef.h>\n\n\
         static const char *const RESERVED[] = {\n",
    );
    for word in words::not_names() {
        writeln!(text, "  \"{word}\", \"{}\",", word.to_lowercase()).expect("a text can be extended");
    }
    text + "  NULL,\n};\n\n#endif\n"
}

/// Returns the TextMate grammar with the words of the tables in its patterns.
fn text_mate() -> String {
    let mut grammar = json_of("editors/textmate/neuroscript.tmLanguage.json");
    for (place, pattern) in text_mate_patterns() {
        let place = format!("/repository/{place}");
        *grammar.pointer_mut(&place).unwrap_or_else(|| panic!("the grammar has no {place}")) = json!(pattern);
    }
    format!("{grammar:#}\n")
}

/// Returns the patterns with words, by their place in the grammar.
fn text_mate_patterns() -> Vec<(&'static str, String)> {
    // The scanner takes such a word for a name before these marks.
    let keyword_end = r"(?!\w)(?![ \t]*[(\[.=])";
    let name = r"[_\p{L}\p{Nl}]\w*";
    let word = |words: &[&str]| format!(r"(?<![\w.]){}(?!\w)", any_of(words));
    let head = |words: &[&str]| format!(r"^[ \t]*({}){keyword_end}", any_of(words));
    let not_any = |words: &[&str]| format!(r"(?!{}(?!\w)){name}", any_of(words));
    let procedure = format!(
        r"{}(?:[ \t]+({})(?!\w)(?:[ \t]+({}))?)?",
        head(&["DEFINE"]),
        any_of(&["PROCEDURE"]),
        not_any(&of_head("DEFINE"))
    );
    let function = format!(r"{}(?:[ \t]+({}))?", head(&["FUNC"]), not_any(&of_head("FUNC")));
    let end = |closer: &str| format!(r"({closer})|(?=^[ \t]*{}(?!\w)(?![ \t]*:))", any_of(&BEGINNING_WORDS));
    let placeholder =
        format!(r"(\{{\{{)[ \t]*(?!{}(?!\w))({name}(?:\.{name})*)[ \t]*(\}}\}})", any_of(&words::not_names()));
    vec![
        ("error-head/begin", head(&["ON"])),
        ("error-word/match", word(&of_head("ON"))),
        ("use-head/begin", head(&["USE"])),
        ("use-word/match", word(&of_head("USE"))),
        ("procedure-head/begin", procedure),
        ("procedure-word/match", word(&of_head("DEFINE"))),
        ("procedure-signature/end", end(r"\)")),
        ("function-head/begin", function),
        ("function-word/match", word(&of_head("FUNC"))),
        ("function-signature/end", end(r"\)")),
        ("statement/match", head(&words::contextual())),
        ("constant/patterns/0/match", word(&CONSTANTS)),
        ("operator-word/match", word(&OPERATOR_WORDS)),
        ("keyword/match", word(&words::commands())),
        ("call/patterns/0/match", format!(r"(?<![\w.]){}(?=[ \t]*\()", any_of(&words::functions()))),
        ("group/match", format!(r"(?i)(?<![\w.])(?:{})(?=\.)", words::groups().join("|"))),
        ("bracket/patterns/0/end", end(r"\)")),
        ("bracket/patterns/1/end", end(r"\]")),
        ("bracket/patterns/2/end", end(r"\}")),
        ("template-placeholder/match", placeholder),
    ]
}
