//! The lockdown: restrictions that the kernel enforces on this process, whatever our own code does.
//!
//! [`seal`] takes directories as open handles, each with the rights below it, and gives up all other access: other
//! files, other programs, the network, and the capabilities of root that file operations do not need. It is called
//! once, before the first line of a script runs, and cannot be reverted. This module does not depend on roots, policies
//! or scripts. [`LockdownStatus`] reports which restrictions the kernel lacks.
//!
//! Files that a person at the terminal names are accessed [`outside`], on a thread that started before the lockdown.
//!
//! This is the second wall. The first is our own code: resolution from handle to handle, the policy, the journal. A
//! library that reads a file on demand must have it listed in `landlock::system`, or read it before the lockdown.

#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod landlock;
mod outside;
#[cfg(target_os = "linux")]
mod seccomp;
mod status;

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

pub use outside::{open_outside, outside};
pub use status::LockdownStatus;

/// The purpose of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// Runs scripts or tools, and starts no other program or process.
    Script,
    /// Runs neither scripts nor tools, but starts its own binary as workers that restrict themselves as
    /// [`Process::Script`]. The workers inherit its restrictions, so it must hold their grants as well.
    Server(Network),
    /// Reads and writes files anywhere, as named by the user: the threads of a server other than its engine's. Only
    /// programs, the network and special files are blocked.
    Tester(Network),
}

/// The network access of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// No access.
    None,
    /// Accepts connections on sockets that are already listening; opens none and listens nowhere else.
    Accepts,
}

/// The rights below a directory, or on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Read files and list directories.
    Read,
    /// Read this one file.
    ReadFile,
    /// Read and write this one file.
    Use,
    /// List names, without reading any file.
    List,
    /// Read and list, and also create, change, move and remove files, directories and links.
    Change,
    /// Read, and also create and write files, without removing any.
    Log,
    /// Remove empty directories.
    RemoveFolders,
    /// Execute this one file.
    Run,
}

/// A grant: a directory or file with the rights there. The handle identifies it and may be `O_PATH`.
#[derive(Debug)]
pub struct AllowedPath {
    /// The directory or file.
    #[cfg(target_os = "linux")]
    pub handle: OwnedFd,
    /// The rights.
    pub rights: Rights,
}

/// The reason why the lockdown failed although the kernel supports it.
#[derive(Debug, thiserror::Error)]
pub enum LockdownError {
    /// Core dumps or capabilities could not be given up.
    #[error("{0} cannot be given up: {1}")]
    Privileges(&'static str, std::io::Error),
    /// Landlock returned an error.
    #[error("Landlock cannot be used: {0}")]
    Landlock(String),
    /// Seccomp returned an error.
    #[error("system calls cannot be filtered: {0}")]
    Seccomp(String),
}

/// Gives up all access except `allowed_paths`, irrevocably, for this thread and all threads started later. The seccomp
/// filter also applies to existing threads.
pub fn seal(process: Process, allowed_paths: Vec<AllowedPath>) -> Result<LockdownStatus, LockdownError> {
    #[cfg(target_os = "linux")]
    {
        capabilities::forbid_core_dumps()?;
        let kept = capabilities::drop_capabilities()?;
        let landlock = landlock::restrict(process, allowed_paths)?;
        let is_filtered = seccomp::install(process)?;
        Ok(LockdownStatus { landlock, is_filtered, kept, process })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = allowed_paths;
        Ok(LockdownStatus::none(process))
    }
}
