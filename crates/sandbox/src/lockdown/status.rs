//! A report of the parts of the lockdown that are in force.

use super::{Network, Process};

/// The restrictions that the kernel enforces on the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockdownStatus {
    /// The version of the Landlock ABI in force, if any.
    pub landlock: Option<u32>,
    /// Whether system calls are filtered.
    pub is_filtered: bool,
    /// The capabilities that root keeps; empty for an ordinary user.
    pub kept: Vec<&'static str>,
    /// The purpose of the process.
    pub process: Process,
}

impl LockdownStatus {
    /// Returns the report of a process without restrictions.
    pub fn none(process: Process) -> LockdownStatus {
        LockdownStatus { landlock: None, is_filtered: false, kept: Vec::new(), process }
    }

    /// Whether both Landlock and seccomp are in force.
    pub fn is_whole(&self) -> bool {
        self.landlock.is_some() && self.is_filtered
    }

    /// Returns a one-line summary of the restrictions.
    pub fn summary(&self) -> &'static str {
        match (self.landlock.is_some(), self.is_filtered) {
            (true, true) => "in force: Landlock and seccomp",
            (true, false) => "in part: Landlock, but this system has no seccomp",
            (false, true) => "in part: seccomp, but this kernel has no Landlock of version 2 or newer",
            (false, false) => "none: this system has neither Landlock nor seccomp",
        }
    }

    /// Returns the restrictions as pairs of a label and a sentence.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let files = match (self.landlock, self.process) {
            (None, _) => "not restricted by the kernel".to_owned(),
            (Some(version), Process::Tester(_)) => {
                format!("any; no devices, pipes and sockets are made (Landlock {version})")
            }
            (Some(version), _) => {
                let scopes = if version >= SCOPES { "; no signals to other processes" } else { "" };
                format!("only below the sandbox and what the run needs (Landlock {version}){scopes}")
            }
        };
        let programs = match (self.process, self.is_filtered, self.landlock) {
            (Process::Script, true, _) => "none, and no other processes",
            (Process::Script, false, Some(_)) => "none",
            (_, _, Some(_)) => "`ns` alone, which restricts itself",
            (_, _, None) => "not restricted by the kernel",
        };
        let network = match (self.is_filtered, self.landlock) {
            (true, _) if self.process == Process::Server(Network::Accepts) => "connections that clients make",
            (true, _) => "none",
            (false, Some(NETWORK..)) => "no TCP",
            (false, _) => "not restricted by the kernel",
        };
        let kept = if self.kept.is_empty() { "none".to_owned() } else { self.kept.join(", ") };
        vec![
            ("kernel: files", files),
            ("kernel: programs", programs.to_owned()),
            ("kernel: network", network.to_owned()),
            ("kernel: powers of root", kept),
        ]
    }
}

/// The first version of Landlock that can block signals to other processes.
const SCOPES: u32 = 6;
/// The first version of Landlock that can block TCP.
const NETWORK: u32 = 4;
