//! Removes files, links and directories: into the trash, or permanently.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use crate::limits::Meter;

use super::super::handles::discard::discard_counting;
use super::super::handles::emptying::emptying;
use super::super::handles::error::{RenameError, SandboxError};
use super::super::handles::folder::{Folder, MtimeGuard, Replace};
use super::super::handles::metadata::{Identity, Kind, Metadata};
use super::super::handles::mounts::has_mounts;
use super::super::handles::reserved::is_reserved;
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::{StagingFile, random_name};
use super::super::handles::state::State;
use super::backups::{BackupId, BackupKind, BackupStore, Slot, StoreLock, SyncedFolders};
use super::copier::copy_aside;
use super::journal::{Change, PendingStep, Step};
use super::replace::is_same;

/// Options of a removal.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoveOptions {
    /// Whether a directory is removed with its contents.
    pub recursive: bool,
}

/// An entry that is moved into the trash.
#[derive(Clone, Copy)]
pub(in crate::sandbox) struct Removal<'a> {
    /// The path of the entry.
    pub place: &'a SandboxPath,
    /// How it is removed.
    pub options: RemoveOptions,
    /// The store that it goes to.
    pub store: BackupStore<'a>,
}

/// A removal that is in the journal.
pub(in crate::sandbox) struct PendingRemoval<'a> {
    removal: Removal<'a>,
    slot: Slot,
    pending: PendingStep<'a>,
    identity: Identity,
}

/// A removal that was carried out and whose names may not be durable.
pub(in crate::sandbox) struct Removed<'a>(PendingRemoval<'a>);

impl<'a> Removal<'a> {
    /// Journals the removal. `kept` is the id of the backup.
    pub fn begin(
        self,
        locked: &StoreLock,
        kept: &BackupId,
        change: &'a Change<'_>,
    ) -> Result<PendingRemoval<'a>, SandboxError> {
        let slot = locked.slot(self.place, kept)?;
        let (step, _, identity) = self.place.take_step(self.store, kept)?;
        let pending = change.begin(step, &[self.place.entry()?.0])?;
        Ok(PendingRemoval { removal: self, slot, pending, identity })
    }
}

impl<'a> PendingRemoval<'a> {
    /// Moves the entry.
    pub fn carry_out(mut self) -> Result<Removed<'a>, RenameError> {
        let Removal { place, options, .. } = self.removal;
        let (folder, name) = place.entry()?;
        let slot = &mut self.slot;
        match self.pending.change().rename(folder, name, slot.folder(), slot.name()) {
            Ok(()) => slot.confirm(),
            Err(error) if error.kind() == ErrorKind::CrossesDevices => return Err(RenameError::OtherDevice),
            Err(error) => return Err(place.error(&error).into()),
        }
        // Somebody may have added contents or exchanged the entry in the meantime.
        match place.check_removal(options, slot.folder(), slot.name()) {
            Ok(found) => slot.set_size(found.size),
            Err(error) if slot.give_back(folder, name).is_ok() => return Err(error.into()),
            Err(_) => {}
        }
        Ok(Removed(self))
    }
}

impl Removed<'_> {
    /// Makes the names durable, marks the step as done, and applies retention. Returns the path of the backup. Adds the
    /// directories that it syncs to `synced`.
    pub fn finish(self, meter: &Meter, synced: &mut SyncedFolders) -> Result<String, RenameError> {
        let PendingRemoval { removal: Removal { place, store, .. }, slot, pending, identity } = self.0;
        let (folder, _) = place.entry()?;
        // The entry is gone now, whether or not the rest succeeds.
        let durable = pending.sync(&[folder]).map_err(|error| place.undurable(&error));
        let durable = durable.and_then(|()| slot.sync_after_all(folder, identity, place, synced));
        pending.done(None, true, &[folder]);
        durable?;
        store.retain(&slot, &meter.watch());
        Ok(store.address_of(&slot))
    }
}

impl SandboxPath {
    /// Moves a file, link or directory into the trash, and returns its path there. A directory that is not empty is an
    /// error unless `recursive`.
    ///
    /// This is a single rename, so it happens completely or not at all. An entry on another file system than the trash
    /// is left untouched and gives [`RenameError::OtherDevice`]; use [`SandboxPath::delete_by_copy`] then.
    pub fn delete(
        &self,
        options: RemoveOptions,
        store: BackupStore<'_>,
        meter: &Meter,
        change: &Change<'_>,
    ) -> Result<String, RenameError> {
        self.delete_to(None, options, store, meter, change)
    }

