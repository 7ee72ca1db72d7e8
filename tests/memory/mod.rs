//! Session and project memory, and the state directory `.ns`, which no tool lists.
//!
//! `NS_LONG=1` runs more processes with more keys.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests set up folders of their own")]

mod commands;
mod damage;
mod hidden;
mod many;
mod own;
mod quiet;
mod reserved;
mod values;

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{Ran, ns, run};

fn sandbox() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Runs a script given on the command line.
fn eval(place: &Path, code: &str) -> Ran {
    run(ns(place).args(["run", "-e", code]))
}

/// Runs `ns memory` with arguments.
fn memory(place: &Path, words: &[&str]) -> Ran {
    run(ns(place).arg("memory").args(words))
}

/// Stores a value, which must succeed.
fn keep(place: &Path, key: &str, json: &str) {
    let ran = memory(place, &["set", key, json]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "set {key} {json}");
}

/// Returns the file of project memory.
fn file(place: &Path) -> PathBuf {
    place.join(".ns/memory.db")
}

/// Opens the file as another program does.
fn database(place: &Path) -> Connection {
    Connection::open(file(place)).expect("another program can open the file")
}

/// Moves the contents of the log into the database and ends the log, as the last of other programs does.
fn settle(place: &Path) {
    let connection = database(place);
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
    drop(connection);
    for name in ["memory.db-wal", "memory.db-shm"] {
        let _ = std::fs::remove_file(place.join(".ns").join(name));
    }
}
