//! The options with which a front end opens an engine, and the reason why it could not be opened.

use std::path::PathBuf;
use std::time::Duration;

use crate::gate::Clock;
use crate::limits::{Interrupt, Jobs, Limits};
use crate::sandbox::UserKey;
use crate::text::{Diagnostic, Sources};

/// The options of a front end. Omitted values come from the policy files, then from built-in values.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The sandbox directory; the current directory by default.
    pub sandbox: Option<PathBuf>,
    /// A policy file in addition to the user's own and the one in the root.
    pub policy: Option<PathBuf>,
    /// The policy file of a case of `ns test`, which can only narrow the rules.
    pub case_policy: Option<PathBuf>,
    /// The base directory of the user state; determined from the environment by default.
    pub state: Option<PathBuf>,
    /// Directories of modules in addition to the sandbox.
    pub libraries: Vec<PathBuf>,
    /// Whether nothing may be changed.
    pub read_only: bool,
    /// Whether every failure of a tool is an error.
    pub strict: bool,
    /// Whether a failed run is rolled back.
    pub atomic: bool,
    /// Whether changes are only planned.
    pub plan: bool,
    /// Whether lines of a session may be planned later, whose refusals are then recorded in the user state.
    pub may_plan: bool,
    /// The user's key, from the process that provided it; read from the user state by default.
    pub key: Option<UserKey>,
    /// Whether nothing will be run or changed: killed runs are not recovered, and no key is created.
    pub looks_only: bool,
    /// Whether a key is created if it is missing, even if the other options say otherwise.
    pub makes_key: bool,
    /// Whether only tools are called. Running a script needs an engine without this option.
    pub calls_only: bool,
    /// The limits where neither the policy files nor these options set any.
    pub limits: Limits,
    /// Directories to which work is restricted, in addition to the policy; unrestricted by default.
    pub within: Option<Vec<PathBuf>>,
    /// The client of a server for which the engine works: it sees and undoes only the runs of this client. All runs by
    /// default.
    pub client: Option<String>,
    /// The number of threads that one call may use; that of the processors by default.
    pub jobs: Option<Jobs>,
    /// The interrupt that stops runs; one of its own by default. Engines that share a thread share it.
    pub interrupt: Option<Interrupt>,
    /// The step limit.
    pub max_steps: Option<u64>,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// Maximum number of files that one operation lists or changes. As the user's own option, it may exceed the value
    /// of the policy files.
    pub max_files: Option<u64>,
    /// The value of `max_files` if neither it nor a policy file sets the limit; the default for interactive use if
    /// omitted.
    pub max_files_unless_set: Option<u64>,
    /// Maximum size of a tool's answer, in bytes.
    pub answer_bytes: Option<u64>,
    /// The clock of `TIME.Now`.
    pub clock: Clock,
    /// The seed of random numbers; unpredictable by default.
    pub seed: Option<u64>,
}

/// The reason why an engine could not be created.
#[derive(Debug)]
pub struct SetupError {
    /// The findings.
    pub findings: Vec<Diagnostic>,
    /// The text of the policy file, if they are about one.
    pub sources: Sources,
}

impl SetupError {
    pub(super) fn new(finding: Diagnostic) -> SetupError {
        SetupError { findings: vec![finding], sources: Sources::new() }
    }
}
