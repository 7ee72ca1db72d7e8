//! Removing files, links and folders for good.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use super::change::Change;
use super::error::SandboxError;
use super::folder::Folder;
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
