//! Visits a tree from directory to directory: the open directories on the way, each with the names not yet visited.

use std::ffi::OsString;
use std::io;

use super::folder::Folder;

/// A directory whose contents are being visited or removed, with its name in its parent.
pub(in crate::sandbox) struct Emptying {
    /// The directory.
    pub(in crate::sandbox) folder: Folder,
    /// Its name in its parent.
    pub(in crate::sandbox) name: OsString,
    /// The names not yet visited.
    pub(in crate::sandbox) ahead: Vec<OsString>,
}

/// Begins to visit a directory.
pub(in crate::sandbox) fn emptying(folder: Folder, name: OsString) -> io::Result<Emptying> {
    let ahead = folder.entries()?.into_iter().map(|entry| entry.name).collect();
    Ok(Emptying { folder, name, ahead })
}
