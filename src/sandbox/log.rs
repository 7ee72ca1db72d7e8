//! A file of ours that only grows: in `.ns`, or in the user's state folder where nothing below the
//! root may change.
//!
//! Opened by handle and single names, links refused, and nothing but a regular file of this user's
//! with one name; what is written comes to its end whole or not at all, under a lock that dies with
//! the process. It knows nothing of what the lines say.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::limits::Watch;

use super::error::SandboxError;
use super::folder::{Folder, file_metadata};
use super::journal::OwnChange;
use super::metadata::{Identity, Kind};
use super::own::{FILE_MODE, OWN, OwnFolder, check_regular};
use super::root::Root;
use super::user_state::{StateFolder, lies_below, state_folder_of};

/// The folder of logs in our folder in the user's state folder.
const AUDIT: &str = "audit";
/// How that folder is called in messages.
const STATE_SHOWN: &str = "the user's state folder";
/// Between two tries to get a lock: the first wait, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(5));

/// A folder that holds logs, open.
#[derive(Debug)]
pub struct LogFolder {
    folder: Folder,
    identity: Identity,
    /// How messages call it.
    shown: &'static str,
    below_root: bool,
}

/// A log, open for reading and for adding to its end.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    identity: Identity,
    shown: String,
}

/// The right to add to a log, until it is dropped.
#[derive(Debug)]
pub struct LogLock<'a>(&'a LogFile);

impl OwnFolder {
    /// This folder as one that holds logs.
    pub fn into_logs(self) -> LogFolder {
        LogFolder { identity: self.identity(), folder: self.into_folder(), shown: OWN, below_root: true }
    }
}

impl LogFolder {
    /// Opens the folder for logs below the user's state folder; `None` when there is none yet.
    pub fn find_in_state(base: &Path) -> Result<Option<LogFolder>, SandboxError> {
        open_state(base, false)
    }

    /// The same, made on first need; an error when it would lie below the root.
    pub fn make_in_state(base: &Path, root: &Root) -> Result<LogFolder, SandboxError> {
        if lies_below(base, root).map_err(|error| SandboxError::io(STATE_SHOWN, &error))? {
            let reason = "it lies below the root, where nothing may change".to_owned();
            return Err(SandboxError::Io { path: STATE_SHOWN.to_owned(), reason });
        }
        open_state(base, true)?.ok_or_else(|| SandboxError::NotFound(STATE_SHOWN.to_owned()))
    }

    /// Where that folder is, for the user.
    pub fn path_in_state(base: &Path) -> PathBuf {
        state_folder_of(base).join(AUDIT)
    }

    /// A handle of it, for the kernel's restrictions.
    #[cfg(target_os = "linux")]
    pub fn handle(&self) -> Result<rustix::fd::OwnedFd, SandboxError> {
        self.folder.descriptor().map_err(|error| SandboxError::io(self.shown, &error))
    }

    /// Opens a log to add to it; none when there is none yet.
    pub fn open(&self, name: &str) -> Result<Option<LogFile>, SandboxError> {
        self.open_with(name, Folder::open_log)
    }

    /// Opens a log for reading alone; none when there is none.
    pub fn open_to_read(&self, name: &str) -> Result<Option<LogFile>, SandboxError> {
        self.open_with(name, Folder::open_file)
    }

    /// Opens a log to add to it, and makes it first when there is none. Below a root that is a change.
    pub fn make(&self, name: &str, change: Option<&OwnChange>) -> Result<LogFile, SandboxError> {
        debug_assert!(change.is_some() || !self.below_root, "what is below a root changes by a change");
        if let Some(file) = self.open(name)? {
            return Ok(file);
        }
        let wrap = |error: io::Error| SandboxError::io(self.shown(name), &error);
        match self.folder.create_file(OsStr::new(name), FILE_MODE) {
            Ok(_) => self.folder.sync().map_err(wrap)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(wrap(error)),
        }
        self.open(name)?.ok_or_else(|| SandboxError::NotFound(self.shown(name)))
    }

