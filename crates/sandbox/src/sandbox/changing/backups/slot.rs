//! Slots: a slot is a directory handle and a new name below `.ns` for a single backup.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use crate::limits::Meter;

use super::super::super::handles::discard::discard;
use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::{Folder, Replace, Resolver};
use super::super::super::handles::metadata::Identity;
use super::super::super::handles::path::parts_of;
use super::super::super::handles::private::{FOLDER_MODE, check_folder, reopen_ours};
use super::super::super::handles::root::SandboxPath;
use super::super::super::handles::seal::RootSeal;
use super::super::super::handles::staging::random_name;
use super::super::super::handles::stamp;
use super::super::super::handles::store_usage::HeldStore;
use super::super::copier::copy_aside;
use super::super::parents::MadeFolders;
use super::{BackupId, BackupKind, shown_below};

/// A slot for one backup. Dropping it removes an unconfirmed copy, and directories created for it if no backup was
/// stored.
pub struct Slot {
    kind: BackupKind,
    folder: Folder,
    /// The device that the directory is on.
    device: u64,
    name: OsString,
    /// The names from `.ns` to the directory.
    names: Vec<OsString>,
    made: MadeFolders,
    /// Whether the directory was created for this slot.
    is_new: bool,
    content: Content,
    /// The size of the entry in bytes, if it is known.
    bytes: Option<u64>,
}

/// Directories that were synced after a group of steps was carried out, so that they need not be synced again.
pub(in crate::sandbox) type SyncedFolders = BTreeSet<Identity>;

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Nothing,
    /// A copy, which is removed again unless it is confirmed.
    Copy,
    /// The entry itself, or a copy that replaces it.
    Kept,
}

