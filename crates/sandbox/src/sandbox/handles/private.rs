//! Our own files and directories, in `.ns` and in the user state: only this user may access them, and anything else
//! under their names is an error.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};

use super::error::{OF_ANOTHER_USER, SandboxError};
use super::folder::Folder;
use super::metadata::{Kind, Metadata};

/// The permission bits of our own directories: only the user may access them.
pub(in crate::sandbox) const FOLDER_MODE: u32 = 0o700;
/// The permission bits of our own files.
pub(in crate::sandbox) const FILE_MODE: u32 = 0o600;

/// Opens one of our directories. Returns `None` if it does not exist. Errors: if the name is anything else.
pub(in crate::sandbox) fn open_ours(
    folder: &Folder,
    name: &OsStr,
    display: impl Fn() -> String,
) -> Result<Option<Folder>, SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(display(), &error);
    match folder.metadata(name) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => check_folder(&display(), &other.map_err(wrap)?)?,
    }
    let folder = folder.open_folder(name).map_err(wrap)?;
    // The entry may have been replaced in between: check the opened directory itself.
    check_folder(&display(), &folder.own_metadata().map_err(wrap)?)?;
    Ok(Some(folder))
}

/// Like [`open_ours`], for a directory that is there as a rule: opens it without looking at the name first, which needs
/// one system call less, and returns its metadata too.
pub(in crate::sandbox) fn reopen_ours(
    folder: &Folder,
    name: &OsStr,
    display: impl Fn() -> String,
) -> Result<Option<(Folder, Metadata)>, SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(display(), &error);
    // Whatever is not a directory is not opened; the error then says what it is.
    let opened = match folder.open_folder(name) {
        Ok(opened) => opened,
        Err(_) => match open_ours(folder, name, &display)? {
            Some(opened) => opened,
            None => return Ok(None),
        },
    };
    let metadata = opened.own_metadata().map_err(wrap)?;
    check_folder(&display(), &metadata)?;
    Ok(Some((opened, metadata)))
}

/// Checks that one of our directories is a directory owned by this user.
pub(in crate::sandbox) fn check_folder(display: &str, metadata: &Metadata) -> Result<(), SandboxError> {
    let reason = match metadata.kind {
        Kind::Folder if is_mine(metadata) => return Ok(()),
        Kind::Folder => OF_ANOTHER_USER,
        Kind::Link => "it is a link",
        Kind::File => "it is a file",
        Kind::Special => "it is a pipe, socket or device",
    };
    Err(SandboxError::NotOurs { path: display.to_owned(), reason })
}

/// Checks that one of our files is a regular file owned by this user with a single hard link.
pub(in crate::sandbox) fn check_regular(display: String, metadata: &Metadata) -> Result<(), SandboxError> {
    let reason = match metadata.kind {
        Kind::File if !is_mine(metadata) => "it is a file of another user",
        // Another hard link could be anywhere, and writing would change that file too.
        Kind::File if metadata.links > 1 => "it is a file with more than one name",
        Kind::File => return Ok(()),
        Kind::Folder => "it is a directory",
        Kind::Link => "it is a link",
        Kind::Special => "it is a pipe, socket or device",
    };
    Err(SandboxError::NotOurs { path: display, reason })
}

/// Whether the owner is the effective user of this process.
fn is_mine(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    return metadata.owner.user == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    {
        let _ = metadata;
        true
    }
}
