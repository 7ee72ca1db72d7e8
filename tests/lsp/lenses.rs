//! Lenses: those whose commands the client has, at the places where something can be started.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::client::{Editor, abilities, uri};

/// Returns the lenses of a document: line, title, command, and the argument without the URI.
fn lenses(editor: &mut Editor, file: &str) -> Vec<String> {
    let found = editor.result("textDocument/codeLens", json!({ "textDocument": { "uri": file } }));
    let shown = found.as_array().unwrap().iter().map(|lens| {
        let command = &lens["command"];
        let mut argument = command["arguments"][0].clone();
        assert_eq!(argument.as_object_mut().unwrap().remove("uri"), Some(json!(file)));
        let name = command["command"].as_str().unwrap().strip_prefix("neuroscript.").unwrap();
        format!("{} {} {name} {argument}", lens["range"]["start"]["line"], command["title"].as_str().unwrap())
    });
    shown.collect()
}

fn editor(folder: &Path, commands: &[&str]) -> Editor {
    let mut abilities = abilities();
    let commands: Vec<String> = commands.iter().map(|command| format!("neuroscript.{command}")).collect();
    abilities["experimental"] = json!({ "commands": { "commands": commands } });
    Editor::open_with(folder, &[], &abilities)
}

#[test]
fn a_script_is_started_at_its_head_and_at_its_entry_point() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = editor(place.path(), &["run", "plan", "test", "debug", "other"]);
    assert_eq!(editor.server["capabilities"]["codeLensProvider"], json!({ "resolveProvider": false }));
    let file = uri(&place.path().join("a.ns"));
    editor.open_document(&file, "SET x = 1\nDEFINE PROCEDURE Other()\n  RETURN 1\nEND\n");
    assert_eq!(lenses(&mut editor, &file), ["0 Run run {}", "0 Plan plan {}", "0 Debug debug {}"]);
    // A file of procedures runs its `Main`, or its only procedure.
    let of_main = |line: usize, name: &str| {
        ["Run run", "Plan plan", "Debug debug"].map(|title| format!("{line} {title} {{\"procedure\":\"{name}\"}}"))
    };
    let main = "DEFINE PROCEDURE Other()\n  RETURN 1\nEND\nDEFINE PROCEDURE Main()\n  RETURN Other()\nEND\n";
    editor.replace(&file, 2, main);
    assert_eq!(lenses(&mut editor, &file), of_main(3, "Main"));
    editor.replace(&file, 3, "DEFINE PROCEDURE Only(a)\n  RETURN a\nEND\n");
    assert_eq!(lenses(&mut editor, &file), of_main(0, "Only"));
    editor.replace(&file, 4, "DEFINE PROCEDURE A()\n  RETURN 1\nEND\nDEFINE PROCEDURE B()\n  RETURN 1\nEND\n");
    assert_eq!(lenses(&mut editor, &file), Vec::<String>::new(), "nobody knows which one is meant");
    let both = "DEFINE PROCEDURE main()\n  RETURN 1\nEND\nDEFINE PROCEDURE Main()\n  RETURN 2\nEND\n";
    editor.replace(&file, 5, both);
    assert_eq!(lenses(&mut editor, &file), of_main(3, "Main"));
    // The lenses stay while a line is incomplete.
    editor.replace(&file, 6, "SET x = (\nEMIT 1\n");
    assert_eq!(lenses(&mut editor, &file).len(), 3);
    // A page of Markdown begins at its first code; a document that is no file cannot be started.
    let page = uri(&place.path().join("page.md"));
    editor.open_document(&page, "# Title\n\n```ns\nEMIT 1\n```\n");
    assert_eq!(lenses(&mut editor, &page)[0], "3 Run run {}");
    editor.open_document("untitled:Untitled-1", "EMIT 1\n");
    assert_eq!(lenses(&mut editor, "untitled:Untitled-1"), Vec::<String>::new());
    editor.leave();
}

#[test]
fn the_cases_of_a_script_are_those_of_its_golden_files() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("deep/a.setup.out")).unwrap();
    for name in ["a.ns", "a.out", "a.err", "a.long.out", "a.b.ns", "a.b.out", "b.out", "a.txt"] {
        fs::write(place.path().join("deep").join(name), "").unwrap();
    }
    let mut editor = editor(place.path(), &["test"]);
    let file = uri(&place.path().join("deep/a.ns"));
    editor.open_document(&file, "EMIT 1\n");
    assert_eq!(
        lenses(&mut editor, &file),
        ["0 Test all test {}", "0 Test a test {\"case\":\"a\"}", "0 Test a.long test {\"case\":\"a.long\"}"]
    );
    let file = uri(&place.path().join("deep/a.b.ns"));
    editor.open_document(&file, "EMIT 1\n");
    assert_eq!(lenses(&mut editor, &file), ["0 Test test {\"case\":\"a.b\"}"]);
    let file = uri(&place.path().join("none.ns"));
    editor.open_document(&file, "EMIT 1\n");
    assert_eq!(lenses(&mut editor, &file), Vec::<String>::new());
    editor.leave();
}

#[test]
fn a_client_without_commands_has_no_lenses() {
    let place = tempfile::tempdir().unwrap();
    for experimental in [Json::Null, json!({}), json!({ "commands": ["neuroscript.run"] }), json!(1)] {
        let mut abilities = abilities();
        abilities["experimental"] = experimental;
        let mut editor = Editor::open_with(place.path(), &[], &abilities);
        assert!(editor.server["capabilities"].get("codeLensProvider").is_none(), "{}", editor.server);
        let file = uri(&place.path().join("a.ns"));
        editor.open_document(&file, "EMIT 1\n");
        assert_eq!(lenses(&mut editor, &file), Vec::<String>::new());
        editor.leave();
    }
}