    /// Like [`SandboxPath::delete`], with a given backup.
    pub(in crate::sandbox) fn delete_to(
        &self,
        kept: Option<BackupId>,
        options: RemoveOptions,
        store: BackupStore<'_>,
        meter: &Meter,
        change: &Change<'_>,
    ) -> Result<String, RenameError> {
        let (folder, name) = self.entry()?;
        self.check_removal(options, folder, name)?;
        let locked = store.lock(meter, change.own())?;
        let kept = kept.map_or_else(|| store.id_for(BackupKind::Trash, change), Ok)?;
        let removal = Removal { place: self, options, store };
        removal.begin(&locked, &kept, change)?.carry_out()?.finish(meter, &mut SyncedFolders::new())
    }

    /// Returns the step that removes the entry, the temporary name that it has while it is copied, and its identity.
    fn take_step(&self, store: BackupStore<'_>, kept: &BackupId) -> Result<(Step, OsString, Identity), SandboxError> {
        let (folder, name) = self.entry()?;
        let aside = random_name();
        let old = folder.metadata(name).map_err(|error| self.error(&error))?;
        let step = Step::Take {
            path: self.full_address(),
            old: State::of(&old),
            draft: aside.to_string_lossy().into_owned(),
            kept: store.address(self, kept),
        };
        Ok((step, aside, old.identity))
    }

