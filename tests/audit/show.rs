//! `ns audit show`.

use serde_json::Value;

use super::{audit, eval, file, fill, lines, sandbox};
use crate::support::{ns, run};

fn numbers(text: &str) -> Vec<u64> {
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    lines.map(|line| line["seq"].as_u64().expect("a number")).collect()
}

#[test]
fn the_newest_lines_come_last() {
    let place = sandbox();
    fill(place.path(), 120);
    let show = |words: &[&str]| audit(place.path(), &[&["show", "--output", "jsonl"], words].concat()).stdout;
    assert_eq!(numbers(&show(&[])), (71..=120).collect::<Vec<u64>>());
    assert_eq!(numbers(&show(&["--limit", "3"])), [118, 119, 120]);
    assert_eq!(numbers(&show(&["--limit", "1000"])), (1..=120).collect::<Vec<u64>>());
    let array: Value = serde_json::from_str(&audit(place.path(), &["show", "--limit", "2"]).stdout).expect("JSON");
    assert_eq!(array.as_array().expect("a list"), &lines(place.path())[118..]);
}

#[test]
fn lines_are_found_by_run_tool_and_time() {
    let place = sandbox();
    fill(place.path(), 2);
    assert_eq!(eval(place.path(), "CALL FS.CreateDirectory(\"d\")\nCALL FS.MoveFile(\"f0\", \"d/f0\")").code, 0);
    let all = lines(place.path());
    let show = |words: &[&str]| numbers(&audit(place.path(), &[&["show", "--output", "jsonl"], words].concat()).stdout);
    assert_eq!(show(&["--tool", "move_file"]), [4]);
    assert_eq!(show(&["--tool", "fs.createdirectory"]), [3]);
    assert_eq!(show(&["--run", all[0]["run"].as_str().expect("a run")]), [1, 2]);
    let run = all[0]["run"].as_str().expect("a run");
    assert_eq!(show(&["--run", &run[..12]]), [1, 2]);
    assert_eq!(show(&["--since", all[2]["time"].as_str().expect("a time")]), [3, 4]);
    assert_eq!(show(&["--since", "1h"]), [1, 2, 3, 4]);
    assert_eq!(show(&["--since", "2020-01-31"]), [1, 2, 3, 4]);
    assert_eq!(show(&["--since", "2999-01-01T00:00:00+02:00"]), Vec::<u64>::new());
    assert_eq!(audit(place.path(), &["show", "--since", "soon"]).code, 2);
    let table = audit(place.path(), &["show", "--output", "table"]).stdout;
    assert!(table.lines().count() == 5 && table.contains("FS.MoveFile"), "{table}");
}

#[test]
fn foreign_stretches_are_passed_over_and_counted() {
    let place = sandbox();
    fill(place.path(), 2);
    let log = std::fs::read_to_string(file(place.path())).expect("the log");
    let (first, second) = log.split_once('\n').expect("two lines");
    let long = "x".repeat(3 << 20);
    std::fs::write(file(place.path()), format!("\n{first}\n{long}\nnote\n{second}torn")).expect("the log");
    let ran = audit(place.path(), &["show", "--output", "jsonl"]);
    assert_eq!(numbers(&ran.stdout), [1, 2]);
    assert_eq!(ran.stderr, "warning: 4 lines are none of the log's: see `ns audit verify`\n");
}

#[test]
fn doctor_says_where_it_is() {
    let place = sandbox();
    let doctor =
        |words: &[&str]| run(ns(place.path()).args(words).arg("doctor").env("XDG_STATE_HOME", "/state")).stdout;
    assert!(doctor(&[]).contains(" .ns/audit.jsonl\n"), "{}", doctor(&[]));
    assert!(doctor(&["--read-only"]).contains(" /state/neuroscript/audit/"), "{}", doctor(&["--read-only"]));
}

/// At a terminal, each line takes one row, and a refusal shows the paths that the call named.
#[test]
fn people_see_one_row_for_each_line() {
    let place = sandbox();
    fill(place.path(), 1);
    let script = "SET r = FS.ReadFile(\"../secret\")\nSET r = FS.CopyFile(paths: [\"/etc/passwd\", \"../b\"], destination: \"d\")";
    assert_eq!(eval(place.path(), script).code, 0);
    let shown = audit(place.path(), &["show", "--output", "table"]).stdout;
    let rows: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["seq", "when", "run", "tool", "outcome", "paths"]);
    let of_lines = lines(place.path());
    assert_eq!(rows.len(), 1 + of_lines.len(), "{shown}");
    for (row, line) in rows[1..].iter().zip(&of_lines) {
        let run = line["run"].as_str().expect("a run");
        assert!(run == row[3] && row[4] == line["tool"], "{row:?} {line}");
    }
    assert_eq!(rows[2][5..], ["sandbox_violation", "../secret"]);
    assert_eq!(rows[3][5..], ["sandbox_violation", "d", "/etc/passwd", "../b"]);
}
