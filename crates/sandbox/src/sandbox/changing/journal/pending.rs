//! Steps in progress: what is journaled between the record of a step and the mark that it was carried out.

use std::ffi::OsStr;
use std::io;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::Folder;
use super::super::super::handles::metadata::{Identity, Kind, Metadata};
use super::super::super::handles::state::{Moment, State, moment};
use super::barrier::Durability;
use super::record::Record;
use super::{Change, Journal};

/// A step that is journaled and in progress. Dropping it records that the step did not happen.
#[derive(Debug)]
pub struct PendingStep<'a> {
    pub(super) change: &'a Change<'a>,
    pub(super) number: u32,
    /// Whether the step counts as a change once the run ends.
    pub(super) stays: bool,
    pub(super) is_over: bool,
    /// The device of the journal.
    pub(super) device: u64,
    /// The directories whose entries it changes.
    pub(super) identities: Vec<Option<Identity>>,
}

impl PendingStep<'_> {
    /// Marks the step as void and records that its leftovers could not be removed. The next start removes them.
    pub fn leave_unswept(mut self) {
        self.is_over = true;
        self.change.journal.leave_unswept();
    }

    /// Records that the staging file was created.
    pub fn drafted(&self, inode: u64) {
        self.change.journal.mark(&Record::Drafted { number: self.number, inode });
    }

    /// Records that the entry to be removed was copied and synced and that the original is about to be removed.
    pub fn copied(&self) -> Result<(), SandboxError> {
        self.change.with_run(|run| run.append(&Record::Copied { number: self.number }, true))
    }

    /// Makes the names in the directories of the step durable: at the barrier, or at once if the policy wants that or a
    /// directory is not on the device of the journal. `folders` are those passed to [`Change::begin`].
    pub(in crate::sandbox) fn sync(&self, folders: &[&Folder]) -> io::Result<()> {
        let Journal { durability, barrier, .. } = self.change.journal;
        let is_near = |identity: &Identity| *durability == Durability::Batched && identity.device == self.device;
        let mut previous: Option<&Folder> = None;
        for (folder, identity) in folders.iter().zip(&self.identities) {
            match identity.filter(is_near) {
                Some(identity) => barrier.add_folder(identity, folder),
                None if previous.is_some_and(|previous| std::ptr::eq(previous, *folder)) => {}
                None => folder.sync()?,
            }
            previous = Some(folder);
        }
        Ok(())
    }

    /// Makes the metadata of the entry of the step durable, which syncing a directory does not do: at the barrier, or at
    /// once if the policy wants that or the entry is not on the device of the journal. `folder` contains the entry.
    pub(in crate::sandbox) fn sync_entry(&self, folder: &Folder, name: &OsStr, entry: &Metadata) -> io::Result<()> {
        let Journal { durability, barrier, .. } = self.change.journal;
        if *durability == Durability::Batched && entry.identity.device == self.device {
            barrier.add_entry();
            return Ok(());
        }
        // A directory can be where another file system is mounted. One that cannot be opened any more is not.
        let own = if entry.kind == Kind::Folder { folder.open_folder(name).ok() } else { None };
        own.as_ref().unwrap_or(folder).sync_all_below()
    }

    /// Returns the change that the step is part of.
    pub(in crate::sandbox) fn change(&self) -> &Change<'_> {
        self.change
    }

    /// Returns the number of the step.
    pub(in crate::sandbox) fn number(&self) -> u32 {
        self.number
    }

    /// Records that the step was carried out. `now` is the entry at its path, `kept` tells whether the previous entry
    /// was backed up, and `folders` are those passed to [`Change::begin`].
    pub fn done(mut self, now: Option<&Metadata>, kept: bool, folders: &[&Folder]) {
        self.is_over = true;
        let after = of_each(folders, modified);
        let (number, now) = (self.number, now.map(State::of));
        let is_reversal = self.change.reverses.get().is_some();
        if let Some(run) = &mut *self.change.journal.run.borrow_mut() {
            run.mark(&Record::Done { number, now, kept, after });
            if self.stays {
                run.count(if is_reversal { run.taken().saturating_sub(1) } else { run.taken() + 1 });
            }
        }
    }
}

impl Drop for PendingStep<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.change.journal.mark(&Record::Void { number: self.number });
        }
    }
}

/// State of a directory before a step changes its entries.
#[derive(Clone, Copy, Debug)]
pub(in crate::sandbox) struct FolderState {
    /// Its modification time.
    pub(super) modified: Option<Moment>,
    /// Its device and inode.
    pub(super) identity: Option<Identity>,
}

impl FolderState {
    /// Returns the current states of the directories of a step.
    pub(in crate::sandbox) fn of_all(folders: &[&Folder]) -> Vec<FolderState> {
        of_each(folders, FolderState::of)
    }

    /// Returns the current state of a directory.
    pub(in crate::sandbox) fn of(folder: &Folder) -> FolderState {
        let metadata = folder.own_metadata().ok();
        FolderState {
            modified: metadata.and_then(|metadata| metadata.modified).map(moment),
            identity: metadata.map(|metadata| metadata.identity),
        }
    }
}

/// Looks at each of some directories, and only once if the same handle follows itself.
fn of_each<T: Copy>(folders: &[&Folder], look: impl Fn(&Folder) -> T) -> Vec<T> {
    let mut found: Vec<T> = Vec::with_capacity(folders.len());
    for (at, folder) in folders.iter().enumerate() {
        let same = at.checked_sub(1).filter(|before| std::ptr::eq(folders[*before], *folder));
        found.push(same.map_or_else(|| look(folder), |before| found[before]));
    }
    found
}

/// Returns the modification time of a directory.
pub(super) fn modified(folder: &Folder) -> Option<Moment> {
    folder.modified().map(moment)
}
