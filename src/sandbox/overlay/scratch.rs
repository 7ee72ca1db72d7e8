//! A folder outside the roots for what is not to be in the tree; it goes with its owner.
//!
//! Its owner holds a lock of the system on it, which goes with the process. So what a process left that was
//! killed is known by the next one that makes such a folder, and removed. Nothing in it is deeper than a name
//! that is a number, and nothing else is ever removed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::TempDir;

use super::super::folder::Folder;
use super::super::metadata::{Kind, Metadata};
use super::home::parent;

/// What the names of such folders begin with.
const PREFIX: &str = "neuroscript-plan-";
/// How often one is made anew that others removed before it was locked.
const ATTEMPTS: usize = 100;

/// The folder, private to the user.
#[derive(Debug)]
pub struct Scratch {
    place: TempDir,
    folder: Folder,
    device: u64,
    next: AtomicU64,
    /// Held as long as the folder is used; none where the file system has no locks.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes one in the folder of the system for such things (`TMPDIR`), and removes those of processes that
    /// are gone.
    pub fn new() -> io::Result<Scratch> {
        let parent = parent();
        // What cannot be removed is the system's to remove.
        let _ = sweep(&parent);
        for _ in 0..ATTEMPTS {
            if let Some(scratch) = Scratch::make(&parent)? {
                return Ok(scratch);
            }
        }
        Err(io::Error::other("others removed it each time before it was locked"))
    }

    /// None where somebody took it for one of a process that is gone.
    fn make(parent: &Path) -> io::Result<Option<Scratch>> {
        let place = made(parent, PREFIX)?;
        let Some((folder, lock)) = locked(place.path())? else { return Ok(None) };
        let device = folder.own_metadata()?.identity.device;
        Ok(Some(Scratch { place, folder, device, next: AtomicU64::new(0), _lock: lock }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Its handle.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(super) fn device(&self) -> u64 {
        self.device
    }

    /// A name that nothing in it has.
    pub fn new_name(&self) -> OsString {
        self.next.fetch_add(1, Ordering::Relaxed).to_string().into()
    }
}

/// A folder into which nobody else looks: what is planned may be as secret as what is there.
pub(super) fn made(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(parent)
}

/// A folder that was made, and its lock, as long as it is still there.
pub(super) fn locked(path: &Path) -> io::Result<Option<(Folder, Option<File>)>> {
    let gone = |error: io::Error| if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) };
    let folder = match Folder::open_root(path) {
        Ok(folder) => folder,
        Err(error) => return gone(error),
    };
    let file = folder.as_file()?;
    let lock = match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(_)) => None,
    };
    let identity = folder.own_metadata()?.identity;
    match Folder::open_root(path).and_then(|there| there.own_metadata()) {
        Ok(there) => Ok((there.identity == identity).then_some((folder, lock))),
        Err(error) => gone(error),
    }
}

/// Removes the folders of processes that are gone.
fn sweep(parent: &Path) -> io::Result<()> {
    sweep_in(&Folder::open_root(parent)?)
}

pub(super) fn sweep_in(parent: &Folder) -> io::Result<()> {
    for entry in parent.entries()? {
        if entry.name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            // Others may remove it meanwhile, and it may be no folder of ours.
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
    if lock.try_lock().is_err() {
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

/// Whether a folder is this user's, and nobody else looks into it.
pub(super) fn is_ours(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    let is_own = metadata.owner.user == rustix::process::geteuid().as_raw();
    // Nobody else knows whose it is.
    #[cfg(not(unix))]
    let is_own = false;
    is_own && metadata.mode & 0o077 == 0
}
