//! The backup store: entries that tools overwrite or delete are moved below `.ns`.
//!
//! `.ns/backups/<path>/<name>` is earlier content of the file at `<path>`, and `.ns/trash/<path>/<name>` is an entry
//! that was deleted there. [`stamp`] defines the names, each of which carries a seal. Each path has a directory of
//! its own, created on first use; there is no index that could become inconsistent. A name that is not sealed by this
//! user is foreign: the entry is counted, but neither restored nor removed. All access starts at the handle of `.ns`
//! and resolves one name at a time. An entry on the way that is not ours is an error, and is neither followed nor
//! changed.
//!
//! Nothing that a tool overwrites or deletes is lost before its retention ends ([`retention`]). One function gives the
//! store of a path: that of the root which contains the path (`Context::keeper`). Names and journals show which backups
//! the newest runs need (`journal/needs`). `ns gc` asks again before it removes each one, because runs may begin
//! meanwhile.

mod backup_path;
mod lock;
mod retention;
mod slot;
pub(super) mod stamp;
mod sweep;
mod tally;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::limits::Meter;

use super::error::SandboxError;
use super::journal::{Address, InternalChange};
use super::root::{Root, SandboxPath, parts_of};

pub(super) use backup_path::put_back;
pub use backup_path::{BackupPath, BackupPathText};
pub(super) use lock::StoreLock;
pub(super) use retention::StoreUsage;
pub use retention::UNDOABLE;
pub(super) use slot::Slot;
pub(super) use sweep::{Reclaimer, RetentionRules, Sweep, is_fresh};
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
    /// Returns the name of its directory in `.ns`.
    pub fn name(self) -> &'static str {
        match self {
            BackupKind::Backups => "backups",
            BackupKind::Trash => "trash",
        }
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
    pub(super) fn address_of(self, slot: &Slot) -> String {
        self.root.address_of(&slot.display()).into_owned()
    }

    /// Returns a new stamp for a backup. `account` is that of the run, which may belong to another root.
    pub(super) fn new_stamp(self, account: &StoreUsage) -> String {
        self.root.account.follow(account);
        stamp::name_at(&account.now())
    }

    /// Returns the path of the backup of the entry at `place` with this stamp.
    pub(super) fn address(self, place: &SandboxPath, drawer: BackupKind, stamp: &str) -> Address {
        let parts = parts_of(Path::new(place.resolved_raw())).map(|part| stamp::folder_of(&part));
        let folders: Vec<OsString> = [OsString::from(drawer.name())].into_iter().chain(parts).collect();
        let name = stamp::kept_name(stamp, &folders, &self.root.seal);
        let own = Address::from(&*self.root.address_of(super::state_dir::STATE_DIR));
        folders.iter().chain([&name]).fold(own, |address, part| address.join(part))
    }

    /// Waits for exclusive access to the backup store. Creates `.ns` if necessary.
    pub(super) fn lock(self, meter: &Meter, change: &InternalChange) -> Result<StoreLock, SandboxError> {
        StoreLock::wait(self, meter, change)
    }
}

/// Formats a path below `.ns` for messages and results.
fn shown_below<T: AsRef<OsStr>>(names: &[T]) -> String {
    let names = names.iter().map(|name| name.as_ref().to_string_lossy());
    names.fold(super::state_dir::display(""), |path, name| format!("{}/{name}", path.trim_end_matches('/')))
}
