//! Scripts in processes of their own: the same binary, started with a hidden word, with limits of the system
//! besides those of the engine. A script that takes too much, or meets a fault of ours, takes nothing else
//! with it.
//!
//! Lines of JSON go both ways. The server sends an order and then answers to questions; that its end is
//! closed means stop. The worker sends questions, how far it has come, and last of all its report. No
//! standard stream of the server's is shared but standard error.
//!
//! A worker does not outlive its server, however that ends ([`lifeline`]).

mod child;
mod lifeline;
mod parent;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

pub use child::work;
pub use parent::{Stop, Worked, Workers};

use crate::engine::{MemoryEntry, UserKey};

/// How long a worker that was told to stop may take: to end its script, and to take it back where it is atomic.
const GRACE: Duration = Duration::from_secs(3);

/// What a worker is told first.
#[derive(Debug, Deserialize, Serialize)]
pub struct Order {
    /// The process of the server.
    pub server: u32,
    /// The text of the script.
    pub script: String,
    /// Whether nothing is changed, and what would be is reported.
    pub plan: bool,
    /// Whether a script that fails is taken back.
    pub atomic: bool,
    /// What it is run with.
    pub given: Given,
    /// The script that is offered as a tool, which it then is.
    pub offered: Option<Named>,
    /// Directories outside of which nothing may be done.
    pub within: Option<Vec<std::path::PathBuf>>,
    /// The session memory of the connection.
    pub remembered: Vec<MemoryEntry>,
    /// The key of the user's seals; what it seals the server must know again.
    pub key: Option<UserKey>,
}

/// What a script is run with.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// Words, as after `--` on a command line.
    Words(Vec<String>),
    /// Values by the names of its parameters.
    Named(Map<String, Json>),
}

/// How a script that is offered as a tool is named.
#[derive(Debug, Deserialize, Serialize)]
pub struct Named {
    /// The tool.
    pub tool: String,
    /// The file.
    pub file: String,
}

/// What a worker says.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    /// Somebody is to be asked.
    Ask { tool: String, message: String },
    /// How far it has come.
    Progress { done: u64, message: String },
    /// What it has changed in session memory.
    Remembered { changes: Vec<MemoryEntry> },
    /// It is over.
    Done { failed: bool, time_ms: u64, report: Box<RawValue> },
}

/// What a worker is told later: how a question was answered.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Once,
    Session,
    Never,
    Nobody,
}
