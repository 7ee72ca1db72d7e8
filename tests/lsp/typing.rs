//! Completion and signatures while a script is typed.

use std::collections::BTreeSet;
use std::fs;

use neuroscript::engine::built_in_tools;
use serde_json::{Value as Json, json};

use super::client::{Editor, abilities, at, uri};

/// Where `|` stands in a text: the text without it, and its position.
fn cursor(marked: &str) -> (String, Json) {
    let offset = marked.find('|').expect("a cursor");
    let before = &marked[..offset];
    let line = before.matches('\n').count();
    let character = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    (marked.replacen('|', "", 1), at(line, character))
}

/// An editor with one document.
struct Typing {
    editor: Editor,
    file: String,
    version: i64,
    _place: tempfile::TempDir,
}

impl Typing {
    fn new(abilities: &Json) -> Typing {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("data")).unwrap();
        fs::write(place.path().join("data/table.csv"), "").unwrap();
        fs::write(place.path().join("data/.hidden"), "").unwrap();
        let module = "DEFINE PROCEDURE Format(when, style: \"short\")\n  COMMENT: Formats a date. ENDCOMMENT\n  RETURN when + style\nEND\n";
        fs::write(place.path().join("dates.ns"), module).unwrap();
        let mut editor = Editor::open_with(place.path(), &[], abilities);
        let file = uri(&place.path().join("a.ns"));
        editor.open_document(&file, "");
        Typing { editor, file, version: 1, _place: place }
    }

    /// Sets the text, and asks for completions at its cursor.
    fn complete(&mut self, marked: &str) -> Vec<Json> {
        let position = self.set(marked);
        let list = self.editor.result_at("textDocument/completion", &self.file, position);
        list["items"].as_array().unwrap().clone()
    }

    fn set(&mut self, marked: &str) -> Json {
        let (text, position) = cursor(marked);
        self.version += 1;
        self.editor.replace(&self.file, self.version, &text);
        position
    }

    fn labels(&mut self, marked: &str) -> Vec<String> {
        self.complete(marked).iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    }
}

fn has(labels: &[String], wanted: &str) -> bool {
    labels.iter().any(|label| label == wanted)
}

#[test]
fn candidates_are_those_of_the_place() {
    let mut typing = Typing::new(&abilities());
    // The beginning of a statement.
    let labels = typing.labels("SET x = 1\nEM|\n");
    assert_eq!(labels, ["EMIT"], "a statement");
    assert!(has(&typing.labels("fo|"), "for"), "lower case");
    // Keywords that the grammar allows, variables before them.
    let labels = typing.labels("SET xs = [1]\nEMIT |\n");
    assert_eq!(labels[0], "xs", "{labels:?}");
    assert!(has(&labels, "NOT") && has(&labels, "CALL"), "{labels:?}");
    assert!(!["AND", "DO", "THEN", "EACH", "IN", "SET"].iter().any(|word| has(&labels, word)), "{labels:?}");
    for (marked, found) in [
        ("IF LEN([1,\n  2]) > 1 # many\n  |", "EMIT"),
        ("IF a TH|", "THEN"),
        ("FOR EACH x IN [1] D|", "DO"),
        ("FOR EACH x IN [\n  1,\n  N|\n]", "NOT"),
        ("SET m = {\"a\": N|}", "NOT"),
        ("EMIT STR.Upper(\n  text: N|)", "NOT"),
        ("EMIT 1 A|", "AND"),
        ("IF a THEN\n  EMIT 1\nEL|", "ELSE"),
        ("IF a THEN\n  WHILE b DO\n  END\nEN|", "ENDIF"),
        ("DEFINE PROCEDURE P()\n  FOR EACH x IN [1] DO\n    EMIT x\n  EN|", "ENDFOR"),
        ("DEFINE PROCEDURE P()\nEN|", "END"),
    ] {
        assert!(has(&typing.labels(marked), found), "{marked}");
    }
    for (marked, absent) in [
        ("EMIT 1 D|", "DO"),
        ("WHILE x T|", "THEN"),
        ("SET m = {N|}", "NOT"),
        ("SET N|", "NOT"),
        ("EMIT 1\nEN|", "END"),
        ("WHILE a DO\nEL|", "ELSE"),
        ("WHILE a DO\nEN|", "ENDIF"),
        ("IF a THEN\nEND\nEN|", "END"),
    ] {
        assert!(!has(&typing.labels(marked), absent), "{marked}");
    }
    // Variables in scope, and no others.
    let text = "SET top = 1\nDEFINE PROCEDURE F(total)\n  SET token = total\n  RETURN to|\nEND\nDEFINE PROCEDURE G(torso)\n  RETURN torso\nEND\n";
    let labels = typing.labels(text);
    assert!(["top", "total", "token"].iter().all(|name| has(&labels, name)), "{labels:?}");
    assert!(!has(&labels, "torso"), "{labels:?}");
    // Tools of a group, and every callee after CALL.
    let labels = typing.labels("EMIT FS.Read|\n");
    assert!(has(&labels, "ReadFile") && !has(&labels, "WriteFile"), "{labels:?}");
    assert!(has(&typing.labels("CALL Read|"), "FS.ReadFile"));
    // Procedures of the text and of modules.
    assert!(has(&typing.labels("USE \"dates.ns\" AS dates\nEMIT dates.|\n"), "Format"));
    assert!(has(&typing.labels("DEFINE PROCEDURE Double(a)\n  RETURN a * 2\nEND\nEMIT Dou|\n"), "Double"));
    // Named arguments that are not given yet.
    let labels = typing.labels("EMIT FS.ListDir(\".\", rec|\n");
    assert_eq!(labels, ["recursive:"]);
    // Nothing in comments, and nothing in the middle of a text of many lines.
    assert_eq!(typing.labels("# EM|\n"), Vec::<String>::new());
    assert_eq!(typing.labels("EMIT '''\nFS.|\n'''\n"), Vec::<String>::new());
    typing.editor.leave();
}

