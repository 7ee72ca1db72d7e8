//! The history of typed lines across sessions.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::repl::terminal::{begin, command, ends_with, send, type_line, until};

/// Returns a command that starts a session with a state directory.
fn with_state(sandbox: &Path, state: &Path) -> Command {
    let mut command = command(sandbox);
    command.env("XDG_STATE_HOME", state);
    command
}

#[test]
fn entries_outlive_the_session_whole() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let (sandbox, state) = (place.path().join("sandbox"), place.path().join("state"));
    std::fs::create_dir(&sandbox).expect("a sandbox");
    let (mut session, shown) = begin(with_state(&sandbox, &state));
    assert!(!shown.contains("warning"), "{shown}");
    type_line(&mut session, "IF true THEN", "... ");
    type_line(&mut session, "  EMIT \"back\\\\slash\"", "... ");
    type_line(&mut session, "END", "ns> ");
    type_line(&mut session, " SET secret = 1", "ns> ");
    send(&session, ":quit\n");
    ends_with(&mut session, 0);

    let file = state.join("neuroscript/history");
    let text = std::fs::read_to_string(&file).expect("the history is there");
    assert_eq!(text, "IF true THEN\\n  EMIT \"back\\\\\\\\slash\"\\nEND\n:quit\n");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().expect("it has a folder"))), (0o600, 0o700));

    let (mut session, _) = begin(with_state(&sandbox, &state));
    // `:quit`, then the block.
    send(&session, "\u{1b}[A\u{1b}[A");
    until(&mut session, "END");
    type_line(&mut session, "", "\nback\\slash\r\n");
}

#[test]
fn sessions_side_by_side_lose_nothing() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let state = place.path().join("state");
    let (mut first, _) = begin(with_state(place.path(), &state));
    let (mut second, _) = begin(with_state(place.path(), &state));
    type_line(&mut first, "SET a = 1", "ns> ");
    type_line(&mut second, "SET b = 2", "ns> ");
    type_line(&mut first, "SET c = 3", "ns> ");
    let text = std::fs::read_to_string(state.join("neuroscript/history")).expect("the history is there");
    assert_eq!(text, "SET a = 1\nSET b = 2\nSET c = 3\n");
}

#[test]
fn a_history_that_cannot_be_written_is_told_once() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let state = place.path().join("state");
    std::fs::write(&state, "a file").expect("a file in the way");
    let (mut session, shown) = begin(with_state(place.path(), &state));
    assert_eq!(shown.matches("the history is not saved").count(), 1, "{shown}");
    assert!(type_line(&mut session, "1 + 2", "ns> ").contains("\n3\n"));
    // Lines of this session are still available to it.
    send(&session, "\u{1b}[A\n");
    until(&mut session, "\n3\r\n");
    // Without a home there is no state directory.
    let mut homeless = command(place.path());
    homeless.env_remove("XDG_STATE_HOME");
    let (_, shown) = begin(homeless);
    assert!(shown.contains("there is no state folder"), "{shown}");
}

#[test]
fn what_is_in_the_place_of_the_history_is_left_alone() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = place.path().join("state/neuroscript");
    std::fs::create_dir_all(&folder).expect("a state folder");
    let other = place.path().join("other");
    std::fs::write(&other, "mine\n").expect("another file");
    symlink(&other, folder.join("history")).expect("a link");
    let (mut session, shown) = begin(with_state(place.path(), &place.path().join("state")));
    assert!(shown.contains("the history is not saved"), "{shown}");
    type_line(&mut session, "1 + 2", "ns> ");
    assert_eq!(std::fs::read_to_string(&other).expect("it is there"), "mine\n");
}

#[test]
fn a_damaged_history_is_read_as_far_as_it_is_text() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = place.path().join("state/neuroscript");
    std::fs::create_dir_all(&folder).expect("a state folder");
    let file = folder.join("history");
    std::fs::write(&file, b"\"first\"\n\xff\xfe\n\"cut off\"").expect("a history");
    let (mut session, shown) = begin(with_state(place.path(), &place.path().join("state")));
    assert!(shown.contains("1 line in"), "{shown}");
    send(&session, "\u{1b}[A\n");
    until(&mut session, "\ncut off\r\n");
    until(&mut session, "ns> ");
    type_line(&mut session, "1 + 2", "ns> ");
    let bytes = std::fs::read(&file).expect("the history is there");
    assert_eq!(bytes, b"\"first\"\n\xff\xfe\n\"cut off\"\n1 + 2\n");
}

#[test]
fn a_long_history_is_cut_beside_another_session() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let state = place.path().join("state");
    let folder = state.join("neuroscript");
    std::fs::create_dir_all(&folder).expect("a state folder");
    let file = folder.join("history");
    let lines = |numbers: std::ops::Range<u32>| numbers.map(|number| format!("{number}\n")).collect::<String>();
    std::fs::write(&file, lines(0..9_999)).expect("a history");
    let (mut first, _) = begin(with_state(place.path(), &state));
    type_line(&mut first, "\"before\"", "ns> ");
    type_line(&mut first, "\"before it\"", "ns> ");
    // The next session finds too many entries.
    let (mut second, _) = begin(with_state(place.path(), &state));
    type_line(&mut first, "\"first\"", "ns> ");
    type_line(&mut second, "\"second\"", "ns> ");
    let text = std::fs::read_to_string(&file).expect("the history is there");
    let expected = format!("{}\"before\"\n\"before it\"\n\"first\"\n\"second\"\n", lines(5_001..9_999));
    assert!(
        text == expected,
        "{} lines end with {:?}",
        text.lines().count(),
        text.lines().rev().take(5).collect::<Vec<_>>()
    );
    let mode = std::fs::metadata(&file).expect("it is there").permissions().mode() & 0o777;
    let mut names: Vec<_> =
        std::fs::read_dir(&folder).expect("it is listed").map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!((mode, names), (0o600, ["history", "key", "ledger"].map(Into::into).to_vec()));
}
