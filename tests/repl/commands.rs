//! Commands that begin with a colon.

use crate::repl::terminal::{session, type_line};

#[test]
fn help_has_a_page_for_everything() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    for (topic, expected) in [
        ("FS.ReadFile", "Example"),
        ("readfile", "FS.ReadFile("),
        ("FOR EACH", "prints"),
        ("NS0101", "NS0101"),
        ("STR", "STR.Upper"),
        (":out", ":out [N]"),
        ("undo", ":undo [RUN]"),
        ("FS.ReadFiel", "did you mean `FS.ReadFile`?"),
        ("xyzzyxyzzy", "there is no page about `xyzzyxyzzy`"),
    ] {
        let shown = type_line(&mut session, &format!(":help {topic}"), "ns> ");
        assert!(shown.contains(expected), "{topic}: {shown}");
    }
}

#[test]
fn commands_are_found_by_their_beginning_or_offered() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    assert!(type_line(&mut session, ":hel", "ns> ").contains(":quit"));
    assert!(type_line(&mut session, ":tool", "ns> ").contains("FS.WalkDir"));
    assert!(type_line(&mut session, ":vasr", "ns> ").contains("did you mean `:vars`?"));
    assert!(type_line(&mut session, ":nonsense", "ns> ").contains("there is no `:nonsense`"));
    assert!(type_line(&mut session, ":type", "ns> ").contains(":type EXPR"));
}

#[test]
fn tools_are_found_by_a_pattern() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    let shown = type_line(&mut session, ":tools hash", "ns> ");
    assert!(shown.contains("FS.HashFile") && !shown.contains("FS.WalkDir"), "{shown}");
    let shown = type_line(&mut session, ":tools fs.*file", "ns> ");
    assert!(shown.contains("FS.CopyFile") && !shown.contains("FS.WalkDir"), "{shown}");
    assert!(type_line(&mut session, ":tools walkdri", "ns> ").contains("did you mean `FS.WalkDir`?"));
}

#[test]
fn the_session_tells_what_it_knows_and_forgets_it() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    assert!(type_line(&mut session, ":vars", "ns> ").contains("there are no variables"));
    type_line(&mut session, "SET count = 12", "ns> ");
    type_line(&mut session, "func Twice(needs n optional m, base: 10) means", "... ");
    type_line(&mut session, "COMMENT: doubles ENDCOMMENT", "... ");
    type_line(&mut session, "RETURN n * 2", "... ");
    type_line(&mut session, "endfunc", "ns> ");
    let shown = type_line(&mut session, ":vars", "ns> ");
    assert!(shown.contains("count") && shown.contains("int") && shown.contains("12"), "{shown}");
    let shown = type_line(&mut session, ":procs", "ns> ");
    assert!(shown.contains("Twice(n, m?, base: 10)") && shown.contains("doubles"), "{shown}");
    type_line(&mut session, ":reset", "ns> ");
    assert!(type_line(&mut session, ":vars", "ns> ").contains("there are no variables"));
    assert!(type_line(&mut session, "Twice(1)", "ns> ").contains("error"));
    assert!(type_line(&mut session, "LAST", "ns> ").ends_with("\nnil\n"));
}

#[test]
fn types_and_times_are_told() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "5", "ns> ");
    assert!(type_line(&mut session, ":type 1.5", "ns> ").ends_with("\nfloat\n"));
    assert!(type_line(&mut session, ":type [{}, {}]", "ns> ").ends_with("\nlist of 2 maps\n"));
    assert!(type_line(&mut session, ":type \"é\"", "ns> ").ends_with("\nstring of 1 character\n"));
    assert!(type_line(&mut session, ":type nothing", "ns> ").contains("nothing sets `nothing`"));
    assert!(type_line(&mut session, "LAST", "ns> ").ends_with("\n5\n"), "a look changes nothing");
    let shown = type_line(&mut session, ":time 20 + 1", "ns> ");
    assert!(shown.contains("\n21\n") && shown.contains(" steps"), "{shown}");
}

#[test]
fn scripts_are_loaded_and_saved() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let (script, saved) = (place.path().join("script.ns"), place.path().join("saved.ns"));
    std::fs::write(&script, "SET base = 40\nfunc Add(needs n) means\nRETURN base + n\nendfunc\n").expect("a script");
    let mut session = session(place.path());
    type_line(&mut session, &format!(":load {}", script.display()), "ns> ");
    assert!(type_line(&mut session, "Add(2)", "ns> ").ends_with("\n42\n"));
    type_line(&mut session, "SET x = nothing", "ns> ");
    assert!(type_line(&mut session, &format!(":load {}/none.ns", place.path().display()), "ns> ").contains("none.ns"));
    type_line(&mut session, &format!(":save {}", saved.display()), "ns> ");
    let text = std::fs::read_to_string(&saved).expect("it was saved");
    assert_eq!(text, "SET base = 40\nfunc Add(needs n) means\nRETURN base + n\nendfunc\nEMIT Add(2)\n");
    let shown = type_line(&mut session, &format!(":save {}", saved.display()), "ns> ");
    assert!(shown.contains("is there already"), "{shown}");
    // A loaded script that fails changes nothing.
    std::fs::write(&script, "SET base = 1\nEMIT 1 / 0\n").expect("a script");
    assert!(type_line(&mut session, &format!(":load {}", script.display()), "ns> ").contains("divides by zero"));
    assert!(type_line(&mut session, "base", "ns> ").ends_with("\n40\n"));
    std::fs::write(&script, ":: needs: 4711\nSET base = totl\n").expect("a script");
    let shown = type_line(&mut session, &format!(":load {}", script.display()), "ns> ");
    assert!(shown.contains("error[NS0209]") && !shown.contains("totl`"), "{shown}");
    assert!(type_line(&mut session, "base", "ns> ").ends_with("\n40\n"));
}

#[test]
fn doc_is_another_word_for_help() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    assert!(type_line(&mut session, ":doc", "ns> ").contains(":undo"));
    assert!(type_line(&mut session, ":doc LEN", "ns> ").contains("prints"));
}

#[test]
fn changes_and_the_policy_are_shown() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    assert!(type_line(&mut session, ":show", "ns> ").contains("no run has changed anything here"));
    type_line(&mut session, "CALL FS.WriteFile(\"a.txt\", \"one\\n\")", "ns> ");
    let shown = type_line(&mut session, ":show", "ns> ");
    assert!(shown.contains("a.txt") && shown.contains("+one"), "{shown}");
    let shown = type_line(&mut session, ":policy", "ns> ");
    assert!(shown.contains("sandbox") && shown.contains("max_steps"), "{shown}");
    let shown = type_line(&mut session, ":undo nonsense", "ns> ");
    assert!(shown.contains("nonsense"), "{shown}");
}
