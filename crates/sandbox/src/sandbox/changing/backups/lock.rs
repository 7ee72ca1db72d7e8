//! Mutual exclusion of runs: a run that replaces or removes an entry holds an operating-system lock on `.ns/lock`.
//!
//! The lock makes examining and replacing an entry a single operation with respect to other runs. It is held only for
//! that operation, not while content is written or synced, and is released when the process ends. The handles of `.ns`
//! and of the file stay open during a run; each time it is checked that nobody has put something else in their place.
//!
//! An undo or redo holds `.ns/undo-lock` from the comparison of the tree to its end, so that two of them never reverse
//! the same run.

use std::ffi::OsStr;

use web_time::{Duration, Instant};

use crate::limits::Meter;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::File;
use super::super::super::handles::folder::Folder;
use super::super::super::handles::folder::lock::try_lock;
use super::super::super::handles::metadata::Identity;
use super::super::super::handles::reserved::STATE_DIR;
use super::super::super::handles::root::{Root, SandboxPath};
use super::super::super::handles::seal::RootSeal;
use super::super::super::handles::store_usage::HeldStore;
use super::super::super::internal::internal_change::InternalChange;
use super::super::super::internal::state_dir::{StateDir, display};
use super::slot::Slot;
use super::{BackupId, BackupStore};

const LOCK: &str = "lock";
const UNDO_LOCK: &str = "undo-lock";
/// Maximum time to wait for another run.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Exclusive access to the backup store, until dropped.
pub struct StoreLock {
    held: HeldStore,
    seal: RootSeal,
}

impl StoreLock {
    /// Waits for the lock.
    pub(super) fn wait(
        store: BackupStore<'_>,
        meter: &Meter,
        change: &InternalChange,
    ) -> Result<StoreLock, SandboxError> {
        let root = store.root;
        if let Some(held) = root.usage.held() {
            let lock = StoreLock::wait_for(root, held, meter)?;
            if lock.is_current(root) {
                return Ok(lock);
            }
        }
        let held = StoreLock::open(root.make_own_folder(change)?)?;
        root.usage.hold(held.clone());
        StoreLock::wait_for(root, held, meter)
    }

    /// Waits for the lock in order to remove entries, which must work on a full disk. Returns `None` if there is no
    /// `.ns`, or if the lock file does not exist and the disk has no space for it: nobody else can hold the lock
    /// then.
    pub(in crate::sandbox) fn wait_to_remove(root: &Root, meter: &Meter) -> Result<Option<StoreLock>, SandboxError> {
        let Some(own) = root.own_folder()? else { return Ok(None) };
        match StoreLock::open(own) {
            Ok(held) => StoreLock::wait_for(root, held, meter).map(Some),
            Err(SandboxError::NoSpace(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open(own: StateDir) -> Result<HeldStore, SandboxError> {
        let lock = own.open_or_make(LOCK)?;
        let found = own.folder().file_metadata(&lock).map_err(|error| SandboxError::io(display(LOCK), &error))?;
        let identity = own.identity();
        Ok(HeldStore::new(own.into_folder(), identity, lock, found.identity))
    }

    fn wait_for(root: &Root, held: HeldStore, meter: &Meter) -> Result<StoreLock, SandboxError> {
        wait_for(&held.lock, LOCK, meter)?;
        Ok(StoreLock { held, seal: root.seal.clone() })
    }

    /// Whether `.ns` and the lock file are still those of the root, so that others wait for the same lock.
    fn is_current(&self, root: &Root) -> bool {
        let is = |folder: &Folder, name: &str, identity: Identity| {
            folder.metadata(OsStr::new(name)).is_ok_and(|there| there.identity == identity)
        };
        let HeldStore { folder, identity, lock_identity, .. } = &self.held;
        is(root.folder(), STATE_DIR, *identity) && is(folder, LOCK, *lock_identity)
    }

    /// Creates a slot for a backup of the entry at `place`.
    pub fn slot(&self, place: &SandboxPath, id: &BackupId) -> Result<Slot, SandboxError> {
        Slot::make(&self.held, &self.seal, place.resolved_raw(), id)
    }
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        // If unlocking fails, the end of the process releases the lock.
        let _ = self.held.lock.unlock();
    }
}

/// The exclusive right to undo and redo runs of a root, until dropped.
pub struct UndoLock {
    _file: File,
}

impl UndoLock {
    /// Waits for the lock. Returns `None` if there is no `.ns`, or if the lock file does not exist and the disk has no
    /// space for it.
    pub(in crate::sandbox) fn wait(root: &Root, meter: &Meter) -> Result<Option<UndoLock>, SandboxError> {
        let Some(own) = root.own_folder()? else { return Ok(None) };
        let file = match own.open_or_make(UNDO_LOCK) {
            Err(SandboxError::NoSpace(_)) => return Ok(None),
            other => other?,
        };
        wait_for(&file, UNDO_LOCK, meter)?;
        Ok(Some(UndoLock { _file: file }))
    }
}

/// Locks a file of ours, waiting for other runs.
fn wait_for(file: &File, name: &str, meter: &Meter) -> Result<(), SandboxError> {
    let begin = Instant::now();
    let mut pause = Duration::from_micros(50);
    loop {
        if try_lock(file).map_err(|error| SandboxError::io(display(name), &error))?.is_free() {
            return Ok(());
        }
        if begin.elapsed() >= PATIENCE {
            return Err(SandboxError::Busy(PATIENCE.as_secs()));
        }
        meter.poll()?;
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSE);
    }
}