#[test]
fn fields_are_those_that_the_tool_declares() {
    let mut typing = Typing::new(&abilities());
    for text in [
        "FOR EACH entry IN FS.WalkDir(\".\") DO\n  EMIT entry.|\nEND\n",
        "SET entries = FS.WalkDir(\".\")\nFOR EACH entry IN entries DO\n  EMIT entry.|\nEND\n",
        "SET entries = FS.WalkDir(\".\")\nEMIT entries[0].|\n",
        "SET entries = FS.WalkDir(\".\")\nEMIT entries[0][\"|\n",
    ] {
        assert_eq!(typing.labels(text), ["isDir", "modTime", "name", "path", "size"], "{text}");
    }
    assert_eq!(typing.labels("SET x = 1\nEMIT x.|\n"), Vec::<String>::new());
    // The keys of literal maps, and those that are set later.
    let map = "SET m = {\"one\": 1, \"two\": [{\"three\": 3}]}\nSET m.four = FS.Stat(\"x\")\n";
    assert_eq!(typing.labels(&format!("{map}EMIT m.|\n")), ["four", "one", "two"]);
    assert_eq!(typing.labels(&format!("{map}EMIT m[\"t|\n")), ["two"]);
    assert_eq!(typing.labels(&format!("{map}EMIT m.two[0].|\n")), ["three"]);
    assert!(has(&typing.labels(&format!("{map}EMIT m.four.|\n")), "size"));
    assert_eq!(typing.labels(&format!("{map}FOR EACH e IN m.two DO\n  EMIT e.|\nEND\n")), ["three"]);
    typing.editor.leave();
}

#[test]
fn paths_are_those_of_the_folder_that_the_policy_shows() {
    let mut typing = Typing::new(&abilities());
    assert_eq!(typing.labels("EMIT FS.ReadFile(\"da|"), ["data/", "dates.ns"]);
    let items = typing.complete("EMIT FS.ReadFile(\"data/|\")\n");
    assert_eq!(items.len(), 1, "{items:?}");
    let edit = &items[0]["textEdit"];
    assert_eq!(edit["newText"], "table.csv");
    assert_eq!(edit["range"], json!({ "start": at(0, 23), "end": at(0, 23) }));
    for outside in ["../", "/", "/etc/", "~/", "data/../../"] {
        assert_eq!(typing.labels(&format!("EMIT FS.ReadFile(\"{outside}|")), Vec::<String>::new(), "{outside}");
    }
    typing.editor.leave();
}

#[test]
fn a_tool_is_written_with_its_required_arguments() {
    let mut typing = Typing::new(&abilities());
    let items = typing.complete("EMIT FS.WriteF|\n");
    let item = items.iter().find(|item| item["label"] == "WriteFile").expect("a tool");
    assert_eq!(item["insertTextFormat"], 2, "{item}");
    let text = item["textEdit"]["newText"].as_str().unwrap();
    assert!(text.starts_with("WriteFile(${1:") && text.contains("${2:") && text.ends_with(")$0"), "{text}");
    assert!(item["detail"].as_str().unwrap().len() > 10, "{item}");
    // Where arguments are there already, the name alone.
    let items = typing.complete("EMIT FS.WriteF|(\"a\")\n");
    assert_eq!(items[0]["textEdit"]["newText"], "WriteFile");
    typing.editor.leave();
    let mut plain = abilities();
    plain["textDocument"]["completion"]["completionItem"]["snippetSupport"] = json!(false);
    let mut typing = Typing::new(&plain);
    let items = typing.complete("EMIT FS.WriteF|\n");
    assert_eq!(items[0]["textEdit"]["newText"], "WriteFile(");
    assert!(items[0].get("insertTextFormat").is_none());
    typing.editor.leave();
}

