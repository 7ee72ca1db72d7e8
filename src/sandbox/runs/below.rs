//! Visits everything below a directory.

use std::ffi::OsString;

use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::Folder;
use super::super::handles::metadata::{Kind, Metadata};

/// The first answer that something in a folder gives, at any depth.
pub(super) fn first_below<T>(
    folder: Folder,
    path: &Address,
    mut ask: impl FnMut(&Address, &Metadata) -> Result<Option<T>, SandboxError>,
) -> Result<Option<T>, SandboxError> {
    let wrap = |error: std::io::Error| SandboxError::io(path.display(), &error);
    let names = |folder: &Folder| -> Result<Vec<OsString>, SandboxError> {
        Ok(folder.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect())
    };
    let first = names(&folder)?;
    let mut levels = vec![(folder, path.clone(), first)];
    while let Some((folder, address, ahead)) = levels.last_mut() {
        let Some(name) = ahead.pop() else {
            levels.pop();
            continue;
        };
        let metadata = folder.metadata(&name).map_err(wrap)?;
        let address = address.join(&name);
        if let Some(answer) = ask(&address, &metadata)? {
            return Ok(Some(answer));
        }
        if metadata.kind == Kind::Folder {
            let inner = folder.open_folder(&name).map_err(wrap)?;
            let ahead = names(&inner)?;
            levels.push((inner, address, ahead));
        }
    }
    Ok(None)
}
