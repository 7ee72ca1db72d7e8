//! The backup store: entries that tools overwrite or delete are moved below `.ns`.
//!
//! `.ns/backups/<path>/<name>` is earlier content of the file at `<path>`, and `.ns/trash/<path>/<name>` is an entry
//! that was deleted there. [`stamp`] defines the names, each of which carries a seal. Each path has a directory of
//! its own, created on first use; there is no index that could become inconsistent. A name that is not sealed by this
//! user is foreign: the entry is counted, but neither restored nor removed. All access starts at the handle of `.ns`
//! and resolves one name at a time. An entry on the way that is not ours is an error, and is neither followed nor
//! changed.
//!
//! Everything that a tool overwrites or deletes stays until its retention ends ([`retention`]). One function gives the
//! store of a path: that of the root which contains the path (`Context::backup_store`). Names and journals show which
//! backups the newest runs need (`journal/needs`). `ns gc` asks again before it removes each one, because runs may
//! begin meanwhile.

mod backup_path;
mod lock;
mod retention;
mod slot;
mod sweep;
mod tally;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::journal::Change;
use crate::limits::Meter;

use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::path::parts_of;
use super::super::handles::reserved::STATE_DIR;
use super::super::handles::root::{Root, SandboxPath};
use super::super::handles::stamp;
use super::super::internal::internal_change::InternalChange;
use super::super::internal::state_dir::display;

use super::super::handles::store_usage::StoreUsage;

pub use backup_path::{BackupPath, BackupPathText};
pub(in crate::sandbox) use lock::{StoreLock, UndoLock};
pub(in crate::sandbox) use slot::{Slot, SyncedFolders};
pub(in crate::sandbox) use sweep::{Reclaimer, RetentionRules, Sweep, is_fresh};
pub use tally::{Amount, ReclaimReason, Reclaimed, SweepReport, Tally};

/// Retention of backups; zero means no limit. A run never removes its own backups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Maximum number of backups of a file.
    pub count: u64,
    /// Age in days after which a backup or deleted entry is removed.
    pub days: u64,
    /// Maximum total size in bytes of all backups and deleted entries.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { count: 20, days: 30, bytes: 1 << 30 }
    }
}

/// The two parts of the backup store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupKind {
    /// Earlier content of files that were overwritten.
    Backups,
    /// Deleted entries.
    Trash,
}

impl BackupKind {
    /// Both parts.
    pub(in crate::sandbox) const ALL: [BackupKind; 2] = [BackupKind::Backups, BackupKind::Trash];

    /// Returns the part whose directory in `.ns` has this name.
    pub(in crate::sandbox) fn named(name: &OsStr) -> Option<BackupKind> {
        BackupKind::ALL.into_iter().find(|kind| name == kind.name())
    }

    /// Returns the name of its directory in `.ns`.
    pub fn name(self) -> &'static str {
        match self {
            BackupKind::Backups => "backups",
            BackupKind::Trash => "trash",
        }
    }
}

/// A backup among those of a path.
#[derive(Clone, Debug)]
pub(in crate::sandbox) struct BackupId {
    /// Its part of the store.
    pub kind: BackupKind,
    /// Its stamp, with which its name begins.
    pub stamp: String,
    /// Whether it is that of an earlier backup. A new one has a name that nobody can guess.
    pub is_again: bool,
}

impl BackupId {
    /// Takes the id from the path of a backup.
    pub fn of(address: &Address) -> BackupId {
        let path = address.0.to_string_lossy();
        let is_trash = path.split('/').skip_while(|part| *part != STATE_DIR).nth(1) == Some(BackupKind::Trash.name());
        let kind = if is_trash { BackupKind::Trash } else { BackupKind::Backups };
        BackupId { kind, stamp: stamp::stamp_in(address), is_again: true }
    }
}

/// The backup store of a root, in the root's `.ns`.
#[derive(Clone, Copy, Debug)]
pub struct BackupStore<'a> {
    root: &'a Root,
    retention: Retention,
}

impl<'a> BackupStore<'a> {
    /// Creates the backup store of a root with a retention.
    pub fn new(root: &'a Root, retention: Retention) -> BackupStore<'a> {
        BackupStore { root, retention }
    }

    /// Returns the path from which a backup can be restored.
    pub(in crate::sandbox) fn address_of(self, slot: &Slot) -> String {
        self.root.address_of(&slot.display()).into_owned()
    }

    /// Returns the id of a new backup. `usage` is that of the run, which may belong to another root.
    pub(in crate::sandbox) fn new_id(self, kind: BackupKind, usage: &StoreUsage) -> BackupId {
        self.root.usage.follow(usage);
        BackupId { kind, stamp: stamp::name_at(&usage.now()), is_again: false }
    }

    /// Returns the id of a new backup that a change makes. Begins the run first, so that stamps of its backups are
    /// later than its own.
    pub(in crate::sandbox) fn id_for(self, kind: BackupKind, change: &Change<'_>) -> Result<BackupId, SandboxError> {
        change.begin_journal()?;
        Ok(self.new_id(kind, &change.root().usage))
    }

    /// Returns the path of a backup of the entry at `place`.
    pub(in crate::sandbox) fn address(self, place: &SandboxPath, id: &BackupId) -> Address {
        let parts = parts_of(Path::new(place.resolved_raw())).map(|part| stamp::folder_of(&part));
        let folders: Vec<OsString> = [OsString::from(id.kind.name())].into_iter().chain(parts).collect();
        let name = stamp::kept_name(&id.stamp, &folders, &self.root.seal);
        let own = Address::from(&*self.root.address_of(STATE_DIR));
        folders.iter().chain([&name]).fold(own, |address, part| address.join(part))
    }

    /// Waits for exclusive access to the backup store. Creates `.ns` if necessary.
    pub(in crate::sandbox) fn lock(self, meter: &Meter, change: &InternalChange) -> Result<StoreLock, SandboxError> {
        StoreLock::wait(self, meter, change)
    }
}

/// Formats a path below `.ns` for messages and results.
fn shown_below<T: AsRef<OsStr>>(names: &[T]) -> String {
    let names = names.iter().map(|name| name.as_ref().to_string_lossy());
    names.fold(display(""), |path, name| format!("{}/{name}", path.trim_end_matches('/')))
}
