//! Exchanges an entry with a backup of the same path: one rename gives each the name of the other, and a second one
//! moves the entry that was replaced to a backup of its own. Neither is without a name meanwhile, and no content is
//! copied.

use std::io::{self, ErrorKind};

use super::super::handles::address::Address;
use super::super::handles::error::{RenameError, SandboxError};
use super::super::handles::metadata::Metadata;
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::metadata_after;
use super::super::handles::state::State;
use super::backups::{BackupId, BackupStore, Slot, StoreLock, SyncedFolders};
use super::journal::{Change, PendingStep, Step};

/// An entry and the backup that takes its place.
#[derive(Clone, Copy)]
pub(in crate::sandbox) struct Exchange<'a> {
    /// The path of the entry.
    pub place: &'a SandboxPath,
    /// The backup.
    pub entry: &'a SandboxPath,
    /// The address of the backup, as journals record it.
    pub kept: &'a Address,
    /// The metadata of the backup, which was just read.
    pub metadata: Metadata,
}

/// An exchange that is in the journal.
pub(in crate::sandbox) struct PendingExchange<'a> {
    exchange: Exchange<'a>,
    slot: Slot,
    pending: PendingStep<'a>,
    old: Metadata,
    /// The address of the backup of the entry that is replaced.
    kept_there: Address,
}

/// An exchange that was carried out and whose names may not be durable.
pub(in crate::sandbox) struct Exchanged<'a>(PendingExchange<'a>);

impl<'a> Exchange<'a> {
    /// Journals the exchange. `id` is that of the backup of the entry that is replaced.
    pub fn begin(
        self,
        store: BackupStore<'_>,
        locked: &StoreLock,
        id: &BackupId,
        change: &'a Change<'_>,
    ) -> Result<PendingExchange<'a>, SandboxError> {
        let Exchange { place, kept, metadata, .. } = self;
        let slot = locked.slot(place, id)?;
        let (folder, name) = place.entry()?;
        let old = folder.metadata(name).map_err(|error| place.error(&error))?;
        let kept_there = store.address(place, id);
        let step = Step::Put {
            path: place.full_address(),
            old: Some(State::of(&old)),
            draft: None,
            kept: Some(kept_there.clone()),
            from: Some((kept.clone(), State::of(&metadata))),
            is_empty: false,
        };
        let pending = change.begin(step, &[folder])?;
        Ok(PendingExchange { exchange: self, slot, pending, old, kept_there })
    }
}

impl<'a> PendingExchange<'a> {
    /// Exchanges the names. Errors: [`RenameError::OtherDevice`] if they cannot be exchanged.
    pub fn carry_out(mut self) -> Result<Exchanged<'a>, RenameError> {
        let Exchange { place, entry, .. } = self.exchange;
        let wrap = |error: io::Error| place.error(&error);
        let ((folder, name), (kept_in, kept_name)) = (place.entry()?, entry.entry()?);
        match kept_in.exchange(kept_name, folder, name) {
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::CrossesDevices) => {
                return Err(RenameError::OtherDevice);
            }
            other => other.map_err(wrap)?,
        }
        self.slot.take(kept_in, kept_name).map_err(wrap)?;
        Ok(Exchanged(self))
    }
}

impl Exchanged<'_> {
    /// Makes the names durable and marks the step as done. Returns the address of the backup of the entry that was
    /// replaced. Adds the directories that it syncs to `synced`.
    pub fn finish(self, synced: &mut SyncedFolders) -> Result<Address, SandboxError> {
        let PendingExchange { exchange: Exchange { place, metadata, .. }, slot, pending, old, kept_there } = self.0;
        let (folder, name) = place.entry()?;
        let durable = pending.sync(&[folder]).map_err(|error| place.undurable(&error));
        let durable = durable.and_then(|()| slot.sync_after_all(folder, old.identity, place, synced));
        pending.done(Some(&metadata_after(folder, name, &metadata)), true, &[folder]);
        durable.map(|()| kept_there)
    }
}
