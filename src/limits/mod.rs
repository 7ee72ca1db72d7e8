//! What a run may spend: steps, time, depth, memory, output.
//!
//! The unit of each limit is defined here, and every limit is checked before the work is done or
//! the memory is taken. This room knows nothing of what spends: [`Meter`] counts for the run,
//! [`space`] the memory of its values, [`work`] what is done with them.

pub mod ablation;
mod canary;
mod charged;
mod meter;
mod progress;
pub mod space;
pub mod work;

use std::time::Duration;

use crate::text::Code;

pub use canary::loose_limit;
pub use charged::{Charged, Held};
pub use meter::{Interrupt, Meter, Watch};
pub use progress::Progress;

/// The bounds of a run. Defaults are those of `ns run`.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Statements, calls and loop turns; tools charge by what they produce.
    pub max_steps: u64,
    /// Wall time, inside tools too.
    pub timeout: Option<Duration>,
    /// Procedure calls inside each other.
    pub call_depth: usize,
    /// Brackets, blocks, and signs or powers inside each other in a text.
    pub nesting: usize,
    /// Lists and maps inside each other.
    pub value_depth: usize,
    /// Live values in sum, in bytes.
    pub memory_bytes: u64,
    /// One text, in bytes.
    pub string_bytes: usize,
    /// Elements of one list or map.
    pub collection_items: usize,
    /// A source text with the modules it uses, in bytes.
    pub script_bytes: usize,
    /// Modules that a source text uses, directly or not.
    pub modules: usize,
    /// EMIT in sum, in bytes.
    pub output_bytes: Option<u64>,
    /// One answer of a tool, in bytes of its JSON.
    pub tool_output_bytes: Option<u64>,
    /// Files and folders that one run changes.
    pub files_changed: Option<u64>,
    /// Bytes that one run writes.
    pub bytes_written: Option<u64>,
}

impl Limits {
    /// Those of what a server runs for a program, which nobody watches.
    pub fn of_server() -> Limits {
        Limits {
            max_steps: 10_000_000,
            timeout: Some(Duration::from_secs(30)),
            memory_bytes: 256 << 20,
            output_bytes: Some(1 << 20),
            tool_output_bytes: Some(256 << 10),
            files_changed: Some(10_000),
            bytes_written: Some(1 << 30),
            ..Limits::default()
        }
    }

    /// Every key of `[limits]` with what is in force.
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

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_steps: 1_000_000_000,
            timeout: None,
            call_depth: 1_000,
            nesting: 256,
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

/// Bounds the values of this thread, and the work with them, until it is dropped.
#[derive(Debug)]
pub struct Bounds {
    _space: space::Guard,
    _work: work::Guard,
}

impl Bounds {
    /// The limits of values, and the watch that their walks look at.
    pub fn enter(limits: &Limits, watch: Watch) -> Bounds {
        Bounds { _space: space::enter(limits), _work: work::enter(watch) }
    }
}

/// Operators that one expression may hold.
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
    /// Ctrl-C, or the caller's end.
    Interrupt,
}

impl Limit {
    /// Its code.
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

    /// How it is raised, imperative; nothing where it cannot be.
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

/// A limit that was reached, and what it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct LimitHit {
    /// Which limit.
    pub limit: Limit,
    /// What it allows, in its unit.
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

/// `12345678` as `12,345,678`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits are ASCII")).collect();
    groups.join(",")
}

/// A number of bytes in the largest binary unit that divides it.
fn bytes(number: u64) -> String {
    match number {
        _ if number >= 1 << 30 && number.is_multiple_of(1 << 30) => format!("{} GiB", number >> 30),
        _ if number >= 1 << 20 && number.is_multiple_of(1 << 20) => format!("{} MiB", number >> 20),
        _ if number >= 1 << 10 && number.is_multiple_of(1 << 10) => format!("{} KiB", number >> 10),
        _ => format!("{} bytes", grouped(number)),
    }
}
