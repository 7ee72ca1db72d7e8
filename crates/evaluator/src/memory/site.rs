//! Where and how project memory is used.

use crate::limits::Watch;
use crate::sandbox::Root;

/// How the database is accessed, and whether reading may create the files that SQLite needs beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The database itself is opened and shared with other processes.
    Shared,
    /// Nothing below the root may change: reads use a copy in memory.
    Copy,
    /// A plan: reads and writes use a copy in memory that is dropped with the engine.
    Planned,
}

/// The context in which project memory is used.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    /// The sandbox whose `.ns` contains it.
    pub root: &'a Root,
    /// How the database is accessed.
    pub access: Access,
    /// The deadline and interrupt that end waiting.
    pub watch: Watch,
}
