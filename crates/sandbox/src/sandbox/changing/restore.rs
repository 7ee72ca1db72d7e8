//! Restores backups to their original paths.

use std::io::{self, ErrorKind};

use crate::limits::Meter;

use super::super::handles::address::Address;
use super::super::handles::discard::discard;
use super::super::handles::error::{RenameError, SandboxError};
use super::super::handles::folder::Folder;
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::metadata_after;
use super::super::handles::state::State;
use super::backups::{BackupPath, BackupStore};
use super::copy::{CopyOptions, Source};
use super::journal::{Change, PendingStep, Step};
use super::overwrite::Overwrite;

impl BackupPath {
    /// Moves the backup to its original path and creates missing directories. Fails if an entry exists there. Does
    /// not move to another file system; see [`BackupPath::put_back_by_copy`].
    pub fn put_back(&self, change: &Change<'_>) -> Result<(), RenameError> {
        let parents = self.origin.make_parents(change)?;
        let BackupPath { entry, address, origin: place, .. } = self;
        PutBack { entry, address, place, folder: parents.folder() }.begin(change)?.carry_out()?;
        parents.keep();
        Ok(())
    }

    /// Restores the backup to another file system: copies it completely, syncs the copy and removes the backup.
    pub fn put_back_by_copy(
        &self,
        store: BackupStore<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<(), SandboxError> {
        let (kept_in, kept_name) = self.entry.entry()?;
        let source = Source { place: &self.entry, kept: Some(&self.address) };
        source.copy_to(&self.origin, &CopyOptions::whole(Overwrite::never(store)), meter, change)?;
        discard(kept_in, kept_name, self.entry.display())?;
        kept_in.sync().map_err(|error| self.entry.error(&error))
    }
}

/// A backup that is moved to a path at which nothing exists.
#[derive(Clone, Copy)]
pub(in crate::sandbox) struct PutBack<'a> {
    /// The backup.
    pub entry: &'a SandboxPath,
    /// The address of the backup, as journals record it.
    pub address: &'a Address,
    /// The path.
    pub place: &'a SandboxPath,
    /// The directory of the path.
    pub folder: &'a Folder,
}

/// A move of a backup that is in the journal.
pub(in crate::sandbox) struct PendingPutBack<'a> {
    put_back: PutBack<'a>,
    metadata: Metadata,
    pending: PendingStep<'a>,
}

impl<'a> PutBack<'a> {
    /// Journals the move.
    pub fn begin(self, change: &'a Change<'_>) -> Result<PendingPutBack<'a>, SandboxError> {
        let PutBack { entry, address, place, folder } = self;
        let (kept_in, kept_name) = entry.entry()?;
        let metadata = entry.metadata()?;
        let from = Some((address.clone(), State::of(&metadata)));
        let is_empty = metadata.kind == Kind::Folder && kept_in.open_folder(kept_name).is_ok_and(|it| it.is_empty());
        let step = Step::Put { path: place.full_address(), old: None, draft: None, kept: None, from, is_empty };
        let pending = change.begin(step, &[folder])?;
        Ok(PendingPutBack { put_back: self, metadata, pending })
    }
}

impl PendingPutBack<'_> {
    /// Moves the backup.
    pub fn carry_out(self) -> Result<(), RenameError> {
        let PendingPutBack { put_back: PutBack { entry, place, folder, .. }, metadata, pending } = self;
        let ((kept_in, kept_name), name) = (entry.entry()?, place.name()?);
        let wrap = |error: io::Error| place.error(&error);
        match pending.change().rename(kept_in, kept_name, folder, name) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::CrossesDevices => return Err(RenameError::OtherDevice),
            Err(error) => return Err(wrap(error).into()),
        }
        let synced = pending.sync(&[folder]).and_then(|()| if folder.has_one_log() { Ok(()) } else { kept_in.sync() });
        pending.done(Some(&metadata_after(folder, name, &metadata)), false, &[folder]);
        Ok(synced.map_err(|error| place.undurable(&error))?)
    }
}