impl Slot {
    /// Creates a slot for a backup of an entry with a resolved path. Errors: if something has the name already, which
    /// can happen for the name of an earlier backup that an undo or redo uses again.
    pub(super) fn make(
        held: &HeldStore,
        seal: &RootSeal,
        resolved: &OsStr,
        id: &BackupId,
    ) -> Result<Slot, SandboxError> {
        let parts = parts_of(Path::new(resolved)).map(|part| stamp::folder_of(&part));
        let names: Vec<OsString> = [OsString::from(id.kind.name())].into_iter().chain(parts).collect();
        let mut slot = match Slot::beside_last(held, &names, id.kind)? {
            Some(slot) => slot,
            None => Slot::descend_all(held, names, id.kind)?,
        };
        slot.name = stamp::kept_name(&id.stamp, &slot.names, seal);
        if slot.is_new && !id.is_again {
            return Ok(slot);
        }
        match slot.folder.metadata(&slot.name) {
            Ok(_) => Err(SandboxError::Exists(slot.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(slot),
            Err(error) => Err(SandboxError::io(slot.display(), &error)),
        }
    }

    fn empty(kind: BackupKind, folder: Folder) -> Slot {
        let (names, made, name) = (Vec::new(), MadeFolders::default(), OsString::new());
        Slot { kind, folder, device: 0, name, names, made, is_new: false, content: Content::Nothing, bytes: None }
    }

    /// Opens the directory to which the names lead from `.ns`, level by level, and creates missing ones.
    fn descend_all(held: &HeldStore, names: Vec<OsString>, kind: BackupKind) -> Result<Slot, SandboxError> {
        let duplicate = |folder: &Folder, names: &[OsString]| {
            folder.duplicate().map_err(|error| SandboxError::io(shown_below(names), &error))
        };
        let mut slot = Slot::empty(kind, duplicate(&held.folder, &[])?);
        let levels = names.len();
        for (at, name) in names.into_iter().enumerate() {
            // Each path has a directory of its own, which is seldom there.
            let is_last = at + 1 == levels;
            if is_last && slot.folder.resolver() != Resolver::Portable {
                held.keep_last(&slot.names, duplicate(&slot.folder, &slot.names)?);
            }
            slot.descend(name, is_last && at > 0)?;
        }
        Ok(slot)
    }

    /// Creates the directory beside that of the last backup, whose parents were checked, and opens it by all of its
    /// names: it is below the store, whatever has happened to its parents since. Returns `None` if another directory
    /// had the last backup, or if this one cannot be opened in that way.
    fn beside_last(held: &HeldStore, names: &[OsString], kind: BackupKind) -> Result<Option<Slot>, SandboxError> {
        let Some((name, above)) = names.split_last() else { return Ok(None) };
        let Some(parent) = held.last(above) else { return Ok(None) };
        let mut made = MadeFolders::default();
        let Ok(is_new) = made.make_untraced(&parent, name, FOLDER_MODE) else { return Ok(None) };
        let chain: Vec<&OsStr> = names.iter().map(OsString::as_os_str).collect();
        let Ok(Some(folder)) = held.folder.open_chain(&chain) else { return Ok(None) };
        let metadata = folder.own_metadata().map_err(|error| SandboxError::io(shown_below(names), &error))?;
        check_folder(&shown_below(names), &metadata)?;
        if is_new {
            made.identify(metadata.identity);
        }
        let mut slot = Slot::empty(kind, folder);
        (slot.device, slot.names, slot.made, slot.is_new) = (metadata.identity.device, names.to_vec(), made, is_new);
        Ok(Some(slot))
    }

    /// Opens a subdirectory and creates it if necessary; if it is probably missing, tries that first.
    fn descend(&mut self, name: OsString, is_probably_missing: bool) -> Result<(), SandboxError> {
        self.names.push(name);
        let name = self.names.last().expect("a name was just put there");
        let wrap = |error: io::Error| SandboxError::io(shown_below(&self.names), &error);
        let found =
            if is_probably_missing { None } else { reopen_ours(&self.folder, name, || shown_below(&self.names))? };
        let (folder, metadata) = match found {
            Some(found) => {
                // Directories created before contain an entry that is not ours.
                self.made.keep();
                self.is_new = false;
                found
            }
            None => {
                self.is_new = self.made.make_untraced(&self.folder, name, FOLDER_MODE).map_err(wrap)?;
                reopen_ours(&self.folder, name, || shown_below(&self.names))?
                    .ok_or_else(|| SandboxError::NotFound(shown_below(&self.names)))?
            }
        };
        if self.is_new {
            self.made.identify(metadata.identity);
        }
        (self.folder, self.device) = (folder, metadata.identity.device);
        Ok(())
    }

    /// Returns the path of the backup, relative to the root.
    pub fn display(&self) -> String {
        format!("{}/{}", shown_below(&self.names), self.name.to_string_lossy())
    }

    /// Returns the part of the backup store.
    pub(super) fn kind(&self) -> BackupKind {
        self.kind
    }

    /// Returns the names from `.ns` to the directory.
    pub(super) fn names(&self) -> &[OsString] {
        &self.names
    }

    /// Returns the directory, which contains only backups of one path.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns the name in that directory.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Returns the size in bytes of a file in the slot. The content of a directory is not counted.
    pub(super) fn size(&self) -> u64 {
        self.bytes.unwrap_or_else(|| self.folder.metadata(&self.name).map_or(0, |metadata| metadata.size))
    }

    /// Sets the size in bytes of the entry that was moved here.
    pub fn set_size(&mut self, bytes: u64) {
        self.bytes = Some(bytes);
    }

    /// Whether an entry with this identity can probably be moved here without a copy: whether both are on the same
    /// device.
    pub fn is_near(&self, identity: Identity) -> bool {
        self.device == identity.device
    }

    /// Whether the directory was created for this slot, so that it has no other backups.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Moves an entry here, in place of an unconfirmed copy.
    pub fn take(&mut self, folder: &Folder, name: &OsStr) -> io::Result<()> {
        self.discard_copy();
        // The name was free under the lock, and nobody can guess it, so nothing is replaced.
        folder.rename(name, &self.folder, &self.name, Replace::Yes)?;
        self.content = Content::Kept;
        Ok(())
    }

    /// Moves the entry back, unless another one has its name.
    pub fn give_back(&mut self, folder: &Folder, name: &OsStr) -> io::Result<()> {
        self.folder.rename(&self.name, folder, name, Replace::No)?;
        self.content = Content::Nothing;
        Ok(())
    }

    /// Copies an entry here and syncs it, in place of an unconfirmed copy, or leaves nothing. The copy is removed again
    /// unless it is confirmed.
    pub fn copy(&mut self, folder: &Folder, name: &OsStr, shown: &str, meter: &mut Meter) -> Result<(), SandboxError> {
        let aside = random_name();
        copy_aside(folder, name, &self.folder, &aside, shown, meter)?;
        self.discard_copy();
        if let Err(error) = self.folder.rename(&aside, &self.folder, &self.name, Replace::No) {
            let _ = discard(&self.folder, &aside, shown);
            return Err(SandboxError::io(self.display(), &error));
        }
        self.content = Content::Copy;
        Ok(())
    }

    /// Removes an unconfirmed copy.
    fn discard_copy(&mut self) {
        if self.is_copy() {
            // Best effort: the next step replaces a copy that stays, or fails with its path.
            let _ = discard(&self.folder, &self.name, "");
            self.content = Content::Nothing;
        }
    }

    /// Whether the slot contains an unconfirmed copy.
    pub fn is_copy(&self) -> bool {
        self.content == Content::Copy
    }

    /// Confirms what was put under the name, so that it stays.
    pub fn confirm(&mut self) {
        self.content = Content::Kept;
    }

    /// Like [`Slot::sync`], for an entry with this identity that was moved here from a directory, whose names may still
    /// wait for the barrier.
    pub fn sync_after(&self, folder: &Folder, identity: Identity, place: &SandboxPath) -> Result<(), SandboxError> {
        self.sync_after_all(folder, identity, place, &mut SyncedFolders::new())
    }

    /// Like [`Slot::sync_after`], for one of several entries that were all moved before the first of them is synced.
    /// `synced` has the directories that were synced since, and receives this one.
    pub(in crate::sandbox) fn sync_after_all(
        &self,
        folder: &Folder,
        identity: Identity,
        place: &SandboxPath,
        synced: &mut SyncedFolders,
    ) -> Result<(), SandboxError> {
        // The log of the file system has both the move and the directories created before it.
        if self.is_near(identity) && folder.has_one_log() {
            return Ok(());
        }
        // The directory first: elsewhere the name would be missing until it is synced too.
        sync_once(folder, synced).and_then(|()| self.sync_all()).map_err(|error| place.undurable(&error))
    }

    /// Makes the backup durable.
    pub fn sync(&self) -> Result<(), SandboxError> {
        self.sync_all().map_err(|error| SandboxError::io(self.display(), &error))
    }

    fn sync_all(&self) -> io::Result<()> {
        self.folder.sync().and_then(|()| self.made.sync())
    }
}

/// Syncs a directory unless it was synced since the last of its names was changed.
fn sync_once(folder: &Folder, synced: &mut SyncedFolders) -> io::Result<()> {
    let identity = folder.own_metadata()?.identity;
    if !synced.contains(&identity) {
        folder.sync()?;
        synced.insert(identity);
    }
    Ok(())
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.discard_copy();
        if self.content == Content::Kept {
            self.made.keep();
        }
    }
}
