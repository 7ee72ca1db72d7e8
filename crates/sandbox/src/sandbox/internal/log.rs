//! An append-only file of ours, in `.ns` or, where nothing below the root may change, in the user state.
//!
//! It is opened by name through directory handles, without following links, and must be a regular file of this user
//! with a single hard link. Appends are atomic, under a lock that ends with the process. This module does not interpret
//! the lines.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use web_time::{Duration, Instant};

use crate::limits::Watch;

use super::super::handles::error::SandboxError;
use super::super::handles::folder::File;
use super::super::handles::folder::lock::try_lock;
use super::super::handles::folder::{Folder, file_metadata};
use super::super::handles::metadata::{Identity, Kind};
use super::super::handles::private::{FILE_MODE, check_regular};
use super::super::handles::process::process_id;
use super::super::handles::reserved::STATE_DIR;
use super::super::handles::root::Root;
use super::super::handles::user_state::{StateFolder, state_folder_of};
use super::internal_change::InternalChange;
use super::state_dir::StateDir;

/// The name of the directory of logs in the user state.
const AUDIT: &str = "audit";
/// The name of the user state in messages.
const STATE_SHOWN: &str = "the user's state folder";
/// The first and the longest wait between two attempts to take a lock.
const WAITS: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(5));

/// An open directory that contains logs.
#[derive(Debug)]
pub struct LogFolder {
    folder: Folder,
    identity: Identity,
    /// The directory's name in messages.
    shown: &'static str,
    below_root: bool,
}

/// A log, open for reading and appending.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    identity: Identity,
    shown: String,
}

/// An exclusive lock for appending to a log, released on drop.
#[derive(Debug)]
pub struct LogLock<'a>(&'a LogFile);

impl StateDir {
    /// Converts into a directory of logs.
    pub fn into_logs(self) -> LogFolder {
        LogFolder { identity: self.identity(), folder: self.into_folder(), shown: STATE_DIR, below_root: true }
    }
}

impl LogFolder {
    /// Opens the directory of logs in the user state. Returns `None` if it does not exist.
    pub fn find_in_state(base: &Path) -> Result<Option<LogFolder>, SandboxError> {
        open_state(base, false)
    }

    /// Opens the directory of logs in the user state, creating it if necessary. Errors: if it would be below the root.
    pub fn make_in_state(base: &Path, root: &Root) -> Result<LogFolder, SandboxError> {
        if lies_below(base, root).map_err(|error| SandboxError::io(STATE_SHOWN, &error))? {
            let reason = "it lies below the root, where nothing may change".to_owned();
            return Err(SandboxError::Io { path: STATE_SHOWN.to_owned(), reason });
        }
        open_state(base, true)?.ok_or_else(|| SandboxError::NotFound(STATE_SHOWN.to_owned()))
    }

    /// Returns the path of that directory, for display.
    pub fn path_in_state(base: &Path) -> PathBuf {
        state_folder_of(base).join(AUDIT)
    }

    /// Returns a handle of the directory, for Landlock rules.
    #[cfg(target_os = "linux")]
    pub fn handle(&self) -> Result<rustix::fd::OwnedFd, SandboxError> {
        self.folder.descriptor().map_err(|error| SandboxError::io(self.shown, &error))
    }

    /// Opens a log for appending. Returns `None` if it does not exist.
    pub fn open(&self, name: &str) -> Result<Option<LogFile>, SandboxError> {
        self.open_with(name, Folder::open_log)
    }

    /// Opens a log for reading only. Returns `None` if it does not exist.
    pub fn open_to_read(&self, name: &str) -> Result<Option<LogFile>, SandboxError> {
        self.open_with(name, Folder::open_file)
    }

    /// Opens a log for appending, creating it if necessary. Creating it below a root needs a `change`.
    pub fn make(&self, name: &str, change: Option<&InternalChange>) -> Result<LogFile, SandboxError> {
        debug_assert!(change.is_some() || !self.below_root, "what is below a root changes by a change");
        if let Some(file) = self.open(name)? {
            return Ok(file);
        }
        let wrap = |error: io::Error| SandboxError::io(self.display(name), &error);
        match self.folder.create_file(OsStr::new(name), FILE_MODE) {
            Ok(_) => self.folder.sync().map_err(wrap)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(wrap(error)),
        }
        self.open(name)?.ok_or_else(|| SandboxError::NotFound(self.display(name)))
    }

    /// Returns the size of an open log, if it is still the one with this name, in the root's current `.ns`.
    pub fn current_size(&self, root: &Root, name: &str, log: &LogFile) -> Option<u64> {
        let size_of = |folder: &Folder, name: &str, identity: Identity| {
            let there = folder.metadata(OsStr::new(name)).ok()?;
            (there.identity == identity && there.kind != Kind::Link).then_some(there.size)
        };
        if self.below_root {
            size_of(root.folder(), STATE_DIR, self.identity)?;
        }
        size_of(&self.folder, name, log.identity)
    }

