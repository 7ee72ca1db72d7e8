//! Writes the texts with which `editors/check` tries the grammars: every script of the repository, generated programs,
//! and scripts with characters lost or put in. Each has its tokens, and whether the parser accepts it.
//!
//! One text a line, as JSON, in `target/tmp/editors/corpus.jsonl`; 1,000 generated programs, 10,000 with `NS_LONG=1`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use neuroscript::engine::{Script, TokenKind, parse_script, tokens};
use serde_json::json;

use crate::format::{corpus, program as laid_out};
use crate::reference::programs as running;
use crate::support::dice::Dice;
use crate::support::{package, package_files};

/// Folders with files of scripts; cases of the suite and blocks of pages come from [`corpus::scripts`].
const FOLDERS: [&str; 5] = ["benches", "editors", "fuzz/corpus", "scripts", "tests"];

/// Returns the file that `editors/check` reads.
fn file() -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("editors/corpus.jsonl")
}

fn number_of_programs() -> u64 {
    if std::env::var_os("NS_LONG").is_some() { 10_000 } else { 1_000 }
}

#[test]
fn texts_for_the_grammars_are_written() {
    let mut lines = String::new();
    let scripts = scripts();
    let accepted = scripts.iter().filter(|(place, text)| add(&mut lines, "script", place, text)).count();
    assert!(accepted > 1_000, "{accepted} of {} scripts are accepted", scripts.len());
    for number in 0..number_of_programs() {
        let text = if number % 2 == 0 { laid_out::program(number).text } else { running::program(number) };
        assert!(add(&mut lines, "program", &format!("program {number}"), &text), "program {number}:\n{text}");
    }
    let changed = changed(&scripts);
    let refused = changed.iter().filter(|(place, text)| !add(&mut lines, "changed", place, text)).count();
    assert!(refused > changed.len() / 4, "{refused} of {} changed scripts are refused", changed.len());
    fs::create_dir_all(file().parent().expect("the file lies in a folder")).expect("a folder for the texts");
    fs::write(file(), lines).expect("the texts can be written");
}

/// Returns the scripts of the repository with their places.
fn scripts() -> Vec<(String, String)> {
    let mut scripts = corpus::scripts();
    for path in FOLDERS.iter().flat_map(|folder| package_files(folder, &["ns"])) {
        if let Ok(text) = fs::read_to_string(&path) {
            let place = path.strip_prefix(package("")).unwrap_or(&path).display().to_string();
            scripts.push((place, text));
        }
    }
    scripts
}

/// Returns scripts in which a few characters are lost, put in, or moved.
fn changed(scripts: &[(String, String)]) -> Vec<(String, String)> {
    const PIECES: [&str; 20] = [
        "(", ")", "[", "]", "{", "}", ",", "\n", " ", "#", "\\\n", "'''", "\"", "-", "END\n", "COMMENT:", "```", "{{",
        "::", "THEN",
    ];
    let mut dice = Dice::new(11);
    let texts: Vec<&(String, String)> = scripts.iter().filter(|(_, text)| !text.is_empty()).collect();
    let mut change = |number: u64| {
        let (place, text) = texts[dice.below(texts.len())];
        let mut text = text.clone();
        for _ in 0..=dice.below(2) {
            let at = text.floor_char_boundary(dice.below(text.len() + 1));
            if dice.one_in(2) {
                text.insert_str(at, dice.pick(&PIECES));
            } else {
                text.replace_range(at..text.ceil_char_boundary((at + 1).min(text.len())), "");
            }
        }
        (format!("{place} changed {number}"), text)
    };
    (0..number_of_programs() * 2).map(&mut change).collect()
}

/// Adds a text with its tokens. Returns whether the parser accepts it.
fn add(lines: &mut String, kind: &str, place: &str, text: &str) -> bool {
    let findings = parse_script(&Script::new("case.ns", text)).findings;
    let is_accepted = !findings.iter().any(neuroscript::text::Diagnostic::is_error);
    let codes: Vec<&str> = findings.iter().map(|finding| finding.code.id()).collect();
    let tokens: Vec<_> = tokens(text).iter().map(|token| json!([token.start, token.end, word(token.kind)])).collect();
    let line = json!({
        "kind": kind, "place": place, "accepted": is_accepted, "codes": codes, "text": text, "tokens": tokens,
    });
    writeln!(lines, "{line}").expect("a text can be extended");
    is_accepted
}

/// Returns the word for a kind of token in the file.
fn word(kind: TokenKind) -> String {
    match kind {
        TokenKind::Keyword => "keyword".to_owned(),
        TokenKind::Constant => "constant".to_owned(),
        TokenKind::Name => "name".to_owned(),
        TokenKind::Callee => "callee".to_owned(),
        TokenKind::Number => "number".to_owned(),
        TokenKind::Text { .. } => "text".to_owned(),
        TokenKind::Comment => "comment".to_owned(),
        TokenKind::Mark(mark) => mark.to_string(),
    }
}
