//! The second wall: what the kernel keeps this process from, whatever our own code does.
//!
//! [`seal`] takes folders as open handles, each with what may be done below it, and gives up all else:
//! other files, other programs, the network, and the powers of root that work on files does not need.
//! It is called once, before the first line of a script runs, and cannot be taken back. It knows nothing
//! of roots, policies and scripts. What the kernel does not have is told by [`Force`], never passed over.
//!
//! What a person at the terminal names by hand is done [`outside`], on a thread that began before.

#[cfg(target_os = "linux")]
mod filter;
mod force;
#[cfg(target_os = "linux")]
mod land;
mod outside;
#[cfg(target_os = "linux")]
mod powers;

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

pub use force::Force;
pub use outside::{open_outside, outside};

/// What a process is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// It runs scripts or tools: it starts no program and no other process.
    Script,
    /// It runs neither, but starts its own binary for them, as workers that seal themselves as
    /// [`Process::Script`]. They live within its wall, so its grounds are theirs too.
    Server(Network),
    /// It reads and writes files that the user names, anywhere: the threads of a server besides that of its
    /// engine. Only programs, the network and special files are out of its reach.
    Tester(Network),
}

/// What of the network a process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Nothing.
    None,
    /// It takes connections where it listened before; it makes none, and listens nowhere else.
    Accepts,
}

/// What may be done below a folder, or with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Files are read, folders listed.
    Read,
    /// This one file is read.
    ReadFile,
    /// This one file is read and written.
    Use,
    /// Its names are listed, and nothing in it is read.
    List,
    /// Besides, files, folders and links are made, changed, moved and removed.
    Change,
    /// Besides reading, files are made and written, and none is removed.
    Log,
    /// Empty folders are removed.
    RemoveFolders,
    /// This one file is run as a program.
    Run,
}

/// A folder or file with what may be done there. The handle says what is meant; it may be `O_PATH`.
#[derive(Debug)]
pub struct Ground {
    /// The folder or file.
    #[cfg(target_os = "linux")]
    pub handle: OwnedFd,
    /// What may be done.
    pub rights: Rights,
}

/// Why the wall does not stand, although the kernel has what it needs.
#[derive(Debug, thiserror::Error)]
pub enum WallError {
    /// Core dumps or root's powers could not be given up.
    #[error("{0} cannot be given up: {1}")]
    Powers(&'static str, std::io::Error),
    /// Landlock refused.
    #[error("Landlock cannot be used: {0}")]
    Land(String),
    /// Seccomp refused.
    #[error("system calls cannot be filtered: {0}")]
    Filter(String),
}

/// Gives up everything that is not on the grounds, for good and for all threads that begin from now on;
/// the filter of system calls holds for those that are there too.
pub fn seal(process: Process, grounds: Vec<Ground>) -> Result<Force, WallError> {
    #[cfg(target_os = "linux")]
    {
        powers::forbid_core_dumps()?;
        let kept = powers::give_up()?;
        let land = land::restrict(process, grounds)?;
        let is_filtered = filter::install(process)?;
        Ok(Force { land, is_filtered, kept, process })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = grounds;
        Ok(Force::none(process))
    }
}
