//! Changing files: the journal, the backup store, and every operation that a tool may ask for.
//!
//! Each step is journaled before it is taken, and each entry that is replaced or removed goes to the backup store.
//! [`change`] creates and renames entries. [`write`] fills a staging file, to which [`replace`] gives its name;
//! [`content`] copies the bytes of one file, [`copier`] a whole entry with its properties, and [`copy`] is the operation
//! that a tool asks for, and [`link`] makes symbolic links. [`restore`] brings back a backup to where
//! nothing is, and [`exchange`] to where another entry is; undo is in `runs`.

pub(super) mod backups;
pub(super) mod change;
pub(super) mod content;
pub(super) mod copier;
pub(super) mod copy;
pub(super) mod exchange;
pub(super) mod journal;
pub(super) mod link;
pub(super) mod modified;
pub(super) mod overwrite;
pub(super) mod parents;
pub(super) mod permissions;
pub(super) mod remove;
pub(super) mod replace;
pub(super) mod restore;
pub(super) mod temporary;
pub(super) mod unpack;
pub(super) mod write;
