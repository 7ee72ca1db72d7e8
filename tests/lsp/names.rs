//! Hovers, definitions, uses, renaming, and what there is in a document.

use std::fs;

use serde_json::{Value as Json, json};

use super::client::{Editor, at, edited, uri};
use crate::support::{ns_without_sandbox, package_files, run};

const MODULE: &str =
    "DEFINE PROCEDURE Format(when, style: \"s\")\n  COMMENT: Formats a date. ENDCOMMENT\n  RETURN when + style\nEND\n";
const MAIN: &str = "USE \"dates.ns\" AS dates\nSET total = 1\nDEFINE PROCEDURE Add(a, b: 2)\n  SET sum = a + b + total\n  RETURN sum\nEND\n\
    EMIT Add(total, b: 3), dates.Format(\"x\", style: \"y\")\nEMIT ```{{total}} and {{ total.k }}```, LIST.Map([1], Add), LIST.Map([1], \"Add\")\nEMIT EVAL(\"{{total}}\")\n";
const OTHER: &str = "USE \"dates.ns\" AS d\nEMIT d.Format(style: \"z\", when: \"now\")\n";

struct Names {
    editor: Editor,
    main: String,
    module: String,
    other: String,
    place: tempfile::TempDir,
}

impl Names {
    fn new() -> Names {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in [("dates.ns", MODULE), ("a.ns", MAIN), ("other.ns", OTHER)] {
            fs::write(place.path().join(name), text).unwrap();
        }
        let at = |name: &str| uri(&place.path().join(name));
        let (main, module, other) = (at("a.ns"), at("dates.ns"), at("other.ns"));
        let mut editor = Editor::open(place.path());
        editor.open_document(&main, MAIN);
        assert_eq!(editor.published(&main)["diagnostics"], json!([]), "the test's script has no findings");
        Names { editor, main, module, other, place }
    }

