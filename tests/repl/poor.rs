//! Terminals with few capabilities, and input that is not UTF-8.

use crate::repl::terminal::{begin, command, ends_with, send, session, type_line, until};

#[test]
fn a_dumb_terminal_is_enough() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut dumb = command(place.path());
    dumb.env("TERM", "dumb").env_remove("NO_COLOR");
    let (mut session, shown) = begin(dumb);
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    type_line(&mut session, "SET x = 1", "ns> ");
    type_line(&mut session, "IF true THEN", "... ");
    type_line(&mut session, "  SET x = 2", "... ");
    send(&session, "\u{3}");
    until(&mut session, "ns> ");
    assert!(type_line(&mut session, "x", "ns> ").contains("1\n"));
    send(&session, b"\"a\xffb\"\n");
    let shown = until(&mut session, "ns> ");
    // The bytes of U+FFFD, one by one, as this terminal shows them.
    assert!(shown.contains("invalid UTF-8") && shown.contains("a\u{ef}\u{bf}\u{bd}b"), "{shown}");
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    send(&session, "\u{3}");
    until(&mut session, "ns> ");
    send(&session, "\u{3}");
    ends_with(&mut session, 130);
}

#[test]
fn what_is_no_text_is_stated_and_the_line_is_kept() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, b"\"caf\xe9\"");
    until(&mut session, "not valid UTF-8");
    until(&mut session, "ns> \"caf");
    type_line(&mut session, "e\"", "\ncafe\r\n");
}

#[test]
fn a_paste_that_is_no_text_is_refused_to_its_last_line() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, "\"kept ");
    until(&mut session, "kept ");
    let mut paste = b"\x1b[200~SET a = \"\xff\"\n".to_vec();
    for line in 0..20_000 {
        paste.extend(format!("CALL FS.WriteFile(\"made\", \"{line}\")\n").bytes());
    }
    paste.extend(b"\x1b[201~");
    send(&session, paste);
    until(&mut session, "not valid UTF-8 and was ignored");
    type_line(&mut session, "line\"", "\nkept line\r\n");
    assert!(!place.path().join("made").exists());
}
