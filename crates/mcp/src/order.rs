//! The order to run a script: the first message of the server to a worker.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::engine::{MemoryEntry, UserKey};

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
    /// The sandbox in which it runs, which the worker knows from its command line.
    #[serde(skip)]
    pub sandbox: OrderedSandbox,
    /// Directories outside of which the script may do nothing.
    pub within: Option<Vec<PathBuf>>,
    /// The client of the server that sent the script; see `Options::client`.
    pub client: Option<String>,
    /// The session memory of the connection.
    pub remembered: Vec<MemoryEntry>,
    /// The user's seal key, so that the server accepts what the worker seals.
    pub key: Option<UserKey>,
}

/// The sandbox of a script.
#[derive(Clone, Debug, Default)]
pub struct OrderedSandbox {
    /// Its name, if the server has several.
    pub name: Option<String>,
    /// The directory; the current one by default.
    pub path: Option<PathBuf>,
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

/// Returns the command under which the runs of a client are listed.
pub fn command_of(client: Option<&str>) -> String {
    client.map_or_else(|| "ns mcp".to_owned(), |client| format!("ns mcp ({client})"))
}
