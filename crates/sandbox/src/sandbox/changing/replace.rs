//! Replacing: gives a finished staging file its final name in the same directory.
//!
//! An existing entry with that name is exchanged with the staging file atomically, so the name never disappears. The
//! old entry is then moved below `.ns`; its contents are not copied. It is copied only if it cannot be moved (another
//! file system). Where the system cannot exchange (NFS), three renames do it, none of which replaces anything; the name
//! does not exist for a moment then. The entry that comes out of the exchange is checked: a directory
//! or special file, and with `if_match` anything but the expected file, gets its name back; everything else, a link too,
//! goes to the backup store. No entry is removed before it is there.
//!
//! A file with several hard links is moved too, so that undo restores the same file and its links refer to one file
//! again. Writing through another link changes the moved file, so it is not a reliable backup: the backup whose path
//! the caller receives is a copy.
//!
//! Looking and exchanging happen under the lock `.ns/lock`, so of several runs with `if_match` one wins and the others
//! fail. A deletion is one rename into the trash ([`super::remove`]).

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read};

use sha2::{Digest, Sha256};

use super::super::handles::folder::File;
use super::overwrite::{Overwrite, refuse_kind};
use crate::limits::Meter;

use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::{Folder, Replace, set_access};
use super::super::handles::metadata::{Identity, Kind, Metadata};
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::{Displaced, StagingFile, random_name};
use super::super::handles::state::State;
use super::backups::{BackupId, BackupKind, BackupStore, Slot, StoreLock};
use super::journal::{Change, PendingStep, Step};

/// Number of bytes hashed at once.
const PIECE: usize = 64 << 10;
/// Number of attempts after interference by others before the operation fails.
const ATTEMPTS: usize = 100;

/// The journaled step of putting an entry at a path.
#[derive(Debug)]
pub(in crate::sandbox) struct Placement<'a> {
    pending: PendingStep<'a>,
    /// The temporary name of the staging file.
    pub(in crate::sandbox) draft: OsString,
    /// The backup of the replaced entry.
    kept: BackupId,
    /// Whether an entry was there.
    was_there: bool,
}

impl<'a> Placement<'a> {
    /// Journals that an entry is about to be put at a path in a directory, where `old` is now. `from` is its address in
    /// the backup store, if it comes from there.
    pub(in crate::sandbox) fn begin(
        place: &SandboxPath,
        folder: &Folder,
        old: Option<Metadata>,
        from: Option<(Address, State)>,
        store: BackupStore<'_>,
        change: &'a Change<'a>,
    ) -> Result<Placement<'a>, SandboxError> {
        // A file with several hard links goes to the trash: it is not a reliable backup, because its content may still
        // change.
        let kind = if old.as_ref().is_some_and(is_shared) { BackupKind::Trash } else { BackupKind::Backups };
        let (draft, kept) = (random_name(), store.id_for(kind, change)?);
        let step = Step::Put {
            path: place.full_address(),
            old: old.as_ref().map(State::of),
            draft: Some(draft.to_string_lossy().into_owned()),
            kept: Some(store.address(place, &kept)),
            from,
            is_empty: false,
        };
        let pending = change.begin(step, &[folder])?;
        Ok(Placement { pending, draft, kept, was_there: old.is_some() })
    }

    /// Returns the number of the step.
    pub(in crate::sandbox) fn number(&self) -> u32 {
        self.pending.number()
    }

    /// Records in the journal that the staging file exists.
    pub(in crate::sandbox) fn drafted(&self, draft: &StagingFile) {
        self.pending.drafted(draft.inode());
    }
}

/// Properties that a new file inherits from the file that it replaces: the permission bits and, if this user may set
/// them, owner and group. They are set just before the exchange; until then the file has [`PRIVATE_MODE`].
///
/// [`PRIVATE_MODE`]: super::super::handles::staging::PRIVATE_MODE
pub(in crate::sandbox) struct InheritedMetadata<'a> {
    /// The new file.
    pub(in crate::sandbox) file: &'a File,
    /// The metadata of the existing file when writing began.
    pub(in crate::sandbox) old: Option<Metadata>,
}