    /// Whether an open log is still the one of its name, in the folder that the root has now.
    pub fn is_current(&self, root: &Root, name: &str, log: &LogFile) -> bool {
        let is = |folder: &Folder, name: &str, identity: Identity| {
            folder.metadata(OsStr::new(name)).is_ok_and(|there| there.identity == identity && there.kind != Kind::Link)
        };
        (!self.below_root || is(root.folder(), OWN, self.identity)) && is(&self.folder, name, log.identity)
    }

    fn open_with(
        &self,
        name: &str,
        open: impl FnOnce(&Folder, &OsStr) -> io::Result<File>,
    ) -> Result<Option<LogFile>, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(self.shown(name), &error);
        let name = OsStr::new(name);
        // Its kind is looked at first, so that no pipe or device is ever opened.
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

    fn shown(&self, name: &str) -> String {
        format!("{}/{name}", self.shown)
    }

    fn shown_os(&self, name: &OsStr) -> String {
        self.shown(&name.to_string_lossy())
    }
}

impl LogFile {
    /// A file that the user names, for reading.
    pub fn given(file: File, shown: String) -> Result<LogFile, SandboxError> {
        let metadata = file_metadata(&file).map_err(|error| SandboxError::io(shown.as_str(), &error))?;
        Ok(LogFile { file, identity: metadata.identity, shown })
    }

    /// How messages call it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Its bytes now.
    pub fn size(&self) -> Result<u64, SandboxError> {
        file_metadata(&self.file).map(|metadata| metadata.size).map_err(|error| self.error(&error))
    }

    /// The right to add to it; none when others have had it all the time until the patience was over.
    /// A watch ends the waiting earlier.
    pub fn lock(&self, patience: Duration, watch: Option<&Watch>) -> Result<Option<LogLock<'_>>, SandboxError> {
        let (mut wait, longest) = WAITS;
        let mut since = None;
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(Some(LogLock(self))),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => return Err(self.error(&error)),
                Err(TryLockError::WouldBlock) => {}
            }
            if since.get_or_insert_with(Instant::now).elapsed() >= patience {
                return Ok(None);
            }
            watch.map_or(Ok(()), Watch::poll)?;
            // Another length in every process, so that they do not march in step.
            std::thread::sleep(wait + Duration::from_micros(u64::from(std::process::id() % 50)));
            wait = (wait * 2).min(longest);
        }
    }

    /// Takes room for so many bytes from an offset on, where the file system can: a full disk shows
    /// now, and not when they are written. The size stays as it is.
    pub fn reserve(&self, offset: u64, bytes: u64) -> Result<(), SandboxError> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FallocateFlags, fallocate};
            use rustix::io::Errno;
            match fallocate(&self.file, FallocateFlags::KEEP_SIZE, offset, bytes) {
                Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
                Err(error) => return Err(self.error(&error.into())),
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (offset, bytes);
        Ok(())
    }

    /// The bytes from an offset on, as many as there are up to the length of the buffer.
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

    /// Makes sure that what was added outlives a power cut.
    pub fn sync(&self) -> Result<(), SandboxError> {
        self.file.sync_data().map_err(|error| self.error(&error))
    }

    fn error(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(self.shown.as_str(), error)
    }
}

impl LogLock<'_> {
    /// Adds bytes to the end; all of them, or none as far as the file system lets us take them back.
    pub fn append(&self, bytes: &[u8]) -> Result<(), SandboxError> {
        let size = self.0.size()?;
        match (&self.0.file).write_all(bytes) {
            Ok(()) => Ok(()),
            Err(error) => {
                // Best effort: a part that stays is told from a line by whoever adds the next.
                let _ = self.0.file.set_len(size);
                Err(self.0.error(&error))
            }
        }
    }
}

impl Drop for LogLock<'_> {
    fn drop(&mut self) {
        // What cannot be unlocked is unlocked when the file is closed.
        let _ = self.0.file.unlock();
    }
}

fn open_state(base: &Path, makes: bool) -> Result<Option<LogFolder>, SandboxError> {
    let Some(state) = StateFolder::open(base, makes)? else { return Ok(None) };
    let Some(folder) = state.inner(AUDIT, makes)? else { return Ok(None) };
    let identity = folder.own_metadata().map_err(|error| SandboxError::io(STATE_SHOWN, &error))?.identity;
    Ok(Some(LogFolder { folder, identity, shown: STATE_SHOWN, below_root: false }))
}
