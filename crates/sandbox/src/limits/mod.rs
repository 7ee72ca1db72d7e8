//! The limits of a run: steps, time, depth, memory, output.
//!
//! The unit of each limit is defined here, and every limit is checked before the work is done or the memory is
//! allocated. This module does not depend on the code that uses the budget: [`Meter`] counts for the run, [`space`] the
//! memory of its values, [`work`] the traversal of values.
//!
//! Drops give memory back in code that has no access to the run, so the accounts of live bytes and of traversals belong
//! to the thread and lie below `value`. A limit that is checked afterwards protects nothing: a text of 10 GiB must fail
//! before it is allocated. [`ablation`] lets a build omit a limit to measure its cost.

pub mod ablation;
mod canary;
mod charged;
mod jobs;
mod meter;
mod progress;
pub mod space;
pub mod work;

use std::time::Duration;

use crate::text::Code;

pub use canary::loose_limit;
pub use charged::{MemoryCharge, MeteredVec};
pub use jobs::Jobs;
pub use meter::{Interrupt, Meter, Watch};
pub use progress::Progress;

/// The limits of a run. The defaults are those of `ns run`.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Maximum number of steps: statements, calls and loop iterations; tools charge by the size of their results.
    pub max_steps: u64,
    /// Maximum wall-clock time, including time inside tools.
    pub timeout: Option<Duration>,
    /// Maximum depth of nested procedure calls.
    pub call_depth: usize,
    /// Maximum nesting of brackets, blocks, signs and powers in a source text.
    pub nesting: usize,
    /// Maximum nesting of lists and maps.
    pub value_depth: usize,
    /// Maximum total size of live values in bytes.
    pub memory_bytes: u64,
    /// Maximum length of one text in bytes.
    pub string_bytes: usize,
    /// Maximum number of elements of one list or map.
    pub collection_items: usize,
    /// Maximum size in bytes of a source text including the modules it uses.
    pub script_bytes: usize,
    /// Maximum number of modules that a source text uses, directly or indirectly.
    pub modules: usize,
    /// Maximum total output of EMIT in bytes.
    pub output_bytes: Option<u64>,
    /// Maximum size of one answer of a tool, in bytes of its JSON.
    pub tool_output_bytes: Option<u64>,
    /// Maximum number of files and directories that a run changes.
    pub files_changed: Option<u64>,
    /// Maximum number of bytes that a run writes.
    pub bytes_written: Option<u64>,
}

impl Limits {
    /// Returns the limits of runs started by a program through the server, with no person present.
    pub fn of_server() -> Limits {
        Limits {
            max_steps: 10_000_000,
            timeout: Some(Duration::from_secs(30)),
            memory_bytes: 256 << 20,
            output_bytes: Some(1 << 20),
            tool_output_bytes: Some(64 << 10),
            files_changed: Some(10_000),
            bytes_written: Some(1 << 30),
            ..Limits::default()
        }
    }

    /// Returns every key of `[limits]` with the value in force.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let some = |bound: Option<u64>| bound.map_or_else(|| "none".to_owned(), |bound| bound.to_string());
        let timeout = self.timeout.map(|timeout| timeout.as_secs_f64().to_string());
        vec![
            ("max_steps", self.max_steps.to_string()),
            ("timeout_s", timeout.unwrap_or_else(|| "none".to_owned())),
            ("call_depth", self.call_depth.to_string()),
            ("nesting", self.nesting.to_string()),
            ("value_depth", self.value_depth.to_string()),
            ("memory_bytes", self.memory_bytes.to_string()),
            ("string_bytes", self.string_bytes.to_string()),
            ("collection_items", self.collection_items.to_string()),
            ("script_bytes", self.script_bytes.to_string()),
            ("modules", self.modules.to_string()),
            ("output_bytes", some(self.output_bytes)),
            ("tool_output_bytes", some(self.tool_output_bytes)),
            ("files_changed", some(self.files_changed)),
            ("bytes_written", some(self.bytes_written)),
        ]
    }
}

/// Whether the host has a native stack of about a megabyte, which cannot be measured or enlarged.
const SMALL_STACK: bool = cfg!(target_family = "wasm");

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_steps: 1_000_000_000,
            timeout: None,
            call_depth: if SMALL_STACK { 100 } else { 1_000 },
            nesting: if SMALL_STACK { 20 } else { 256 },
            value_depth: 256,
            memory_bytes: 1 << 30,
            string_bytes: 256 << 20,
            collection_items: 50_000_000,
            script_bytes: 8 << 20,
            modules: 256,
            output_bytes: None,
            tool_output_bytes: None,
            files_changed: None,
            bytes_written: None,
        }
    }
}

/// Limits for the values of this thread and the work on them, in force until dropped.
#[derive(Debug)]
pub struct Bounds {
    _space: space::Guard,
    _work: work::Guard,
}

impl Bounds {
    /// Puts the limits of values in force, and the watch that traversals check.
    pub fn enter(limits: &Limits, watch: Watch) -> Bounds {
        Bounds { _space: space::enter(limits), _work: work::enter(watch) }
    }
}

/// Maximum number of operators in one expression.
pub const MAX_OPERATORS: usize = 10_000;

/// A limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `max_steps`
    Steps,
    /// `timeout_s`
    Time,
    /// `call_depth`
    CallDepth,
    /// `value_depth`
    ValueDepth,
    /// `memory_bytes`
    Memory,
    /// `string_bytes`
    String,
    /// `collection_items`
    Collection,
    /// `output_bytes`
    Output,
    /// `tool_output_bytes`
    Answer,
    /// `files_changed`
    FilesChanged,
    /// `bytes_written`
    BytesWritten,
    /// Ctrl-C, or cancellation by the caller.
    Interrupt,
}