/// A finished staging file, which is synced, and what its final name depends on.
pub(in crate::sandbox) struct StagedEntry<'a> {
    /// The staging file.
    pub(in crate::sandbox) draft: StagingFile,
    /// The properties that it inherits, if it is a new file.
    pub(in crate::sandbox) dress: Option<InheritedMetadata<'a>>,
    /// The journaled step.
    pub(in crate::sandbox) placement: Placement<'a>,
}

/// An entry that has its final name.
#[derive(Debug)]
pub(in crate::sandbox) struct Placed {
    /// The path of the backup of the entry that it replaced, if the caller is to receive it.
    pub(in crate::sandbox) backup: Option<String>,
    /// Its metadata.
    pub(in crate::sandbox) now: Metadata,
}

/// A replacement in progress.
struct Replacement<'a> {
    /// The backup of the replaced entry.
    kept: &'a BackupId,
    place: &'a SandboxPath,
    folder: &'a Folder,
    name: &'a OsStr,
    overwrite: &'a Overwrite<'a>,
    dress: Option<InheritedMetadata<'a>>,
    /// Whether an entry was there when the step began, so that the first attempt need not look before it has the lock.
    was_there: bool,
    meter: &'a mut Meter,
}

/// The result of one attempt.
enum Attempt {
    /// The new entry is in place; the old one is in the backup store.
    Done(Option<Box<PreviousEntry>>),
    /// Somebody else interfered.
    Again,
}

/// The backups of a replaced entry.
struct PreviousEntry {
    /// The entry itself.
    slot: Slot,
    identity: Identity,
    /// A copy of its content, if the entry itself is not a reliable backup.
    copy: Option<Slot>,
}

impl StagedEntry<'_> {
    /// Gives the entry its final name in its directory.
    pub(in crate::sandbox) fn take_place(
        self,
        place: &SandboxPath,
        folder: &Folder,
        overwrite: &Overwrite<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<Placed, SandboxError> {
        let StagedEntry { mut draft, dress, placement: Placement { pending, kept, was_there, .. } } = self;
        let name = place.name()?;
        let mut replacement = Replacement { kept: &kept, place, folder, name, overwrite, dress, was_there, meter };
        for _ in 0..ATTEMPTS {
            if let Attempt::Done(previous) = replacement.attempt(&mut draft, change)? {
                // The new entry is in place now, whether or not the rest succeeds.
                let synced = pending.sync(&[folder]).map_err(|error| place.undurable(&error));
                let kept = || previous.as_ref().map_or(Ok(()), |previous| previous.sync_after(folder, place));
                let synced = synced.and_then(|()| kept());
                let now = draft.metadata_after(replacement.name);
                pending.done(Some(&now), previous.is_some(), &[folder]);
                synced?;
                return Ok(Placed { backup: previous.and_then(|previous| replacement.retain(&previous)), now });
            }
        }
        Err(SandboxError::Changed(place.display().to_owned()))
    }
}

impl PreviousEntry {
    fn sync_after(&self, folder: &Folder, place: &SandboxPath) -> Result<(), SandboxError> {
        self.slot.sync_after(folder, self.identity, place)?;
        self.copy.as_ref().map_or(Ok(()), |copy| copy.sync_after(folder, self.identity, place))
    }
}

