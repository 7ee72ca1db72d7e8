//! The directories of journals.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::File;
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
    /// Opens the directories. Returns `None` if they do not exist, or if `.ns` belongs to another user: none of the
    /// runs in it is one of this user's.
    pub fn find(root: &Root) -> Result<Option<Folders>, SandboxError> {
        let own = match root.own_folder() {
            Err(error) if error.is_of_another_user() => None,
            other => other?,
        };
        let Some(own) = own else { return Ok(None) };
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

    /// Opens the journal of a run with `open` where it is, and tells whether the run has finished. Returns `None` if
    /// there is none.
    pub fn open_either(&self, open: impl Fn(&Folder) -> io::Result<Option<File>>) -> io::Result<Option<(File, bool)>> {
        // A run may end between the first two looks. Its journal then is among the finished ones, where it stays.
        for (folder, has_ended) in [(&self.ended, true), (&self.open, false), (&self.ended, true)] {
            match open(folder) {
                Ok(Some(file)) => return Ok(Some((file, has_ended))),
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(None)
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{FOLDER_MODE, Folder, Folders, OPEN};
    use crate::sandbox::handles::folder::Replace;
    use crate::sandbox::handles::private::FILE_MODE;
    use crate::sandbox::handles::root::Root;

    fn folders() -> (tempfile::TempDir, Folders) {
        let place = tempfile::tempdir().expect("a folder");
        let seal = Root::open(place.path()).expect("it opens").seal.clone();
        let ended = Folder::open_root(place.path()).expect("it opens");
        ended.create_folder(OPEN.as_ref(), FOLDER_MODE).expect("it is made");
        let open = ended.open_folder(OPEN.as_ref()).expect("it opens");
        (place, Folders { ended, open, seal })
    }

    /// Every run that has begun is found, also in the moment in which it ends.
    #[test]
    fn a_journal_is_found_while_its_run_ends() {
        const RUNS: u32 = 4_000;
        let (_place, folders) = folders();
        let others = folders.duplicate().expect("handles");
        let begun = AtomicU32::new(0);
        let name = |number: u32| OsString::from(number.to_string());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 1..=RUNS {
                    others.open.create_file(&name(number), FILE_MODE).expect("a journal");
                    begun.store(number, Ordering::SeqCst);
                    others.open.rename(&name(number), &others.ended, &name(number), Replace::No).expect("it ends");
                }
            });
            loop {
                let number = begun.load(Ordering::SeqCst);
                let found = folders.open_either(|folder| folder.open_file(&name(number)).map(Some)).expect("it opens");
                assert!(number == 0 || found.is_some(), "run {number} of {RUNS}");
                if number == RUNS {
                    break;
                }
            }
        });
    }
}
