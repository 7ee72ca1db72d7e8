//! What is known of a file without opening it.

use serde::{Deserialize, Serialize};

/// What a directory entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A FIFO, socket or device.
    Special,
}

/// A point in time: whole seconds since 1970 and the nanoseconds after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970; negative before.
    pub seconds: i64,
    /// 0 to 999,999,999.
    pub nanos: u32,
}

/// What `lstat` tells.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// Size in bytes, as the system gives it for every kind.
    pub size: u64,
    /// Last change of the content.
    pub modified: Option<Timestamp>,
    /// Last change of the content or of what is known of it.
    pub changed: Option<Timestamp>,
    /// Last access.
    pub accessed: Option<Timestamp>,
    /// Creation, where the file system keeps it.
    pub created: Option<Timestamp>,
    /// Permission bits, 0 to 0o7777.
    pub mode: u32,
    /// Who owns it; zeros where the system has no such numbers.
    pub owner: Owner,
    /// Names that the file has.
    pub links: u64,
    /// Device and inode: the identity of the file.
    pub identity: Identity,
}

/// Numbers of a user and a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The user.
    pub user: u32,
    /// The group.
    pub group: u32,
}

/// What tells two files apart, whatever they are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub inode: u64,
}

impl Timestamp {
    /// Milliseconds since 1970, rounded down; none when they leave 64 bits.
    pub fn epoch_ms(self) -> Option<i64> {
        self.seconds.checked_mul(1000)?.checked_add(i64::from(self.nanos / 1_000_000))
    }
}