/// How a help names the places in which users raise a limit.
const OWN_FILES: &str = "in `[limits]` of your own policy file or `--policy`";

impl Limit {
    /// Returns the key of the policy that sets it, or `None` for an interrupt.
    pub fn key(self) -> Option<&'static str> {
        Some(match self {
            Limit::Steps => "max_steps",
            Limit::Time => "timeout_s",
            Limit::CallDepth => "call_depth",
            Limit::ValueDepth => "value_depth",
            Limit::Memory => "memory_bytes",
            Limit::String => "string_bytes",
            Limit::Collection => "collection_items",
            Limit::Output => "output_bytes",
            Limit::Answer => "tool_output_bytes",
            Limit::FilesChanged => "files_changed",
            Limit::BytesWritten => "bytes_written",
            Limit::Interrupt => return None,
        })
    }

    /// Returns how to raise the limit if it is set in `place`, a line of a policy file that no other file can widen.
    pub fn help_at(self, place: &str) -> Option<String> {
        let there = format!("at {place}, which no other policy file can widen");
        Some(self.help()?.replace(OWN_FILES, &there))
    }

    /// Returns the error code.
    pub fn code(self) -> Code {
        match self {
            Limit::Steps => Code::StepLimit,
            Limit::Time => Code::TimeLimit,
            Limit::CallDepth => Code::CallDepthLimit,
            Limit::ValueDepth => Code::ValueDepthLimit,
            Limit::Memory => Code::MemoryLimit,
            Limit::String => Code::StringLimit,
            Limit::Collection => Code::CollectionLimit,
            Limit::Output => Code::OutputLimit,
            Limit::Answer => Code::AnswerLimit,
            Limit::FilesChanged => Code::FilesChangedLimit,
            Limit::BytesWritten => Code::BytesWrittenLimit,
            Limit::Interrupt => Code::Interrupted,
        }
    }

    /// Returns how to raise the limit, in the imperative, or `None` if it cannot be raised.
    pub fn help(self) -> Option<&'static str> {
        Some(match self {
            Limit::Steps => {
                "look for a loop that never ends, or raise it with `--max-steps` or `max_steps` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::Time => {
                "raise it with `--timeout` or `timeout_s` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::CallDepth => {
                "look for a call that never stops calling itself, or raise `call_depth` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::ValueDepth => {
                "keep the parts in separate variables, or raise `value_depth` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::Memory => {
                "work in parts, or raise `memory_bytes` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::String => {
                "work in parts, or raise `string_bytes` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::Collection => {
                "work in parts, or raise `collection_items` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::Output => "print less, or raise `output_bytes` in `[limits]` of your own policy file or `--policy`",
            Limit::Answer => {
                "ask for less, or raise `tool_output_bytes` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::FilesChanged => {
                "change less in one run, or raise `files_changed` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::BytesWritten => {
                "write less in one run, or raise `bytes_written` in `[limits]` of your own policy file or `--policy`"
            }
            Limit::Interrupt => return None,
        })
    }
}

/// A limit that was reached, with the amount it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct LimitHit {
    /// The limit.
    pub limit: Limit,
    /// The amount it allows, in its unit.
    pub allowed: u64,
}

impl LimitHit {
    fn message(&self) -> String {
        let allowed = self.allowed;
        match self.limit {
            Limit::Steps => format!("the run took more than the {} steps of `max_steps`", grouped(allowed)),
            Limit::Time => format!("the run took longer than the {} s of `timeout_s`", allowed as f64 / 1000.0),
            Limit::CallDepth => {
                format!("procedures call each other more than {} deep (`call_depth`)", grouped(allowed))
            }
            Limit::ValueDepth => format!("lists and maps are nested more than {allowed} deep (`value_depth`)"),
            Limit::Memory => {
                format!("the values of the run would take more than the {} of `memory_bytes`", bytes(allowed))
            }
            Limit::String => format!("a text would take more than the {} of `string_bytes`", bytes(allowed)),
            Limit::Collection => {
                format!("a list or map would hold more than the {} elements of `collection_items`", grouped(allowed))
            }
            Limit::Output => format!("the run would print more than the {} of `output_bytes`", bytes(allowed)),
            Limit::Answer => format!("the answer would take more than the {} of `tool_output_bytes`", bytes(allowed)),
            Limit::FilesChanged => {
                format!("the run would change more than the {} files of `files_changed`", grouped(allowed))
            }
            Limit::BytesWritten => format!("the run would write more than the {} of `bytes_written`", bytes(allowed)),
            Limit::Interrupt => "the run was interrupted".to_owned(),
        }
    }
}

/// Formats `12345678` as `12,345,678`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits are ASCII")).collect();
    groups.join(",")
}

/// Formats a number of bytes in the largest binary unit that divides it.
fn bytes(number: u64) -> String {
    match number {
        _ if number >= 1 << 30 && number.is_multiple_of(1 << 30) => format!("{} GiB", number >> 30),
        _ if number >= 1 << 20 && number.is_multiple_of(1 << 20) => format!("{} MiB", number >> 20),
        _ if number >= 1 << 10 && number.is_multiple_of(1 << 10) => format!("{} KiB", number >> 10),
        _ => format!("{} bytes", grouped(number)),
    }
}