impl Replacement<'_> {
    fn attempt(&mut self, draft: &mut StagingFile, change: &Change<'_>) -> Result<Attempt, SandboxError> {
        let is_there = std::mem::take(&mut self.was_there);
        if !is_there && self.place.replaceable(self.folder, self.name, self.overwrite.replace)?.is_none() {
            return self.take_free(draft);
        }
        let locked = self.overwrite.store.lock(self.meter, change.own())?;
        let slot = locked.slot(self.place, self.kept)?;
        // From here on, little happens before the exchange unless the content is compared or copied.
        let Some(old) = self.existing()? else { return Ok(Attempt::Again) };
        let copy = self.copy_slot(&old, &locked, change)?;
        self.take_from(draft, &old, PreviousEntry { slot, identity: old.identity, copy })
    }

    /// Returns the slot for a copy of the entry to replace, if the entry itself is not a reliable backup and the caller
    /// is to receive one.
    fn copy_slot(&self, old: &Metadata, locked: &StoreLock, change: &Change<'_>) -> Result<Option<Slot>, SandboxError> {
        let is_reliable = !is_shared(old) && self.kept.kind == BackupKind::Backups;
        if is_reliable || !self.overwrite.is_told {
            return Ok(None);
        }
        let id = self.overwrite.store.id_for(BackupKind::Backups, change)?;
        locked.slot(self.place, &id).map(Some)
    }

    /// Returns the entry to replace, or `None` if there is none by now. Errors: if it must not be replaced, or has not
    /// the content that the caller has seen.
    fn existing(&self) -> Result<Option<Metadata>, SandboxError> {
        let look = || self.place.replaceable(self.folder, self.name, self.overwrite.replace);
        let (Some(digest), Replace::Yes) = (self.overwrite.if_match, self.overwrite.replace) else { return look() };
        match self.folder.open_file(self.name) {
            Ok(file) => self.check_content(file, digest).map(Some),
            // The entry that is there now tells why no file can be opened.
            Err(error) => match look()? {
                Some(found) if found.kind == Kind::File => Err(self.place.error(&error)),
                Some(_) => Err(self.changed()),
                None => Ok(None),
            },
        }
    }

    /// Removes backups beyond the retention limits. Returns the path of the backup, if the caller is to receive it.
    fn retain(&self, kept: &PreviousEntry) -> Option<String> {
        let Overwrite { store, is_told, .. } = self.overwrite;
        store.retain(&kept.slot, &self.meter.watch());
        kept.copy.iter().for_each(|copy| store.retain(copy, &self.meter.watch()));
        is_told.then(|| store.address_of(kept.copy.as_ref().unwrap_or(&kept.slot)))
    }

    /// Takes a name that was free a moment ago.
    fn take_free(&self, draft: &mut StagingFile) -> Result<Attempt, SandboxError> {
        if self.overwrite.if_match.is_some() {
            return Err(self.changed());
        }
        self.dress_as(None)?;
        match draft.rename(self.folder, self.name, Replace::No) {
            Ok(()) => Ok(Attempt::Done(None)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Attempt::Again),
            Err(error) => Err(self.place.error(&error)),
        }
    }

    /// Replaces an existing entry.
    fn take_from(
        &mut self,
        draft: &mut StagingFile,
        old: &Metadata,
        mut previous: PreviousEntry,
    ) -> Result<Attempt, SandboxError> {
        let PreviousEntry { slot, copy, .. } = &mut previous;
        if !slot.is_near(old.identity) {
            slot.copy(self.folder, self.name, self.place.display(), self.meter)?;
        }
        if let Some(copy) = copy {
            copy.copy(self.folder, self.name, self.place.display(), self.meter)?;
        }
        let took_long = self.overwrite.if_match.is_some() || slot.is_copy() || copy.is_some();
        // Looked at again: who made it private meanwhile does not want the new content to be read either.
        let now = if took_long { self.folder.metadata(self.name).ok() } else { None };
        self.dress_as(Some(&now.unwrap_or(*old)))?;
        let taken = match draft.exchange(self.name) {
            Ok(taken) => taken,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Attempt::Again),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                // Best effort: under its temporary name the previous entry is not lost either.
                let _ = slot.take(self.folder, &draft.displaced_name());
                return Err(self.changed());
            }
            Err(error) => return Err(self.place.error(&error)),
        };
        match self.keep(&taken, old, &mut previous) {
            Ok(()) => Ok(Attempt::Done(Some(Box::new(previous)))),
            Err(error) => {
                self.put_back(&taken, previous.slot);
                Err(error)
            }
        }
    }

    /// Sets the permission bits of the new file to those of the existing file or, if there is none now, of the file
    /// that existed at the start.
    fn dress_as(&self, there: Option<&Metadata>) -> Result<(), SandboxError> {
        let Some(InheritedMetadata { file, old }) = &self.dress else { return Ok(()) };
        let Some(like) = there.or(old.as_ref()).filter(|like| like.kind == Kind::File) else { return Ok(()) };
        let dressed = set_access(file, like).and_then(|()| {
            if self.folder.has_one_log() {
                // The sync of the directory follows and covers this change.
                Ok(())
            } else {
                file.sync_all()
            }
        });
        dressed.map_err(|error| self.place.error(&error))
    }

    /// Moves the replaced entry to the backup store, and removes its temporary name.
    fn keep(
        &mut self,
        taken: &Displaced,
        old: &Metadata,
        PreviousEntry { slot, copy, .. }: &mut PreviousEntry,
    ) -> Result<(), SandboxError> {
        let out = taken.folder.metadata(&taken.name).map_err(|error| self.place.error(&error))?;
        refuse_kind(self.place, out.kind)?;
        let is_expected = is_same(old, &out);
        if self.overwrite.if_match.is_some() && !is_expected {
            return Err(self.changed());
        }
        if let Some(copy) = copy {
            if !is_expected {
                copy.copy(&taken.folder, &taken.name, self.place.display(), self.meter)?;
            }
            copy.confirm();
        }
        if !(slot.is_copy() && is_expected) {
            match slot.take(&taken.folder, &taken.name) {
                Err(error) if error.kind() == ErrorKind::CrossesDevices => {}
                Ok(()) => {
                    slot.set_size(out.size);
                    return Ok(());
                }
                Err(error) => return Err(self.place.error(&error)),
            }
            slot.copy(&taken.folder, &taken.name, self.place.display(), self.meter)?;
        }
        slot.confirm();
        taken.remove().map_err(|error| self.place.error(&error))
    }

    /// Gives the replaced entry its name back; if somebody else has taken the name, moves it to the backup store.
    fn put_back(&self, taken: &Displaced, mut slot: Slot) {
        if !matches!(taken.put_back(self.name), Ok(true)) {
            // Best effort: under its temporary name the entry is not lost either.
            let _ = slot.take(&taken.folder, &taken.name);
        }
    }

    /// Checks that an opened file has the content that the caller has seen. Returns its metadata from before it was
    /// read, by which later changes are found.
    fn check_content(&self, mut file: File, digest: [u8; 32]) -> Result<Metadata, SandboxError> {
        let wrap = |error: io::Error| self.place.error(&error);
        let before = self.folder.file_metadata(&file).map_err(wrap)?;
        refuse_kind(self.place, before.kind)?;
        let mut hasher = Sha256::new();
        let mut piece = vec![0; PIECE];
        loop {
            let length = file.read(&mut piece).map_err(wrap)?;
            if length == 0 {
                break;
            }
            self.meter.poll()?;
            hasher.update(&piece[..length]);
        }
        if <[u8; 32]>::from(hasher.finalize()) == digest { Ok(before) } else { Err(self.changed()) }
    }

    fn changed(&self) -> SandboxError {
        SandboxError::Changed(self.place.display().to_owned())
    }
}

/// Whether this is a file with several hard links, through which its content may be changed.
fn is_shared(metadata: &Metadata) -> bool {
    metadata.kind == Kind::File && metadata.links > 1
}

/// Whether two metadata describe the same, unchanged file.
pub(in crate::sandbox) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let state = |metadata: &Metadata| (metadata.identity, metadata.size, metadata.modified);
    state(one) == state(other)
}
