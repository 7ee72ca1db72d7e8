//! Pastes, blocks, Ctrl-C, colours.

use std::process::Stdio;

use crate::repl::terminal::{begin, command, ends_with, resize, send, session, type_line, until};

/// Returns a text as sent by a terminal with bracketed paste.
fn pasted(text: &str) -> String {
    format!("\u{1b}[200~{text}\u{1b}[201~")
}

/// Returns a procedure of `lines` lines.
fn long_procedure(lines: usize) -> String {
    let body: String = (0..lines).map(|number| format!("  SET total = total + {number}\n")).collect();
    format!("func Sum(needs start returns sum) means\n  SET total = start\n{body}  RETURN total\nendfunc")
}

#[test]
fn a_paste_of_200_lines_is_one_entry() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, pasted(&long_procedure(200)));
    until(&mut session, "endfunc");
    type_line(&mut session, "", "ns> ");
    assert!(type_line(&mut session, "Sum(1)", "ns> ").contains("\n19901\n"));
}

#[test]
fn lines_that_come_at_once_are_all_read() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, format!("{}\nSET x = Sum(2)\nx\n\"the\" + \" end\"\n", long_procedure(200)));
    let shown = until(&mut session, "the end\r\n");
    assert!(shown.contains("\n19902\n"), "{shown}");
    until(&mut session, "ns> ");
}

#[test]
fn statements_and_values_pasted_together_run_one_after_another() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, pasted("SET x = 20\nx + 1\nIF x > 1 THEN\n  SET x = 30\nEND\nx + 2\n1 / 0\nx + 3"));
    until(&mut session, "x + 3");
    send(&session, "\n");
    let shown = until(&mut session, "divides by zero");
    assert!(shown.contains("\n21\n32\n"), "{shown}");
    assert!(!type_line(&mut session, "\"end\"", "\nend\r\n").contains("33"));
}

#[test]
fn a_mistake_in_a_block_does_not_end_it() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "IF false THEN", "... ");
    type_line(&mut session, "  SET = 3", "... ");
    type_line(&mut session, "  EMIT \"never\"", "... ");
    let shown = type_line(&mut session, "END", "ns> ");
    assert!(shown.contains("error") && !shown.contains("\nnever\n"), "{shown}");
    // An invalid first line does not open a block.
    assert!(type_line(&mut session, "IF false THN", "ns> ").contains("error"));
}

#[test]
fn what_is_wrong_is_shown_where_it_stands() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    let shown = type_line(&mut session, "1 + nothing", "ns> ");
    assert!(shown.contains("<line 1>:1:5") && shown.contains("nothing sets `nothing`"), "{shown}");
    let shown = type_line(&mut session, "[1, 2] + * 3", "ns> ");
    assert!(shown.contains("<line 2>:1:10"), "{shown}");
    for (line, place) in [("1 +", "<line 3>:1:4"), ("LEN(1 2)", "<line 4>:1:7"), ("x..y", "<line 5>:1:3")] {
        let shown = type_line(&mut session, line, "ns> ");
        assert!(shown.contains(place), "{shown}");
    }
    let shown = type_line(&mut session, "EMTI \"x\"", "ns> ");
    assert!(shown.contains("EMIT"), "{shown}");
}

#[test]
fn a_command_in_a_block_is_not_lost_in_it() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "IF true THEN", "... ");
    assert!(type_line(&mut session, ":quit", "... ").contains("a block is still open"));
    type_line(&mut session, "EMIT \'\'\'a", "... ");
    type_line(&mut session, ":b\'\'\'", "... ");
    type_line(&mut session, "END", "\na\r\n:b\r\n");
}

#[test]
fn alt_enter_begins_a_line() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, "SET x = 20\u{1b}\rEMIT x + 1\r");
    until(&mut session, "\n21\r\n");
}

