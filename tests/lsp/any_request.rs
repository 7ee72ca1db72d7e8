//! Random requests at random places in all scripts and in broken ones: each is answered, and the server stays.

use std::fs;

use serde_json::{Value as Json, json};

use super::client::{Editor, abilities, at, uri};
use crate::support::dice::Dice;
use crate::support::package_files;

const METHODS: [&str; 20] = [
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeAction",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/diagnostic",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/onTypeFormatting",
];
/// Answers that a right request may get: nothing can be done, or the parameters are wrong.
const EXPECTED: [i64; 2] = [-32803, -32602];

/// The scripts of the repository, and texts that are odd.
fn texts() -> Vec<String> {
    let mut files = package_files("scripts", &["ns"]);
    files.extend(package_files("tests/suite", &["ns"]));
    files.extend(package_files("fuzz/corpus", &["ns"]));
    let read = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let odd = [
        String::new(),
        "\u{feff}EMIT 1".to_owned(),
        "\r\r\n\n\r".to_owned(),
        "é\u{1F600}".repeat(2_000),
        "(".repeat(5_000),
        "IF x THEN\n".repeat(600),
        "EMIT a".to_owned() + &".b".repeat(3_000),
        "SET a = \"".to_owned() + &"x".repeat(100_000),
        "EMIT ```{{a}}".to_owned() + &"{{b}}".repeat(2_000) + "```",
        "DEFINE PROCEDURE F(\nDEFINE PROCEDURE F(a\nfunc needs\nEND END\n".to_owned(),
        "USE \"a.ns\" AS a\nUSE \"../x\" AS b\nUSE \"\" AS\nEMIT a.b(c.d(\n".to_owned(),
    ];
    read.chain(odd).collect()
}

/// Breaks a text at a random place.
fn broken(text: &str, dice: &mut Dice) -> String {
    let at = text.floor_char_boundary(dice.below(text.len() + 1));
    match dice.below(4) {
        0 => text.to_owned(),
        1 => text[..at].to_owned(),
        2 => format!(
            "{}{}{}",
            &text[..at],
            dice.pick(&["(", "\"", "END", "\u{1F600}", "\\", "'''", ".", "{{"]),
            &text[at..]
        ),
        _ => text[at..].to_owned(),
    }
}

#[test]
fn every_request_is_answered() {
    let place = tempfile::tempdir().unwrap();
    let (requests, each) = if std::env::var_os("NS_LONG").is_some() { (50_000, 40) } else { (1_500, 12) };
    let seed = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(11);
    let mut dice = Dice::new(seed);
    let texts = texts();
    assert!(texts.len() > 100, "{} texts", texts.len());
    let mut abilities = abilities();
    abilities["experimental"] = json!({ "commands": { "commands": ["neuroscript.run", "neuroscript.test"] } });
    let mut editor = Editor::open_with(place.path(), &[], &abilities);
    let hints = json!({ "settings": { "inlayHints": { "parameterNames": true } } });
    editor.say("workspace/didChangeConfiguration", hints);
    let file = uri(&place.path().join("a.ns"));
    let mut results = 0;
    for round in 0..requests / each {
        let text = broken(&texts[dice.below(texts.len())], &mut dice);
        if dice.one_in(3) {
            editor.open_document(&file, &text);
        } else {
            editor.open_document(&file, "");
            editor.replace(&file, 2, &text);
        }
        for _ in 0..each {
            let method = dice.pick(&METHODS);
            let params = params(method, &file, &text, &mut dice);
            let answer = editor.request(method, params.clone());
            match answer["error"]["code"].as_i64() {
                None => {
                    assert!(answer.as_object().unwrap().contains_key("result"), "{answer}");
                    results += usize::from(!answer["result"].is_null());
                }
                Some(code) => assert!(EXPECTED.contains(&code), "round {round}, {method} {params}: {answer}\n{text:?}"),
            }
        }
    }
    assert!(results > requests / 3, "{results} of {requests} requests have a result");
    editor.leave();
}

fn params(method: &str, file: &str, text: &str, dice: &mut Dice) -> Json {
    let lines = text.lines().count() + 2;
    let mut position = || at(dice.below(lines), dice.below(60));
    let (one, other, third) = (position(), position(), position());
    let mut params = json!({
        "textDocument": { "uri": file },
        "position": one,
        "positions": [one, other],
        "range": { "start": other, "end": third },
        "options": { "tabSize": 2, "insertSpaces": true },
        "newName": "renamed",
        "ch": dice.pick(&["\n", "d", "E"]),
    });
    params["context"] = match method {
        "textDocument/references" => json!({ "includeDeclaration": true }),
        "textDocument/codeAction" => json!({ "diagnostics": [] }),
        _ => Json::Null,
    };
    if params["context"].is_null() {
        params.as_object_mut().expect("it is a map").remove("context");
    }
    params
}

/// Parameters that are none are refused.
#[test]
fn wrong_parameters_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    editor.open_document(&file, "EMIT 1\n");
    for method in METHODS {
        for params in [
            Json::Null,
            json!([]),
            json!({}),
            json!({ "textDocument": { "uri": 1 }, "position": 1 }),
            json!({ "textDocument": { "uri": "no uri at all\u{0}" }, "position": at(0, 0) }),
            json!({ "textDocument": { "uri": file }, "position": { "line": -1, "character": 0 }, "range": 1, "positions": 1, "options": 1, "newName": 1, "context": 1 }),
        ] {
            let answer = editor.request(method, params.clone());
            let is_whole =
                ["documentSymbol", "foldingRange", "semanticTokens/full", "textDocument/diagnostic", "codeLens"];
            if is_whole.iter().any(|whole| method.ends_with(whole)) && answer.get("result").is_some() {
                continue;
            }
            assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
        }
    }
    editor.leave();
}
