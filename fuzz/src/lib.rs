//! What is fuzzed: one function for each target, of any bytes, which panics when something holds that must not.
//!
//! Everything is done through the engine as front ends hold it, so that nothing has to be shown for fuzzing that
//! is hidden otherwise. `fuzz_targets/` gives each function to libFuzzer; `tests/fuzz.rs` includes this file and
//! runs them over the corpora and over mutations of them.

#![allow(clippy::disallowed_methods, reason = "targets set up folders of their own")]

#[cfg(unix)]
mod chains;
mod files;
mod model;
mod state;
mod texts;
mod world;

#[cfg(unix)]
pub use chains::chains;
pub use files::{archive, arguments, gitignore, paths, policy};
pub use model::operations;
pub use state::{audit, journal, memory, plan};
pub use texts::{formatter, parser, programs, test_head};

/// A target: what it is called, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 15] = [
    ("parser", parser),
    ("formatter", formatter),
    ("programs", programs),
    ("paths", paths),
    ("policy", policy),
    ("arguments", arguments),
    ("gitignore", gitignore),
    ("archive", archive),
    ("operations", operations),
    ("chains", chains),
    ("journal", journal),
    ("plan", plan),
    ("memory", memory),
    ("audit", audit),
    ("test_head", test_head),
];
