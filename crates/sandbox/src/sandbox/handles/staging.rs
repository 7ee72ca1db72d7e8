//! Staging files: unfinished entries under a temporary name, until they get their final name.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind};

use super::discard::discard;
use super::folder::File;
use super::folder::{Folder, MtimeGuard, Replace};
use super::metadata::{Identity, Metadata};

/// The prefix of temporary names.
pub(in crate::sandbox) const TEMPORARY_PREFIX: &str = ".ns-tmp-";
/// The suffix of the temporary name that the previous entry has during an exchange in several renames.
const DISPLACED: &str = "-old";
/// The permission bits of a file until it gets those of the file it replaces.
pub(in crate::sandbox) const PRIVATE_MODE: u32 = 0o600;

/// A new file, link or directory under a temporary name. It is removed when dropped unless it has been given its final
/// name.
#[derive(Debug)]
pub(in crate::sandbox) struct StagingFile {
    folder: Folder,
    name: OsString,
    /// The metadata of the entry when it was created.
    made: Metadata,
    done: bool,
    /// The change that creating it made to the modification time of its directory.
    trace: MtimeGuard,
}

impl StagingFile {
    /// Creates an empty file under an unused name ([`random_name`]).
    pub(in crate::sandbox) fn create(folder: &Folder, name: OsString, mode: u32) -> io::Result<(StagingFile, File)> {
        let folder = folder.duplicate()?;
        let (file, trace) = MtimeGuard::of(&folder, || folder.create_file(&name, mode))?;
        let made = folder.file_metadata(&file)?;
        Ok((StagingFile { folder, name, made, done: false, trace }, file))
    }

    /// Restores the modification time of the directory, so that other changes there may come before the final name.
    pub(in crate::sandbox) fn conceal(&mut self) {
        self.trace.conceal(&self.folder);
    }

    /// Takes ownership of an entry created under a temporary name.
    pub(in crate::sandbox) fn adopt(folder: &Folder, name: OsString, trace: MtimeGuard) -> io::Result<StagingFile> {
        let folder = folder.duplicate()?;
        let made = folder.metadata(&name)?;
        Ok(StagingFile { folder, name, made, done: false, trace })
    }

    /// Returns the current metadata of the entry under its final name.
    pub(in crate::sandbox) fn metadata_after(&self, name: &OsStr) -> Metadata {
        metadata_after(&self.folder, name, &self.made)
    }

    /// Returns the name at which an exchange may leave the previous entry.
    pub(in crate::sandbox) fn displaced_name(&self) -> OsString {
        displaced_name(&self.name)
    }

    /// Returns the entry's inode.
    pub(in crate::sandbox) fn inode(&self) -> u64 {
        self.made.identity.inode
    }

    /// Returns the device that the entry is on.
    pub(in crate::sandbox) fn device(&self) -> u64 {
        self.made.identity.device
    }

    /// Gives the entry its final name.
    pub(in crate::sandbox) fn rename(&mut self, to_folder: &Folder, to: &OsStr, replace: Replace) -> io::Result<()> {
        self.folder.rename(&self.name, to_folder, to, replace)?;
        self.done = true;
        Ok(())
    }

    /// Returns the change that the entry has made to the modification time of its directory so far.
    pub(in crate::sandbox) fn trace(&self) -> MtimeGuard {
        self.trace
    }

    /// Exchanges the entry with the one named `name` in its directory, and returns the latter.
    ///
    /// Errors: of kind `AlreadyExists` if the system cannot exchange at once and somebody else took the name meanwhile.
    /// The entry that had it is then under [`displaced_name`].
    pub(in crate::sandbox) fn exchange(&mut self, name: &OsStr) -> io::Result<Displaced> {
        let folder = self.folder.duplicate()?;
        exchange(&folder, &self.name, name)?;
        self.done = true;
        Ok(Displaced { folder, name: self.name.clone(), successor: self.made.identity })
    }
}

impl Drop for StagingFile {
    fn drop(&mut self) {
        let is_ours = |metadata: Metadata| metadata.identity == self.made.identity;
        if !self.done && self.folder.metadata(&self.name).is_ok_and(is_ours) {
            // Best effort: remains of a failed change must not stay visible.
            let _ = self.trace.erase(&self.folder, || discard(&self.folder, &self.name, ""));
        }
    }
}

/// An entry that was replaced and is now under the temporary name of its successor. It is not removed on drop.
pub(in crate::sandbox) struct Displaced {
    pub(in crate::sandbox) folder: Folder,
    pub(in crate::sandbox) name: OsString,
    /// The entry that replaced it.
    successor: Identity,
}

impl Displaced {
    /// Restores the entry under its old name, and removes its successor.
    ///
    /// Returns false if somebody else has replaced the successor in the meantime: the newer entry stays, and this one
    /// keeps its temporary name. The directory keeps the modification time of these changes.
    pub(in crate::sandbox) fn put_back(&self, name: &OsStr) -> io::Result<bool> {
        match exchange(&self.folder, &self.name, name) {
            // Somebody else took the name while it was free.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let aside = displaced_name(&self.name);
                if self.folder.metadata(&aside)?.identity == self.successor {
                    self.folder.remove_file(&aside)?;
                }
                return Ok(false);
            }
            // The successor was removed: the name is free.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return self.folder.rename(&self.name, &self.folder, name, Replace::No).map(|()| true);
            }
            other => other?,
        }
        if self.folder.metadata(&self.name)?.identity == self.successor {
            return self.remove().map(|()| true);
        }
        exchange(&self.folder, &self.name, name).map(|()| false)
    }

    /// Permanently removes the replaced file or link.
    pub(in crate::sandbox) fn remove(&self) -> io::Result<()> {
        self.folder.remove_file(&self.name)
    }
}

/// Exchanges an entry under a temporary name with another one of the directory: at once, or in three renames where the
/// system cannot do that (NFS). None of them replaces anything, but the name does not exist for a moment.
fn exchange(folder: &Folder, staged: &OsStr, name: &OsStr) -> io::Result<()> {
    match folder.exchange(staged, folder, name) {
        Err(error) if error.kind() == ErrorKind::Unsupported => {}
        other => return other,
    }
    let aside = displaced_name(staged);
    // Nobody can guess the temporary names, so nothing is replaced.
    folder.rename(name, folder, &aside, Replace::Yes)?;
    if let Err(error) = folder.rename(staged, folder, name, Replace::No) {
        return match folder.rename(&aside, folder, name, Replace::No) {
            Err(taken) if taken.kind() == ErrorKind::AlreadyExists => Err(taken),
            _ => Err(error),
        };
    }
    folder.rename(&aside, folder, staged, Replace::Yes)
}

/// Returns the name that the previous entry has during an exchange in several renames.
pub(in crate::sandbox) fn displaced_name(staged: &OsStr) -> OsString {
    let mut name = staged.to_owned();
    name.push(DISPLACED);
    name
}

/// Returns the metadata of the entry that a step put at a name, or `put` if another entry has the name by now.
pub(in crate::sandbox) fn metadata_after(folder: &Folder, name: &OsStr, put: &Metadata) -> Metadata {
    folder.metadata(name).ok().filter(|found| found.identity == put.identity).unwrap_or(*put)
}

/// Returns a temporary name that nobody can guess.
pub(in crate::sandbox) fn random_name() -> OsString {
    OsString::from(format!("{TEMPORARY_PREFIX}{:016x}", random_number()))
}

/// Whether a name has the form of a temporary name.
pub(in crate::sandbox) fn is_draft_name(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes())
}

/// Returns a number that nobody can guess.
pub(in crate::sandbox) fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}
