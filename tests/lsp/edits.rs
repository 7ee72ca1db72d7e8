//! Incremental changes: the server checks the text that the client has. `src/lsp/text.rs` compares the texts themselves
//! after many more edits.

use serde_json::json;

use super::client::{Editor, abilities, uri};
use super::findings::{checked, shown};
use crate::support::dice::Dice;
use crate::support::package_files;

const PIECES: [&str; 17] = [
    "SET x = 1\n",
    "EMIT x\n",
    "é",
    "\u{1F600}",
    "\r\n",
    "\r",
    "\n",
    "(",
    "\"",
    "END\n",
    "IF x THEN\n",
    "  ",
    "漢 = ",
    "# c\n",
    "'''",
    "DEFINE PROCEDURE F(x)\n",
    "EMIT ```{{x}}```\n",
];

/// Returns the position of an offset as editors count it: lines end with `\n`, `\r\n` or `\r`.
fn position(text: &str, offset: usize, is_utf8: bool) -> serde_json::Value {
    let (mut line, mut start, mut at) = (0, 0, 0);
    let bytes = text.as_bytes();
    while at < offset {
        let is_end = match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        at += 1;
        if is_end {
            (line, start) = (line + 1, at);
        }
    }
    let before = &text[start..offset];
    let character = if is_utf8 { before.len() } else { before.encode_utf16().count() };
    json!({ "line": line, "character": character })
}

#[test]
fn a_text_that_was_edited_is_checked_like_one_that_was_opened() {
    let place = tempfile::tempdir().unwrap();
    let rounds = if std::env::var_os("NS_LONG").is_some() { 20_000 } else { 40 };
    let scripts: Vec<String> =
        package_files("scripts", &["ns"]).iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    for (is_utf8, encoding) in [(true, "utf-8"), (false, "utf-16")] {
        let mut abilities = abilities();
        abilities["general"]["positionEncodings"] = json!([encoding]);
        let mut editor = Editor::open_with(place.path(), &[], &abilities);
        let mut dice = Dice::new(7);
        let edited = uri(&place.path().join("edited.ns"));
        let fresh = uri(&place.path().join("fresh.ns"));
        let mut text = String::from("SET x = 1\r\nEMIT x\n");
        editor.open_document(&edited, &text);
        for version in 2..rounds + 2 {
            let mut changes = Vec::new();
            // Sometimes the text is that of another script.
            if version % 20 == 0 {
                let script = dice.below(scripts.len());
                text = if dice.one_in(2) { scripts[script].clone() } else { scripts[script].replace('\n', "\r\n") };
                changes.push(json!({ "text": text }));
            }
            for _ in 0..=dice.below(8) {
                let mut offset = || {
                    let at = text.floor_char_boundary(dice.below(text.len() + 1));
                    let is_within = text[..at].ends_with('\r') && text[at..].starts_with('\n');
                    if is_within { at - 1 } else { at }
                };
                let (one, other) = (offset(), offset());
                let start = one.min(other);
                let end = if dice.one_in(4) { one.max(other) } else { start };
                let new: String = (0..dice.below(4)).map(|_| dice.pick(&PIECES)).collect();
                let range = json!({ "start": position(&text, start, is_utf8), "end": position(&text, end, is_utf8) });
                changes.push(json!({ "range": range, "text": new }));
                text.replace_range(start..end, &new);
            }
            let params = json!({ "textDocument": { "uri": edited, "version": version }, "contentChanges": changes });
            editor.say("textDocument/didChange", params);
            // A document that is opened is parsed as a whole, and one that changes only where it changed.
            editor.open_document(&fresh, &text);
            // For `ns check`, a carriage return alone ends no line.
            if version % 10 == 0 && !text.replace("\r\n", "").contains('\r') {
                std::fs::write(place.path().join("edited.ns"), &text).unwrap();
                let expected = checked(place.path(), "edited.ns");
                assert_eq!(shown(&editor.diagnostics(&edited)), expected, "as `ns check` finds: {text:?}");
            }
            let findings = |editor: &mut Editor, uri: &str| {
                let found: Vec<String> = editor.diagnostics(uri).iter().map(|found| found.to_string()).collect();
                found.join("\n").replace(uri, "")
            };
            assert_eq!(findings(&mut editor, &edited), findings(&mut editor, &fresh), "{text:?}");
            let tokens = |editor: &mut Editor, uri: &str| {
                editor.result("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } }))
            };
            assert_eq!(tokens(&mut editor, &edited), tokens(&mut editor, &fresh), "{text:?}");
        }
        editor.leave();
    }
}

/// Changes that arrive together are checked together: the client types faster than the server reads.
#[test]
fn the_diagnostics_of_the_newest_version_come_last() {
    let place = tempfile::tempdir().unwrap();
    let file = uri(&place.path().join("a.ns"));
    let mut editor = Editor::open(place.path());
    let line = "SET x = 1\nEMIT x\n";
    editor.open_document(&file, &line.repeat(500));
    let mut bytes = String::new();
    for version in 2..=200 {
        let text = format!("{}EMIT nope{version}\n", line.repeat(500));
        let params =
            json!({ "textDocument": { "uri": file, "version": version }, "contentChanges": [{ "text": text }] });
        let body = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params }).to_string();
        bytes.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    }
    editor.write(bytes.as_bytes()).unwrap();
    let mut published = 0;
    loop {
        let found = editor.published(&file);
        published += 1;
        let version = found["version"].as_u64().unwrap();
        if version > 1 {
            let message = found["diagnostics"][0]["message"].as_str().unwrap();
            assert!(message.contains(&format!("nope{version}`")), "{found}");
        }
        if version == 200 {
            break;
        }
    }
    assert!(published < 200, "{published} of 200 versions were checked");
    editor.leave();
}
