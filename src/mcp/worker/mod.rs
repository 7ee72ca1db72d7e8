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
use serde_json::{Map, Value as Json};

pub use child::work;
pub use parent::{Stop, WorkerReport, Workers};

use crate::engine::{MemoryEntry, UserKey};

/// Time for a worker that was told to stop: to end its script, and to roll it back if it is atomic.
const GRACE: Duration = Duration::from_secs(3);

/// The first message to a worker.
#[derive(Debug, Deserialize, Serialize)]
pub struct Order {
    /// Process id of the server.
    pub server: u32,
    /// The text of the script.
    pub script: String,
    /// Whether to change nothing and report the planned changes.
    pub plan: bool,
    /// Whether a script that fails is rolled back.
    pub atomic: bool,
    /// The arguments of the script.
    pub given: Given,
    /// Names of the script, if it is offered as a tool.
    pub offered: Option<Named>,
    /// Directories outside of which the script may do nothing.
    pub within: Option<Vec<std::path::PathBuf>>,
    /// The session memory of the connection.
    pub remembered: Vec<MemoryEntry>,
    /// The user's seal key, so that the server accepts what the worker seals.
    pub key: Option<UserKey>,
}

/// The arguments of a script.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// Words, as after `--` on a command line.
    Words(Vec<String>),
    /// Values by parameter name.
    Named(Map<String, Json>),
}

/// The names of a script that is offered as a tool.
#[derive(Debug, Deserialize, Serialize)]
pub struct Named {
    /// The wire name of the tool.
    pub tool: String,
    /// The file.
    pub file: String,
}

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
    Nobody,
}
