//! Rows of memory that were read, as callers get them.

use crate::limits::{LimitHit, MemoryCharge};

use super::record::Record;

/// Rows that were read, counted as live until dropped.
#[derive(Debug)]
pub struct Rows<T> {
    /// The rows.
    pub items: Vec<T>,
    pub(super) held: MemoryCharge,
}

impl<T> Default for Rows<T> {
    fn default() -> Rows<T> {
        Rows { items: Vec::new(), held: MemoryCharge::default() }
    }
}

impl<T> Rows<T> {
    /// Appends a row with texts of `bytes` bytes.
    pub fn push(&mut self, item: T, bytes: usize) -> Result<(), LimitHit> {
        self.held.grow(size_of::<T>() + bytes)?;
        self.items.push(item);
        Ok(())
    }

    /// Appends rows in reverse order.
    pub fn append_reversed(&mut self, mut other: Rows<T>) {
        self.items.extend(other.items.drain(..).rev());
        self.held.join(&mut other.held);
    }
}

/// The readable part of a file.
#[derive(Debug, Default)]
pub struct Salvaged {
    /// The records, in the order in which they were first written.
    pub records: Rows<Record>,
    /// Number of rows that exist but could not be used.
    pub lost: usize,
    /// Whether the file could not be read to its end, so that an unknown number of rows is missing.
    pub cut: bool,
}
