//! Lines, blocks and their effects.

use crate::repl::terminal::{plain, session, type_line};

#[test]
fn expressions_statements_and_blocks() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    assert!(type_line(&mut session, "1 + 2", "ns> ").contains("\n3\n"));
    type_line(&mut session, "SET x = [1]", "ns> ");
    type_line(&mut session, "FOR EACH i IN RANGE(3) DO", "... ");
    type_line(&mut session, "  SET x = x + [i]", "... ");
    type_line(&mut session, "END", "ns> ");
    assert!(type_line(&mut session, "x", "ns> ").contains("\n[1, 0, 1, 2]\n"));
    type_line(&mut session, "func Double(needs n) means", "... ");
    type_line(&mut session, "RETURN n * 2", "... ");
    type_line(&mut session, "endfunc", "ns> ");
    assert!(type_line(&mut session, "Double(21)", "ns> ").contains("\n42\n"));
    session.send_line(":quit").expect("the session takes a line");
    session.exp_eof().expect("the session ends");
}

#[test]
fn a_line_that_fails_changes_nothing() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "SET x = 1", "ns> ");
    type_line(&mut session, "IF true THEN", "... ");
    type_line(&mut session, "SET x = 2", "... ");
    type_line(&mut session, "EMIT 1 / 0", "... ");
    let shown = type_line(&mut session, "END", "ns> ");
    assert!(shown.contains("divides by zero"), "{shown}");
    assert!(type_line(&mut session, "x", "ns> ").contains("\n1\n"));
    let shown = type_line(&mut session, "EMIT y", "ns> ");
    assert!(shown.contains("nothing sets `y`"), "{shown}");
}

#[test]
fn an_interrupt_stops_the_line_and_not_the_session() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "SET x = 5", "ns> ");
    for line in ["IF true THEN", "EMIT \"on\"", "WHILE true DO", "END"] {
        type_line(&mut session, line, "... ");
    }
    session.send_line("END").expect("the session takes a line");
    session.exp_string("\non\r\n").expect("the loop begins");
    session.send_control('c').expect("the session takes Ctrl-C");
    let shown = plain(&session.exp_string("ns> ").expect("the next prompt"));
    assert!(shown.contains("interrupted"), "{shown}");
    assert!(type_line(&mut session, "x", "ns> ").contains("\n5\n"));
    session.send_control('d').expect("the session takes Ctrl-D");
    session.exp_eof().expect("the session ends");
}

/// Ctrl-C on a line with text clears it, however soon it follows another; twice on an empty line leaves.
#[test]
fn ctrl_c_leaves_only_an_empty_line() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "SET x = 5", "ns> ");
    for _ in 0..3 {
        session.send("EMIT Z").expect("the session takes text");
        session.exp_string("Z").expect("the text is shown");
        session.send_control('c').expect("the session takes Ctrl-C");
        session.exp_string("ns> ").expect("the next prompt");
    }
    assert!(type_line(&mut session, "x", "ns> ").contains("\n5\n"));
    session.send_control('c').expect("the session takes Ctrl-C");
    session.exp_string("ns> ").expect("the next prompt");
    session.send_control('c').expect("the session takes Ctrl-C");
    session.exp_eof().expect("the session ends");
}

#[test]
fn what_could_change_the_terminal_is_escaped() {
    let place = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(place.path().join("a\u{1b}[31mb\u{202e}c"), "").expect("a file with an odd name");
    let mut session = session(place.path());
    session.send_line("FS.WalkDir(\".\")[0].name").expect("the session takes a line");
    let shown = session.exp_string("ns> ").expect("the next prompt");
    assert!(shown.contains("a\\u{1b}[31mb\\u{202e}c"), "{shown:?}");
    assert!(!shown.contains('\u{202e}'), "{shown:?}");
}

#[test]
fn session_memory_lives_as_long_as_the_session() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut first = session(place.path());
    type_line(&mut first, "CALL MEMORY.Set(\"k\", [1, 2])", "ns> ");
    assert!(type_line(&mut first, "MEMORY.Get(\"k\")", "ns> ").contains("\n[1, 2]\n"));
    type_line(&mut first, "IF true THEN", "... ");
    type_line(&mut first, "CALL MEMORY.Set(\"k\", 3)", "... ");
    type_line(&mut first, "EMIT 1 / 0", "... ");
    assert!(type_line(&mut first, "END", "ns> ").contains("divides by zero"));
    assert!(type_line(&mut first, "MEMORY.Get(\"k\")", "ns> ").contains("\n3\n"), "memory is no variable");
    let mut second = session(place.path());
    assert!(type_line(&mut second, "MEMORY.Get(\"k\")", "ns> ").contains("\nnil\n"), "a session of its own");
    type_line(&mut second, "CALL MEMORY.Set(\"p\", 4, \"project\")", "ns> ");
    assert!(type_line(&mut first, "MEMORY.Get(\"p\", \"project\")", "ns> ").contains("\n4\n"));
    assert!(type_line(&mut first, "MEMORY.List()", "ns> ").contains("\n[\"k\"]\n"));
}

