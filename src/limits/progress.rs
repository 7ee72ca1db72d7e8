//! How far a call or a loop has come, for another thread that shows it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The work done so far, and how much there is where that is known.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    written: AtomicU64,
    all_bytes: AtomicU64,
    items: AtomicU64,
    all_items: AtomicU64,
    entries: AtomicU64,
    all_entries: AtomicU64,
    is_syncing: AtomicBool,
}

impl Progress {
    /// Counts bytes that were read.
    pub(super) fn read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were written.
    pub(super) fn written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds to the bytes that there are to read or to write.
    pub(super) fn expect_bytes(&self, bytes: u64) {
        self.all_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts one item more.
    pub(super) fn reach_next(&self) {
        self.items.fetch_add(1, Ordering::Relaxed);
    }

    /// Says how many of several items were reached.
    pub fn reached(&self, items: u64, all: u64) {
        self.items.store(items, Ordering::Relaxed);
        self.all_items.store(all, Ordering::Relaxed);
    }

    /// Counts entries that a walk met.
    pub fn met(&self, entries: usize) {
        self.entries.fetch_add(entries as u64, Ordering::Relaxed);
    }

    /// Begins a walk. `expected` is how many entries an earlier walk of the same tree met, if there was one.
    pub fn begin_walk(&self, expected: Option<u64>) {
        self.entries.store(0, Ordering::Relaxed);
        self.all_entries.store(expected.unwrap_or(0), Ordering::Relaxed);
    }

    /// Says whether everything is written, and is being made durable.
    pub(super) fn syncing(&self, is_syncing: bool) {
        self.is_syncing.store(is_syncing, Ordering::Relaxed);
    }

    /// Entries that the walk met, and how many an earlier one met; 0 if there was none.
    pub fn entries(&self) -> (u64, u64) {
        (self.entries.load(Ordering::Relaxed), self.all_entries.load(Ordering::Relaxed))
    }

    /// Whether everything is written, and is being made durable.
    pub fn is_syncing(&self) -> bool {
        self.is_syncing.load(Ordering::Relaxed)
    }

    /// Bytes that were read.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Bytes that were written.
    pub fn bytes_written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Bytes that there are to read or to write; 0 where that is not known.
    pub fn all_bytes(&self) -> u64 {
        self.all_bytes.load(Ordering::Relaxed)
    }

    /// Items that were reached, and how many there are; 0 where there are none.
    pub fn items(&self) -> (u64, u64) {
        (self.items.load(Ordering::Relaxed), self.all_items.load(Ordering::Relaxed))
    }
}
