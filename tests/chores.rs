//! Every recipe of the cookbook and every script of `scripts/` on difficult trees, compared with a model of the task in
//! Python (`tests/chores/`).
//!
//! The short form has up to 1,001 files in a tree, `NS_LONG=1` 10,001.
//! `python3 tests/chores/run.py --ns PATH --only WORD` runs a part of it.

#![allow(clippy::disallowed_methods, reason = "tests look at their own files")]

use std::process::Command;

use crate::support::{package, run};

#[test]
fn chores_do_what_their_models_do() {
    let mut runner = Command::new("python3");
    runner.arg(package("tests/chores/run.py")).args(["--ns", env!("CARGO_BIN_EXE_ns")]);
    if std::env::var_os("NS_LONG").is_none() {
        runner.arg("--quick");
    }
    let ran = run(&mut runner);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(", 0 at odds, "), "the runner did not say how it went:\n{}", ran.stdout);
    println!("{}", ran.stdout.trim_end());
}
