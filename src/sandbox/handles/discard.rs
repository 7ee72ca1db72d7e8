//! Removes entries permanently: unfinished ones, temporary ones, and those whose retention has ended.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use super::error::SandboxError;
use super::folder::Folder;
use super::metadata::Kind;

/// A directory whose contents are being visited or removed, with its name in its parent.
pub(in crate::sandbox) struct Emptying {
    /// The directory.
    pub(in crate::sandbox) folder: Folder,
    /// Its name in its parent.
    pub(in crate::sandbox) name: OsString,
    /// The names not yet visited.
    pub(in crate::sandbox) ahead: Vec<OsString>,
}

/// Removes a copy that did not become final.
pub(in crate::sandbox) fn discard(folder: &Folder, name: &OsStr, shown: &str) -> Result<(), SandboxError> {
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

/// Removes everything in a directory. Links are removed, not followed. Iterative, so the depth of the tree does not
/// matter.
pub(in crate::sandbox) fn remove_contents(folder: Folder, shown: &str) -> Result<(), SandboxError> {
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

/// Begins to visit a directory.
pub(in crate::sandbox) fn emptying(folder: Folder, name: OsString) -> io::Result<Emptying> {
    let ahead = folder.entries()?.into_iter().map(|entry| entry.name).collect();
    Ok(Emptying { folder, name, ahead })
}
