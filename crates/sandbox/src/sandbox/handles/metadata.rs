//! Metadata of files, read without opening them.

use serde::{Deserialize, Serialize};
use web_time::SystemTime;

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A symbolic link.
    Link,
    /// A FIFO, socket or device.
    Special,
}

/// A point in time: seconds since 1970 plus nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970; negative for earlier times.
    pub seconds: i64,
    /// Nanoseconds, 0 to 999,999,999.
    pub nanos: u32,
}

/// The result of `lstat`.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// The kind of the entry.
    pub kind: Kind,
    /// The size in bytes, as the system reports it for every kind.
    pub size: u64,
    /// The time of the last change of the content.
    pub modified: Option<Timestamp>,
    /// The time of the last change of the content or the metadata.
    pub changed: Option<Timestamp>,
    /// The time of the last access.
    pub accessed: Option<Timestamp>,
    /// The time of creation, if the file system records it.
    pub created: Option<Timestamp>,
    /// The permission bits, 0 to 0o7777.
    pub mode: u32,
    /// The owner; zeros on systems without numeric ids.
    pub owner: Owner,
    /// Number of hard links.
    pub links: u64,
    /// The device and inode, which identify the file.
    pub identity: Identity,
}

/// The ids of a user and a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The user id.
    pub user: u32,
    /// The group id.
    pub group: u32,
}

/// The identity of a file, independent of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The device, which identifies the file system.
    pub device: u64,
    /// The inode number.
    pub inode: u64,
}

impl Timestamp {
    /// The beginning of 1970.
    pub const EPOCH: Timestamp = Timestamp { seconds: 0, nanos: 0 };
    /// The earliest time.
    pub const MIN: Timestamp = Timestamp { seconds: i64::MIN, nanos: 0 };
    /// The latest time.
    pub const MAX: Timestamp = Timestamp { seconds: i64::MAX, nanos: 999_999_999 };

    /// Returns the present time; 1970 if the clock is earlier.
    pub fn now() -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Timestamp { seconds: since.as_secs().try_into().unwrap_or(i64::MAX), nanos: since.subsec_nanos() }
    }

    /// Returns milliseconds since 1970, rounded down, or `None` on overflow of 64 bits.
    pub fn epoch_ms(self) -> Option<i64> {
        self.seconds.checked_mul(1000)?.checked_add(i64::from(self.nanos / 1_000_000))
    }
}