    fn hover(&mut self, position: Json) -> String {
        let hover = self.editor.result_at("textDocument/hover", &self.main.clone(), position);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the places of uses as `file:line:column`.
    fn uses(&mut self, position: Json) -> Vec<String> {
        let params = json!({ "textDocument": { "uri": self.main }, "position": position, "context": { "includeDeclaration": true } });
        let found = self.editor.result("textDocument/references", params);
        let place = |found: &Json| {
            let name = found["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{name}:{}:{}", found["range"]["start"]["line"], found["range"]["start"]["character"])
        };
        found.as_array().unwrap().iter().map(place).collect()
    }

    fn rename(&mut self, position: Json, name: &str) -> Json {
        let params = json!({ "textDocument": { "uri": self.main }, "position": position, "newName": name });
        self.editor.request("textDocument/rename", params)
    }
}

#[test]
fn a_hover_is_the_page_of_the_word() {
    let mut names = Names::new();
    let procedure = names.hover(at(6, 6));
    assert!(procedure.contains("Add(a, b: 2)"), "{procedure}");
    let of_module = names.hover(at(6, 32));
    assert!(of_module.contains("Format(when, style: \"s\")") && of_module.contains("Formats a date."), "{of_module}");
    assert!(names.hover(at(6, 25)).contains("`dates.ns`"), "a module");
    assert_eq!(names.hover(at(3, 12)), "Parameter `a` of `Add`");
    assert_eq!(names.hover(at(3, 7)), "Variable `sum` of `Add`");
    assert_eq!(names.hover(at(3, 22)), "Variable `total` of the script\n\n```neuroscript\n1\n```");
    assert!(names.hover(at(6, 1)).contains("EMIT"), "a keyword");
    assert!(names.hover(at(8, 6)).contains("EVAL(text)"), "a built-in");
    assert_eq!(names.hover(at(6, 38)), "", "the content of a text");
    // The page of a tool is that of `ns tools NAME --format markdown`, for every tool in the scripts.
    let mut tools = 0;
    for file in package_files("scripts", &["ns"]).into_iter().take(8) {
        let text = fs::read_to_string(&file).unwrap();
        let document = uri(&names.place.path().join("tools.ns"));
        names.editor.open_document(&document, &text);
        for (line, written) in text.lines().enumerate() {
            let Some(start) = written.find("FS.") else { continue };
            let name: String = written[start..].chars().take_while(|c| c.is_alphanumeric() || *c == '.').collect();
            if !written[start + name.len()..].starts_with('(') || written.trim_start().starts_with('#') {
                continue;
            }
            let column = written[..start + name.len() - 1].encode_utf16().count();
            let hover = names.editor.result_at("textDocument/hover", &document, at(line, column));
            let page = run(ns_without_sandbox().args(["tools", &name, "--format", "markdown"]));
            assert_eq!(
                hover["contents"]["value"].as_str().unwrap_or_default().trim_end(),
                page.stdout.trim_end(),
                "{written}"
            );
            tools += 1;
        }
    }
    assert!(tools >= 5, "{tools} tools were looked at");
    names.editor.leave();
}

#[test]
fn definitions_are_found_in_the_file_and_in_modules() {
    let mut names = Names::new();
    let (main, module) = (names.main.clone(), names.module.clone());
    for (position, file, line, character) in [
        (at(6, 6), &main, 2, 17),  // a procedure
        (at(3, 12), &main, 2, 21), // a parameter
        (at(4, 10), &main, 3, 6),  // a variable of a procedure
        (at(3, 22), &main, 1, 4),  // a variable of the script
        (at(6, 16), &main, 2, 24), // the name of an argument
        (at(7, 12), &main, 1, 4),  // a placeholder
        (at(7, 56), &main, 2, 17), // a procedure as an argument
        (at(8, 14), &main, 1, 4),  // a placeholder of EVAL
        (at(6, 32), &module, 0, 17),
        (at(6, 44), &module, 0, 30),
        (at(6, 25), &module, 0, 0),
        (at(0, 8), &module, 0, 0),
    ] {
        let found = names.editor.result_at("textDocument/definition", &main, position.clone());
        assert_eq!(
            (&found["uri"], &found["range"]["start"]),
            (&json!(file), &at(line, character)),
            "{position}: {found}"
        );
    }
    assert_eq!(names.editor.result_at("textDocument/definition", &main, at(6, 1)), Json::Null);
    names.editor.leave();
}

#[test]
fn uses_are_found_in_all_scripts_of_the_folder() {
    let mut names = Names::new();
    let of_variable = ["a.ns:1:4", "a.ns:3:20", "a.ns:6:9", "a.ns:7:10", "a.ns:7:25", "a.ns:8:13"];
    assert_eq!(names.uses(at(1, 5)), of_variable);
    assert_eq!(names.uses(at(2, 18)), ["a.ns:2:17", "a.ns:6:5", "a.ns:7:54", "a.ns:7:75"]);
    assert_eq!(names.uses(at(6, 32)), ["a.ns:6:29", "dates.ns:0:17", "other.ns:1:7"]);
    assert_eq!(names.uses(at(6, 42)), ["a.ns:6:41", "dates.ns:0:30", "dates.ns:2:16", "other.ns:1:14"]);
    assert_eq!(names.uses(at(0, 20)), ["a.ns:0:18", "a.ns:6:23"]);
    let main = names.main.clone();
    let highlights = names.editor.result_at("textDocument/documentHighlight", &main, at(3, 7));
    let kinds: Vec<&Json> = highlights.as_array().unwrap().iter().map(|found| &found["kind"]).collect();
    assert_eq!(kinds, [&json!(3), &json!(2)], "it is set, then read");
    names.editor.leave();
}

/// A script behaves the same after a rename.
#[test]
fn a_renamed_script_does_what_it_did() {
    let mut names = Names::new();
    let run_main = |place: &std::path::Path| {
        let ran = run(ns_without_sandbox().current_dir(place).args(["run", "a.ns"]));
        (ran.code, ran.stdout)
    };
    fs::write(names.place.path().join("a.ns"), MAIN.replace(" and {{ total.k }}", "")).unwrap();
    let before = run_main(names.place.path());
    assert_eq!(before.0, 0, "{before:?}");
    for position in [at(1, 5), at(2, 18), at(3, 7), at(3, 12), at(6, 16), at(6, 32), at(6, 42), at(0, 20)] {
        let answer = names.rename(position.clone(), "renamed");
        let changes = answer["result"]["documentChanges"].as_array().unwrap_or_else(|| panic!("{position}: {answer}"));
        let place = tempfile::tempdir().unwrap();
        for (name, text) in [("dates.ns", MODULE), ("a.ns", MAIN), ("other.ns", OTHER)] {
            let uri = uri(&names.place.path().join(name));
            let edits = changes.iter().find(|change| change["textDocument"]["uri"] == uri);
            let text = edits.map_or_else(|| text.to_owned(), |change| edited(text, &change["edits"]));
            let text = text.replace(" and {{ total.k }}", "").replace(" and {{ renamed.k }}", "");
            fs::write(place.path().join(name), text).unwrap();
        }
        assert_eq!(run_main(place.path()), before, "{position}");
        let other = run(ns_without_sandbox().current_dir(place.path()).args(["run", "other.ns"]));
        assert_eq!((other.code, other.stdout.as_str()), (0, "nowz\n"), "{position}");
        let versions: Vec<&Json> = changes.iter().map(|change| &change["textDocument"]["version"]).collect();
        assert_eq!(versions[0], 1, "the open document comes with its version");
        assert!(versions[1..].iter().all(|version| version.is_null()), "{versions:?}");
    }
    assert_eq!(names.other.rsplit('/').next(), Some("other.ns"));
    names.editor.leave();
}

#[test]
fn a_rename_that_would_change_the_meaning_is_refused() {
    let mut names = Names::new();
    for (position, name, expected) in [
        (at(3, 7), "total", "`total`"), // would change the variable of the script
        (at(3, 7), "a", "`a`"),         // is a parameter
        (at(1, 5), "a b", "no name"),
        (at(1, 5), "END", "no name"),
        (at(1, 5), "", "no name"),
        (at(6, 1), "x", "nothing that can be renamed"),
        (at(0, 20), "FS", "`FS`"),
    ] {
        let answer = names.rename(position.clone(), name);
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{position} {name}: {answer}"));
        assert!(message.contains(expected), "{position} {name}: {message}");
    }
    let main = names.main.clone();
    let prepared = names.editor.result_at("textDocument/prepareRename", &main, at(7, 12));
    assert_eq!(prepared, json!({ "range": { "start": at(7, 10), "end": at(7, 15) }, "placeholder": "total" }));
    assert_eq!(names.editor.result_at("textDocument/prepareRename", &main, at(6, 1)), Json::Null);
    // Names that are known in a run only, and a text with errors.
    names.editor.replace(&main, 2, "SET x = 1\nSET t = \"{{x}}\"\nEMIT EVAL(t), x\n");
    let message = names.rename(at(0, 4), "y")["error"]["message"].clone();
    assert!(message.as_str().unwrap().contains("EVAL"), "{message}");
    names.editor.replace(&main, 3, "SET x = 1\nEMIT x +\n");
    let message = names.rename(at(0, 4), "y")["error"]["message"].clone();
    assert!(message.as_str().unwrap().contains("errors"), "{message}");
    names.editor.leave();
}

#[test]
fn symbols_folds_and_selections_follow_the_blocks() {
    let mut names = Names::new();
    let document = json!({ "textDocument": { "uri": names.main } });
    let symbols = names.editor.result("textDocument/documentSymbol", document.clone());
    let shown: Vec<String> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| {
            let line = |end: &str| symbol["range"][end]["line"].clone();
            format!("{} {} {}-{}", symbol["name"].as_str().unwrap(), symbol["kind"], line("start"), line("end"))
        })
        .collect();
    assert_eq!(shown, ["dates 2 0-0", "total 13 1-1", "Add 12 2-5"]);
    let folds = names.editor.result("textDocument/foldingRange", document.clone());
    assert_eq!(folds, json!([{ "startLine": 2, "endLine": 4 }]));
    let params = json!({ "textDocument": document["textDocument"], "positions": [at(3, 12), at(99, 0)] });
    let selected = names.editor.result("textDocument/selectionRange", params);
    let mut ranges = Vec::new();
    let mut inner = &selected[0];
    while !inner.is_null() {
        ranges.push((inner["range"]["start"]["line"].clone(), inner["range"]["end"]["line"].clone()));
        inner = &inner["parent"];
    }
    assert!(ranges.len() >= 5, "word, sum, line, procedure, text: {ranges:?}");
    assert!(ranges.contains(&(json!(2), json!(5))), "{ranges:?}");
    assert_eq!(selected.as_array().unwrap().len(), 2);
    let found = names.editor.result("workspace/symbol", json!({ "query": "form" }));
    assert_eq!(found[0]["name"], "Format");
    assert_eq!(found[0]["location"]["uri"], names.module);
    names.editor.leave();
}

