//! Sets modification times, race-free: of the entry that was looked at, whatever has its name by then.

use super::super::handles::error::SandboxError;
use super::super::handles::folder::{Folder, PathHandle};
use super::super::handles::metadata::{Kind, Metadata, Timestamp};
use super::super::handles::root::SandboxPath;
use super::super::handles::state::{State, moment};
use super::journal::{Change, Step};

/// The modification time of an entry before and after a change.
#[derive(Clone, Copy, Debug)]
pub struct ModifiedChange {
    /// The time before.
    pub before: Option<Timestamp>,
    /// The time after, as exact as the file system keeps it.
    pub after: Option<Timestamp>,
}

impl SandboxPath {
    /// Sets the modification time of a file or directory.
    pub fn set_modified(&self, modified: Timestamp, change: &Change<'_>) -> Result<ModifiedChange, SandboxError> {
        if self.is_root() {
            return Err(SandboxError::RootItself("given another time"));
        }
        let (held, found) = self.hold_to_date()?;
        let before = found.modified;
        // Setting the time that is there already is no change.
        if before == Some(modified) {
            return Ok(ModifiedChange { before, after: before });
        }
        let after = self.change_modified(&held, &found, modified, change)?;
        Ok(ModifiedChange { before, after: after.modified })
    }

    /// Restores the modification time of a file or directory. That is a step even if nothing changes, because the
    /// reversal of each step must be reversible: a directory may have the time for another reason.
    pub(in crate::sandbox) fn restore_modified(
        &self,
        modified: Timestamp,
        change: &Change<'_>,
    ) -> Result<(), SandboxError> {
        let (held, found) = self.hold_to_date()?;
        self.change_modified(&held, &found, modified, change).map(drop)
    }

    /// Opens an entry whose time is to be set.
    fn hold_to_date(&self) -> Result<(PathHandle, Metadata), SandboxError> {
        let (folder, name) = self.entry()?;
        let held = folder.hold(name).map_err(|error| self.error(&error))?;
        let found = held.metadata().map_err(|error| self.error(&error))?;
        self.require_own_attributes(&found, "time")?;
        Ok((held, found))
    }

    fn change_modified(
        &self,
        held: &PathHandle,
        found: &Metadata,
        modified: Timestamp,
        change: &Change<'_>,
    ) -> Result<Metadata, SandboxError> {
        let (folder, name) = self.entry()?;
        // The time of a directory is journaled like that of a directory whose entries change.
        let own: Option<Folder> = match found.kind {
            Kind::Folder => Some(folder.open_folder(name).map_err(|error| self.error(&error))?),
            _ => None,
        };
        let folders: Vec<&Folder> = own.iter().collect();
        let step = Step::SetModified { path: self.full_address(), old: State::of(found), modified: moment(modified) };
        let pending = change.begin(step, &folders)?;
        held.set_modified(folder, name, modified).map_err(|error| self.error(&error))?;
        let synced = pending.sync_entry(folder, name, found);
        let after = held.metadata();
        pending.done(after.as_ref().ok(), false, &folders);
        synced.map_err(|error| self.undurable(&error))?;
        after.map_err(|error| self.error(&error))
    }
}
