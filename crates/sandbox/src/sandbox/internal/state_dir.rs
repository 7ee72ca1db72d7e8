//! The state directory `.ns` of a root, which contains our own files.
//!
//! No tool lists or opens it: [`crate::sandbox::is_reserved`] refuses its name. It is created when first needed and used
//! only through its handle. Anything else under that name is an error, and is neither followed nor changed.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::super::handles::error::{MOVED, SandboxError};
use super::super::handles::folder::{File, Folder, Replace, Resolver};
use super::super::handles::metadata::{Identity, Kind, Metadata};
use super::super::handles::private::{FILE_MODE, FOLDER_MODE, check_regular, open_ours};
use super::super::handles::reserved::STATE_DIR;
use super::super::handles::root::Root;
use super::super::handles::staging::{StagingFile, random_name};
use super::internal_change::InternalChange;

/// Keeps `.ns` out of repositories.
const IGNORE_FILE: &str = ".gitignore";
const IGNORE_ALL: &[u8] = b"*\n";

/// The open state directory `.ns`.
#[derive(Debug)]
pub struct StateDir {
    folder: Folder,
    identity: Identity,
    /// The path of the root with `.ns` appended, for systems that cannot return the path of a handle.
    by_name: PathBuf,
}

impl Root {
    /// Opens `.ns`. Returns `None` if it does not exist.
    pub fn own_folder(&self) -> Result<Option<StateDir>, SandboxError> {
        let Some(folder) = open_ours(&self.folder, OsStr::new(STATE_DIR), || STATE_DIR.to_owned())? else {
            return Ok(None);
        };
        let metadata = folder.own_metadata().map_err(|error| SandboxError::io(STATE_DIR, &error))?;
        Ok(Some(StateDir { folder, identity: metadata.identity, by_name: self.path().join(STATE_DIR) }))
    }

    /// Opens `.ns`, creating it if necessary.
    pub fn make_own_folder(&self, change: &InternalChange) -> Result<StateDir, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(STATE_DIR, &error);
        match self.folder.without_trace(|| self.folder.create_folder(OsStr::new(STATE_DIR), FOLDER_MODE)) {
            Ok(()) => self.folder.sync().map_err(wrap)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(wrap(error)),
        }
        let own = self.own_folder()?.ok_or_else(|| SandboxError::NotFound(STATE_DIR.to_owned()))?;
        if own.metadata(IGNORE_FILE)?.is_none() {
            own.put_new(IGNORE_FILE, IGNORE_ALL, change)?;
        }
        Ok(own)
    }
}

impl StateDir {
    /// Returns the identity of the directory.
    pub(in crate::sandbox) fn identity(&self) -> Identity {
        self.identity
    }

    /// Returns a handle of the directory, for Landlock rules.
    #[cfg(target_os = "linux")]
    pub fn handle(&self) -> Result<rustix::fd::OwnedFd, SandboxError> {
        self.folder.descriptor().map_err(|error| SandboxError::io(STATE_DIR, &error))
    }

    /// Whether the directory is still the root's `.ns`.
    pub fn is_current(&self, root: &Root) -> bool {
        let there = root.folder.metadata(OsStr::new(STATE_DIR));
        there.is_ok_and(|metadata| metadata.kind == Kind::Folder && metadata.identity == self.identity)
    }

    /// Returns the metadata of one of our files, or `None` if it does not exist.
    ///
    /// Errors: unless it is a regular file of this user with a single hard link.
    pub fn metadata(&self, name: &str) -> Result<Option<Metadata>, SandboxError> {
        match self.folder.metadata(OsStr::new(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SandboxError::io(display(name), &error)),
            Ok(metadata) => check_file(name, &metadata).map(|()| Some(metadata)),
        }
    }

