//! Diagnostics, repairs and formatting are those of `ns check` and `ns fmt`.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::client::{Editor, abilities, at, edited, uri};
use crate::support::{ns_without_sandbox, package_files, run, with_input};

/// Returns the findings of `ns check` for a file: code, severity, and zero-based lines of begin and end.
pub fn checked(folder: &Path, name: &str) -> Vec<[Json; 4]> {
    let ran = run(ns_without_sandbox().current_dir(folder).args(["check", "--format", "json", name]));
    let findings: Vec<Json> =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr));
    let of = |finding: Json| {
        let line = |key: &str| match finding["place"][key].as_u64() {
            Some(line) => json!(line - 1),
            None => json!(0),
        };
        [finding["code"].clone(), finding["severity"].clone(), line("line"), line("end_line")]
    };
    findings.into_iter().map(of).collect()
}

/// Returns diagnostics in the same form.
pub fn shown(diagnostics: &[Json]) -> Vec<[Json; 4]> {
    let severity = |number: &Json| json!(if *number == 1 { "error" } else { "warning" });
    let of = |found: &Json| {
        let range = &found["range"];
        [
            found["code"].clone(),
            severity(&found["severity"]),
            range["start"]["line"].clone(),
            range["end"]["line"].clone(),
        ]
    };
    diagnostics.iter().map(of).collect()
}

#[test]
fn diagnostics_are_the_findings_of_the_check() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let mut with_findings = 0;
    for file in package_files("scripts", &["ns"]) {
        let text = fs::read_to_string(&file).unwrap();
        // Broken in two ways, too.
        for text in [text.clone(), text.replacen("SET ", "SET (", 1), text.replacen("END\n", "", 1)] {
            fs::write(place.path().join("a.ns"), &text).unwrap();
            let document = uri(&place.path().join("a.ns"));
            editor.open_document(&document, &text);
            let expected = checked(place.path(), "a.ns");
            let published = editor.published(&document);
            assert_eq!(shown(published["diagnostics"].as_array().unwrap()), expected, "{}", file.display());
            assert_eq!(shown(&editor.diagnostics(&document)), expected, "pulled");
            with_findings += usize::from(!expected.is_empty());
        }
    }
    assert!(with_findings >= 8, "{with_findings} texts have findings");
    editor.leave();
}

#[test]
fn a_diagnostic_has_its_help_its_places_and_its_tag() {
    let place = tempfile::tempdir().unwrap();
    let file = uri(&place.path().join("a.ns"));
    let text = "SET é, unread = [\"\u{1F600}\", nope]\nDEFINE PROCEDURE F(a)\n  RETURN a\nEND\nDEFINE PROCEDURE F(b)\n  RETURN b\nEND\nEMIT é\n";
    let mut editor = Editor::open(place.path());
    editor.open_document(&file, text);
    let found = editor.published(&file);
    assert_eq!(found["version"], 1);
    let of = |code: &str| {
        found["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .find(|found| found["code"] == code)
            .unwrap_or_else(|| panic!("{code}: {found}"))
            .clone()
    };
    let unknown = of("NS0101");
    assert_eq!(unknown["range"], json!({ "start": at(0, 23), "end": at(0, 27) }), "columns are UTF-16");
    assert!(unknown["message"].as_str().unwrap().contains("\nhelp: "), "{unknown}");
    let doubled = of("NS0104");
    assert_eq!(doubled["relatedInformation"][0]["location"]["uri"], file, "{doubled}");
    // A client without these abilities has the places in the message.
    let mut plain = Editor::open_with(place.path(), &[], &json!({}));
    plain.open_document(&file, text);
    let found = plain.published(&file).to_string();
    assert!(!found.contains("relatedInformation") && found.contains("\\nline 2: "), "{found}");
    editor.replace(&file, 2, "SET unread = 1\n");
    let found = editor.published(&file);
    assert_eq!(found["diagnostics"][0]["tags"], json!([1]), "{found}");
    assert_eq!(found["version"], 2);
    editor.leave();
}

#[test]
fn a_module_is_read_from_the_editor_before_its_file() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("m.ns"), "DEFINE PROCEDURE Old()\n  RETURN 1\nEND\n").unwrap();
    let (main, module) = (uri(&place.path().join("a.ns")), uri(&place.path().join("m.ns")));
    let mut editor = Editor::open(place.path());
    editor.open_document(&main, "USE \"m.ns\" AS m\nEMIT m.Old()\n");
    assert_eq!(editor.published(&main)["diagnostics"], json!([]));
    // A text that is only in the editor counts, for the script that uses it too.
    editor.open_document(&module, "DEFINE PROCEDURE New()\n  RETURN 1\nEND\n");
    assert_eq!(editor.published(&main)["diagnostics"][0]["code"], "NS0103");
    editor.replace(&module, 2, "DEFINE PROCEDURE Old()\n  RETURN 2\nEND\n");
    assert_eq!(editor.published(&main)["diagnostics"], json!([]));
    // When it is closed, the file counts; its faults are shown in it.
    fs::write(place.path().join("m.ns"), "DEFINE PROCEDURE Old()\n  RETURN (\nEND\n").unwrap();
    editor.say("textDocument/didClose", json!({ "textDocument": { "uri": module } }));
    loop {
        let found = editor.published(&module);
        if found["diagnostics"] != json!([]) {
            assert_eq!(found["diagnostics"][0]["range"]["start"]["line"], 1, "{found}");
            break;
        }
    }
    // And when the file is repaired, they are gone.
    fs::write(place.path().join("m.ns"), "DEFINE PROCEDURE Old()\n  RETURN 3\nEND\n").unwrap();
    editor.say("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": module, "type": 2 }] }));
    assert_eq!(editor.published(&module)["diagnostics"], json!([]));
    editor.leave();
}

