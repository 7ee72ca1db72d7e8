//! Inlay hints, indentation while typing, and the actions and values that messages and hovers offer.

use std::fs;

use serde_json::{Value as Json, json};

use super::client::{Editor, abilities, at, edited, uri};
use crate::support::package_files;

const CALLS: &str = "DEFINE PROCEDURE Add(a, b: 2)\n  RETURN a + b\nEND\nSET a = 1\nEMIT Add(1, 2), Add(a, b: 3), Add(Add(4), LEN([5]))\nEMIT FS.ReadFile(\"x\")\n";

/// Returns the hints of the whole document, each before what it stands at.
fn hints(editor: &mut Editor, file: &str, text: &str) -> Vec<String> {
    let range = json!({ "start": at(0, 0), "end": at(99, 0) });
    let found = editor.result("textDocument/inlayHint", json!({ "textDocument": { "uri": file }, "range": range }));
    let shown = found.as_array().unwrap().iter().map(|hint| {
        let (line, character) = (&hint["position"]["line"], &hint["position"]["character"]);
        let behind =
            &text.lines().nth(line.as_u64().unwrap() as usize).unwrap()[character.as_u64().unwrap() as usize..];
        format!("{}{}", hint["label"].as_str().unwrap(), behind.chars().next().unwrap())
    });
    shown.collect()
}

#[test]
fn parameter_names_are_shown_if_the_user_wants_them() {
    let place = tempfile::tempdir().unwrap();
    let mut abilities = abilities();
    abilities["workspace"]["inlayHint"] = json!({ "refreshSupport": true });
    let mut editor = Editor::open_with(place.path(), &[], &abilities);
    let file = uri(&place.path().join("a.ns"));
    editor.open_document(&file, CALLS);
    assert_eq!(hints(&mut editor, &file, CALLS), Vec::<String>::new(), "they are off");
    let settings = json!({ "settings": { "neuroscript": { "inlayHints": { "parameterNames": true } } } });
    editor.say("workspace/didChangeConfiguration", settings.clone());
    let asked = loop {
        let heard = editor.hear();
        if heard["method"] == "workspace/inlayHint/refresh" {
            break heard;
        }
    };
    editor.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": null }));
    // None for built-in functions, named arguments, and a variable with the name of the parameter.
    assert_eq!(hints(&mut editor, &file, CALLS), ["a:1", "b:2", "a:A", "a:4", "b:L", "path:\""]);
    // Settings of other forms change nothing.
    for settings in [Json::Null, json!({}), json!({ "settings": null }), json!({ "settings": { "inlayHints": 1 } })] {
        editor.say("workspace/didChangeConfiguration", settings);
    }
    assert_eq!(hints(&mut editor, &file, CALLS).len(), 6);
    let params = json!({ "textDocument": { "uri": file }, "range": { "start": at(5, 0), "end": at(6, 0) } });
    assert_eq!(editor.result("textDocument/inlayHint", params).as_array().unwrap().len(), 1, "a part");
    editor.leave();
    // A client may say so when it starts.
    let mut editor = Editor::start(place.path(), &[]);
    let options = json!({ "inlayHints": { "parameterNames": true } });
    let params = json!({ "rootUri": uri(place.path()), "capabilities": {}, "initializationOptions": options });
    editor.result("initialize", params);
    editor.open_document(&file, CALLS);
    assert_eq!(hints(&mut editor, &file, CALLS).len(), 6);
    editor.leave();
}

/// Asks to format a line after something was typed.
fn typed(editor: &mut Editor, file: &str, position: Json, character: &str) -> Json {
    let options = json!({ "tabSize": 8, "insertSpaces": false });
    let params = json!({ "textDocument": { "uri": file }, "position": position, "ch": character, "options": options });
    editor.result("textDocument/onTypeFormatting", params)
}

