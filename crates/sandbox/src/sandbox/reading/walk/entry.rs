//! An entry of a tree as the readers of a walk pass it on.

use super::super::super::handles::metadata::{Identity, Kind, Metadata, Timestamp};

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
    /// The file, and the number of its names. Not every reader fills it in unless identities are wanted.
    pub file: FileNames,
}

/// A file, the number of its names and the time of its last change.
#[derive(Clone, Copy, Debug)]
pub struct FileNames {
    /// The identity of the file.
    pub identity: Identity,
    /// Number of hard links.
    pub links: u64,
    /// The time of the last change of the content or the metadata; 1970 if the file system has none.
    pub changed: Timestamp,
}

impl FileNames {
    /// The value for a file that was not queried.
    pub const UNKNOWN: FileNames =
        FileNames { identity: Identity { device: 0, inode: 0 }, links: 0, changed: Timestamp::EPOCH };
}

impl From<&Metadata> for EntryStat {
    fn from(metadata: &Metadata) -> EntryStat {
        let (modified, nanos) = metadata.modified.map_or((0, 0), |time| (time.seconds, time.nanos));
        let changed = metadata.changed.unwrap_or(Timestamp::EPOCH);
        let file = FileNames { identity: metadata.identity, links: metadata.links, changed };
        EntryStat { kind: metadata.kind, size: metadata.size, modified, nanos, file }
    }
}

impl EntryStat {
    /// Returns the size reported for the entry: 0 for directories.
    pub fn size_as_entry(&self) -> u64 {
        if self.kind == Kind::Folder { 0 } else { self.size }
    }
}
