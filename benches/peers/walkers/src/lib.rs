//! Shared code of the walks: the start directory and the output.
//!
//! Each walk reads type, size and modification time of every entry, as `FS.WalkDir` does, and nothing else: it does not
//! sort if the crate does not, and stores no list of entries.

use std::error::Error;
use std::fs::Metadata;

/// Totals of a walk.
#[derive(Default)]
pub struct Totals {
    entries: u64,
    bytes: u64,
    newest: u64,
}

impl Totals {
    /// Counts an entry. Sizes of directories are not added.
    pub fn add(&mut self, metadata: &Metadata) -> Result<(), Box<dyn Error>> {
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        self.count(size, metadata.modified()?.elapsed().unwrap_or_default().as_secs());
        Ok(())
    }

    /// Counts an entry with a known size and age in seconds.
    pub fn count(&mut self, size: u64, age: u64) {
        self.entries += 1;
        self.bytes += size;
        self.newest = self.newest.max(age);
    }

    /// Adds the totals of another thread.
    pub fn merge(&mut self, other: &Totals) {
        self.entries += other.entries;
        self.bytes += other.bytes;
        self.newest = self.newest.max(other.newest);
    }

    /// Prints the numbers of entries and bytes.
    pub fn print(&self) {
        println!("{} {}", self.entries, self.bytes);
    }
}

/// Returns the directory given on the command line.
pub fn start() -> String {
    std::env::args().nth(1).expect("the folder is named")
}
