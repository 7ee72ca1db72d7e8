//! Memory of scripts: session memory in the process, project memory in `.ns/memory.db`.
//!
//! [`Session`] is a map that lives as long as a run, a session at a terminal or a connection. [`Project`] is one SQLite
//! file shared by many processes. Neither depends on tools or policies: changing project memory requires a
//! [`crate::sandbox::InternalChange`], which only a journal that permits changes creates. This module opens files only
//! through the sandbox.
//!
//! SQLite accepts only a path, so the file that it opened is compared with the handle of `.ns` before it is used
//! (`project/open` explains why this suffices). Without the feature `project-memory` there is no SQLite, and `absent`
//! refuses each use of [`Project`].

#![cfg_attr(not(feature = "project-memory"), allow(dead_code, reason = "much of it is for project memory alone"))]

#[cfg(not(feature = "project-memory"))]
mod absent;
mod error;
mod handover;
mod key;
#[cfg(feature = "project-memory")]
mod project;
mod record;
mod rows;
mod session;
mod site;

#[cfg(not(feature = "project-memory"))]
pub use absent::Project;
pub use error::MemoryError;
pub use handover::Entry;
pub use key::Key;
#[cfg(feature = "project-memory")]
pub use project::Project;
pub use record::{Record, Row, Stored};
pub use rows::{Rows, Salvaged};
pub use session::Session;
pub use site::{Access, Site};

/// Default maximum length in bytes of the JSON of one value in project memory; the policy file can change it.
pub const MAX_VALUE: u64 = 1 << 20;

/// Maximum size in bytes of the session memory of a connection: its keys, and its values as JSON.
pub const MAX_SHARED: u64 = 8 << 20;

/// Maximum nesting depth of lists and maps in a value of project memory.
pub const MAX_DEPTH: u32 = 100;
