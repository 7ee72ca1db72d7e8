//! The barrier: makes the changes so far durable before anything tells of them.
//!
//! Records and names are written at once, but they are not synced one by one. Whatever is about to leave the process,
//! such as a line of output, a question or an answer, passes the barrier first. It syncs the journal and the
//! directories that were changed since it was passed last, once for all steps ("group commit").
//!
//! The order of the syncs keeps the journal from claiming too much after a power failure: a step that it marks as done
//! is in effect. ext4 and XFS write the changes of all directories and the growth of the journal to one log, in order,
//! so no mark can precede its step. Elsewhere the directories are synced before the journal. For the same reason only
//! entries on the device of the journal wait for the barrier.
//!
//! The first failure stays until the run ends, because the system reports it only once: nothing passes any more.

use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::limits::ablation;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::File;
use super::super::super::handles::folder::{Folder, sync_file_system};
use super::super::super::handles::metadata::Identity;

/// Maximum number of directories that are held. Beyond that, the whole file system is synced.
const HELD: usize = 8;

/// When the changes of a run become durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Many at once, before anything tells of them.
    #[default]
    Batched,
    /// Each by itself, before the next.
    Each,
}

impl Durability {
    /// Returns the word of the policy file for it.
    pub fn word(self) -> &'static str {
        match self {
            Durability::Batched => "batched",
            Durability::Each => "each",
        }
    }

    /// Returns the one with this word.
    pub fn named(word: &str) -> Option<Durability> {
        [Durability::Batched, Durability::Each].into_iter().find(|durability| durability.word() == word)
    }
}

/// The changes of the active run that are not durable yet. Any thread may pass the barrier.
#[derive(Debug, Default)]
pub struct Barrier {
    pending: Mutex<Pending>,
    /// The syncing thread holds this lock, so that the other threads wait until the sync is complete. Steps do not wait.
    syncing: Mutex<()>,
}

#[derive(Debug, Default)]
struct Pending {
    changes: Changes,
    /// Whether the file system of the journal has one log for all of its directories.
    has_one_log: bool,
    /// The first error of a sync.
    failure: Option<String>,
}

/// Changes that wait to become durable.
#[derive(Debug, Default)]
struct Changes {
    /// The journal, if it has records that are not synced.
    journal: Option<Arc<File>>,
    /// Changed directories. Where there is one log, only the one that was changed last.
    folders: Vec<(Identity, Folder)>,
    /// Whether more was changed than is held.
    has_overflown: bool,
}

/// The part of the changes that is synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// All changes.
    Everything,
    /// The records, and what has to be durable before them.
    Records,
}

impl Barrier {
    /// Makes the changes so far durable.
    ///
    /// # Errors
    /// The first error of the system since the run began. The changes are made nevertheless.
    pub fn pass(&self) -> Result<(), SandboxError> {
        if !ablation::BARRIER {
            return Ok(());
        }
        self.settle(Extent::Everything).map_err(|error| undurable(&error))
    }

    /// Makes the records so far durable: a step that replaces or removes an entry waits for that. `are_marks` says that
    /// every step before was synced by itself, so that a failure loses nothing that recovery cannot find out.
    pub(super) fn sync_records(&self, are_marks: bool) -> io::Result<()> {
        if are_marks && self.lock().has_one_log {
            let _syncing = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
            let journal = self.lock().changes.journal.take();
            return journal.map_or(Ok(()), |journal| journal.sync_data());
        }
        self.settle(Extent::Records)
    }

    fn settle(&self, extent: Extent) -> io::Result<()> {
        let _syncing = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut changes, has_one_log) = {
            let mut pending = self.lock();
            if let Some(reason) = &pending.failure {
                return Err(io::Error::other(reason.clone()));
            }
            (pending.take(extent), pending.has_one_log)
        };
        changes.sync(has_one_log).inspect_err(|error| self.lock().failure = Some(error.to_string()))
    }

    /// Passes the barrier at the end of a run and lets go of its journal. A failure stays until somebody asks for it.
    pub(super) fn end_run(&self) {
        let _ = self.pass();
        self.lock().changes = Changes::default();
    }

    /// Returns the failure of the run that ended, and forgets it.
    pub(super) fn take_failure(&self) -> Option<SandboxError> {
        self.lock().failure.take().map(|reason| undurable(&io::Error::other(reason)))
    }

    /// Starts anew for another run, whose journal is on a file system with one log or not.
    pub(super) fn reset(&self, has_one_log: bool) {
        *self.lock() = Pending { has_one_log, ..Pending::default() };
    }

    /// Adds records that were written and not synced.
    pub(super) fn add_records(&self, journal: &Arc<File>) {
        self.lock().changes.journal.get_or_insert_with(|| journal.clone());
    }

    /// Adds a directory whose entries were changed.
    pub(super) fn add_folder(&self, identity: Identity, folder: &Folder) {
        let mut pending = self.lock();
        let most = if pending.has_one_log { 1 } else { HELD };
        pending.changes.add(identity, folder, most);
    }

    /// Adds a change of an entry that is not held.
    pub(super) fn add_entry(&self) {
        self.lock().changes.has_overflown = true;
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the error for changes that were made and may not be durable.
fn undurable(error: &io::Error) -> SandboxError {
    SandboxError::undurable(".", error)
}

impl Pending {
    /// Takes the changes that are to be synced. Where there is one log, the records need nothing else.
    fn take(&mut self, extent: Extent) -> Changes {
        if extent == Extent::Records && self.has_one_log {
            return Changes { journal: self.changes.journal.take(), ..Changes::default() };
        }
        std::mem::take(&mut self.changes)
    }
}

impl Changes {
    fn add(&mut self, identity: Identity, folder: &Folder, most: usize) {
        if self.folders.iter().any(|(held, _)| *held == identity) {
            return;
        }
        if self.folders.len() >= most {
            self.has_overflown = true;
            self.folders.clear();
        }
        match folder.duplicate() {
            Ok(folder) => self.folders.push((identity, folder)),
            Err(_) => self.has_overflown = true,
        }
    }

    fn sync(&mut self, has_one_log: bool) -> io::Result<()> {
        if has_one_log {
            // Its growth makes the changes before it durable too, however many there were.
            self.sync_journal()?;
            self.has_overflown = false;
        }
        self.sync_folders()?;
        self.sync_journal()
    }

    fn sync_folders(&mut self) -> io::Result<()> {
        for (_, folder) in &self.folders {
            match folder.sync() {
                // The run itself may have taken the permission to read it.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => self.has_overflown = true,
                other => other?,
            }
        }
        let journal = self.journal.as_ref().filter(|_| self.has_overflown);
        journal.map_or(Ok(()), |journal| sync_file_system(journal))
    }

    fn sync_journal(&mut self) -> io::Result<()> {
        self.journal.take().map_or(Ok(()), |journal| journal.sync_data())
    }
}
