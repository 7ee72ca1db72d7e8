//! How far a call has come, for another thread that shows it.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a call has done so far.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    written: AtomicU64,
    items: AtomicU64,
    all_items: AtomicU64,
}

impl Progress {
    /// Counts bytes that were read.
    pub(super) fn read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that are about to be written.
    pub(super) fn written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Says how many of several items were reached.
    pub(super) fn reached(&self, items: u64, all: u64) {
        self.items.store(items, Ordering::Relaxed);
        self.all_items.store(all, Ordering::Relaxed);
    }

    /// Bytes that were read.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Bytes that were written.
    pub fn bytes_written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Items that were reached, and how many there are; 0 where there are none.
    pub fn items(&self) -> (u64, u64) {
        (self.items.load(Ordering::Relaxed), self.all_items.load(Ordering::Relaxed))
    }
}