#[test]
fn a_line_is_indented_while_it_is_typed() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    let mut version = 1;
    editor.open_document(&file, "");
    // `|` is the cursor.
    for (marked, character, expected) in [
        ("IF x THEN\n|", "\n", "IF x THEN\n  "),
        ("IF x THEN\r\n|", "\n", "IF x THEN\r\n  "),
        ("IF x THEN\n  EMIT 1\n  END|\n", "D", "IF x THEN\n  EMIT 1\nEND\n"),
        ("if x then\n  emit 1\n\telse|\n", "e", "if x then\n  emit 1\nelse\n"),
        ("WHILE x DO\n  IF y THEN\n    EMIT 1\n    ENDIF|", "F", "WHILE x DO\n  IF y THEN\n    EMIT 1\n  ENDIF"),
        ("EMIT [\n|", "\n", "EMIT [\n  "),
        ("  EMIT [{\"a\": 1,\n|\n", "\n", "  EMIT [{\"a\": 1,\n    \n"),
        ("EMIT 1 + \\\n|2\n", "\n", "EMIT 1 + \\\n    2\n"),
        ("DEFINE PROCEDURE F(a)\n|", "\n", "DEFINE PROCEDURE F(a)\n  "),
        // Nothing else moves: texts, comments, names that end like a closer, and lines above.
        ("EMIT '''\n|x'''\n", "\n", "EMIT '''\nx'''\n"),
        ("IF x THEN\nCOMMENT:\n|\nENDCOMMENT\n", "\n", "IF x THEN\nCOMMENT:\n\nENDCOMMENT\n"),
        ("IF x THEN\nSET end|\n", "d", "IF x THEN\nSET end\n"),
        ("IF x THEN\n      EMIT 1\n|", "\n", "IF x THEN\n      EMIT 1\n  "),
        ("é\u{1F600}(\nEND|", "D", "é\u{1F600}(\nEND"),
    ] {
        let (before, _) = marked.split_once('|').unwrap();
        let text = marked.replace('|', "");
        version += 1;
        editor.replace(&file, version, &text);
        let last = before.rsplit('\n').next().unwrap();
        let position = at(before.matches('\n').count(), last.encode_utf16().count());
        let edits = typed(&mut editor, &file, position, character);
        assert_eq!(edited(&text, &edits), expected, "{marked:?}");
    }
    editor.leave();
}

/// Every line of a formatted script gets its indentation back.
#[test]
fn the_indentation_is_that_of_fmt() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    let (mut lines, mut moved) = (0, 0);
    let scripts = package_files("scripts", &["ns"]);
    let most = if std::env::var_os("NS_LONG").is_some() { usize::MAX } else { 12 };
    for script in scripts.iter().take(most) {
        let text = fs::read_to_string(script).unwrap();
        editor.open_document(&file, &text);
        for (number, line) in text.lines().enumerate() {
            let blanks = line.len() - line.trim_start().len();
            // Comments are indented by what follows them, and a blank line has no blanks.
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let range = json!({ "start": at(number, 0), "end": at(number, blanks) });
            let change = |text: String, range: Json| json!([{ "range": range, "text": text }]);
            let document = json!({ "uri": file, "version": number + 2 });
            let params = json!({ "textDocument": document, "contentChanges": change(" ".repeat(7), range) });
            editor.say("textDocument/didChange", params);
            let edits = typed(&mut editor, &file, at(number, 7), "\n");
            // Lines within texts and comments of many lines stay.
            if let Some(edit) = edits.get(0) {
                assert_eq!(edit["newText"].as_str().unwrap().len(), blanks, "{}:{}", script.display(), number + 1);
                moved += 1;
            }
            lines += 1;
            let range = json!({ "start": at(number, 0), "end": at(number, 7) });
            let params = json!({ "textDocument": document, "contentChanges": change(" ".repeat(blanks), range) });
            editor.say("textDocument/didChange", params);
        }
    }
    assert!(moved > 200 && moved * 10 > lines * 8, "{moved} of {lines} lines are indented");
    editor.leave();
}

