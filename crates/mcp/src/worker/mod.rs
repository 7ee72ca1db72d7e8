//! Workers: scripts in separate processes. A worker is the same binary, started with a hidden subcommand, with resource
//! limits of the system in addition to those of the engine. A script that uses too many resources or hits a bug of the
//! engine affects nothing else.
//!
//! Server and worker exchange lines of JSON. The server sends an order and later the answers to questions; closing its
//! end means stop. The worker sends questions, progress, and finally its report. The only standard stream that it
//! shares with the server is standard error.
//!
//! A worker never outlives its server, however the server ends ([`lifeline`]).

mod child;
mod lifeline;
mod parent;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use child::work;
pub use parent::{WorkerReport, Workers};

use crate::engine::MemoryEntry;

/// Time for a worker that was asked to stop: to end its script, and to roll it back if it is atomic.
const GRACE: Duration = Duration::from_secs(3);

/// A message from a worker.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum WorkerMessage {
    /// A question for the person behind the client.
    Ask { tool: String, message: String },
    /// Progress of the current call.
    Progress { done: u64, message: String },
    /// Changes to session memory.
    Remembered { changes: Vec<MemoryEntry> },
    /// The end of the script, with its report.
    Done { failed: bool, time_ms: u64, report: Box<RawValue> },
}

/// A later message to a worker: the answer to a question.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Once,
    Session,
    Never,
    Dismissed,
    Nobody,
}