#[test]
fn up_brings_a_block_back() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "FOR EACH i IN RANGE(2) DO", "... ");
    type_line(&mut session, "  EMIT \"wrong\", i", "... ");
    // Up to the lines above, to their end, and over `"wrong", i`.
    send(&session, "\u{1b}[A");
    until(&mut session, "wrong");
    send(&session, "\u{7f}".repeat("\"wrong\", i".len()));
    send(&session, "\"right \", i\r");
    let shown = type_line(&mut session, "END", "right 1\r\n");
    assert!(shown.ends_with("right 0\n") && !shown.contains("wrong 0"), "{shown}");
}

#[test]
fn ctrl_c_clears_and_a_second_one_leaves() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "SET x = 1", "ns> ");
    type_line(&mut session, "IF true THEN", "... ");
    send(&session, "SET x = 2\u{3}");
    until(&mut session, "ns> ");
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert!(type_line(&mut session, "x", "ns> ").contains("\n1\n"));
    send(&session, "abc\u{3}");
    until(&mut session, "ns> ");
    send(&session, "\u{3}");
    ends_with(&mut session, 130);
}

#[test]
fn an_interrupted_script_keeps_its_variables() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "SET n = 0", "ns> ");
    type_line(&mut session, "WHILE true DO", "... ");
    for line in ["SET n = n + 1", "IF n == 2 THEN", "EMIT \"on\"", "END"] {
        type_line(&mut session, line, "... ");
    }
    send(&session, "END\n");
    until(&mut session, "\non\r\n");
    send(&session, "\u{3}");
    assert!(until(&mut session, "ns> ").contains("interrupted"));
    assert!(type_line(&mut session, "n > 1", "ns> ").contains("\ntrue\n"));
    send(&session, "\u{4}");
    ends_with(&mut session, 0);
}

#[test]
fn words_have_colours_where_they_may() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut colored = command(place.path());
    colored.env_remove("NO_COLOR");
    let (mut session, _) = begin(colored);
    send(&session, "SET x = FS.Exists(\"a\") # why");
    for part in ["\u{1b}[35mSET", "\u{1b}[34mExists", "\u{1b}[32m\"a\"", "\u{1b}[90m# why"] {
        session.exp_string(part).unwrap_or_else(|error| panic!("{part:?} comes: {error}"));
    }
    let mut session = crate::repl::terminal::session(place.path());
    send(&session, "SET x = 1 # why\n");
    let shown = session.exp_string("ns> ").expect("the next prompt");
    assert!(!shown.contains("\u{1b}[35m"), "{shown:?}");
}

#[test]
fn commands_in_a_paste_are_commands() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, pasted(":time 1\nSET x = 20\n:type x\nSET t = '''\n:reset\n'''\nx + 1\n:vars"));
    send(&session, "\n");
    // The output of `:vars` comes last, and names both.
    let shown = until(&mut session, "t  string");
    assert!(shown.contains(" steps\n") && shown.contains("\nint\n") && shown.contains("\n21\n"), "{shown}");
}

#[test]
fn a_megabyte_is_pasted() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, pasted(&format!("SET long = \"{}\"", "a".repeat(1 << 20))));
    send(&session, "\nLEN(long)\n");
    until(&mut session, "\n1048576\r\n");
}

#[test]
fn a_megabyte_on_one_line_is_typed() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, format!("SET long = \"{}\"\n", "a".repeat(1 << 20)));
    send(&session, "LEN(long)\n");
    until(&mut session, "\n1048576\r\n");
}

#[test]
fn twenty_columns_are_enough() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    resize(&session, 20);
    // The prompt is redrawn for the new width at some point.
    send(&session, "\"a line that is longer than the terminal is wide\"\n");
    until(&mut session, "\na line that is longer than the terminal is wide\r\n");
}

#[test]
fn what_is_not_typed_is_a_script() {
    let place = tempfile::tempdir().expect("a folder for the test");
    for words in [&[][..], &["repl"]] {
        let mut command = command(place.path());
        let child = command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the session begins");
        let mut input = child.stdin.take().expect("it has an input");
        std::io::Write::write_all(&mut input, b"SET x = 20\nEMIT x + 1\n").expect("it reads");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "21\n", "{words:?}: {output:?}");
    }
}
