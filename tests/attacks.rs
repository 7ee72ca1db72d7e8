//! Attacks on the sandbox: attempts by a script, a file tree or another process to make a tool read or change something
//! outside, hang or crash.
//!
//! - `vector`: a tree, one call and its required answer (`attacks/vectors/*.json`, and the given ones in
//!   `cases/attacks.json`);
//! - `race`: directories and files are exchanged for links to the outside while tools run; `control` shows that the
//!   same exchanges defeat naive implementations;
//! - `devices`, `rename`: moves across file systems, and systems without `renameat2`;
//! - `output`: standard output that accepts nothing.
//!
//! After each attack, everything outside must be unchanged and unread. Attacks run as root and as an ordinary user,
//! with `openat2` and with the portable resolver. Attacks that cannot run here are ignored as SKIPPED with the reason,
//! known defects as KNOWN FAILURE. `NS_LONG=1` tries each vector in all four modes and by all entry points, instead of
//! in one after the other, and each race in all four modes instead of two, and longer. No test here asserts a duration;
//! the only timeout kills processes that hang.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

#[cfg(target_os = "linux")]
#[path = "attacks/suite.rs"]
mod suite;

#[cfg(target_os = "linux")]
fn main() {
    suite::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("SKIPPED: the attacks need Linux (seccomp, openat2, namespaces)");
}
