//! Removes entries permanently: unfinished ones, temporary ones, and those whose retention has ended.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use super::emptying::{Emptying, emptying};
use super::error::SandboxError;
use super::folder::Folder;
use super::metadata::Kind;
use super::mounts::is_mounted;

/// Number of attempts to remove a directory into which others put something meanwhile.
const ATTEMPTS: usize = 100;

/// Removes an entry with everything in it.
///
/// Errors: if a file system is mounted in it. The entries that were visited before are gone then.
pub(in crate::sandbox) fn discard(folder: &Folder, name: &OsStr, shown: &str) -> Result<(), SandboxError> {
    discard_counting(folder, name, shown, &mut 0)
}

/// Like [`discard`], and counts the entries that were removed, so that the caller knows after an error whether the
/// entry is still complete.
pub(in crate::sandbox) fn discard_counting(
    folder: &Folder,
    name: &OsStr,
    shown: &str,
    removed: &mut u64,
) -> Result<(), SandboxError> {
    for _ in 1..ATTEMPTS {
        match discard_once(folder, name, shown, removed) {
            // A path that another process resolved before the entry was renamed still leads into it.
            Err(SandboxError::NotEmpty(_) | SandboxError::IsAFolder(_) | SandboxError::NotAFolder(_)) => {}
            other => return other,
        }
    }
    discard_once(folder, name, shown, removed)
}

fn discard_once(folder: &Folder, name: &OsStr, shown: &str, removed: &mut u64) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(shown, &error);
    match folder.metadata(name) {
        Ok(metadata) if metadata.kind == Kind::Folder => {
            let inner = folder.open_folder(name).map_err(wrap)?;
            if is_mounted(&inner, folder, name) {
                return Err(SandboxError::Mounted(shown.to_owned()));
            }
            remove_contents(inner, shown, removed)?;
            folder.remove_folder(name).map_err(wrap)
        }
        Ok(_) => folder.remove_file(name).map_err(wrap),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(wrap(error)),
    }
}

/// Removes everything in a directory. Links are removed, not followed. Iterative, so the depth of the tree does not
/// matter. Adds the number of removed entries to `removed`, even if it fails.
///
/// A directory is entered only if no file system is mounted there: each one is asked after it was opened, so a mount
/// that appears meanwhile is not entered either.
pub(in crate::sandbox) fn remove_contents(folder: Folder, shown: &str, removed: &mut u64) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(shown, &error);
    let device = |folder: &Folder| folder.own_metadata().map(|metadata| metadata.identity.device);
    let here = device(&folder).map_err(wrap)?;
    let mut levels = vec![emptying(folder, OsString::new()).map_err(wrap)?];
    loop {
        let level = levels.last_mut().expect("the outermost level is left only by returning");
        let Some(name) = level.ahead.pop() else {
            // Its handle is closed, because Windows removes no directory that is open.
            let Emptying { name, .. } = levels.pop().expect("there is a level");
            let Some(above) = levels.last() else { return Ok(()) };
            above.folder.remove_folder(&name).map_err(wrap)?;
            *removed += 1;
            continue;
        };
        match level.folder.metadata(&name) {
            Ok(metadata) if metadata.kind == Kind::Folder => {
                let inner = level.folder.open_folder(&name).map_err(wrap)?;
                if device(&inner).map_err(wrap)? != here || is_mounted(&inner, &level.folder, &name) {
                    return Err(SandboxError::Mounted(shown.to_owned()));
                }
                levels.push(emptying(inner, name).map_err(wrap)?);
            }
            Ok(_) => {
                level.folder.remove_file(&name).map_err(wrap)?;
                *removed += 1;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(wrap(error)),
        }
    }
}
