//! The progress of a call or a loop, for display by another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The work done so far, and the total if known.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    written: AtomicU64,
    all_bytes: AtomicU64,
    items: AtomicU64,
    all_items: AtomicU64,
    entries: AtomicU64,
    all_entries: AtomicU64,
    searched: AtomicU64,
    matches: AtomicU64,
    is_syncing: AtomicBool,
}

impl Progress {
    /// Counts bytes read.
    pub fn read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes written.
    pub(super) fn written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds to the total number of bytes to read or write.
    pub fn expect_bytes(&self, bytes: u64) {
        self.all_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts one more item.
    pub(super) fn reach_next(&self) {
        self.items.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets the number of items reached and their total.
    pub fn reached(&self, items: u64, all: u64) {
        self.items.store(items, Ordering::Relaxed);
        self.all_items.store(all, Ordering::Relaxed);
    }

    /// Counts entries seen by a walk.
    pub fn found(&self, entries: usize) {
        self.entries.fetch_add(entries as u64, Ordering::Relaxed);
    }

    /// Starts a walk. `expected` is the number of entries that an earlier walk of the same tree has seen, if any.
    pub fn begin_walk(&self, expected: Option<u64>) {
        self.entries.store(0, Ordering::Relaxed);
        self.all_entries.store(expected.unwrap_or(0), Ordering::Relaxed);
    }

    /// Sets the number of files that a search has read, and of the matches in them.
    pub fn searched(&self, files: u64, matches: usize) {
        self.searched.store(files, Ordering::Relaxed);
        self.matches.store(matches as u64, Ordering::Relaxed);
    }

    /// Sets whether everything is written and is being synced.
    pub(super) fn syncing(&self, is_syncing: bool) {
        self.is_syncing.store(is_syncing, Ordering::Relaxed);
    }

    /// Returns the number of entries that the walk has seen, and the number that an earlier one saw; 0 if there was
    /// none.
    pub fn entries(&self) -> (u64, u64) {
        (self.entries.load(Ordering::Relaxed), self.all_entries.load(Ordering::Relaxed))
    }

    /// Returns the number of files that a search has read, and of the matches in them.
    pub fn files_searched(&self) -> (u64, u64) {
        (self.searched.load(Ordering::Relaxed), self.matches.load(Ordering::Relaxed))
    }

    /// Whether everything is written and is being synced.
    pub fn is_syncing(&self) -> bool {
        self.is_syncing.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes read.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes written.
    pub fn bytes_written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Returns the total number of bytes to read or write; 0 if unknown.
    pub fn all_bytes(&self) -> u64 {
        self.all_bytes.load(Ordering::Relaxed)
    }

    /// Returns the number of items reached and their total; 0 if there are none.
    pub fn items(&self) -> (u64, u64) {
        (self.items.load(Ordering::Relaxed), self.all_items.load(Ordering::Relaxed))
    }
}
