//! Verifies which files the process really has open, after other code has opened them by path.
//!
//! SQLite takes a path, resolves the links in it (including those of `/proc/self/fd`) and opens the result. It cannot
//! be given a handle, so somebody could redirect the path in the meantime. [`Witness`] detects this before the files
//! are used: on Linux it compares the opened files with the contents of our directory's handle, elsewhere it checks
//! that the path still leads to that directory.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::handles::error::SandboxError;
use super::super::handles::metadata::Identity;
use super::state_dir::{StateDir, moved};

/// Allows one [`Witness`] at a time, so that all newly opened files come from one opener.
static ONE: Mutex<()> = Mutex::new(());

/// Watches other code open our files by path.
pub struct Witness<'a> {
    folder: &'a StateDir,
    path: &'a Path,
    names: &'a [&'a str],
    /// The files that were open before, as descriptor numbers and identities.
    before: BTreeSet<(String, Identity)>,
    _one: MutexGuard<'static, ()>,
}

impl<'a> Witness<'a> {
    /// Starts watching, before anything is opened by a path below `path`.
    pub fn begin(folder: &'a StateDir, path: &'a Path, names: &'a [&'a str]) -> Witness<'a> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let before = open_files(names).into_iter().collect();
        Witness { folder, path, names, before, _one: one }
    }

    /// Errors: unless every file with one of these names that was opened since then is in our directory.
    pub fn check(&self) -> Result<(), SandboxError> {
        let mut ours = Vec::new();
        for name in self.names {
            ours.extend(self.folder.metadata(name)?.map(|metadata| metadata.identity));
        }
        let opened = open_files(self.names).into_iter().filter(|file| !self.before.contains(file));
        let strange = opened.into_iter().any(|(_, identity)| !ours.contains(&identity));
        if strange || !self.folder.is_at(self.path) { Err(moved()) } else { Ok(()) }
    }
}

/// Returns the open files of this process that have, or had when they were opened, one of these names.
#[cfg(target_os = "linux")]
fn open_files(names: &[&str]) -> Vec<(String, Identity)> {
    use super::super::handles::folder::identity_of_path;
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

/// No other system lists open files by name.
#[cfg(not(target_os = "linux"))]
fn open_files(_: &[&str]) -> Vec<(String, Identity)> {
    Vec::new()
}
