//! Reversal of steps. Each step is reversed by another step, which is journaled like any other.

use std::collections::BTreeSet;

use super::super::changing::backups::{BackupId, BackupKind, BackupStore, Retention, SyncedFolders};
use super::super::changing::exchange::Exchange;
use super::super::changing::restore::PutBack;
use crate::limits::Meter;

use super::super::changing::copy::{CopyOptions, Source};
use super::super::changing::journal::Change;
use super::super::changing::journal::history::{JournaledStep, StepOutcome};
use super::super::changing::journal::record::Step;
use super::super::changing::journal::roots::Roots;
use super::super::changing::overwrite::Overwrite;
use super::super::changing::remove::RemoveOptions;
use super::super::handles::address::{Address, holder};
use super::super::handles::discard::discard;
use super::super::handles::error::{RenameError, SandboxError};
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::root::SandboxPath;
use super::super::handles::state::State;

/// Removes a directory together with its entries.
pub(super) const WITH_CONTENTS: RemoveOptions = RemoveOptions { recursive: true };

/// Reverses steps.
pub struct Reverser<'a, 'c> {
    pub roots: Roots<'a>,
    pub retention: Retention,
    pub change: &'c Change<'a>,
    pub meter: &'c mut Meter,
    /// Roots of copies that it made. Their inodes differ from those in the journal.
    pub copied: BTreeSet<Address>,
    /// Whether the steps are those of the same run, so that a step and its reversal cancel out.
    pub cancels_out: bool,
}

/// A backup as the journal describes it.
#[derive(Clone, Copy)]
pub(super) struct JournaledBackup<'a> {
    /// Its path.
    pub kept: &'a Address,
    /// The state of the entry before it was backed up, or `None` if the journal does not have it.
    pub old: Option<&'a State>,
}

