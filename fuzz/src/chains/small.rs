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
const RUNS: usize = 3;

/// A way in which the runs of a chain are undone.
#[derive(Clone, Copy)]
enum Ending {
    InReverse,
    OutOfOrder(u8),
    /// One run is undone before the last one is executed, and the others after it.
    Between(Undone),
}

#[derive(Clone, Copy)]
enum Undone {
    Newest,
    Oldest,
}

const ENDINGS: [Ending; 6] = [
    Ending::InReverse,
    Ending::OutOfOrder(0),
    Ending::OutOfOrder(1),
    Ending::OutOfOrder(u8::MAX - 1),
    Ending::Between(Undone::Newest),
    Ending::Between(Undone::Oldest),
];

/// Returns the number of chains.
pub fn small_chains() -> usize {
    operations().len().pow(RUNS as u32) * MANNERS.len() * ENDINGS.len()
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
    let (manners, ending) = (MANNERS[choose(MANNERS.len())], ENDINGS[choose(ENDINGS.len())]);
    let mut chain = Chain::new(true);
    let first = chain.snapshot();
    for (number, manner) in manners.into_iter().enumerate() {
        if let (Ending::Between(undone), true) = (ending, number + 1 == RUNS && !chain.done.is_empty()) {
            chain.try_undo(if let Undone::Oldest = undone { 0 } else { chain.done.len() - 1 }, &mut Vec::new());
        }
        // Without an operation, the chain is shorter.
        if let Some(operation) = all[choose(all.len())].clone() {
            chain.run(manner, &[operation]);
        }
    }
    match ending {
        Ending::InReverse | Ending::Between(Undone::Newest) => chain.undo_in_reverse(true),
        Ending::OutOfOrder(choice) => chain.undo_out_of_order(choice, &first),
        // The states in between are not known. What the oldest run changed may be a conflict.
        Ending::Between(Undone::Oldest) => {
            while !chain.done.is_empty() {
                if !chain.try_undo(chain.done.len() - 1, &mut Vec::new()) {
                    return;
                }
            }
        }
    }
    if chain.done.is_empty() {
        first.expect(&chain.snapshot(), "everything is undone");
    }
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
