//! The contents of a directory that a plan deletes or restores: a digest of the metadata, and a count.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;

use sha2::{Digest, Sha256};

use crate::text::hex;

use super::super::folder::Folder;
use super::super::journal::{Address, Holds, State};
use super::super::metadata::Kind;

/// Counts the contents of the directory at `at`, except for the paths in `without` and everything below them.
pub(super) fn amount_in(folder: Folder, at: &Address, without: &BTreeSet<Address>) -> io::Result<Holds> {
    let mut holds = Holds::default();
    walk(folder, at, |address, state| {
        let counts = !without.contains(address);
        if counts {
            holds.add(state.kind, state.size);
        }
        counts
    })?;
    Ok(holds)
}

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

/// Calls `enters` for each entry in a directory. A subdirectory is entered if `enters` returns true for it.
fn walk(folder: Folder, at: &Address, mut enters: impl FnMut(&Address, &State) -> bool) -> io::Result<()> {
    let mut levels = vec![(sorted(&folder)?, folder, at.clone())];
    while let Some((names, folder, at)) = levels.last_mut() {
        let Some(name) = names.pop() else {
            levels.pop();
            continue;
        };
        let (state, address) = (State::of(&folder.metadata(&name)?), at.join(&name));
        if enters(&address, &state) && state.kind == Kind::Folder {
            let inner = folder.open_folder(&name)?;
            levels.push((sorted(&inner)?, inner, address));
        }
    }
    Ok(())
}

fn sorted(folder: &Folder) -> io::Result<Vec<OsString>> {
    let mut names: Vec<OsString> = folder.entries()?.into_iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    Ok(names)
}
