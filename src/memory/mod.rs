//! What scripts remember: session memory in the process, project memory in `.ns/memory.db`.
//!
//! [`Session`] is a map that lives as long as a run, a session at a terminal or a connection.
//! [`Project`] is one SQLite file that many processes share. Neither knows of tools or policies: whoever
//! changes project memory brings a [`crate::sandbox::Change`], which only the policy's journal gives.
//! No file is opened here but through the sandbox.

mod error;
mod handover;
mod key;
mod open;
mod project;
mod record;
mod salvage;
mod schema;
mod session;
mod snapshot;
mod wal;

pub use error::MemoryError;
pub use handover::Entry;
pub use key::Key;
pub use project::{Access, Project, Site};
pub use record::{Record, Row, Stored};
pub use salvage::Salvaged;
pub use session::Session;

/// The most bytes of JSON that one value of project memory has, unless the policy file says otherwise.
pub const MAX_VALUE: u64 = 1 << 20;

/// The most bytes that the session memory of a connection has: its keys, and its values as JSON.
pub const MAX_SHARED: u64 = 8 << 20;

/// How deep lists and maps of a value of project memory may be nested.
pub const MAX_DEPTH: u32 = 100;
