//! Files that are not finished: they lie under a name of ours until they become the file of a place.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind};

use super::folder::{Folder, Replace};

/// A new file under a name of ours, which becomes the file of a place or vanishes.
pub(super) struct Draft<'a> {
    folder: &'a Folder,
    name: OsString,
    kept: bool,
}

impl<'a> Draft<'a> {
    /// Makes an empty file under a name that nobody has.
    pub(super) fn create(folder: &'a Folder, mode: u32) -> io::Result<(Draft<'a>, File)> {
        loop {
            let name = random_name();
            match folder.create_file(&name, mode) {
                Ok(file) => return Ok((Draft { folder, name, kept: false }, file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn rename(mut self, to_folder: &Folder, to: &OsStr, replace: Replace) -> io::Result<()> {
        self.folder.rename(&self.name, to_folder, to, replace)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.kept {
            // Best effort: what is left of a failed change must not stay visible.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// A name for a file that is not finished, which nobody can guess.
pub(super) fn random_name() -> OsString {
    OsString::from(format!(".ns-tmp-{:016x}", random_number()))
}

/// A number that nobody can guess.
pub(super) fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}