    /// Reads one of our files. Returns `None` if it does not exist. Errors: if it has more than `limit` bytes.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        let bytes = self.read_at_most(name, limit.saturating_add(1))?;
        if bytes.as_ref().is_some_and(|bytes| bytes.len() as u64 > limit) {
            return Err(SandboxError::Io { path: display(name), reason: format!("it has more than {limit} bytes") });
        }
        Ok(bytes)
    }

    /// Reads at most the first `length` bytes of one of our files. Returns `None` if it does not exist.
    pub fn read_start(&self, name: &str, length: usize) -> Result<Option<Vec<u8>>, SandboxError> {
        self.read_at_most(name, length as u64)
    }

    fn read_at_most(&self, name: &str, length: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        if self.metadata(name)?.is_none() {
            return Ok(None);
        }
        let wrap = |error: io::Error| SandboxError::io(display(name), &error);
        let file = match self.folder.open_file(OsStr::new(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(wrap)?,
        };
        check_file(name, &self.folder.file_metadata(&file).map_err(wrap)?)?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes).map_err(wrap)?;
        Ok(Some(bytes))
    }

    /// Creates one of our files atomically. Returns false if the name is already taken.
    pub fn put_new(&self, name: &str, content: &[u8], _change: &InternalChange) -> Result<bool, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(name), &error);
        let (mut draft, mut file) = StagingFile::create(&self.folder, random_name(), FILE_MODE).map_err(wrap)?;
        file.write_all(content).and_then(|()| file.sync_all()).map_err(wrap)?;
        drop(file);
        match draft.rename(&self.folder, OsStr::new(name), Replace::No) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            other => other.map_err(wrap)?,
        }
        self.folder.sync().map_err(wrap)?;
        Ok(true)
    }

    /// Opens one of our files, creating it empty if necessary. It is open for writing too if that is allowed: on NFS
    /// an exclusive lock needs it (flock(2)), and where nothing may be written the lock works without it.
    pub(in crate::sandbox) fn open_or_make(&self, name: &str) -> Result<File, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(name), &error);
        if self.metadata(name)?.is_none() {
            match self.folder.create_file(OsStr::new(name), FILE_MODE) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                other => drop(other.map_err(wrap)?),
            }
        }
        let file = match self.folder.open_log(OsStr::new(name)) {
            Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
                self.folder.open_file(OsStr::new(name))
            }
            opened => opened,
        };
        let file = file.map_err(wrap)?;
        check_file(name, &self.folder.file_metadata(&file).map_err(wrap)?)?;
        Ok(file)
    }

    /// Returns the directory's handle.
    pub(in crate::sandbox) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Converts into the directory's handle.
    pub(in crate::sandbox) fn into_folder(self) -> Folder {
        self.folder
    }

    /// Returns the current path of this directory, for code that can open files only by path.
    ///
    /// On Linux the kernel reports the path of the handle, which contains no links. The path can be redirected between
    /// this call and its use, so users of the path must verify the opened files with [`crate::sandbox::Witness`].
    pub fn path(&self) -> Result<PathBuf, SandboxError> {
        if self.folder.resolver() == Resolver::Memory {
            let words = "the sandbox is in memory, and a database needs a disk";
            return Err(SandboxError::io(STATE_DIR, &io::Error::new(ErrorKind::Unsupported, words)));
        }
        #[cfg(target_os = "linux")]
        let path = self.folder.current_path(OsStr::new("")).unwrap_or_else(|_| self.by_name.clone());
        #[cfg(not(target_os = "linux"))]
        let path = self.by_name.clone();
        if self.is_at(&path) { Ok(path) } else { Err(moved()) }
    }

    /// Whether a path leads to this directory.
    pub fn is_at(&self, path: &Path) -> bool {
        let there = Folder::open_root(path).and_then(|folder| folder.own_metadata());
        there.is_ok_and(|metadata| metadata.identity == self.identity)
    }
}

/// Returns the error for a directory that is no longer where it was opened.
pub fn moved() -> SandboxError {
    SandboxError::NotOurs { path: STATE_DIR.to_owned(), reason: MOVED }
}

/// Returns the path of one of our files, as messages show it.
pub fn display(name: &str) -> String {
    format!("{STATE_DIR}/{name}")
}

fn check_file(name: &str, metadata: &Metadata) -> Result<(), SandboxError> {
    check_regular(display(name), metadata)
}
