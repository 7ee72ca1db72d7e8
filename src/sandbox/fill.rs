//! A file whose content somebody else writes, piece by piece: it gets its name when it is whole.

use std::fs::File;
use std::io;

use super::change::Change;
use super::draft::Draft;
use super::error::SandboxError;
use super::folder::{Replace, set_access};
use super::root::SandboxPath;
use super::write::PRIVATE_MODE;

/// The permission bits of new files, before the user's mask.
const FILE_MODE: u32 = 0o666;

impl SandboxPath {
    /// Says whether a file can be written to the place; an error where that would replace what must
    /// not be replaced.
    pub fn check_replaceable(&self, replace: Replace) -> Result<(), SandboxError> {
        match self.missing_folders() {
            (folder, []) => self.replaceable(folder, self.name()?, replace).map(drop),
            _ => Ok(()),
        }
    }

    /// Writes a file with what `fill` gives it: all of it or nothing, and durable when this returns.
    ///
    /// Missing folders are made. A file that is replaced leaves its permission bits and, where this
    /// user may, its owner.
    pub fn fill_file<E: From<SandboxError>>(
        &self,
        replace: Replace,
        change: &Change,
        fill: impl FnOnce(&mut File) -> Result<(), E>,
    ) -> Result<(), E> {
        let wrap = |error: io::Error| E::from(self.error(&error));
        let name = self.name()?;
        let made = self.make_parents(change)?;
        let folder = made.as_ref().unwrap_or(self.missing_folders().0);
        let old = self.replaceable(folder, name, replace)?;
        let mode = if old.is_some() { PRIVATE_MODE } else { FILE_MODE };
        let (draft, mut file) = Draft::create(folder, mode).map_err(wrap)?;
        fill(&mut file)?;
        if let Some(old) = &old {
            set_access(&file, old).map_err(wrap)?;
        }
        file.sync_all().map_err(wrap)?;
        draft.rename(folder, name, replace).map_err(wrap)?;
        folder.sync().map_err(wrap)
    }
}
