//! Attacks on the sandbox: what a script, a file tree or another process could try to make a tool
//! of ours read or change something outside, hang, or fall over.
//!
//! - `vector`: a tree, one call, the answer it must get (`attacks/vectors/*.json`, and the given ones
//!   in `cases/attacks.json`);
//! - `race`: folders and files are exchanged for links to the outside while tools run, and `control`
//!   shows that the same exchanging defeats naive implementations;
//! - `devices`, `rename`: moves across file systems and where `renameat2` is missing;
//! - `output`: standard output that takes nothing.
//!
//! After each, everything outside is as it was, unread. They run as root and as an ordinary user, with
//! `openat2` and with the portable resolver; what cannot run here is ignored as SKIPPED with its
//! reason, what is known to be wrong as KNOWN FAILURE. `NS_LONG=1` tries each vector in all four modes, not
//! as either user with one of the resolvers in turn, and makes the races long. No test here
//! asserts a time: the one clock kills what hangs.

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
