//! Removing files, links and folders: into the trash, or for good.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use crate::limits::Meter;

use super::change::Change;
use super::draft::random_name;
use super::error::SandboxError;
use super::folder::{Folder, Replace};
use super::keep::{Drawer, Keeper, Slot};
use super::metadata::Kind;
use super::mounts::has_mounts;
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
        if is_folder && has_mounts(folder, name) {
            return Err(SandboxError::Mounted(self.shown().to_owned()));
        }
        let locked = keeper.lock(meter, change)?;
        let mut slot = locked.slot(self, Drawer::Trash)?;
        match slot.take(folder, name) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                drop(locked);
                self.delete_copied(&mut slot, meter)?;
            }
            Err(error) => return Err(wrap(error)),
        }
        // Somebody may have put something into it meanwhile, or a full folder in its place.
        if !recursive && slot.holds_full_folder().unwrap_or(false) && slot.give_back(folder, name).is_ok() {
            return Err(SandboxError::NotEmpty(self.shown().to_owned()));
        }
        folder.sync().map_err(wrap)?;
        slot.sync_after(folder)?;
        keeper.retain(&slot, &meter.watch());
        Ok(keeper.address_of(&slot))
    }

    /// Copies what is on another file system, and removes it when the copy is safe. Meanwhile it has a
    /// name of ours, so that nothing comes into it that is not copied.
    fn delete_copied(&self, slot: &mut Slot, meter: &mut Meter) -> Result<(), SandboxError> {
        self.check_removable(meter)?;
        let (folder, name) = self.entry()?;
        let wrap = |error: io::Error| self.error(&error);
        let aside = random_name();
        // Nobody can guess the name, so that nothing is replaced.
        folder.rename(name, folder, &aside, Replace::Yes).map_err(wrap)?;
        let copied = slot.copy(folder, &aside, self.shown(), meter).and_then(|()| slot.sync());
        if let Err(error) = copied {
            folder.rename(&aside, folder, name, Replace::No).map_err(wrap)?;
            return Err(error);
        }
        slot.confirm();
        discard(folder, &aside, self.shown())
    }

    /// Refuses what could be copied, and then not be removed.
    pub fn check_removable(&self, meter: &Meter) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        let wrap = |error: io::Error| self.error(&error);
        folder.check_changeable().map_err(wrap)?;
        if folder.metadata(name).map_err(wrap)?.kind != Kind::Folder {
            return Ok(());
        }
        let mut levels = vec![emptying(folder.open_folder(name).map_err(wrap)?, name.to_owned()).map_err(wrap)?];
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.ahead.pop() else {
                // An empty folder goes without being changed.
                levels.pop();
                continue;
            };
            meter.poll()?;
            level.folder.check_changeable().map_err(wrap)?;
            if level.folder.metadata(&name).map_err(wrap)?.kind == Kind::Folder {
                let inner = level.folder.open_folder(&name).map_err(wrap)?;
                levels.push(emptying(inner, name).map_err(wrap)?);
            }
        }
        Ok(())
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
    let device = |folder: &Folder| folder.own_metadata().map(|metadata| metadata.identity.device);
    let here = device(&folder).map_err(wrap)?;
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
                if device(&inner).map_err(wrap)? != here {
                    return Err(SandboxError::Mounted(shown.to_owned()));
                }
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