impl<'a> Reverser<'a, '_> {
    /// Declares which step the next one reverses, if both cancel out.
    pub(super) fn cancel_out(&self, number: u32) {
        self.change.reverse(self.cancels_out.then_some(number));
    }

    /// Reverses a step that was carried out.
    pub fn reverse(&mut self, taken: &JournaledStep) -> Result<(), SandboxError> {
        let StepOutcome::Done { kept: has_kept, now, .. } = &taken.fate else { return Ok(()) };
        match &taken.step {
            Step::Put { path, is_empty: true, from, .. } => {
                self.remove_put_back(path, from.as_ref().map(|(from, _)| from))
            }
            Step::Put { path, kept, from, old, .. } => {
                self.expect(path, now.as_ref())?;
                let from = from.as_ref().map(|(from, _)| from);
                match kept.as_ref().filter(|_| *has_kept) {
                    Some(kept) => self.put_kept(path, JournaledBackup { kept, old: old.as_ref() }, from).map(drop),
                    None => self.take(path, from),
                }
            }
            Step::Take { path, kept, old, .. } => {
                self.put_kept(path, JournaledBackup { kept, old: Some(old) }, None).map(drop)
            }
            Step::Move { path, to, .. } => {
                self.expect(to, now.as_ref())?;
                self.move_back(path, to)
            }
            Step::MakeFolder { path } => self.remove_made(path),
            Step::RemoveFolder { path, old } => {
                self.copied.insert(path.clone());
                self.roots.place(path)?.create_folder_like(old, self.change)
            }
            Step::SetMode { path, old, .. } => {
                self.expect(path, now.as_ref())?;
                self.roots.place(path)?.restore_permissions(old.mode, self.change)
            }
            Step::SetModified { path, old, .. } => {
                self.expect(path, now.as_ref())?;
                self.restore_modified(path, old)
            }
            Step::Draft { .. } | Step::Temporary { .. } => Ok(()),
        }
    }

    /// Restores the modification time that an entry had.
    pub(super) fn restore_modified(&self, path: &Address, old: &State) -> Result<(), SandboxError> {
        let Some(modified) = old.modified() else { return Ok(()) };
        self.roots.place(path)?.restore_modified(modified, self.change)
    }

    /// Returns an error unless the path is as the step left it.
    pub(super) fn expect(&self, path: &Address, left: Option<&State>) -> Result<(), SandboxError> {
        let now = self.roots.state(path)?;
        let is_still = |left: &State| now.as_ref().is_some_and(|now| self.is_still(path, left, now));
        if left.is_none_or(is_still) { Ok(()) } else { Err(SandboxError::Changed(path.display().into_owned())) }
    }

    /// Whether the entry at a path is the one that a step left there, or a copy of it.
    pub(super) fn is_still(&self, path: &Address, left: &State, now: &State) -> bool {
        left.is_still(now) || holder(&self.copied, path).is_some() && left.is_still_or_copied(now)
    }

    /// Removes a directory that a step created, which must be empty by now. The directory is moved to the backup
    /// store, so that a redo restores the same one, unless this run created it or it cannot be moved.
    fn remove_made(&mut self, path: &Address) -> Result<(), SandboxError> {
        let (place, store) = (self.roots.place(path)?, self.store_of(path)?);
        if self.change.is_reversing() {
            return place.remove_folder(self.change);
        }
        match place.delete(RemoveOptions::default(), store, self.meter, self.change) {
            Err(RenameError::OtherDevice) => place.remove_folder(self.change),
            Err(RenameError::Sandbox(error)) => Err(error),
            Ok(_) => Ok(()),
        }
    }

    /// Removes a directory that a step brought back empty, which must be empty by now, to the same backup.
    fn remove_put_back(&mut self, path: &Address, from: Option<&Address>) -> Result<(), SandboxError> {
        let (place, store) = (self.roots.place(path)?, self.store_of(path)?);
        self.forget_copies(path);
        self.take_and_keep(&place, store, RemoveOptions::default(), from).map(drop)
    }

    /// Removes the entry that a step installed and backs it up, at `from` if it came from that backup.
    ///
    /// If the disk is full, a file that the same run created is deleted without a backup, provided that it is
    /// unchanged. Otherwise a run that failed because the disk is full could not be rolled back.
    pub fn take(&mut self, path: &Address, from: Option<&Address>) -> Result<(), SandboxError> {
        let (place, store) = (self.roots.place(path)?, self.store_of(path)?);
        self.forget_copies(path);
        let made = place.metadata()?;
        match self.take_and_keep(&place, store, WITH_CONTENTS, from).map(drop) {
            Err(SandboxError::NoSpace(_))
                if from.is_none() && self.change.is_reversing() && made.kind != Kind::Folder =>
            {
                place.withdraw_made(&made, store, self.change)
            }
            other => other,
        }
    }

    /// Moves an entry of another program to the backup store, and returns the path of the backup.
    pub(super) fn set_aside(&mut self, path: &Address) -> Result<Address, SandboxError> {
        let (place, store) = (self.roots.place(path)?, self.store_of(path)?);
        self.forget_copies(path);
        self.take_and_keep(&place, store, WITH_CONTENTS, None)
    }

    fn take_and_keep(
        &mut self,
        place: &SandboxPath,
        store: BackupStore<'a>,
        options: RemoveOptions,
        from: Option<&Address>,
    ) -> Result<Address, SandboxError> {
        let id = from.map(BackupId::of);
        match place.delete_to(id.clone(), options, store, self.meter, self.change) {
            Err(RenameError::OtherDevice) => place.delete_by_copy_to(id, options, store, self.meter, self.change),
            Err(RenameError::Sandbox(error)) => Err(error),
            Ok(kept) => Ok(kept),
        }
        .map(|kept| Address::from(&*kept))
    }

    pub fn move_back(&mut self, path: &Address, to: &Address) -> Result<(), SandboxError> {
        let (now, before) = (self.roots.place(to)?, self.roots.place(path)?);
        let renamed = now.rename_to(&before, &now.metadata()?, self.change);
        self.moved_back(path, to, renamed)
    }

    /// Notes a move, or makes it by a copy if the entry cannot be renamed.
    pub(super) fn moved_back(
        &mut self,
        path: &Address,
        to: &Address,
        renamed: Result<(), RenameError>,
    ) -> Result<(), SandboxError> {
        match renamed {
            Err(RenameError::OtherDevice) => {
                let (now, before) = (self.roots.place(to)?, self.roots.place(path)?);
                now.move_by_copy(&before, self.meter, self.change)?;
                self.copied.insert(path.clone());
            }
            Err(RenameError::Sandbox(error)) => return Err(error),
            Ok(()) => {}
        }
        let copies = self.forget_copies(to).into_iter();
        let moved = copies.map(|copy| if copy == *to { path.clone() } else { copy.moved(to, path) });
        self.copied.extend(moved.collect::<Vec<_>>());
        Ok(())
    }

    /// Forgets the copies at a path and below it, and returns their paths.
    pub(super) fn forget_copies(&mut self, path: &Address) -> Vec<Address> {
        self.copied.extract_if(.., |copy| copy == path || copy.is_below(path)).collect()
    }

    pub(super) fn store_of(&self, path: &Address) -> Result<BackupStore<'a>, SandboxError> {
        Ok(BackupStore::new(self.roots.root_of(path)?, self.retention))
    }

    /// Returns the entry of a backup and its metadata. Returns an error if it is missing or has changed since it was made.
    pub(super) fn kept_entry(
        &self,
        JournaledBackup { kept, old }: JournaledBackup<'_>,
    ) -> Result<(SandboxPath, Metadata), SandboxError> {
        let gone = || SandboxError::NotFound(kept.display().into_owned());
        let entry = self.roots.kept(kept)?.ok_or_else(gone)?;
        let found = entry.metadata()?;
        if old.map_or(found.kind != Kind::Special, |old| old.is_kept_as(&State::of(&found))) {
            Ok((entry, found))
        } else {
            Err(SandboxError::Changed(kept.display().into_owned()))
        }
    }

    /// Restores a backup to its original path. An entry that occupies the path is backed up, at `from` if it came from
    /// that backup. Returns the path of this backup, or `None` if there is none or its path is unknown.
    pub(super) fn put_kept(
        &mut self,
        path: &Address,
        backup: JournaledBackup<'_>,
        from: Option<&Address>,
    ) -> Result<Option<Address>, SandboxError> {
        let place = self.roots.place(path)?;
        let (entry, found) = self.kept_entry(backup)?;
        self.forget_copies(path);
        if backup.old.is_some_and(|old| found.identity.inode != old.inode) {
            self.copied.insert(path.clone());
        }
        let is_taken = match place.metadata() {
            Ok(_) => true,
            Err(SandboxError::NotFound(_)) => false,
            Err(error) => return Err(error),
        };
        let (kept, metadata) = (backup.kept, found);
        let put = if is_taken {
            self.exchange(Exchange { place: &place, entry: &entry, kept, metadata }, path, from).map(Some)
        } else {
            let put_back = PutBack { entry: &entry, address: kept, place: &place, folder: place.entry()?.0 };
            put_back.begin(self.change)?.carry_out().map(|()| None)
        };
        match put {
            Err(RenameError::OtherDevice) => {
                self.copy_back(&place, path, &entry, backup.kept)?;
                self.copied.insert(path.clone());
                Ok(None)
            }
            Err(RenameError::Sandbox(error)) => Err(error),
            Ok(displaced) => Ok(displaced),
        }
    }

    /// Exchanges a backup with the entry at its original path. Returns the path of the backup of that entry.
    fn exchange(
        &mut self,
        exchange: Exchange<'_>,
        path: &Address,
        from: Option<&Address>,
    ) -> Result<Address, RenameError> {
        let store = self.store_of(path)?;
        let locked = store.lock(self.meter, self.change.own())?;
        let id = self.id_of(store, BackupKind::Backups, from)?;
        let exchanged = exchange.begin(store, &locked, &id, self.change)?.carry_out()?;
        Ok(exchanged.finish(&mut SyncedFolders::new())?)
    }

    /// Returns the id of the backup of an entry that is replaced or removed: the one that it came from, or a new one.
    pub(super) fn id_of(
        &self,
        store: BackupStore<'_>,
        kind: BackupKind,
        from: Option<&Address>,
    ) -> Result<BackupId, SandboxError> {
        from.map_or_else(|| store.id_for(kind, self.change), |from| Ok(BackupId::of(from)))
    }

    /// Restores a backup that cannot be moved: copies it, and then discards it.
    fn copy_back(
        &mut self,
        place: &SandboxPath,
        path: &Address,
        entry: &SandboxPath,
        kept: &Address,
    ) -> Result<(), SandboxError> {
        let overwrite = if place.metadata().is_ok() {
            Overwrite::keeping(self.store_of(path)?)
        } else {
            Overwrite::never(self.store_of(path)?)
        };
        // Copies made for an undo do not report their backups.
        let copying = CopyOptions::whole(Overwrite { is_told: false, ..overwrite });
        Source { place: entry, kept: Some(kept) }.copy_to(place, &copying, self.meter, self.change)?;
        let (kept_in, kept_name) = entry.entry()?;
        discard(kept_in, kept_name, entry.display())
    }
}
