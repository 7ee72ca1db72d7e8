//! Golden-file tests: finds cases, runs them, and compares their output with the expected output.
//!
//! Each case runs in a process of its own. So the tests compare exactly what a person sees: findings, warnings and the
//! exit code come from the same code path as in `ns run`. A case that exhausts its memory or hangs affects no other,
//! and cases run in parallel although an engine is bound to one thread. The cost is the start of `ns`, a few
//! milliseconds.
//!
//! This module never writes to a terminal, and changes no files except golden files under `--update`.

mod case;
mod find;
mod golden;
mod head;
mod process;
mod redact;
mod report;
mod sandbox;
mod tree;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

pub use case::{Outcome, Settings, Verdict};
pub use find::{Case, case_stems, find, is_golden};
pub use golden::Difference;
pub use head::check_head;
pub use redact::Redaction;
pub use report::{to_json, to_junit};

/// Runs cases with `jobs` threads and passes the verdicts to `tell` in the order of the cases. Starts no more cases
/// once `stop` is set.
pub fn run_all(cases: &[Case], settings: &Settings, jobs: usize, stop: &AtomicBool, mut tell: impl FnMut(Verdict)) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, cases.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else { break };
                    // Fails only if the whole run is abandoned.
                    let _ = sender.send((number, case::run(case, settings, stop)));
                }
            });
        }
        drop(sender);
        let mut early = std::collections::BTreeMap::new();
        let mut due = 0;
        for (number, verdict) in receiver {
            early.insert(number, verdict);
            while let Some(verdict) = early.remove(&due) {
                tell(verdict);
                due += 1;
            }
        }
    });
}
