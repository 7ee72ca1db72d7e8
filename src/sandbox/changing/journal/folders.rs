//! The directories of journals.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::Folder;
use super::super::super::handles::private::{FOLDER_MODE, open_ours};
use super::super::super::handles::root::Root;
use super::super::super::handles::seal::RootSeal;
use super::super::super::handles::stamp;
use super::super::super::internal::internal_change::InternalChange;
use super::super::super::internal::state_dir::display;
use super::JOURNAL;

/// The subdirectory for journals of runs that have not finished.
pub const OPEN: &str = "open";

/// Handles of the directories of journals.
#[derive(Debug)]
pub struct Folders {
    /// Journals of finished runs.
    pub ended: Folder,
    /// Journals of other runs.
    pub open: Folder,
    /// The seals of the root above these directories.
    pub seal: RootSeal,
}

impl Folders {
    /// Opens the directories. Returns `None` if they do not exist.
    pub fn find(root: &Root) -> Result<Option<Folders>, SandboxError> {
        let Some(own) = root.own_folder()? else { return Ok(None) };
        let open = |folder: &Folder, name: &str| open_ours(folder, OsStr::new(name), || display(JOURNAL));
        let Some(ended) = open(own.folder(), JOURNAL)? else { return Ok(None) };
        let inner = open(&ended, OPEN)?;
        Ok(inner.map(|open| Folders { ended, open, seal: root.seal.clone() }))
    }

    /// Opens the directories and creates missing ones.
    pub fn make(root: &Root, own: &InternalChange) -> Result<Folders, SandboxError> {
        if let Some(found) = Folders::find(root)? {
            return Ok(found);
        }
        let mut folder = root.make_own_folder(own)?.into_folder();
        for name in [JOURNAL, OPEN].map(OsStr::new) {
            let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
            match folder.create_folder(name, FOLDER_MODE) {
                Ok(()) => folder.sync().map_err(wrap)?,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(wrap(error)),
            }
            let inner = open_ours(&folder, name, || display(JOURNAL))?;
            folder = inner.ok_or_else(|| SandboxError::NotFound(display(JOURNAL)))?;
        }
        Folders::find(root)?.ok_or_else(|| SandboxError::NotFound(display(JOURNAL)))
    }

    /// Duplicates the handles.
    pub fn duplicate(&self) -> io::Result<Folders> {
        Ok(Folders { ended: self.ended.duplicate()?, open: self.open.duplicate()?, seal: self.seal.clone() })
    }

    /// Opens the journal of a run, whether it has ended or not.
    pub fn open_journal(&self, name: &OsStr) -> io::Result<File> {
        // Look for an open journal first: a run that ends in between is then found among the finished ones.
        self.open.open_file(name).or_else(|_| self.ended.open_file(name))
    }

    /// Returns the names of all runs, the oldest first.
    pub fn runs(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        // List open journals first: a run that ends in between is then seen twice rather than missed.
        for folder in [&self.open, &self.ended] {
            names.extend(folder.entries()?.into_iter().map(|entry| entry.name).filter(|name| stamp::is_stamp(name)));
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}