/// The call that a snippet becomes when each placeholder gets a variable of its name.
fn filled(group: &str, snippet: &str) -> String {
    let mut call = format!("{group}.{}", snippet.trim_end_matches("$0").replace("$1", ""));
    while let Some((before, rest)) = call.split_once("${") {
        let (placeholder, behind) = rest.split_once('}').unwrap();
        call = format!("{before}{}{behind}", placeholder.split_once(':').unwrap().1);
    }
    call
}

#[test]
fn every_tool_is_written_as_a_call_that_binds_each_placeholder_to_its_parameter() {
    let mut typing = Typing::new(&abilities());
    let groups: BTreeSet<&str> =
        built_in_tools().iter().filter_map(|tool| Some(tool.spec.name.split_once('.')?.0)).collect();
    let mut seen = 0;
    for group in groups {
        for item in typing.complete(&format!("EMIT {group}.|\n")) {
            let call = filled(group, item["textEdit"]["newText"].as_str().unwrap());
            let Some((_, arguments)) = call.trim_end_matches(')').split_once('(').filter(|(_, it)| !it.is_empty())
            else {
                continue;
            };
            let names: Vec<&str> = arguments.split(", ").map(|it| it.split(": ").last().unwrap()).collect();
            let head = format!("DEFINE PROCEDURE P({})\n  RETURN ", names.join(", "));
            let mut end = call.find('(').unwrap() + 1;
            for argument in arguments.split(", ") {
                end += argument.len();
                let position = typing.set(&format!("{head}{}|\n", &call[..end]));
                let help = typing.editor.result_at("textDocument/signatureHelp", &typing.file, position);
                let active = help["activeParameter"].as_u64().unwrap() as usize;
                let parameter = help["signatures"][0]["parameters"][active]["label"].as_str().unwrap();
                let name = argument.split(": ").last().unwrap();
                assert_eq!(parameter.split([':', '?']).next().unwrap(), name, "{call}");
                end += 2;
            }
            typing.set(&format!("{head}{call}\nEND|\n"));
            let mut found = typing.editor.diagnostics(&typing.file);
            // A procedure is given by its name, and no variable stands for one.
            found.retain(|finding| !names.contains(&"procedure") || finding["code"] != "NS0103");
            assert_eq!(found, Vec::<Json>::new(), "{call}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
    typing.editor.leave();
}

#[test]
fn an_answer_has_a_hundred_candidates_at_most() {
    let mut typing = Typing::new(&abilities());
    let position = typing.set("CALL |\n");
    let list = typing.editor.result_at("textDocument/completion", &typing.file, position);
    assert_eq!(list["isIncomplete"], true);
    assert_eq!(list["items"].as_array().unwrap().len(), 100);
    typing.editor.leave();
}

#[test]
fn the_signature_shows_the_argument_at_the_cursor() {
    let mut typing = Typing::new(&abilities());
    for (marked, label, active) in [
        ("USE \"dates.ns\" AS dates\nEMIT dates.Format(|\n", "dates.Format(when, style: \"short\")", 0),
        ("USE \"dates.ns\" AS dates\nEMIT dates.Format(LEN([1, 2]), |\n", "dates.Format(when, style: \"short\")", 1),
        ("USE \"dates.ns\" AS dates\nEMIT dates.Format(style: |\n", "dates.Format(when, style: \"short\")", 1),
        ("EMIT LEN(|)\n", "LEN(value)", 0),
    ] {
        let position = typing.set(marked);
        let help = typing.editor.result_at("textDocument/signatureHelp", &typing.file, position);
        assert_eq!(help["signatures"][0]["label"], label, "{marked}");
        assert_eq!(help["activeParameter"], active, "{marked}");
    }
    for marked in ["EMIT 1 + |\n", "EMIT [1, |\n", "EMIT Nope(|\n"] {
        let position = typing.set(marked);
        assert_eq!(
            typing.editor.result_at("textDocument/signatureHelp", &typing.file, position),
            Json::Null,
            "{marked}"
        );
    }
    typing.editor.leave();
}