#[test]
fn closing_a_document_takes_its_diagnostics_back() {
    let place = tempfile::tempdir().unwrap();
    let file = uri(&place.path().join("a.ns"));
    let mut editor = Editor::open(place.path());
    editor.open_document(&file, "EMIT nope\n");
    assert_eq!(editor.published(&file)["diagnostics"].as_array().unwrap().len(), 1);
    editor.say("textDocument/didClose", json!({ "textDocument": { "uri": file } }));
    assert_eq!(editor.published(&file)["diagnostics"], json!([]));
    let answer = editor.request("textDocument/hover", json!({ "textDocument": { "uri": file }, "position": at(0, 0) }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    editor.leave();
}

#[test]
fn modules_outside_of_the_folder_and_by_the_policy_are_not_read() {
    let place = tempfile::tempdir().unwrap();
    let (folder, library) = (place.path().join("ws"), place.path().join("lib"));
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(&library).unwrap();
    fs::write(library.join("l.ns"), "DEFINE PROCEDURE F()\n  RETURN 1\nEND\n").unwrap();
    fs::write(folder.join("secret.ns"), "DEFINE PROCEDURE F()\n  RETURN 1\nEND\n").unwrap();
    fs::write(folder.join("neuroscript.toml"), "[policy]\nblocked_patterns = [\"secret*\"]\n").unwrap();
    let file = uri(&folder.join("a.ns"));
    let codes = |options: &[&str], used: &str| {
        let mut editor = Editor::open_with(&folder, options, &abilities());
        editor.open_document(&file, &format!("USE \"{used}\" AS m\nEMIT m.F()\n"));
        let found = editor.published(&file);
        found["diagnostics"].as_array().unwrap().iter().map(|found| found["code"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[], "l.ns"), ["NS0108"]);
    assert_eq!(codes(&["--lib", library.to_str().unwrap()], "l.ns"), Vec::<Json>::new());
    assert_eq!(codes(&[], "secret.ns"), ["policy_denied"]);
}

#[test]
fn texts_that_are_too_large_are_told_of_and_not_checked() {
    let place = tempfile::tempdir().unwrap();
    let file = uri(&place.path().join("a.ns"));
    let mut editor = Editor::open(place.path());
    // Over `script_bytes`: held, but not checked.
    editor.open_document(&file, &"EMIT 1\n".repeat((9 << 20) / 7));
    let found = editor.published(&file);
    assert_eq!(found["diagnostics"][0]["code"], "NS0601", "{found}");
    // Over what is held.
    editor.replace(&file, 2, &"EMIT 1\n".repeat((17 << 20) / 7));
    let found = editor.published(&file);
    assert_eq!(found["diagnostics"][0]["code"], "NS0601", "{found}");
    let answer = editor.request("textDocument/hover", json!({ "textDocument": { "uri": file }, "position": at(0, 0) }));
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    // A change of a part of it has nothing to change; a whole text begins anew.
    let range = json!({ "start": at(0, 0), "end": at(0, 4) });
    let changes = json!([{ "range": range, "text": "X" }, { "text": "EMIT 1\n" }]);
    let params = json!({ "textDocument": { "uri": file, "version": 3 }, "contentChanges": changes });
    editor.say("textDocument/didChange", params);
    assert_eq!(editor.published(&file)["diagnostics"], json!([]));
    editor.leave();
}

#[test]
fn every_repair_is_offered_and_all_at_once_as_check_does() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("m.ns"), "DEFINE PROCEDURE F()\n  RETURN 1\nEND\n").unwrap();
    let texts = [
        "USE \"m.ns\" AS m\nSET a = 1\nSET b = 2 # ns: allow NS0101\nSET c = 3\nEMIT b\n".to_owned(),
        "SET a = 1\nEMIT 2\n".to_owned(),
        // An error elsewhere takes the repairs away.
        "SET a = 1\nEMIT nope\n".to_owned(),
    ];
    let mut repaired = 0;
    for text in texts {
        let name = place.path().join("a.ns");
        fs::write(&name, &text).unwrap();
        let fixes = run(ns_without_sandbox().current_dir(place.path()).args(["check", "--format", "json", "a.ns"]));
        let fixes: Vec<Json> = serde_json::from_str(&fixes.stdout).unwrap();
        let fixes: Vec<Json> = fixes.into_iter().filter(|finding| !finding["fix"].is_null()).collect();
        let mut editor = Editor::open(place.path());
        let file = uri(&name);
        editor.open_document(&file, &text);
        let whole = json!({ "start": at(0, 0), "end": at(99, 0) });
        let ask = |editor: &mut Editor, only: Json| {
            let context =
                if only.is_null() { json!({ "diagnostics": [] }) } else { json!({ "diagnostics": [], "only": only }) };
            let params = json!({ "textDocument": { "uri": file }, "range": whole, "context": context });
            editor.result("textDocument/codeAction", params).as_array().unwrap().clone()
        };
        let quick = ask(&mut editor, json!(["quickfix"]));
        assert_eq!(quick.len(), fixes.len(), "{text}: {quick:?}");
        for (action, fix) in quick.iter().zip(&fixes) {
            let edit = &action["edit"]["documentChanges"][0];
            assert_eq!(edit["textDocument"], json!({ "uri": file, "version": 1 }));
            assert_eq!(edit["edits"][0]["newText"], fix["fix"]["text"], "{action}");
            assert_eq!(action["diagnostics"][0]["code"], fix["code"]);
        }
        let all = ask(&mut editor, json!(["source.fixAll"]));
        let fixed = with_input(ns_without_sandbox().current_dir(place.path()).args(["check", "--fix", "-"]), &text);
        match all.first() {
            Some(action) => {
                assert_eq!(edited(&text, &action["edit"]["documentChanges"][0]["edits"]), fixed.stdout);
                repaired += quick.len();
            }
            None => assert_eq!(fixed.stdout, text),
        }
        assert_eq!(ask(&mut editor, json!(["refactor"])).len(), 0);
        let kinds: Vec<Json> = ask(&mut editor, Json::Null).iter().map(|action| action["kind"].clone()).collect();
        assert_eq!(kinds.len(), quick.len() + all.len(), "{kinds:?}");
        editor.leave();
    }
    assert!(repaired >= 4, "{repaired} findings have repairs");
}

#[test]
fn formatting_is_that_of_fmt_in_the_smallest_edits() {
    let place = tempfile::tempdir().unwrap();
    let file = uri(&place.path().join("a.ns"));
    let mut editor = Editor::open(place.path());
    let text = "set   a=1\nset b = 2\r\nif a==b then\nemit \"é\u{1F600}\"   # x\nend\n\n\n\nset c = [1,\n2]\nemit c";
    editor.open_document(&file, text);
    let options = json!({ "tabSize": 8, "insertSpaces": false });
    let params = json!({ "textDocument": { "uri": file }, "options": options });
    let edits = editor.result("textDocument/formatting", params.clone());
    let expected = with_input(ns_without_sandbox().current_dir(place.path()).args(["fmt", "-"]), text);
    assert_eq!(edited(text, &edits), expected.stdout);
    assert!(edits.as_array().unwrap().len() > 1, "lines that are right stay: {edits}");
    // A part.
    let range = json!({ "start": at(3, 0), "end": at(3, 1) });
    let mut part = params.clone();
    part["range"] = range;
    let edits = editor.result("textDocument/rangeFormatting", part);
    let changed = edited(text, &edits);
    assert!(changed.starts_with("set   a=1\n") && changed.contains("\n  emit "), "{changed}");
    // Nothing to do, and nothing that can be done.
    editor.replace(&file, 2, &expected.stdout);
    assert_eq!(editor.result("textDocument/formatting", params.clone()), json!([]));
    editor.replace(&file, 3, "if a then\nemit (\n");
    let answer = editor.request("textDocument/formatting", params);
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    editor.leave();
}

#[test]
fn blocks_in_markdown_are_checked_at_their_places() {
    let place = tempfile::tempdir().unwrap();
    let file = uri(&place.path().join("page.md"));
    let mut editor = Editor::open(place.path());
    let text = "# Täst nope\n\n> quoted\n>\n> ```ns\n> EMIT nope\n> ```\n\n```text\nEMIT nope\n```\n";
    editor.open_document(&file, text);
    let found = editor.published(&file);
    assert_eq!(found["diagnostics"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["diagnostics"][0]["range"], json!({ "start": at(5, 7), "end": at(5, 11) }));
    let hover = editor.result_at("textDocument/hover", &file, at(5, 3));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("EMIT"), "{hover}");
    assert_eq!(editor.result_at("textDocument/hover", &file, at(9, 2)), Json::Null);
    editor.leave();
}