#[test]
fn help_names_the_commands() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    assert!(type_line(&mut session, ":help", "ns> ").contains(":quit"));
    assert!(type_line(&mut session, ":tools", "ns> ").contains("FS.WalkDir"));
    assert!(type_line(&mut session, ":nonsense", "ns> ").contains("there is no `:nonsense`"));
}

#[test]
fn each_line_is_a_run_that_can_be_taken_back() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "CALL FS.WriteFile(\"a.txt\", \"one\")", "ns> ");
    type_line(&mut session, "CALL FS.WriteFile(\"a.txt\", \"two\")", "ns> ");
    let log = type_line(&mut session, ":log", "ns> ");
    for text in ["one", "two"] {
        assert!(log.contains(&format!("  CALL FS.WriteFile(\"a.txt\", \"{text}\")")), "{log}");
    }
    let read = || std::fs::read_to_string(place.path().join("a.txt")).unwrap_or_default();
    for (command, text, expected) in
        [(":undo", "two", "one"), (":redo", "two", "two"), (":undo", "two", "one"), (":undo", "one", "")]
    {
        let shown = type_line(&mut session, command, "ns> ");
        let (did, remedy) = if command == ":undo" { ("undid", ":redo") } else { ("redid", ":undo") };
        assert!(
            shown.contains(&format!("\n{did} ")) && shown.contains(&format!("): 1 change; `{remedy}` ")),
            "{shown}"
        );
        assert!(shown.contains(&format!("(CALL FS.WriteFile(\"a.txt\", \"{text}\"))")), "{shown}");
        assert_eq!(read(), expected);
    }
    let nothing = type_line(&mut session, ":undo", "ns> ");
    assert!(nothing.contains("there is nothing to undo") && nothing.contains("`:log` lists"), "{nothing}");
    let log = type_line(&mut session, ":log", "ns> ");
    let name = log.lines().last().and_then(|line| line.split_whitespace().next()).expect("a run").to_owned();
    let again = type_line(&mut session, &format!(":undo {name}"), "ns> ");
    assert!(again.contains(&format!("`:redo {name}` does it again")), "{again}");
    assert!(type_line(&mut session, &format!(":redo {name}"), "ns> ").contains("redid "));
    assert_eq!(read(), "one");
}

#[test]
fn no_line_is_warned_of() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    for line in ["CALL FS.DeleteFile(\"x\")", "SET unread = 1", "EMIT LEN([]) == nil"] {
        let shown = type_line(&mut session, line, "ns> ");
        assert!(!shown.contains("warning[") && !shown.contains("NS01"), "{line}: {shown}");
    }
}

/// Syntax of other languages gets a help, also where a lone expression would be read.
#[test]
fn lines_of_other_languages_are_told_what_to_write() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    for (line, help) in [
        ("x = 6", "write `SET x = 6`"),
        ("  y=[1, 2]", "write `SET y = [1, 2]`"),
        ("x += 1", "write `SET x = x + 1`"),
        ("PRINT \"x\"", "write `EMIT`"),
        ("x => x * 2", "define a procedure"),
    ] {
        let shown = type_line(&mut session, line, "ns> ");
        assert!(shown.contains(help), "{line}: {shown}");
    }
    type_line(&mut session, "SET x = 6", "ns> ");
    // Comparisons are no assignments.
    for (line, value) in [("x == 6", "true"), ("x >= 7", "false"), ("x != 6", "false"), ("[x, 1] == [6, 1]", "true")] {
        let shown = type_line(&mut session, line, "ns> ");
        assert!(shown.contains(&format!("\n{value}\n")), "{line}: {shown}");
    }
}

/// Code that behaves differently than in other languages causes a warning.
#[test]
fn what_means_something_else_here_is_said() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "SET n = 3", "ns> ");
    for (line, value, told) in [
        ("2^8", "10", "write `2 ** 8`"),
        ("EMIT n ^ 2", "1", "write `n ** 2`"),
        ("5 // 2", "5", "FLOOR(a / b)"),
        ("n // 2", "3", "FLOOR(a / b)"),
        ("EMIT \"n is {n}\"", "n is {n}", "join the parts"),
        ("EMIT \"{{n}}\"", "{{n}}", "three backticks"),
        ("IF n == 3 THEN\nEMIT 10 ^ n\nEND", "9", "write `10 ** n`"),
    ] {
        let shown = type_line(&mut session, line, "ns> ");
        let is_told = shown.contains("\nwarning: ") && shown.contains(told);
        assert!(shown.contains(&format!("\n{value}\n")) && is_told, "{line}: {shown}");
    }
    for line in ["n ^ 1", "EMIT n  // two of them", "SET s = \"{other}\"", "2 ** 8"] {
        let shown = type_line(&mut session, line, "ns> ");
        assert!(!shown.contains("warning"), "{line}: {shown}");
    }
}