    fn open_with(
        &self,
        name: &str,
        open: impl FnOnce(&Folder, &OsStr) -> io::Result<File>,
    ) -> Result<Option<LogFile>, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(self.display(name), &error);
        let name = OsStr::new(name);
        // The kind is checked before opening, so that no pipe or device is ever opened.
        match self.folder.metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => check_regular(self.shown_os(name), &other.map_err(wrap)?)?,
        }
        let file = match open(&self.folder, name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(wrap)?,
        };
        let metadata = file_metadata(&file).map_err(wrap)?;
        check_regular(self.shown_os(name), &metadata)?;
        Ok(Some(LogFile { file, identity: metadata.identity, shown: self.shown_os(name) }))
    }

    fn display(&self, name: &str) -> String {
        format!("{}/{name}", self.shown)
    }

    fn shown_os(&self, name: &OsStr) -> String {
        self.display(&name.to_string_lossy())
    }
}

impl LogFile {
    /// Wraps a file that the user named, for reading.
    pub fn given(file: File, shown: String) -> Result<LogFile, SandboxError> {
        let metadata = file_metadata(&file).map_err(|error| SandboxError::io(shown.as_str(), &error))?;
        Ok(LogFile { file, identity: metadata.identity, shown })
    }

    /// Returns the log's name in messages.
    pub fn display(&self) -> &str {
        &self.shown
    }

    /// Returns the current size in bytes.
    pub fn size(&self) -> Result<u64, SandboxError> {
        (&self.file).seek(SeekFrom::End(0)).map_err(|error| self.error(&error))
    }

    /// Waits for the lock. Returns `None` if it is still taken after `patience`.
    ///
    /// Errors: if the deadline or an interrupt of `watch` ends the wait.
    pub fn lock(&self, patience: Duration, watch: Option<&Watch>) -> Result<Option<LogLock<'_>>, SandboxError> {
        let (mut wait, longest) = WAITS;
        let mut since = None;
        loop {
            if try_lock(&self.file).map_err(|error| self.error(&error))?.is_free() {
                return Ok(Some(LogLock(self)));
            }
            if since.get_or_insert_with(Instant::now).elapsed() >= patience {
                return Ok(None);
            }
            watch.map_or(Ok(()), Watch::poll)?;
            // The wait differs between processes, so that they do not retry in lockstep.
            std::thread::sleep(wait + Duration::from_micros(u64::from(process_id() % 50)));
            wait = (wait * 2).min(longest);
        }
    }

    /// Reserves `bytes` bytes of space from an offset on, if the file system supports it. A full disk is then detected
    /// now and not when they are written. The file size does not change.
    pub fn reserve(&self, offset: u64, bytes: u64) -> Result<(), SandboxError> {
        #[cfg(target_os = "linux")]
        if let Ok(file) = self.file.on_disk() {
            use rustix::fs::{FallocateFlags, fallocate};
            use rustix::io::Errno;
            match fallocate(file, FallocateFlags::KEEP_SIZE, offset, bytes) {
                Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
                Err(error) => return Err(self.error(&error.into())),
            }
        }
        let _ = (offset, bytes);
        Ok(())
    }

    /// Reads from an offset on, until the buffer is full or the file ends. Returns the number of bytes read.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SandboxError> {
        self.read_all_at(offset, buffer).map_err(|error| self.error(&error))
    }

    fn read_all_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        let mut filled = 0;
        while filled < buffer.len() {
            match file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(length) => filled += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Syncs the file, so that appended data survives a power failure.
    pub fn sync(&self) -> Result<(), SandboxError> {
        self.file.sync_data().map_err(|error| self.error(&error))
    }

    fn error(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(self.shown.as_str(), error)
    }
}

impl LogLock<'_> {
    /// Appends bytes to a file of this size. If that fails, truncates it to that size, as far as the file system allows
    /// it.
    pub fn append(&self, bytes: &[u8], size: u64) -> Result<(), SandboxError> {
        match (&self.0.file).write_all(bytes) {
            Ok(()) => Ok(()),
            Err(error) => {
                // Best effort: the next writer recognizes a partial line.
                let _ = self.0.file.set_len(size);
                Err(self.0.error(&error))
            }
        }
    }
}

impl Drop for LogLock<'_> {
    fn drop(&mut self) {
        // If unlocking fails, closing the file releases the lock.
        let _ = self.0.file.unlock();
    }
}

fn open_state(base: &Path, makes: bool) -> Result<Option<LogFolder>, SandboxError> {
    let Some(state) = StateFolder::open(base, makes)? else { return Ok(None) };
    let Some(folder) = state.inner(AUDIT, makes)? else { return Ok(None) };
    let identity = folder.own_metadata().map_err(|error| SandboxError::io(STATE_SHOWN, &error))?.identity;
    Ok(Some(LogFolder { folder, identity, shown: STATE_SHOWN, below_root: false }))
}

/// Whether a path, or what would be created there, is inside a root. Compares identities of directories, so that
/// other names of the root are recognized.
fn lies_below(path: &Path, root: &Root) -> io::Result<bool> {
    let path = std::path::absolute(path)?;
    let existing = path.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
    let identity = root.folder().own_metadata()?.identity;
    let is_root = |path: &Path| {
        let folder = Folder::open_root(path).and_then(|folder| folder.own_metadata());
        folder.is_ok_and(|metadata| metadata.identity == identity)
    };
    Ok(existing.is_some_and(|existing| existing.ancestors().any(is_root)))
}
