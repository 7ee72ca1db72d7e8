//! An undo does the same after a run and after that run was undone and redone, once or twice.

use super::table::{Deed, KINDS, Kind, check_all, chosen, deeds, sandbox};
use super::{ns, run, tick};
use crate::support::contents_of;

/// Commands that undo a run after another program changed one of its paths.
const COMMANDS: &[&[&str]] = &[&["undo", "--force"], &["undo", "--skip"]];

/// One kind of change, a change by another program at one of its paths, and a command.
struct Cell {
    kind: &'static Kind,
    target: &'static str,
    deed: &'static (&'static str, Deed),
    command: &'static [&'static str],
}

/// The effect of a command.
#[derive(Debug, PartialEq)]
struct Effect {
    code: i32,
    /// Its messages without names of runs and backups.
    messages: String,
    tree: Vec<String>,
    /// The state of the run in the list of runs; one that was redone counts as done.
    state: String,
}

/// Runs a script, undoes and redoes it `redos` times, changes the tree as another program would, and undoes the run.
fn effect_after(redos: usize, Cell { kind: (_, script, _), target, deed: (_, deed), command }: &Cell) -> Effect {
    let place = sandbox();
    place.eval(script);
    for _ in 0..redos {
        place.ns(0, &["undo"]);
        place.ns(0, &["redo"]);
    }
    tick();
    let path = place.root().join(target);
    // While it is open, the file system gives its inode to no other file.
    let held = std::fs::File::open(&path);
    deed(&path);
    let ran = run(ns(&place.root()).args(*command));
    drop(held);
    let root = place.root().display().to_string();
    let tree = contents_of(&place.root()).into_iter().map(|line| line.replacen(&root, "", 1)).collect();
    let listed = place.ns(0, &["--output", "json", "log"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let state = listed[0]["state"].as_str().expect("the run is listed").replace("redone", "done");
    Effect { code: ran.code, messages: without_names(&ran.stderr), tree, state }
}

/// Replaces the times and the hexadecimal parts in names of runs and backups.
fn without_names(text: &str) -> String {
    let is_name = |word: &str| word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_time =
        |word: &str| word.len() > 8 && word.bytes().all(|byte| byte.is_ascii_digit() || b"TZ.".contains(&byte));
    let parts = text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    let plain = parts.map(|part| {
        let word = part.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
        if is_name(word) || is_time(word) { part.replacen(word, "#", 1) } else { part.to_owned() }
    });
    plain.collect()
}

fn check(cell: &Cell) {
    let expected = effect_after(0, cell);
    for redos in [1, 2] {
        let found = effect_after(redos, cell);
        assert_eq!(found, expected, "{} after {redos} redos", named(cell));
    }
}

fn named(cell: &Cell) -> String {
    format!("{:?}; {}; {}: {}", cell.command, cell.kind.0, cell.target, cell.deed.0)
}

#[test]
fn an_undo_after_a_redo_does_what_the_first_would() {
    let mut cells = Vec::new();
    for command in COMMANDS {
        for kind in KINDS {
            for target in kind.2 {
                cells.extend(deeds(target).map(|deed| Cell { kind, target, deed, command }));
            }
        }
    }
    check_all(chosen(cells, named), check);
}
