//! Removing files, links and folders: into the trash, or for good.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use crate::limits::Meter;

use super::change::Change;
use super::error::SandboxError;
use super::folder::Folder;
use super::keep::{Drawer, Keeper, Slot};
use super::metadata::Kind;
use super::root::SandboxPath;

impl SandboxPath {
    /// Removes a file or link.
    pub fn remove_file(&self, _change: &Change) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        folder.remove_file(name).map_err(|error| self.error(&error))?;
        folder.sync().map_err(|error| self.error(&error))
    }

    /// Removes a folder; with all that is in it when `recursive`.
    pub fn remove_folder(&self, recursive: bool, _change: &Change) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        if recursive {
            let inner = folder.open_folder(name).map_err(|error| self.error(&error))?;
            remove_contents(inner, self.shown())?;
        }
        folder.remove_folder(name).map_err(|error| self.error(&error))?;
        folder.sync().map_err(|error| self.error(&error))
    }
}

impl SandboxPath {
    /// Moves a file, link or folder into the trash, and gives its path there. A folder that holds
    /// something is an error unless `recursive`.
    ///
    /// It is one rename, so that it happens as a whole or not at all; from another file system it is
    /// copied, whole and synced, before it is removed.
    pub fn delete(
        &self,
        recursive: bool,
        keeper: Keeper<'_>,
        meter: &mut Meter,
        change: &Change,
    ) -> Result<String, SandboxError> {
        let (folder, name) = self.entry()?;
        let wrap = |error: io::Error| self.error(&error);
        let is_folder = folder.metadata(name).map_err(wrap)?.kind == Kind::Folder;
        if is_folder
            && !recursive
            && !folder.open_folder(name).and_then(|inner| inner.entries()).map_err(wrap)?.is_empty()
        {
            return Err(SandboxError::NotEmpty(self.shown().to_owned()));
        }
        let locked = keeper.lock(meter, change)?;
        let mut slot = locked.slot(self, Drawer::Trash)?;
        match slot.take(folder, name) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                drop(locked);
                self.delete_copied(&mut slot, meter, change)?;
            }
            Err(error) => return Err(wrap(error)),
        }
        // Somebody may have put something into it meanwhile, or a full folder in its place.
        if !recursive && slot.holds_full_folder().unwrap_or(false) && slot.give_back(folder, name).is_ok() {
            return Err(SandboxError::NotEmpty(self.shown().to_owned()));
        }
        folder.sync().map_err(wrap)?;
        slot.sync()?;
        keeper.retain(&slot);
        Ok(keeper.address_of(&slot))
    }

    /// Copies what is on another file system, and removes it when the copy is safe.
    fn delete_copied(&self, slot: &mut Slot, meter: &mut Meter, change: &Change) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        slot.copy(folder, name, self.shown(), meter)?;
        slot.sync()?;
        slot.confirm();
        match folder.metadata(name).map_err(|error| self.error(&error))?.kind {
            Kind::Folder => self.remove_folder(true, change),
            _ => self.remove_file(change),
        }
    }
}

/// A folder whose contents are being removed, and its name in the folder above.
struct Emptying {
    folder: Folder,
    name: OsString,
    ahead: Vec<OsString>,
}

/// Removes everything in a folder. Links are removed, never followed; no depth takes native stack.
pub(super) fn remove_contents(folder: Folder, shown: &str) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(shown, &error);
    let mut levels = vec![emptying(folder, OsString::new()).map_err(wrap)?];
    loop {
        let level = levels.last_mut().expect("the outermost level is left only by returning");
        let Some(name) = level.ahead.pop() else {
            let done = levels.pop().expect("there is a level");
            let Some(above) = levels.last() else { return Ok(()) };
            above.folder.remove_folder(&done.name).map_err(wrap)?;
            continue;
        };
        match level.folder.metadata(&name) {
            Ok(metadata) if metadata.kind == Kind::Folder => {
                let inner = level.folder.open_folder(&name).map_err(wrap)?;
                levels.push(emptying(inner, name).map_err(wrap)?);
            }
            Ok(_) => level.folder.remove_file(&name).map_err(wrap)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(wrap(error)),
        }
    }
}

fn emptying(folder: Folder, name: OsString) -> io::Result<Emptying> {
    let ahead = folder.entries()?.into_iter().map(|entry| entry.name).collect();
    Ok(Emptying { folder, name, ahead })
}

/// Removes a copy that did not become final.
pub(super) fn discard(folder: &Folder, name: &OsStr, shown: &str) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(shown, &error);
    match folder.metadata(name) {
        Ok(metadata) if metadata.kind == Kind::Folder => {
            remove_contents(folder.open_folder(name).map_err(wrap)?, shown)?;
            folder.remove_folder(name).map_err(wrap)
        }
        Ok(_) => folder.remove_file(name).map_err(wrap),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(wrap(error)),
    }
}
