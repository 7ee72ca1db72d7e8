//! The digest of the names and metadata in a directory that a plan deletes.

use std::ffi::OsString;
use std::io;

use sha2::{Digest, Sha256};

use crate::text::hex;

use super::super::handles::folder::Folder;
use super::super::handles::metadata::Kind;
use super::super::handles::state::State;

/// Returns the SHA-256 of the names and metadata in a directory, at any depth.
pub(super) fn tree_digest(folder: Folder) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut levels = vec![(sorted(&folder)?, folder)];
    while let Some((names, folder)) = levels.last_mut() {
        let Some(name) = names.pop() else {
            digest.update(b"/");
            levels.pop();
            continue;
        };
        let state = State::of(&folder.metadata(&name)?);
        digest.update(name.as_encoded_bytes());
        digest.update(b"\0");
        // The size of a directory depends on the file system.
        let size = if state.kind == Kind::Folder { 0 } else { state.size };
        digest.update(format!("{:?} {} {size} {:?} {:o}\n", state.kind, state.inode, state.modified, state.mode));
        if state.kind == Kind::Folder {
            let inner = folder.open_folder(&name)?;
            levels.push((sorted(&inner)?, inner));
        }
    }
    Ok(hex(&digest.finalize()))
}

fn sorted(folder: &Folder) -> io::Result<Vec<OsString>> {
    let mut names: Vec<OsString> = folder.entries()?.into_iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    Ok(names)
}
