//! What became of each attack, and the list at the end of a run of what did not pass and why.
//!
//! A test harness knows passed, failed and ignored; what is SKIPPED and what is a KNOWN FAILURE are
//! both ignored there, with their reasons, and told apart here.

use std::collections::BTreeMap;
use std::sync::Mutex;

use libtest_mimic::{Completion, Failed, Trial};

/// What came of one attack.
#[derive(Debug)]
pub enum Verdict {
    Passed,
    /// It could not be made, and why.
    Skipped(String),
    /// What is wrong, one line each.
    Failed(Vec<String>),
}

impl Verdict {
    /// Passed, unless something is wrong.
    pub fn of(faults: Vec<String>) -> Verdict {
        if faults.is_empty() { Verdict::Passed } else { Verdict::Failed(faults) }
    }
}

/// How many tests were ignored, by what is said of them.
static IGNORED: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// A test that expects to pass.
pub fn trial(name: String, attack: impl FnOnce() -> Verdict + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || match attack() {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Skipped(reason) => Ok(ignored(format!("SKIPPED: {reason}"))),
        Verdict::Failed(faults) => Err(faults.join("\n").into()),
    })
}

/// A test that is known to fail; that it passes is an error too.
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
