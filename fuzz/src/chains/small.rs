//! All chains of up to three runs of one operation each, from a small set of operations that change the times of
//! directories: of special bits, in each other, moved, copied, removed and restored.

use serde_json::json;

use super::operation::{Operation, copy, copy_several, edit, extract};
use super::{Chain, Manner};

/// The ways in which the runs of a chain are executed. A run that is rolled back stands between others.
const MANNERS: [[Manner; RUNS]; 4] = [
    [Manner::Script; RUNS],
    [Manner::Plan; RUNS],
    [Manner::Calls; RUNS],
    [Manner::Script, Manner::Atomic, Manner::Calls],
];
/// The ways in which the runs of a chain are undone.
const ENDINGS: usize = 4;
const RUNS: usize = 3;

/// Returns the number of chains.
pub fn small_chains() -> usize {
    operations().len().pow(RUNS as u32) * MANNERS.len() * ENDINGS
}

/// Executes a chain, undoes it, redoes it, and compares the tree after each step.
pub fn small_chain(number: usize) {
    let all = operations();
    let mut rest = number;
    let mut choose = |count: usize| {
        let choice = rest % count;
        rest /= count;
        choice
    };
    let (manners, ending) = (MANNERS[choose(MANNERS.len())], choose(ENDINGS));
    let mut chain = Chain::new(true);
    let first = chain.snapshot();
    for manner in manners {
        let operation = all[choose(all.len())].clone();
        // Without an operation, the chain is shorter.
        if let Some(operation) = operation {
            chain.run(manner, &[operation]);
        }
    }
    match ending {
        0 => chain.undo_in_reverse(true),
        1 => chain.undo_out_of_order(u8::MAX - 1, &first),
        2 => chain.undo_out_of_order(0, &first),
        _ => chain.undo_out_of_order(1, &first),
    }
    first.expect(&chain.snapshot(), "everything is undone");
}

/// Returns the operations, and none.
fn operations() -> Vec<Option<Operation>> {
    let write = |path: &str| ("FS.WriteFile", vec![("file_path", json!(path)), ("content", json!("new"))]);
    let rename = |from: &str, to: &str| ("FS.MoveFile", vec![("source", json!(from)), ("destination", json!(to))]);
    let delete = |path: &str| ("FS.DeleteFile", vec![("path", json!(path)), ("recursive", json!(true))]);
    let date = |path: &str| ("FS.SetModified", vec![("path", json!(path)), ("time", json!("2024-05-01T12:30:00Z"))]);
    let calls = [
        write("d/e/f g"),
        write("d/e/n"),
        write("n/m"),
        write("h/e/m"),
        edit("d/e/a2"),
        ("FS.CreateDirectory", vec![("directory_path", json!("n/deep"))]),
        rename("d/e/f g", "h/f"),
        rename("d/e", "h/e"),
        rename("h", "n"),
        rename("n", "d/n"),
        copy("d", "n"),
        copy("d/e", "h/e"),
        copy_several(["d", "a"], "h", true),
        delete("d/e/f g"),
        delete("d/e"),
        delete("d"),
        delete("n"),
        extract("d"),
        extract("n"),
        ("FS.Compress", vec![("source_path", json!("d/e")), ("destination_path", json!("h/z.zip"))]),
        ("FS.SetPermissions", vec![("path", json!("d")), ("mode", json!("700"))]),
        date("d"),
        date("d/e"),
        date("n"),
    ];
    let operations = calls.into_iter().map(Operation::of).chain([Operation::restore()]);
    operations.map(Some).chain([None]).collect()
}