#[test]
fn suggestions_of_messages_are_actions() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("m.ns"), "DEFINE PROCEDURE Format(style)\n  RETURN style\nEND\n").unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    editor.open_document(&file, "");
    for (version, (text, expected)) in [
        ("SET total = 1\nEMIT totl\n", "SET total = 1\nEMIT total\n"),
        ("EMIT FS.ReadFil(\"a\")\n", "EMIT FS.ReadFile(\"a\")\n"),
        ("EMIT LENN(\"a\")\n", "EMIT LEN(\"a\")\n"),
        ("EMIT FS.ListDir(\".\", recursiv: true)\n", "EMIT FS.ListDir(\".\", recursive: true)\n"),
        ("USE \"m.ns\" AS m\nEMIT m.Fromat(1)\n", "USE \"m.ns\" AS m\nEMIT m.Format(1)\n"),
        ("USE \"m.ns\" AS m\nEMIT m.Format(stile: 1)\n", "USE \"m.ns\" AS m\nEMIT m.Format(style: 1)\n"),
        ("EMITT 1\n", "EMIT 1\n"),
        ("IF 1 = 2\n  EMIT 1\nEND\n", "IF 1 == 2\n  EMIT 1\nEND\n"),
        ("IF 1 == 2 && true\n  EMIT 1\nEND\n", "IF 1 == 2 AND true\n  EMIT 1\nEND\n"),
        ("If 1 == 2\n  EMIT 1\nEND\n", "IF 1 == 2\n  EMIT 1\nEND\n"),
        ("IF 1 == 2 Then\n  EMIT 1\nEND\n", "IF 1 == 2 THEN\n  EMIT 1\nEND\n"),
        ("SET a = 1\na = a + 1\nEMIT a\n", "SET a = 1\nSET a = a + 1\nEMIT a\n"),
        ("SET a = 1\na += 2\nEMIT a\n", "SET a = 1\nSET a = a + 2\nEMIT a\n"),
        ("SET a = 1\na++\nEMIT a\n", "SET a = 1\nSET a = a + 1\nEMIT a\n"),
        ("FS.DeleteFile(\"a\")\n", "CALL FS.DeleteFile(\"a\")\n"),
        ("SET a == 1\nEMIT a\n", "SET a = 1\nEMIT a\n"),
        ("EMIT {k: 1}\n", "EMIT {\"k\": 1}\n"),
        ("EMIT \"a\" ++ \"b\"\n", "EMIT \"a\" + \"b\"\n"),
        ("EMIT .5\n", "EMIT 0.5\n"),
        ("EMIT 1;\n", "EMIT 1\n"),
        ("EMIT 1 \u{2013} 2\n", "EMIT 1 - 2\n"),
        ("SET s = \"a\"\nEMIT s.toUpperCase()\n", "SET s = \"a\"\nEMIT STR.Upper(s)\n"),
        ("SET s = \"a\"\nEMIT s.startsWith(\"b\")\n", "SET s = \"a\"\nEMIT STR.StartsWith(s, \"b\")\n"),
        ("SET l = [1]\nEMIT l.length()\n", "SET l = [1]\nEMIT LEN(l)\n"),
        ("EMIT 1 + [1, 2].length()\n", "EMIT 1 + LEN([1, 2])\n"),
        (":: descripton: x\n\nEMIT 1\n", ":: description: x\n\nEMIT 1\n"),
        (":: param n: x\n\nEMIT ARGS\n", ":: arg n: x\n\nEMIT ARGS\n"),
    ]
    .into_iter()
    .enumerate()
    {
        editor.replace(&file, version as i64 + 2, text);
        let whole = json!({ "start": at(0, 0), "end": at(99, 0) });
        let params = json!({ "textDocument": { "uri": file }, "range": whole, "context": { "diagnostics": [] } });
        let actions = editor.result("textDocument/codeAction", params);
        assert_eq!(actions.as_array().unwrap().len(), 1, "{text}: {actions}");
        assert_eq!(actions[0]["isPreferred"], false, "it is a guess");
        let title = actions[0]["title"].as_str().unwrap();
        assert!(title.starts_with("Replace with `") || title.starts_with("Remove `"), "{actions}");
        assert_eq!(edited(text, &actions[0]["edit"]["documentChanges"][0]["edits"]), expected);
    }
    // A name in quotes keeps them.
    let text = "DEFINE PROCEDURE Double(a)\n  RETURN a\nEND\nEMIT LIST.Map([1], \"Doubel\")\n";
    editor.replace(&file, 99, text);
    let whole = json!({ "start": at(0, 0), "end": at(99, 0) });
    let params = json!({ "textDocument": { "uri": file }, "range": whole, "context": { "diagnostics": [] } });
    let actions = editor.result("textDocument/codeAction", params);
    let repaired = edited(text, &actions[0]["edit"]["documentChanges"][0]["edits"]);
    assert_eq!(repaired, text.replace("Doubel", "Double"));
    editor.leave();
}

#[test]
fn a_hover_shows_the_value_of_a_constant() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    let text = "SET limit = -5\nSET table = {\"a\": [1, 2]}\nSET twice = 1\nSET twice = 2\nSET sum = limit + 1\nDEFINE PROCEDURE F(p)\n  SET inner = \"é\"\n  RETURN inner + p\nEND\nEMIT limit, table, twice, sum, F(1)\n";
    editor.open_document(&file, text);
    let mut hover = |line: usize, character: usize| {
        let found = editor.result_at("textDocument/hover", &file, at(line, character));
        found["contents"]["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(hover(9, 6), "Variable `limit` of the script\n\n```neuroscript\n-5\n```");
    assert!(hover(9, 13).contains("{\"a\": [1, 2]}"), "{}", hover(9, 13));
    assert_eq!(hover(9, 19), "Variable `twice` of the script");
    assert_eq!(hover(9, 26), "Variable `sum` of the script");
    assert!(hover(7, 10).contains("\"é\""), "{}", hover(7, 10));
    assert_eq!(hover(7, 18), "Parameter `p` of `F`");
    editor.leave();
}
