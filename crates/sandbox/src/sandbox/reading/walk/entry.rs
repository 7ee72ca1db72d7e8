//! An entry of a tree as the readers of a walk pass it on.

use super::super::super::handles::metadata::Kind;

/// An entry, identified by its reader and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryId {
    pub reader: u8,
    pub index: u32,
}

/// The metadata of an entry that a walk uses.
#[derive(Clone, Copy, Debug)]
pub struct EntryStat {
    pub kind: Kind,
    /// The size in bytes.
    pub size: u64,
    /// The modification time in seconds since 1970.
    pub modified: i64,
    /// The nanoseconds of that time.
    pub nanos: u32,
}

impl EntryStat {
    /// Returns the size reported for the entry: 0 for directories.
    pub fn size_as_entry(&self) -> u64 {
        if self.kind == Kind::Folder { 0 } else { self.size }
    }
}
