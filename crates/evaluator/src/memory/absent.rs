//! Project memory of a build without SQLite: each use of it fails.

use crate::sandbox::InternalChange;

use super::error::MemoryError;
use super::key::Key;
use super::record::{Record, Row, Stored};
use super::rows::{Rows, Salvaged};
use super::site::Site;

/// The project memory of one engine, which this build does not have.
#[derive(Debug, Default)]
pub struct Project(());

#[allow(clippy::unused_self, reason = "the methods are those of the other build")]
impl Project {
    /// Whether there are planned changes.
    pub fn has_planned_changes(&self) -> bool {
        false
    }

    /// Fails.
    pub fn get(&self, _site: &Site<'_>, _key: &Key) -> Result<Option<Stored>, MemoryError> {
        Err(MemoryError::Absent)
    }

    /// Fails.
    pub fn keys(&self, _site: &Site<'_>, _prefix: &str) -> Result<Rows<String>, MemoryError> {
        Err(MemoryError::Absent)
    }

    /// Fails.
    pub fn rows(&self, _site: &Site<'_>, _prefix: &str) -> Result<Rows<Row>, MemoryError> {
        Err(MemoryError::Absent)
    }

    /// Fails.
    pub fn records(&self, _site: &Site<'_>) -> Result<Rows<Record>, MemoryError> {
        Err(MemoryError::Absent)
    }

    /// Fails.
    pub fn salvage(&self, _site: &Site<'_>) -> Result<Salvaged, MemoryError> {
        Err(MemoryError::Absent)
    }

    /// Fails.
    pub fn set(&self, _site: &Site<'_>, _records: &[Record], _change: &InternalChange) -> Result<(), MemoryError> {
        Err(MemoryError::Absent)
    }

    /// Fails.
    pub fn delete(&self, _site: &Site<'_>, _key: &Key, _change: &InternalChange) -> Result<bool, MemoryError> {
        Err(MemoryError::Absent)
    }
}
