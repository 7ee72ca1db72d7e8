//! Visits everything below a directory.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;

use super::super::handles::address::Address;
use super::super::handles::folder::Folder;
use super::super::handles::metadata::{Kind, Metadata};

/// Calls `visit` for each entry below the directory at `path` until it breaks, and returns the value of the break. A
/// subdirectory is entered if `visit` continues with true.
pub(super) fn visit_below<T>(
    folder: Folder,
    path: &Address,
    mut visit: impl FnMut(&Address, &Metadata) -> ControlFlow<T, bool>,
) -> io::Result<Option<T>> {
    let names = names_in(&folder)?;
    let mut levels = vec![(folder, path.clone(), names)];
    while let Some((folder, address, ahead)) = levels.last_mut() {
        let Some(name) = ahead.pop() else {
            levels.pop();
            continue;
        };
        let metadata = folder.metadata(&name)?;
        let address = address.join(&name);
        match visit(&address, &metadata) {
            ControlFlow::Break(value) => return Ok(Some(value)),
            ControlFlow::Continue(enters) if enters && metadata.kind == Kind::Folder => {
                let inner = folder.open_folder(&name)?;
                let ahead = names_in(&inner)?;
                levels.push((inner, address, ahead));
            }
            ControlFlow::Continue(_) => {}
        }
    }
    Ok(None)
}

fn names_in(folder: &Folder) -> io::Result<Vec<OsString>> {
    Ok(folder.entries()?.into_iter().map(|entry| entry.name).collect())
}
