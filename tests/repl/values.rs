//! Display of values.

use crate::repl::terminal::{PtySession, begin, command, resize, send, session, type_line, until};

/// Creates a list of maps in a session.
fn make_rows(session: &mut PtySession, rows: usize) {
    type_line(session, "SET rows = []", "ns> ");
    type_line(session, &format!("FOR EACH i IN RANGE({rows}) DO"), "... ");
    type_line(session, "SET rows = rows + [{\"name\": \"n\" + i, \"size\": i * 10, \"none\": nil}]", "... ");
    type_line(session, "END", "ns> ");
}

#[test]
fn a_list_of_maps_is_a_table() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    make_rows(&mut session, 3);
    let shown = type_line(&mut session, "rows", "ns> ");
    assert!(shown.ends_with("\n name  size \n n0       0 \n n1      10 \n n2      20 \n"), "{shown:?}");
}

#[test]
fn what_does_not_fit_comes_with_its_number() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    make_rows(&mut session, 200);
    type_line(&mut session, "1", "ns> ");
    let shown = type_line(&mut session, "rows", "ns> ");
    assert!(shown.contains(" n19    190 ") && !shown.contains(" n20 "), "{shown}");
    assert!(shown.ends_with(" 180 more, :out 2\n"), "{shown:?}");
    type_line(&mut session, "\"other\"", "ns> ");
    let shown = type_line(&mut session, ":out 2", "ns> ");
    assert!(shown.contains(" n199  1990 "), "{shown}");
    assert!(type_line(&mut session, "LEN(LAST)", "ns> ").contains("\n200\n"), "`LAST` is the older result");
    let shown = type_line(&mut session, ":out", "ns> ");
    assert!(shown.contains("list of 200 maps") && shown.contains("other"), "{shown}");
    assert!(type_line(&mut session, ":out 99", "ns> ").contains("there is no result `99`"));
    let shown = type_line(&mut session, "RANGE(100000)", "ns> ");
    assert!(shown.len() < 4_000 && shown.contains("more, :out 5"), "{shown}");
}

#[test]
fn a_map_has_two_columns_and_a_text_is_as_it_is() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    let shown = type_line(&mut session, "{\"name\": \"a\", \"size\": 12}", "ns> ");
    assert!(shown.ends_with("\n name  a  \n size  12 \n"), "{shown:?}");
    assert!(type_line(&mut session, "\"two\\nlines\"", "ns> ").ends_with("\ntwo\nlines\n"));
    assert!(type_line(&mut session, "nil", "ns> ").ends_with("\nnil\n"));
    assert!(type_line(&mut session, "[1, \"a\"]", "ns> ").ends_with("\n[1, \"a\"]\n"));
}

#[test]
fn a_value_without_end_is_shown_within_the_limits() {
    let place = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(place.path().join("neuroscript.toml"), "[limits]\nstring_bytes = 100_000\n").expect("a policy");
    let mut session = session(place.path());
    for (name, first, next) in [("a", "[1]", "[a, a]"), ("b", "[1]", "[b, b]"), ("m", "{}", "{\"l\": m, \"r\": [m]}")] {
        type_line(&mut session, &format!("SET {name} = {first}"), "ns> ");
        type_line(&mut session, "FOR EACH i IN RANGE(60) DO", "... ");
        type_line(&mut session, &format!("SET {name} = {next}"), "... ");
        type_line(&mut session, "END", "ns> ");
    }
    for (number, line) in (1..).zip(["a", "m", "[{\"k\": a}, {\"k\": m}]"]) {
        let shown = type_line(&mut session, line, "ns> ");
        assert!(shown.len() < 100_000, "{line}: {shown}");
        let shown = type_line(&mut session, &format!(":out {number}"), "ns> ");
        assert!(shown.len() < 100_000, "{line}: {shown}");
    }
    assert!(type_line(&mut session, ":out 1", "ns> ").contains("the value is not shown: "));
    assert!(type_line(&mut session, "a == b AND a IN [b]", "ns> ").ends_with("\ntrue\n"));
    assert!(type_line(&mut session, "STR(a)", "ns> ").contains("NS0608"));
    assert!(type_line(&mut session, ":vars", "ns> ").len() < 100_000);
}

#[test]
fn last_lives_from_line_to_line() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "CALL STR.Upper(\"abc\")", "ns> ");
    assert!(type_line(&mut session, "LAST", "ns> ").ends_with("\nABC\n"));
    type_line(&mut session, "1 + 2", "ns> ");
    assert!(type_line(&mut session, "LAST * 2", "ns> ").ends_with("\n6\n"));
    type_line(&mut session, "1 / 0", "ns> ");
    assert!(type_line(&mut session, "LAST", "ns> ").ends_with("\n6\n"), "a line that fails changes nothing");
}

#[test]
fn results_make_room() {
    let place = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(place.path().join("neuroscript.toml"), "[limits]\nmemory_bytes = 4_000_000\n").expect("a policy");
    let mut session = session(place.path());
    let mut was_full = false;
    for _ in 0..8 {
        send(&session, "LEN([STR.Repeat(\"x\", 1_000_000)][0])\nSTR.Repeat(\"y\", 1_000_000)\n\"end\"\n");
        was_full |= until(&mut session, "\nend\r\n").contains("results were forgotten");
    }
    assert!(was_full);
    send(&session, "LEN(STR.Repeat(\"x\", 1_000_000))\n");
    until(&mut session, "\n1000000\r\n");
}

#[test]
fn a_narrow_terminal_says_which_columns_it_leaves_out() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    resize(&session, 20);
    send(&session, "[{\"alpha\": 1, \"beta\": 2, \"gamma\": 3, \"delta\": 4}]\n");
    let shown = until(&mut session, "1 more column: delta");
    assert!(shown.contains(" alpha  beta  gamma "), "{shown:?}");
}

#[test]
fn values_keep_the_format_that_was_asked_for() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut json = command(place.path());
    json.args(["--output", "json"]);
    let (mut session, _) = begin(json);
    assert!(type_line(&mut session, "{\"a\": [1]}", "ns> ").ends_with("\n{\"a\":[1]}\n"));
}
