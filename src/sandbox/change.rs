//! Changing the disk. Whatever does needs an open [`Change`], and only [`Journal`] opens one.
//!
//! Each operation is atomic for everybody else: they see the old state or the new one. The journal
//! does not record yet; it counts what a run changes and refuses where nothing may be changed.

use std::io::ErrorKind;

use crate::limits::Meter;

use super::error::SandboxError;
use super::folder::Replace;
use super::parents::FOLDER_MODE;
use super::root::SandboxPath;

/// The right to change what is below a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Journal {
    writable: bool,
}

/// One change that is under way. It is opened before anything is touched.
#[derive(Debug)]
pub struct Change(());

impl Journal {
    /// A journal for a run that may change files.
    pub fn writable() -> Journal {
        Journal { writable: true }
    }

    /// A journal that refuses every change.
    pub fn read_only() -> Journal {
        Journal { writable: false }
    }

    /// Opens a change of so many files and folders, counted against the limits of the run.
    pub fn begin(self, files: u64, meter: &mut Meter) -> Result<Change, SandboxError> {
        if !self.writable {
            return Err(SandboxError::Refused("the run is read-only: nothing may be changed".to_owned()));
        }
        meter.change_files(files)?;
        Ok(Change(()))
    }

    /// Opens a change of our own records of the run, which is not counted.
    pub fn begin_record(self) -> Result<Change, SandboxError> {
        match self.writable {
            true => Ok(Change(())),
            false => Err(SandboxError::Refused("the run is read-only: nothing may be changed".to_owned())),
        }
    }
}

impl SandboxPath {
    /// Makes the folder of the place, and the missing ones above it; all of them or none.
    pub fn create_folder(&self, change: &Change) -> Result<(), SandboxError> {
        let name = self.name()?;
        let mut parents = self.make_parents(change)?;
        let (folder, made) = parents.last();
        match made.make(folder, name, FOLDER_MODE) {
            Ok(true) => folder.sync().map_err(|error| self.error(&error))?,
            Ok(false) => return Err(SandboxError::Exists(self.shown().to_owned())),
            Err(error) => return Err(self.error(&error)),
        }
        made.keep();
        Ok(())
    }

    /// Gives a file, folder or link another name; whatever has that name makes it fail.
    pub fn rename_to(&self, target: &SandboxPath, _change: &Change) -> Result<(), RenameError> {
        let (folder, name) = self.entry()?;
        let (target_folder, target_name) = target.entry()?;
        match folder.rename(name, target_folder, target_name, Replace::No) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::CrossesDevices => return Err(RenameError::OtherDevice),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(SandboxError::Exists(target.shown().to_owned()).into());
            }
            Err(error) => return Err(self.error(&error).into()),
        }
        folder.sync().map_err(|error| self.error(&error))?;
        target_folder.sync().map_err(|error| target.error(&error))?;
        Ok(())
    }
}

/// Why a rename did not happen.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// The two places are on different file systems.
    #[error("the places are on different file systems")]
    OtherDevice,
    /// Anything else.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}