/// Readers of JSON bound how deeply it nests, so the answer does too.
#[test]
fn a_selection_nests_fifty_ranges_at_most() {
    let mut names = Names::new();
    let main = names.main.clone();
    let text = format!("EMIT {}1{}\n", "(".repeat(200), ")".repeat(200));
    names.editor.replace(&main, 2, &text);
    let params = json!({ "textDocument": { "uri": main }, "positions": [at(0, 205)] });
    let selected = names.editor.result("textDocument/selectionRange", params);
    let (mut inner, mut count) = (&selected[0], 0);
    while !inner["parent"].is_null() {
        (inner, count) = (&inner["parent"], count + 1);
    }
    assert_eq!(count, 49);
    assert_eq!(inner["range"], json!({ "start": at(0, 0), "end": at(1, 0) }), "the whole text is the outermost");
    names.editor.leave();
}

#[test]
fn semantic_tokens_lie_in_order_on_their_lines() {
    let mut names = Names::new();
    let document = json!({ "uri": names.main });
    let text = "# é\u{1F600}\nSET x = '''a\r\nb\n'''\nEMIT FS.Stat(path: x).size, 1.5\n";
    let main = names.main.clone();
    names.editor.replace(&main, 2, text);
    let legend = names.editor.server["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let tokens = names.editor.result("textDocument/semanticTokens/full", json!({ "textDocument": document }));
    let (mut line, mut character) = (0, 0);
    let mut shown = Vec::new();
    for token in tokens["data"].as_array().unwrap().chunks(5) {
        let number = |at: usize| token[at].as_u64().unwrap();
        (line, character) = (line + number(0), if number(0) == 0 { character + number(1) } else { number(1) });
        shown.push(format!("{line}:{character}+{} {}", number(2), legend[number(3) as usize].as_str().unwrap()));
    }
    assert_eq!(
        shown,
        [
            "0:0+5 comment",
            "1:0+3 keyword",
            "1:4+1 variable",
            "1:8+4 string",
            "2:0+1 string",
            "3:0+3 string",
            "4:0+4 keyword",
            "4:5+2 namespace",
            "4:8+4 function",
            "4:13+4 parameter",
            "4:19+1 variable",
            "4:22+4 property",
            "4:28+3 number",
        ]
    );
    let range = json!({ "start": at(4, 0), "end": at(5, 0) });
    let part =
        names.editor.result("textDocument/semanticTokens/range", json!({ "textDocument": document, "range": range }));
    assert_eq!(part["data"].as_array().unwrap().len(), 7 * 5);
    names.editor.leave();
}
