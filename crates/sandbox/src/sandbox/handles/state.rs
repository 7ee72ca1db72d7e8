//! The state of an entry and moments, in the form in which journals and plans record them.

use serde::{Deserialize, Serialize};

use super::metadata::{Kind, Metadata, Timestamp};

/// A time: seconds since 1970 and nanoseconds.
pub type Moment = (i64, u32);

/// Converts a timestamp for the journal.
pub fn moment(time: Timestamp) -> Moment {
    (time.seconds, time.nanos)
}

/// Converts a time of the journal to a timestamp.
pub fn time(moment: Moment) -> Timestamp {
    Timestamp { seconds: moment.0, nanos: moment.1 }
}

/// The state of an entry, as far as it can be compared later. Time and permission bits are also what undo restores; the
/// owner is not part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The kind of the entry.
    pub kind: Kind,
    /// Its inode.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Modification time of its content.
    pub modified: Option<Moment>,
    /// Its permission bits.
    pub mode: u32,
}

impl State {
    /// Takes the state from metadata.
    pub fn of(metadata: &Metadata) -> State {
        State {
            kind: metadata.kind,
            inode: metadata.identity.inode,
            size: metadata.size,
            modified: metadata.modified.map(moment),
            mode: metadata.mode,
        }
    }

    /// Returns the modification time of its content.
    pub fn modified(&self) -> Option<Timestamp> {
        self.modified.map(time)
    }

    /// Whether `now` is the same entry, unchanged. The entries of a directory are not compared.
    pub fn is_still(&self, now: &State) -> bool {
        match self.kind {
            Kind::Folder => (self.kind, self.inode, self.mode) == (now.kind, now.inode, now.mode),
            _ => self == now,
        }
    }

    /// Whether a backup is this entry: the entry itself or a copy of it, unchanged. Always false for a special file,
    /// since no tool backs one up.
    pub fn is_kept_as(&self, kept: &State) -> bool {
        let is_same_content = (self.size, self.modified) == (kept.size, kept.modified);
        match self.kind {
            _ if kept.kind != self.kind => false,
            Kind::Special => false,
            // Its time may have changed with its entries before it was backed up; a copy got the time of that moment.
            Kind::Folder => self.inode == kept.inode || self.modified == kept.modified,
            Kind::File | Kind::Link => is_same_content,
        }
    }

    /// Whether `now` is the same entry or a copy of it, unchanged.
    pub fn is_still_or_copied(&self, now: &State) -> bool {
        self.is_still(&State { inode: self.inode, ..now.clone() })
    }
}
