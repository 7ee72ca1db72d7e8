//! Scripts against golden files: cases are found, run, and compared with what they should say.
//!
//! Each case is a process of its own. So what is compared is what a person sees, to the byte: findings,
//! warnings and the exit code come from the one path that `ns run` takes, a case that eats all its
//! memory or hangs takes no other with it, and cases run side by side although an engine belongs to
//! one thread. It costs the start of `ns`, some milliseconds.
//!
//! Nothing here writes to a terminal, and nothing but golden files that are updated is ever changed.

mod case;
mod find;
mod golden;
mod head;
mod process;
mod redact;
mod report;
mod sandbox;
mod tree;
mod watch;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

pub use case::{Difference, Outcome, Settings, Verdict};
pub use find::{Case, find};
pub use head::check_head;
pub use redact::Redaction;
pub use report::{to_json, to_junit};
pub use watch::Watcher;

/// Runs cases, some at once, and tells of each in their order. Whether `stop` came in between.
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
                    // Nobody hears it only when the whole run is given up.
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
