//! Locks of whole files by the operating system (`flock`), released when the process ends.
//!
//! Some file systems have no locks, or only for some files. Two rules follow, each in one place: whoever wants a lock
//! for itself goes on without one ([`Locked::is_free`]), because such a file system is assumed to be used by one run at
//! a time; whoever wants to know whether somebody else is at work must assume it ([`may_be_held`]).

use std::fs::TryLockError;
use std::io::{self, ErrorKind};

use super::file::File;

/// The result of an attempt to lock a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sandbox) enum Locked {
    /// This process has the lock until the file is closed.
    Ours,
    /// Another process has it.
    Theirs,
    /// The file system cannot lock this file.
    Impossible,
}

impl Locked {
    /// Whether the work that needs the lock may begin.
    pub(in crate::sandbox) fn is_free(self) -> bool {
        self != Locked::Theirs
    }
}

/// Tries to lock a file for this process alone, without waiting.
pub(in crate::sandbox) fn try_lock(file: &File) -> io::Result<Locked> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Locked::Ours),
            Err(TryLockError::WouldBlock) => return Ok(Locked::Theirs),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) if has_no_locks(&error) => return Ok(Locked::Impossible),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Whether another process may be using the file that it locks: also true if the system does not tell.
pub(in crate::sandbox) fn may_be_held(file: &File) -> bool {
    !matches!(try_lock(file), Ok(Locked::Ours))
}

/// Whether an error says that the file system has no locks (`EOPNOTSUPP`, `ENOSYS`, `ENOLCK`, `EINVAL`), or none for a
/// file that is open for reading alone (`EBADF` on NFS).
fn has_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let known = [Errno::OPNOTSUPP, Errno::NOSYS, Errno::NOLCK, Errno::INVAL, Errno::BADF];
        Errno::from_io_error(error).is_some_and(|error| known.contains(&error))
    }
    // `ERROR_INVALID_FUNCTION`, `ERROR_INVALID_HANDLE`, `ERROR_NOT_SUPPORTED` and `ERROR_INVALID_PARAMETER`, which Windows
    // and Wine give for directories.
    #[cfg(not(unix))]
    {
        error.kind() == ErrorKind::Unsupported || matches!(error.raw_os_error(), Some(1 | 6 | 50 | 87))
    }
}
