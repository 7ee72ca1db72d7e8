//! Results of attacks, and the list of tests that did not pass at the end of a run, with reasons.
//!
//! The test harness only knows passed, failed and ignored. SKIPPED tests and KNOWN FAILURES are both ignored there,
//! with their reasons, and distinguished here.

use std::collections::BTreeMap;
use std::sync::Mutex;

use libtest_mimic::{Completion, Failed, Trial};

/// The result of one attack.
#[derive(Debug)]
pub enum Verdict {
    Passed,
    /// The attack could not be made, with the reason.
    Skipped(String),
    /// The faults, one line each.
    Failed(Vec<String>),
}

impl Verdict {
    /// Returns `Passed` if there are no faults.
    pub fn of(faults: Vec<String>) -> Verdict {
        if faults.is_empty() { Verdict::Passed } else { Verdict::Failed(faults) }
    }
}

/// Number of ignored tests by reason.
static IGNORED: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Creates a test that is expected to pass.
pub fn trial(name: String, attack: impl FnOnce() -> Verdict + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || match attack() {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Skipped(reason) => Ok(ignored(format!("SKIPPED: {reason}"))),
        Verdict::Failed(faults) => Err(faults.join("\n").into()),
    })
}

/// Creates a test that is known to fail. It is an error if it passes.
pub fn known_failure(name: String, what: String, attack: impl FnOnce() -> Verdict + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || match attack() {
        Verdict::Passed => Err(Failed::from(format!("this passes now: remove `known` ({what})"))),
        Verdict::Skipped(reason) => Ok(ignored(format!("SKIPPED: {reason}"))),
        Verdict::Failed(_) => Ok(ignored(format!("KNOWN FAILURE: {what}"))),
    })
}

fn ignored(words: String) -> Completion {
    *IGNORED.lock().expect("no test panics with the list").entry(words.clone()).or_default() += 1;
    Completion::ignored_with(words)
}

/// Prints why tests were ignored.
pub fn print() {
    for (words, count) in IGNORED.lock().expect("no test panics with the list").iter() {
        println!("{count:>5} {words}");
    }
}
