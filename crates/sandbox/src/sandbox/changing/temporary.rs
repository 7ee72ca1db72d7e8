//! Temporary directories of a run: created directly below the root, and removed with their contents when the run ends.
//!
//! Only directories created here are removed. They are identified by their open handle, which also prevents reuse of
//! the inode. If another entry has taken the name, or the directory was renamed, both are left alone. A process that is
//! killed leaves its directories behind.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, ErrorKind};

use super::super::handles::discard::remove_contents;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::Folder;
use super::super::handles::metadata::{Identity, Kind};
use super::super::handles::root::Root;
use super::super::handles::staging::random_number;
use super::journal::{Change, Step};
use super::parents::MadeFolders;

/// Only the user may access a temporary directory.
const MODE: u32 = 0o700;

/// The temporary directories of a run.
#[derive(Debug, Default)]
pub struct TemporaryFolders(RefCell<Vec<TemporaryFolder>>);

#[derive(Debug)]
struct TemporaryFolder {
    name: String,
    identity: Identity,
    /// Kept open so that the inode is not reused for another directory.
    folder: Folder,
}

/// Returns an unused name for a temporary directory that nobody can guess.
pub fn temporary_name(prefix: &str) -> String {
    format!(".tmp-{prefix}-{:016x}", random_number())
}

/// Whether a name has the form of a temporary directory's name.
pub(in crate::sandbox) fn is_temporary_name(name: &str) -> bool {
    let digits = name.strip_prefix(".tmp-").and_then(|rest| rest.rsplit_once('-')).map(|(_, digits)| digits);
    digits.is_some_and(|digits| digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl TemporaryFolders {
    /// Creates a directory with an unused name.
    pub fn make(&self, root: &Root, name: String, change: &Change<'_>) -> Result<(), SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(&name, &error);
        let system_name = OsString::from(&name);
        let mut made = MadeFolders::default();
        let folder = root.folder();
        let pending = change.begin(Step::Temporary { path: name.as_str().into() }, &[folder])?;
        if !folder.without_trace(|| made.make(folder, &system_name, MODE)).map_err(wrap)? {
            return Err(SandboxError::Exists(name));
        }
        let folder = root.folder().open_folder(&system_name).map_err(wrap)?;
        let identity = folder.own_metadata().map_err(wrap)?.identity;
        self.0.borrow_mut().push(TemporaryFolder { name, identity, folder });
        made.keep();
        pending.done(None, false, &[]);
        Ok(())
    }

    /// Returns whether there is no temporary directory.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Whether an address is one of the directories or below one.
    pub fn hold(&self, address: &str) -> bool {
        let first = address.split('/').next().unwrap_or_default();
        self.0.borrow().iter().any(|folder| folder.name == first)
    }

    /// Removes all directories. Returns a sentence for each one that could not be removed.
    pub fn remove_all(&self, root: &Root) -> Vec<String> {
        let folders = std::mem::take(&mut *self.0.borrow_mut());
        let removed = folders.into_iter().map(|folder| (folder.name.clone(), folder.remove(root)));
        let failed = removed.filter_map(|(name, result)| result.err().map(|error| (name, error)));
        failed.map(|(name, error)| format!("the temporary directory `{name}` was not removed: {error}")).collect()
    }
}

impl TemporaryFolder {
    fn remove(self, root: &Root) -> Result<(), SandboxError> {
        if !self.is_in_place(root)? {
            return Ok(());
        }
        remove_contents(self.folder, &self.name, &mut 0)?;
        // If the entry was replaced in the meantime, at most an empty directory is lost.
        let name = OsString::from(&self.name);
        match root.folder().without_trace(|| root.folder().remove_folder(&name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            other => other.map_err(|error| SandboxError::io(&self.name, &error)),
        }
    }

    /// Whether the name still belongs to the directory that was created.
    fn is_in_place(&self, root: &Root) -> Result<bool, SandboxError> {
        match root.folder().metadata(OsString::from(&self.name).as_os_str()) {
            Ok(found) => Ok(found.kind == Kind::Folder && found.identity == self.identity),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(SandboxError::io(&self.name, &error)),
        }
    }
}
