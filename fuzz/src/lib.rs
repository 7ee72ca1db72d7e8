//! Fuzz targets: one function for each, which takes any bytes and panics if an invariant is violated.
//!
//! The targets use the engine like a front end, so that nothing has to be made public for fuzzing. `fuzz_targets/`
//! passes each function to libFuzzer; `tests/fuzz.rs` includes this file and runs the functions on the corpora and on
//! mutations of them.

#![allow(clippy::disallowed_methods, reason = "targets set up folders of their own")]

#[cfg(unix)]
mod chains;
mod files;
mod model;
mod state;
mod texts;
mod world;

#[cfg(unix)]
pub use chains::{chains, small_chain, small_chains};
pub use files::{archive, arguments, gitignore, media, paths, policy};
pub use model::operations;
pub use state::{audit, journal, memory, plan};
pub use texts::{formatter, parser, programs};

/// A target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets but `test_head`, which is a module of its own.
pub const TARGETS: [Target; 15] = [
    ("parser", parser),
    ("formatter", formatter),
    ("programs", programs),
    ("paths", paths),
    ("policy", policy),
    ("arguments", arguments),
    ("gitignore", gitignore),
    ("archive", archive),
    ("media", media),
    ("operations", operations),
    ("chains", chains),
    ("journal", journal),
    ("plan", plan),
    ("memory", memory),
    ("audit", audit),
];
