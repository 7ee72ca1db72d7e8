//! Whether and how an existing entry is replaced.

use std::ffi::OsStr;
use std::io::ErrorKind;

use super::super::handles::error::SandboxError;
use super::super::handles::folder::{Folder, Replace};
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::root::SandboxPath;
use super::backups::BackupStore;

/// Options for replacing an existing entry.
#[derive(Clone, Copy, Debug)]
pub struct Overwrite<'a> {
    /// The backup store.
    pub store: BackupStore<'a>,
    /// Whether the entry may be replaced at all.
    pub replace: Replace,
    /// Whether the caller receives the path of the backup.
    pub is_told: bool,
    /// The SHA-256 that the existing file must have, so that nothing is replaced that the caller has not seen.
    pub if_match: Option<[u8; 32]>,
}

impl<'a> Overwrite<'a> {
    /// Replaces an existing entry and keeps a backup.
    pub fn keeping(store: BackupStore<'a>) -> Overwrite<'a> {
        Overwrite { store, replace: Replace::Yes, is_told: true, if_match: None }
    }

    /// Never replaces: the operation fails if the entry exists, even in a race.
    pub fn never(store: BackupStore<'a>) -> Overwrite<'a> {
        Overwrite { store, replace: Replace::No, ..Overwrite::keeping(store) }
    }
}

impl SandboxPath {
    /// Returns the metadata of the entry that a file at the path would replace. Errors: if it must not be replaced.
    pub fn check_replaceable(&self, replace: Replace) -> Result<Option<Metadata>, SandboxError> {
        match self.missing_folders() {
            (folder, []) => self.replaceable(folder, self.name()?, replace),
            _ => Ok(None),
        }
    }

    /// Returns the metadata of the entry that would be replaced. Errors: if it must not be replaced.
    pub(in crate::sandbox) fn replaceable(
        &self,
        folder: &Folder,
        name: &OsStr,
        replace: Replace,
    ) -> Result<Option<Metadata>, SandboxError> {
        let metadata = match folder.metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| self.error(&error))?,
        };
        refuse_kind(self, metadata.kind)?;
        match replace {
            Replace::No => Err(SandboxError::Exists(self.display().to_owned())),
            Replace::Yes => Ok(Some(metadata)),
        }
    }
}

/// Errors: if the existing entry is of a kind that is never replaced.
pub(in crate::sandbox) fn refuse_kind(place: &SandboxPath, kind: Kind) -> Result<(), SandboxError> {
    match kind {
        Kind::Folder => Err(SandboxError::IsAFolder(place.display().to_owned())),
        Kind::Special => Err(SandboxError::Special(place.display().to_owned())),
        // A link that was to be followed is resolved by now. One that is found here is replaced itself.
        Kind::File | Kind::Link => Ok(()),
    }
}
