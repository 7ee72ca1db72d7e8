//! Scratch directories on the disk.
//!
//! The owner holds an operating-system lock on the directory, which the kernel releases when the process ends. The
//! next process that creates a scratch directory recognizes leftovers of killed processes by that and removes them.
//! Nothing but entries with numbers as names is ever removed.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::super::super::metadata::{Kind, Metadata};
use super::super::lock::{Locked, may_be_held, try_lock};
use super::super::{File, Folder};

/// The prefix of the names of these directories.
const PREFIX: &str = "neuroscript-plan-";
/// Maximum number of attempts to create a directory, in case other processes remove it before it is locked.
const ATTEMPTS: usize = 100;

/// The place of a scratch directory. The lock is released first, because Windows removes no directory that is open.
#[derive(Debug)]
pub struct ScratchPlace {
    /// Held as long as the directory is used; `None` if the file system has no locks.
    _lock: Option<File>,
    directory: TempDir,
}

impl ScratchPlace {
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Creates a scratch directory in `parent`, after removing leftovers of killed processes.
pub(super) fn new_place(parent: &Path) -> io::Result<(Folder, ScratchPlace)> {
    // Leftovers that cannot be removed are left to the operating system.
    let _ = sweep(parent);
    for _ in 0..ATTEMPTS {
        let directory = made(parent, PREFIX)?;
        // Another process may have taken it for a leftover.
        if let Some((folder, lock)) = locked(directory.path())? {
            return Ok((folder, ScratchPlace { _lock: lock, directory }));
        }
    }
    Err(io::Error::other("others removed it each time before it was locked"))
}

/// Creates a directory that only this user can access, because planned contents may be as secret as those of the
/// tree.
pub(super) fn made(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(parent)
}

/// Opens and locks a new directory. Returns `None` if it was removed meanwhile or another process holds its lock.
pub(super) fn locked(path: &Path) -> io::Result<Option<(Folder, Option<File>)>> {
    let gone = |error: io::Error| if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) };
    let folder = match Folder::open_root(path) {
        Ok(folder) => folder,
        Err(error) => return gone(error),
    };
    let file = folder.as_file()?;
    let lock = match try_lock(&file)? {
        Locked::Ours => Some(file),
        Locked::Theirs => return Ok(None),
        Locked::Impossible => None,
    };
    let identity = folder.own_metadata()?.identity;
    match Folder::open_root(path).and_then(|there| there.own_metadata()) {
        Ok(there) => Ok((there.identity == identity).then_some((folder, lock))),
        Err(error) => gone(error),
    }
}

/// Removes leftover directories.
fn sweep(parent: &Path) -> io::Result<()> {
    sweep_in(&Folder::open_root(parent)?)
}

pub(super) fn sweep_in(parent: &Folder) -> io::Result<()> {
    for entry in parent.entries()? {
        if entry.name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            // Another process may remove it meanwhile, and it may be foreign.
            let _ = remove_if_left(parent, &entry.name);
        }
    }
    Ok(())
}

fn remove_if_left(parent: &Folder, name: &OsStr) -> io::Result<()> {
    let folder = parent.open_folder(name)?;
    if !is_ours(&folder.own_metadata()?) {
        return Ok(());
    }
    let lock = folder.as_file()?;
    if may_be_held(&lock) {
        return Ok(());
    }
    for entry in folder.entries()? {
        let is_number = entry.name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
        match folder.metadata(&entry.name)?.kind {
            _ if !is_number => {}
            Kind::Folder => folder.remove_folder(&entry.name)?,
            _ => folder.remove_file(&entry.name)?,
        }
    }
    parent.remove_folder(name)
}

/// Whether a directory belongs to this user and nobody else has access.
pub(super) fn is_ours(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    let is_own = metadata.owner.user == rustix::process::geteuid().as_raw();
    // The owner is unknown on other systems.
    #[cfg(not(unix))]
    let is_own = false;
    is_own && metadata.mode & 0o077 == 0
}
