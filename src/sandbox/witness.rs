//! Looks at what the process really has open, after other code opened files by path.
//!
//! SQLite takes a path, follows the links in it itself (those of `/proc/self/fd` too) and opens the
//! result, so a handle cannot be given to it and its path could be bent meanwhile. [`Witness`] finds
//! that out before the files are used: on Linux it compares what was opened with what the handle of
//! our folder holds, elsewhere it asks whether the path still leads to that folder.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::SandboxError;
use super::metadata::Identity;
use super::own::{OwnFolder, moved};

/// One at a time, so that what appears among the open files comes from one opener.
static ONE: Mutex<()> = Mutex::new(());

/// Watches the opening of our files by path.
pub struct Witness<'a> {
    folder: &'a OwnFolder,
    path: &'a Path,
    names: &'a [&'a str],
    /// What was open before: numbers of descriptors and what they were.
    before: BTreeSet<(String, Identity)>,
    _one: MutexGuard<'static, ()>,
}

impl<'a> Witness<'a> {
    /// Begins to watch, before anything is opened by a path below `path`.
    pub fn begin(folder: &'a OwnFolder, path: &'a Path, names: &'a [&'a str]) -> Witness<'a> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let before = open_files(names).into_iter().collect();
        Witness { folder, path, names, before, _one: one }
    }

    /// An error unless every file of these names that was opened since lies in our folder.
    pub fn check(&self) -> Result<(), SandboxError> {
        let mut ours = Vec::new();
        for name in self.names {
            ours.extend(self.folder.metadata(name)?.map(|metadata| metadata.identity));
        }
        let opened = open_files(self.names).into_iter().filter(|file| !self.before.contains(file));
        let strange = opened.into_iter().any(|(_, identity)| !ours.contains(&identity));
        match strange || !self.folder.is_at(self.path) {
            true => Err(moved()),
            false => Ok(()),
        }
    }
}

/// The open files of this process that have, or had when they were opened, one of these names.
#[cfg(target_os = "linux")]
fn open_files(names: &[&str]) -> Vec<(String, Identity)> {
    use super::folder::identity_of_path;
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let named = |path: &Path| {
        let target = std::fs::read_link(path).ok()?;
        let name = target.file_name()?.to_str()?;
        let name = name.strip_suffix(" (deleted)").unwrap_or(name);
        names.contains(&name).then_some(())
    };
    let opened = paths.filter(|path| named(path).is_some());
    opened.filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), identity_of_path(&path).ok()?))).collect()
}

/// No other system tells what is open by name.
#[cfg(not(target_os = "linux"))]
fn open_files(_: &[&str]) -> Vec<(String, Identity)> {
    Vec::new()
}
