//! Hostile directories: every file of ours, and every other file that a command reads, is forged, truncated,
//! duplicated, exchanged, taken from another user, root or time, or restored from an earlier run; and every command
//! runs in each.
//!
//! After each command, nothing outside is changed or read, the user's own files have their previous content (or, for a
//! command that undoes a run, the content before that run), nothing panics, and nothing hangs: the only timeout kills
//! what has not ended after a minute. The short form runs some of the commands in each directory in turn, `NS_LONG=1`
//! all of them.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

#[path = "../support/mod.rs"]
mod support;

mod commands;
mod folder;
mod treatment;

use libtest_mimic::{Arguments, Failed, Trial};

use commands::COMMANDS;
use folder::{Hostile, TARGETS};
use treatment::TREATMENTS;

/// Number of commands in each directory in the short form.
const SHORT: usize = 3;

fn main() {
    let is_long = std::env::var_os("NS_LONG").is_some();
    let mut trials = Vec::new();
    for (number, target) in TARGETS.iter().enumerate() {
        for (turn, treatment) in TREATMENTS.iter().enumerate() {
            if !treatment.fits(target) {
                continue;
            }
            let first = (number * 5 + turn * 3) % COMMANDS.len();
            let count = if is_long { COMMANDS.len() } else { SHORT };
            let name = format!("{}: {}", target.path, treatment.name);
            let ignored = treatment.needs_root && !rustix::process::geteuid().is_root();
            let name = if ignored { format!("{name} (SKIPPED: root alone can make it)") } else { name };
            let trial = move || meet(&Hostile { target, treatment }, first, count);
            trials.push(Trial::test(name, trial).with_ignored_flag(ignored));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Runs `count` commands in a directory, starting at `first`.
fn meet(hostile: &Hostile, first: usize, count: usize) -> Result<(), Failed> {
    let folder = hostile.make();
    let faults: Vec<String> = (0..count)
        .filter_map(|turn| {
            let command = &COMMANDS[(first + turn) % COMMANDS.len()];
            command.run(&folder).err().map(|fault| format!("{}: {fault}", command.words.join(" ")))
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}
