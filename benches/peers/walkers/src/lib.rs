//! What the walks have in common: the folder they are told, and how they say what they met.
//!
//! Each walk takes type, size and time of change of every entry, as `FS.WalkDir` does, and does nothing else:
//! no order where the crate keeps none, and no list of what was met.

use std::error::Error;
use std::fs::Metadata;

/// What was met below the start.
#[derive(Default)]
pub struct Totals {
    entries: u64,
    bytes: u64,
    newest: u64,
}

impl Totals {
    /// Counts an entry; the sizes of folders are left out.
    pub fn add(&mut self, metadata: &Metadata) -> Result<(), Box<dyn Error>> {
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        self.count(size, metadata.modified()?.elapsed().unwrap_or_default().as_secs());
        Ok(())
    }

    /// Counts an entry of which these are known.
    pub fn count(&mut self, size: u64, age: u64) {
        self.entries += 1;
        self.bytes += size;
        self.newest = self.newest.max(age);
    }

    /// Counts what another thread has counted.
    pub fn merge(&mut self, other: &Totals) {
        self.entries += other.entries;
        self.bytes += other.bytes;
        self.newest = self.newest.max(other.newest);
    }

    /// Prints entries and bytes.
    pub fn print(&self) {
        println!("{} {}", self.entries, self.bytes);
    }
}

/// The folder that the command line names.
pub fn start() -> String {
    std::env::args().nth(1).expect("the folder is named")
}
