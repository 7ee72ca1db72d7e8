//! Creates directories and renames entries. Every operation that changes the disk needs an open [`Change`] and journals
//! each of its steps before performing it.
//!
//! Each operation is atomic for other processes: they see either the old state or the new one.

use std::io::ErrorKind;

use super::super::handles::error::{RenameError, SandboxError};
use super::super::handles::metadata::Metadata;
use super::super::handles::root::SandboxPath;
use super::super::handles::state::State;
use super::journal::{Change, Step};
use super::parents::FOLDER_MODE;

impl SandboxPath {
    /// Creates the directory and its missing parents; all of them or none.
    pub fn create_folder(&self, change: &Change<'_>) -> Result<(), SandboxError> {
        let name = self.name()?;
        let parents = self.make_parents(change)?;
        let folder = parents.folder();
        let pending = change.begin(Step::MakeFolder { path: self.full_address() }, &[folder])?;
        folder.create_folder(name, FOLDER_MODE).map_err(|error| self.error(&error))?;
        // The directory exists now, whether or not the rest succeeds.
        let synced = pending.sync(&[folder]);
        pending.done(folder.metadata(name).ok().as_ref(), false, &[folder]);
        parents.keep();
        synced.map_err(|error| self.undurable(&error))
    }

    /// Recreates the directory with its old mode and modification time.
    pub(in crate::sandbox) fn create_folder_like(&self, old: &State, change: &Change<'_>) -> Result<(), SandboxError> {
        let wrap = |error: std::io::Error| self.error(&error);
        let (folder, name) = self.entry()?;
        let pending = change.begin(Step::MakeFolder { path: self.full_address() }, &[folder])?;
        folder.create_folder(name, FOLDER_MODE).map_err(wrap)?;
        let dressed = folder
            .hold(name)
            .and_then(|held| held.set_mode(folder, name, old.mode))
            .and_then(|()| old.modified().map_or(Ok(()), |modified| folder.set_modified(name, modified)))
            .and_then(|()| pending.sync(&[folder]));
        pending.done(folder.metadata(name).ok().as_ref(), false, &[folder]);
        dressed.map_err(|error| self.undurable(&error))
    }

    /// Renames a file, directory or link, whose metadata was just read. Fails if the target exists.
    pub fn rename_to(&self, target: &SandboxPath, metadata: &Metadata, change: &Change<'_>) -> Result<(), RenameError> {
        let (folder, name) = self.entry()?;
        let (target_folder, target_name) = target.entry()?;
        let (path, to, old) = (self.full_address(), target.full_address(), State::of(metadata));
        let pending = change.begin(Step::Move { path, old, to, draft: None }, &[folder, target_folder])?;
        match change.rename(folder, name, target_folder, target_name) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::CrossesDevices => return Err(RenameError::OtherDevice),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(SandboxError::Exists(target.display().to_owned()).into());
            }
            Err(error) => return Err(self.error(&error).into()),
        }
        let folders = [folder, target_folder];
        let synced = pending.sync(&folders);
        pending.done(Some(metadata), false, &folders);
        Ok(synced.map_err(|error| target.undurable(&error))?)
    }
}
