//! Options common to all commands, and their conversion to arguments for another `ns`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::{Args, ValueEnum};

use crate::engine::{Clock, Jobs, Limits, Options};

use super::values::{fixed_time, jobs, seconds};

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// The folder that scripts cannot leave; `ns mcp` takes several, each as DIR or NAME=DIR [default: the current folder]
    #[arg(long = "sandbox", global = true, value_name = "DIR")]
    pub sandboxes: Vec<PathBuf>,
    /// An additional policy file, besides your own and the one in the sandbox
    #[arg(long, global = true, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The policy file that a case of `ns test` names: it narrows alone
    #[arg(long, global = true, value_name = "FILE", hide = true)]
    pub case_policy: Option<PathBuf>,
    /// A folder of modules for USE, outside the sandbox and never changed; may be repeated
    #[arg(long = "lib", global = true, value_name = "DIR")]
    pub libraries: Vec<PathBuf>,
    /// Refuse every change
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Treat every failure of a tool as an error
    #[arg(long, global = true)]
    pub strict: bool,
    /// Maximum number of steps of a run
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
    /// Maximum number of files and directories in one call that copies, deletes, packs, unpacks or works on several; not in a whole run [default: that of the policy, else 100000; 1000 for `ns mcp`]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_files: Option<u64>,
    /// Maximum duration of a run in seconds, such as 5, 0.5 or 200ms
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Maximum number of threads of one call, or of cases of `ns test` at a time; 1 turns parallel work off [default: the number of processors, at most 16]
    #[arg(long, global = true, value_name = "N", value_parser = jobs)]
    pub jobs: Option<Jobs>,
    /// The time that scripts see, such as 2024-05-01T12:00:00Z [default: the clock's]
    #[arg(long, global = true, value_name = "TIME", value_parser = fixed_time)]
    pub now: Option<DateTime<Utc>>,
    /// Seed for random numbers, so that they are the same in every run
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
    /// Print no summary of changes and no progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Output format of results
    #[arg(long, global = true, value_name = "FORMAT", default_value = "auto")]
    pub output: OutputFormat,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Text from scripts; from calls, a table on a terminal and JSON elsewhere
    Auto,
    /// Lists of maps as tables
    Table,
    /// JSON
    Json,
    /// One line of JSON per element of a list
    Jsonl,
    /// Text as EMIT prints it
    Raw,
}

impl Global {
    /// Merges two sets of options; these take precedence over `other`.
    pub fn over(&self, other: &Global) -> Global {
        Global {
            sandboxes: if self.sandboxes.is_empty() { other.sandboxes.clone() } else { self.sandboxes.clone() },
            policy: self.policy.clone().or_else(|| other.policy.clone()),
            case_policy: self.case_policy.clone().or_else(|| other.case_policy.clone()),
            libraries: self.libraries.iter().chain(&other.libraries).cloned().collect(),
            read_only: self.read_only || other.read_only,
            strict: self.strict || other.strict,
            max_steps: self.max_steps.or(other.max_steps),
            max_files: self.max_files.or(other.max_files),
            timeout: self.timeout.or(other.timeout),
            jobs: self.jobs.or(other.jobs),
            now: self.now.or(other.now),
            seed: self.seed.or(other.seed),
            quiet: self.quiet || other.quiet,
            output: if self.output == OutputFormat::Auto { other.output } else { self.output },
        }
    }

    /// Returns the sandbox of commands that have one; the current directory by default.
    pub fn sandbox(&self) -> Option<&Path> {
        self.sandboxes.first().map(PathBuf::as_path)
    }

    /// Returns arguments that pass these options, except the sandboxes, to another `ns`.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        let mut give =
            |option: &str, value: Option<OsString>| words.extend([Some(option.into()), value].into_iter().flatten());
        let Global {
            sandboxes: _,
            policy,
            case_policy,
            libraries,
            read_only,
            strict,
            max_steps,
            max_files,
            timeout,
            jobs,
            now,
            seed,
            quiet,
            output,
        } = self;
        policy.iter().for_each(|path| give("--policy", Some(path.into())));
        case_policy.iter().for_each(|path| give("--case-policy", Some(path.into())));
        libraries.iter().for_each(|path| give("--lib", Some(path.into())));
        read_only.then(|| give("--read-only", None));
        strict.then(|| give("--strict", None));
        max_steps.iter().for_each(|steps| give("--max-steps", Some(steps.to_string().into())));
        max_files.iter().for_each(|files| give("--max-files", Some(files.to_string().into())));
        timeout.iter().for_each(|time| give("--timeout", Some(time.as_secs_f64().to_string().into())));
        jobs.iter().for_each(|jobs| give("--jobs", Some(jobs.to_string().into())));
        now.iter().for_each(|now| give("--now", Some(now.to_rfc3339().into())));
        seed.iter().for_each(|seed| give("--seed", Some(seed.to_string().into())));
        quiet.then(|| give("--quiet", None));
        let format = output.to_possible_value().expect("no format is hidden");
        give("--output", Some(format.get_name().into()));
        words
    }

    /// Returns the options for an engine.
    pub fn options(&self) -> Options {
        Options {
            sandbox: self.sandbox().map(Path::to_path_buf),
            policy: self.policy.clone(),
            case_policy: self.case_policy.clone(),
            state: None,
            libraries: self.libraries.clone(),
            read_only: self.read_only,
            strict: self.strict,
            atomic: false,
            plan: false,
            may_plan: false,
            key: None,
            looks_only: false,
            makes_key: false,
            calls_only: false,
            limits: Limits::default(),
            within: None,
            client: None,
            max_steps: self.max_steps,
            max_files: self.max_files,
            max_files_unless_set: None,
            timeout: self.timeout,
            jobs: self.jobs,
            interrupt: None,
            answer_bytes: None,
            clock: self.now.map_or(Clock::System, Clock::Fixed),
            seed: self.seed,
        }
    }
}