    /// Deletes an entry that is on another file system than the trash: copies it there and syncs the copy before
    /// removing the original. The original has a temporary name meanwhile, so that nobody adds anything that is not
    /// copied.
    pub fn delete_by_copy(
        &self,
        options: RemoveOptions,
        store: BackupStore<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<String, SandboxError> {
        self.delete_by_copy_to(None, options, store, meter, change)
    }

    /// Like [`SandboxPath::delete_by_copy`], with a given backup.
    pub(in crate::sandbox) fn delete_by_copy_to(
        &self,
        kept: Option<BackupId>,
        options: RemoveOptions,
        store: BackupStore<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<String, SandboxError> {
        self.check_removable(meter)?;
        let (folder, name) = self.entry()?;
        let wrap = |error: io::Error| self.error(&error);
        let kept = kept.map_or_else(|| store.id_for(BackupKind::Trash, change), Ok)?;
        let mut slot = store.lock(meter, change.own())?.slot(self, &kept)?;
        let (step, aside, _) = self.take_step(store, &kept)?;
        let pending = change.begin(step, &[folder])?;
        // Nobody can guess the name, so nothing is replaced.
        let ((), trace) = MtimeGuard::of(folder, || folder.rename(name, folder, &aside, Replace::Yes)).map_err(wrap)?;
        let copied = self
            .check_removal(options, folder, &aside)
            .and_then(|_| slot.copy(folder, &aside, self.display(), meter))
            .and_then(|()| slot.sync())
            .and_then(|()| pending.copied());
        if let Err(error) = copied {
            trace.erase(folder, || folder.rename(&aside, folder, name, Replace::No)).map_err(wrap)?;
            return Err(error);
        }
        let discarded = self.discard_aside(&aside)?;
        // The entry is gone now, whether or not the rest succeeds.
        slot.confirm();
        pending.done(None, true, &[folder]);
        store.retain(&slot, &meter.watch());
        discarded.map_or_else(|| Ok(store.address_of(&slot)), Err)
    }

    /// Moves an entry to another file system: the complete, synced copy is put at the target first. The original is
    /// then removed if it is still what was copied; otherwise the copy is removed again.
    pub fn move_by_copy(
        &self,
        target: &SandboxPath,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<(), SandboxError> {
        self.check_removable(meter)?;
        let (folder, name) = self.entry()?;
        let (to_folder, to_name) = target.entry()?;
        let before = folder.metadata(name).map_err(|error| self.error(&error))?;
        if before.kind == Kind::Folder && has_mounts(folder, name) {
            return Err(SandboxError::Mounted(self.display().to_owned()));
        }
        let aside = random_name();
        let draft = Some(aside.to_string_lossy().into_owned());
        let (path, to) = (self.full_address(), target.full_address());
        let step = Step::Move { path, old: State::of(&before), to, draft };
        let pending = change.begin(step, &[folder, to_folder])?;
        let trace = copy_aside(folder, name, to_folder, &aside, self.display(), meter)?;
        let mut copy = StagingFile::adopt(to_folder, aside.clone(), trace).map_err(|error| target.error(&error))?;
        pending.drafted(copy.inode());
        let mut trace = copy.trace();
        let renamed = trace.extend(to_folder, || copy.rename(to_folder, to_name, Replace::No));
        renamed.map_err(|error| target.error(&error))?;
        let placed = copy.metadata_after(to_name);
        let synced = to_folder.sync().map_err(|error| target.error(&error));
        let ready = synced.and_then(|()| pending.copied()).and_then(|()| self.set_aside(&before, &aside));
        let discarded = match ready.and_then(|()| self.discard_aside(&aside)) {
            Ok(discarded) => discarded,
            Err(error) => {
                // The original is complete and has its name.
                let stays = format!("`{}`", target.display());
                return Err(match trace.erase(to_folder, || target.withdraw(&placed)) {
                    Ok(()) => error,
                    Err(_) => SandboxError::Stays { reason: Box::new(error), stays },
                });
            }
        };
        pending.done(Some(&placed), false, &[folder, to_folder]);
        discarded.map_or(Ok(()), Err)
    }

    /// Permanently removes a file or link that this run created, if it is unchanged. Used if the disk has no room to
    /// keep it in the trash.
    pub(in crate::sandbox) fn withdraw_made(
        &self,
        expected: &Metadata,
        store: BackupStore<'_>,
        change: &Change<'_>,
    ) -> Result<(), SandboxError> {
        let (folder, _) = self.entry()?;
        let (step, aside, _) = self.take_step(store, &store.id_for(BackupKind::Trash, change)?)?;
        let pending = change.begin(step, &[folder])?;
        self.set_aside(expected, &aside)?;
        let discarded = self.discard_aside(&aside)?;
        pending.done(None, false, &[folder]);
        discarded.map_or(Ok(()), Err)
    }

    /// Permanently removes an entry created here, if it is unchanged. In a directory, only changes to its direct
    /// entries are detected, not changes deeper down.
    fn withdraw(&self, expected: &Metadata) -> Result<(), SandboxError> {
        let aside = random_name();
        self.set_aside(expected, &aside)?;
        self.discard_aside(&aside)?.map_or(Ok(()), Err)
    }

    /// Renames an entry to a temporary name, if it is the expected one and unchanged, so that it can be removed without
    /// races.
    fn set_aside(&self, expected: &Metadata, aside: &OsStr) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        let wrap = |error: io::Error| self.error(&error);
        // Nobody can guess the name, so nothing is replaced.
        let ((), trace) = MtimeGuard::of(folder, || folder.rename(name, folder, aside, Replace::Yes)).map_err(wrap)?;
        if folder.metadata(aside).is_ok_and(|found| is_same(expected, &found)) {
            return Ok(());
        }
        trace.erase(folder, || folder.rename(aside, folder, name, Replace::No)).map_err(wrap)?;
        Err(SandboxError::Changed(self.display().to_owned()))
    }

    /// Removes an entry that was set aside. Returns the error that is to be reported although the entry is gone from
    /// its path: a part of it could not be removed and stays under the temporary name, or the directory was not synced.
    ///
    /// Errors: if nothing of the entry was removed. It has its name again.
    fn discard_aside(&self, aside: &OsStr) -> Result<Option<SandboxError>, SandboxError> {
        let (folder, name) = self.entry()?;
        let mut removed = 0;
        let Err(error) = discard_counting(folder, aside, self.display(), &mut removed) else {
            return Ok(folder.sync().err().map(|error| self.undurable(&error)));
        };
        // An entry that is no longer complete must not be taken for the old one.
        if removed == 0 && folder.rename(aside, folder, name, Replace::No).is_ok() {
            return Err(error);
        }
        Ok(Some(SandboxError::Leftover {
            path: self.display().to_owned(),
            left: self.beside(aside),
            reason: Box::new(error),
        }))
    }

    /// Returns the path of another entry in the same directory, as messages show it.
    fn beside(&self, name: &OsStr) -> String {
        let name = name.to_string_lossy();
        self.display().rsplit_once('/').map_or_else(|| name.to_string(), |(above, _)| format!("{above}/{name}"))
    }

    /// Removes an empty directory.
    pub(in crate::sandbox) fn remove_folder(&self, change: &Change<'_>) -> Result<(), SandboxError> {
        let wrap = |error: io::Error| self.error(&error);
        let (folder, name) = self.entry()?;
        let old = State::of(&folder.metadata(name).map_err(wrap)?);
        let pending = change.begin(Step::RemoveFolder { path: self.full_address(), old }, &[folder])?;
        folder.remove_folder(name).map_err(wrap)?;
        let synced = pending.sync(&[folder]);
        pending.done(None, false, &[folder]);
        synced.map_err(|error| self.undurable(&error))
    }

    /// Returns the metadata of the entry. Errors: if it must not be removed. `folder` and `name` are its current location.
    fn check_removal(&self, options: RemoveOptions, folder: &Folder, name: &OsStr) -> Result<Metadata, SandboxError> {
        let wrap = |error: io::Error| self.error(&error);
        let found = folder.metadata(name).map_err(wrap)?;
        let is_folder = found.kind == Kind::Folder;
        if !is_folder {
            return Ok(found);
        }
        if !options.recursive {
            self.check_empty(&folder.open_folder(name).map_err(wrap)?)?;
        }
        if has_mounts(folder, name) { Err(SandboxError::Mounted(self.display().to_owned())) } else { Ok(found) }
    }

    /// Errors: if a directory is not empty, even if it contains only reserved entries, which no listing shows.
    fn check_empty(&self, folder: &Folder) -> Result<(), SandboxError> {
        let entries = folder.entries().map_err(|error| self.error(&error))?;
        let reserved = entries.iter().find(|entry| is_reserved(&entry.name));
        match (entries.len(), reserved) {
            (0, _) => Ok(()),
            (_, Some(hidden)) if entries.iter().all(|entry| is_reserved(&entry.name)) => {
                let name = hidden.name.to_string_lossy().into_owned();
                Err(SandboxError::HoldsReserved { path: self.display().to_owned(), name })
            }
            _ => Err(SandboxError::NotEmpty(self.display().to_owned())),
        }
    }

    /// Errors: if the entry could be copied but not removed afterwards.
    fn check_removable(&self, meter: &Meter) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        let wrap = |error: io::Error| self.error(&error);
        folder.check_changeable().map_err(wrap)?;
        if folder.metadata(name).map_err(wrap)?.kind != Kind::Folder {
            return Ok(());
        }
        self.each_below(meter, |folder, _| folder.check_changeable().map_err(wrap).map(|()| None::<()>)).map(drop)
    }

    /// Returns a file below the path that has more than one hard link, as its path for messages and its metadata.
    pub fn shared_file(&self, meter: &Meter) -> Result<Option<(String, Metadata)>, SandboxError> {
        self.each_below(meter, |_, (name, metadata)| {
            let is_shared = metadata.kind == Kind::File && metadata.links > 1;
            Ok(is_shared.then(|| (format!("{}/…/{}", self.display(), name.to_string_lossy()), *metadata)))
        })
    }

    /// Visits every entry below the path, with its directory, until `visit` returns something.
    fn each_below<T>(
        &self,
        meter: &Meter,
        mut visit: impl FnMut(&Folder, (&OsStr, &Metadata)) -> Result<Option<T>, SandboxError>,
    ) -> Result<Option<T>, SandboxError> {
        let (folder, name) = self.entry()?;
        let wrap = |error: io::Error| self.error(&error);
        let mut levels = vec![emptying(folder.open_folder(name).map_err(wrap)?, name.to_owned()).map_err(wrap)?];
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.ahead.pop() else {
                // Leave the directory; nothing in it is changed.
                levels.pop();
                continue;
            };
            meter.poll()?;
            let metadata = level.folder.metadata(&name).map_err(wrap)?;
            let found = visit(&level.folder, (&name, &metadata))?;
            if found.is_some() {
                return Ok(found);
            }
            if metadata.kind == Kind::Folder {
                let inner = level.folder.open_folder(&name).map_err(wrap)?;
                levels.push(emptying(inner, name).map_err(wrap)?);
            }
        }
        Ok(None)
    }
}
