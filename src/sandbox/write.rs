//! Writing files, whole or not at all.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};

use super::change::Change;
use super::draft::Draft;
use super::error::SandboxError;
use super::folder::{Folder, Replace, set_access};
use super::metadata::{Kind, Metadata};
use super::root::SandboxPath;

/// The permission bits of new files, before the user's mask.
const FILE_MODE: u32 = 0o666;
/// The permission bits of a file until it gets those of another.
pub(super) const PRIVATE_MODE: u32 = 0o600;

impl SandboxPath {
    /// Writes a file: all of it or nothing, and durable when this returns.
    ///
    /// Missing folders are made. A file that is replaced leaves its permission bits and, where this
    /// user may, its owner.
    pub fn write_file(&self, content: &[u8], replace: Replace, change: &Change) -> Result<(), SandboxError> {
        let name = self.name()?;
        let made = self.make_parents(change)?;
        let folder = made.as_ref().unwrap_or(self.missing_folders().0);
        let old = self.replaceable(folder, name, replace)?;
        let wrap = |error: io::Error| self.error(&error);
        // The new content of a private file is private from the start.
        let mode = if old.is_some() { PRIVATE_MODE } else { FILE_MODE };
        let (draft, mut file) = Draft::create(folder, mode).map_err(wrap)?;
        file.write_all(content).map_err(wrap)?;
        if let Some(old) = &old {
            set_access(&file, old).map_err(wrap)?;
        }
        file.sync_all().map_err(wrap)?;
        draft.rename(folder, name, replace).map_err(wrap)?;
        folder.sync().map_err(wrap)
    }

    /// What is known of the file that a write would replace; an error when it may not be replaced.
    pub(super) fn replaceable(
        &self,
        folder: &Folder,
        name: &OsStr,
        replace: Replace,
    ) -> Result<Option<Metadata>, SandboxError> {
        let metadata = match folder.metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| self.error(&error))?,
        };
        let shown = self.shown().to_owned();
        match metadata.kind {
            Kind::Folder => Err(SandboxError::IsAFolder(shown)),
            Kind::Special => Err(SandboxError::Special(shown)),
            Kind::File | Kind::Link if replace == Replace::No => Err(SandboxError::Exists(shown)),
            Kind::File => Ok(Some(metadata)),
            Kind::Link => Ok(None),
        }
    }
}
