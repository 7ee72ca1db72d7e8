//! The playground without a browser: what it answers, and what it refuses.

use std::cell::RefCell;
use std::rc::Rc;

use neuroscript_playground::{Playground, Receiver, highlight};
use serde_json::{Value, json};

fn playground() -> Playground {
    Playground::new().unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn parsed(answer: &str) -> Value {
    serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// Pieces of output, and whether each is a warning.
type Pieces = Rc<RefCell<Vec<(String, bool)>>>;

/// Returns the pieces of output, and a receiver that collects them.
fn collector() -> (Pieces, Receiver) {
    let pieces = Rc::new(RefCell::new(Vec::new()));
    let kept = pieces.clone();
    (pieces, Box::new(move |text, is_warning| kept.borrow_mut().push((text.to_owned(), is_warning))))
}

fn run(playground: &mut Playground, script: &str) -> (Value, String) {
    let (pieces, receiver) = collector();
    let answer = parsed(&playground.run(script, receiver));
    let text = pieces.borrow().iter().map(|(text, _)| text.as_str()).collect();
    (answer, text)
}

fn paths(playground: &Playground) -> Vec<String> {
    let state = parsed(&playground.state());
    let entries = state["entries"].as_array().cloned().unwrap_or_default();
    entries.iter().map(|entry| entry["path"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_run_changes_the_folder_and_is_undone() {
    let mut playground = playground();
    let (answer, text) = run(&mut playground, "MUST FS.WriteFile(\"a/b.txt\", \"é\")\nEMIT \"done\"");
    assert_eq!((&answer["ending"], text.as_str()), (&json!("done"), "done\n"), "{answer}");
    assert_eq!(paths(&playground), ["a", "a/b.txt"]);
    assert_eq!(parsed(&playground.read("a/b.txt")), json!({"size": 2, "text": "é", "is_cut": false}));
    playground.undo(false);
    assert_eq!(paths(&playground), [""; 0]);
    playground.undo(true);
    assert_eq!(paths(&playground), ["a", "a/b.txt"]);
}

#[test]
fn a_plan_has_differences_and_is_applied_once() {
    let mut playground = playground();
    playground.write("a.txt", "one\ntwo\n");
    let (_, receiver) = collector();
    let answer = parsed(&playground.plan("MUST FS.WriteFile(\"a.txt\", \"one\\n2\\n\")", receiver));
    let change = &answer["plan"]["changes"][0];
    assert_eq!((&change["what"], &change["path"]), (&json!("changed"), &json!("a.txt")), "{answer}");
    assert!(change["diff"].as_str().is_some_and(|diff| diff.contains("-two\n+2\n")), "{change}");
    assert_eq!(parsed(&playground.read("a.txt"))["text"], "one\ntwo\n");
    assert_eq!(parsed(&playground.apply()), json!({"changes": 1}));
    assert_eq!(parsed(&playground.read("a.txt"))["text"], "one\n2\n");
    assert!(parsed(&playground.apply())["error"].is_object());
}

#[test]
fn offsets_of_findings_count_utf16() {
    let answer = parsed(&playground().check("EMIT \"😀\", nmae\n"));
    let place = &answer["findings"][0]["place"];
    assert_eq!((&place["start"], &place["end"], &place["column"]), (&json!(11), &json!(15), &json!(11)), "{answer}");
}

#[test]
fn tokens_cover_the_classes() {
    let script = "SET x = FS.Read(a: 1) # é\nEMIT \"😀\", x.key";
    let units: Vec<u16> = script.encode_utf16().collect();
    let numbers = highlight(script);
    let tokens = numbers.chunks_exact(3).map(|token| {
        let text = String::from_utf16_lossy(&units[token[0] as usize..token[1] as usize]);
        (text, token[2])
    });
    let expected = [
        ("SET", 0),
        ("x", 1),
        ("FS", 4),
        ("Read", 3),
        ("a", 5),
        ("1", 6),
        ("# é", 8),
        ("EMIT", 0),
        ("\"😀\"", 7),
        ("x", 1),
        ("key", 2),
    ];
    assert_eq!(tokens.collect::<Vec<_>>(), expected.map(|(text, class)| (text.to_owned(), class)));
}

#[test]
fn a_saved_folder_comes_back_and_is_compared() {
    let mut playground = playground();
    run(
        &mut playground,
        "MUST FS.WriteFile(\"a/b.txt\", \"1\")\nMUST FS.CreateDirectory(\"empty\")\nMUST FS.WriteFile(\"c\", \"c\")",
    );
    let saved = playground.save().unwrap_or_else(|refusal| panic!("{refusal}"));
    run(
        &mut playground,
        "MUST FS.WriteFile(\"a/b.txt\", \"2\")\nMUST FS.DeleteFile(\"c\")\nMUST FS.CreateDirectory(\"new\")",
    );
    let changes = parsed(&playground.changes_since(&saved));
    let rows: Vec<(&Value, &Value)> =
        changes["changes"].as_array().into_iter().flatten().map(|row| (&row["what"], &row["path"])).collect();
    assert_eq!(
        rows,
        [(&json!("changed"), &json!("a/b.txt")), (&json!("deleted"), &json!("c")), (&json!("created"), &json!("new/"))]
    );
    assert_eq!(parsed(&playground.load(&saved)), json!({"left_out": []}));
    assert_eq!(paths(&playground), ["a", "a/b.txt", "c", "empty"]);
    assert_eq!(parsed(&playground.changes_since(&saved)), json!({"changes": []}));
}

fn snapshot(table: &str, contents: &str) -> Vec<u8> {
    [&(table.len() as u32).to_le_bytes()[..], table.as_bytes(), contents.as_bytes()].concat()
}

#[test]
fn paths_that_lead_outside_are_left_out() {
    let rows = ["../out", "/out", "a/../../out", ".ns/x", "neuroscript.toml", "a\u{0}b", "", "good.txt"];
    let rows: Vec<Value> = rows.iter().map(|path| json!({"path": path, "kind": "file", "size": 1})).collect();
    let mut playground = playground();
    let answer = parsed(&playground.load(&snapshot(&json!(rows).to_string(), "12345678")));
    assert_eq!(answer["left_out"].as_array().map(Vec::len), Some(7), "{answer}");
    assert_eq!(paths(&playground), ["good.txt"]);
    assert_eq!(parsed(&playground.read("good.txt"))["text"], "8");
}

#[test]
fn damaged_snapshots_leave_the_folder_as_it_is() {
    let mut playground = playground();
    playground.write("kept", "");
    let beyond = json!([{"path": "a", "kind": "file", "size": u64::MAX}]).to_string();
    for bytes in [vec![], vec![1, 0, 0], vec![255; 9], snapshot("{", ""), snapshot(&beyond, "abc")] {
        let answer = parsed(&playground.load(&bytes));
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("damaged")), "{answer}");
        assert_eq!(paths(&playground), ["kept"]);
    }
}

#[test]
fn output_and_warnings_are_bounded() {
    let mut playground = playground();
    let (answer, text) = run(&mut playground, "WHILE true DO\n    EMIT STR.Repeat(\"x\", 1000)\nEND");
    assert_eq!(answer["findings"][0]["code"], "NS0610", "{answer}");
    assert!(text.len() <= 512 << 10, "{}", text.len());
    let (answer, text) =
        run(&mut playground, "FOR EACH n IN RANGE(0, 20000) DO\n    CALL FS.ReadFile(\"missing\")\nEND");
    assert_eq!(answer["ending"], "done", "{answer}");
    assert!(text.ends_with("further warnings are not shown") && text.len() < 80 << 10, "{}", text.len());
}
