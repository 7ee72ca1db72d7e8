//! Knowledge of a run about the backup store below a root: which backups must stay, how many bytes there are, and notes.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::SandboxError;
use super::folder::File;
use super::folder::Folder;
use super::metadata::Identity;
use super::stamp;

/// Number of newest runs whose backups are always retained.
pub const UNDOABLE: usize = 20;

/// Retention state for the backups of a root.
#[derive(Debug, Default)]
pub struct StoreUsage {
    state: Mutex<State>,
    /// Whether there are notes. Atomic because every tool call checks it.
    has_notes: AtomicBool,
    /// The handles of the store, while no other process has put something else in their place.
    held: Mutex<Option<HeldStore>>,
}

/// Open handles of the store, which every replacement and removal of a run uses.
#[derive(Clone, Debug)]
pub(in crate::sandbox) struct HeldStore {
    /// `.ns`.
    pub(in crate::sandbox) folder: Arc<Folder>,
    pub(in crate::sandbox) identity: Identity,
    /// The file whose lock gives exclusive access to the store.
    pub(in crate::sandbox) lock: Arc<File>,
    pub(in crate::sandbox) lock_identity: Identity,
    /// The directory that contains the one of the last backup.
    last: Arc<Mutex<Option<CheckedFolder>>>,
}

/// A directory of the store that was checked level by level.
#[derive(Debug)]
struct CheckedFolder {
    /// The names that lead to it from `.ns`.
    names: Vec<OsString>,
    folder: Arc<Folder>,
}

impl HeldStore {
    /// Returns handles of the store.
    pub(in crate::sandbox) fn new(
        folder: Folder,
        identity: Identity,
        lock: File,
        lock_identity: Identity,
    ) -> HeldStore {
        HeldStore { folder: Arc::new(folder), identity, lock: Arc::new(lock), lock_identity, last: Arc::default() }
    }

    /// Returns the directory to which these names lead, if it is that of the last backup.
    pub(in crate::sandbox) fn last(&self, names: &[OsString]) -> Option<Arc<Folder>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|last| last.names == names).map(|last| last.folder.clone())
    }

    /// Keeps the directory to which these names lead for the next backup.
    pub(in crate::sandbox) fn keep_last(&self, names: &[OsString], folder: Folder) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(CheckedFolder { names: names.to_vec(), folder: Arc::new(folder) });
    }
}

#[derive(Debug, Default)]
pub(in crate::sandbox) struct State {
    /// Directories in which no backup may be removed, because all are recent.
    pub(in crate::sandbox) own: HashSet<Vec<OsString>>,
    /// Total size of the backups in bytes, once the store was examined.
    pub(in crate::sandbox) total: Option<u64>,
    /// Total size in bytes above which the store is examined again.
    pub(in crate::sandbox) ceiling: u64,
    notes: Vec<String>,
    /// Backups with names before this one may be removed; none while it is empty, before a run began.
    stays_from: String,
    /// The latest time used in a stamp.
    newest: String,
}

impl StoreUsage {
    /// Whether there are notes on backups that could not be removed.
    pub fn has_notes(&self) -> bool {
        self.has_notes.load(Ordering::Acquire)
    }

    /// Takes the notes on backups that could not be removed, one sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        let mut state = self.state();
        self.has_notes.store(false, Ordering::Release);
        std::mem::take(&mut state.notes)
    }

    /// Begins a run after `runs`, which are sorted from the oldest. Backups made since `oldest` are retained as well.
    pub fn begin_run(&self, runs: &[OsString], oldest: Option<&OsString>) {
        let mut state = self.state();
        let first = runs.len().saturating_sub(UNDOABLE - 1);
        let stays_from = runs.get(first).into_iter().chain(oldest).min();
        state.newest = state.newest.clone().max(runs.last().map(|last| stamp::moment_of(last)).unwrap_or_default());
        state.stays_from = match stays_from {
            Some(name) => name.to_string_lossy().into_owned(),
            None => stamp::after(&state.newest),
        };
    }

    /// Adopts the retention boundary of another root's store.
    pub fn follow(&self, other: &StoreUsage) {
        if !std::ptr::eq(self, other) {
            let stays_from = other.state().stays_from.clone();
            self.state().stays_from = stays_from;
        }
    }

    /// Returns the present time for a stamp. It is later than all times used before, whatever the clock says.
    pub fn now(&self) -> String {
        let mut state = self.state();
        state.newest = stamp::after(&state.newest);
        state.newest.clone()
    }

    /// Returns the handles of the store, if they are known.
    pub(in crate::sandbox) fn held(&self) -> Option<HeldStore> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps the handles of the store for the next replacement or removal.
    pub(in crate::sandbox) fn hold(&self, held: HeldStore) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
    }

    /// Locks the state.
    pub(in crate::sandbox) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a note about an error that is not reported to the caller.
    pub(in crate::sandbox) fn note(&self, error: &SandboxError) {
        // An exceeded limit of the run only means that there is no time left for this.
        if !matches!(error, SandboxError::Limit(_)) {
            let mut state = self.state();
            state.notes.push(format!("something old that was kept could not be given up: {error}"));
            self.has_notes.store(true, Ordering::Release);
        }
    }

    /// Whether retention may remove a backup with this name.
    pub(in crate::sandbox) fn is_old(&self, name: &OsStr) -> bool {
        name.as_encoded_bytes() < self.state().stays_from.as_bytes()
    }
}
