//! A private directory per process for its scratch directories, created while `TMPDIR` is accessible.
//!
//! A process that the kernel confines to its roots can no longer create entries in `TMPDIR`, but may still have to
//! plan. Directories left by killed processes are removed by the next process that calls [`settle_scratch`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use super::super::Folder;
use super::super::file::File;
use super::super::lock::may_be_held;
use super::disk::{is_ours, locked, made, sweep_in};
use super::scratch::Scratch;

/// The prefix of the names of these directories.
const PREFIX: &str = "neuroscript-plans-";

/// Levels of nesting to clean up: the directory of a worker is inside that of its server.
const LEVELS: u32 = 1;

/// Maximum number of attempts to create the directory, in case other processes remove it.
const TRIES: usize = 1_000;

/// The handles come first, so that they are closed first: Windows removes no directory that is open.
struct Home {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "it keeps the directory from being renamed"))]
    folder: Folder,
    _lock: Option<File>,
    place: TempDir,
}

static HOME: Mutex<Option<Home>> = Mutex::new(None);

/// Creates the directory if this process has none.
pub fn settle_scratch() -> io::Result<()> {
    let mut home = HOME.lock().unwrap_or_else(PoisonError::into_inner);
    if home.is_none() {
        let parent = std::env::temp_dir();
        // Leftovers that cannot be removed are left to the operating system.
        let _ = Folder::open_root(&parent).and_then(|parent| sweep(&parent, LEVELS));
        *home = Some(make(&parent)?);
    }
    Ok(())
}

fn make(parent: &Path) -> io::Result<Home> {
    // Before it is locked, other processes may take it for a leftover and remove it.
    for _ in 0..TRIES {
        let place = made(parent, PREFIX)?;
        if let Some((folder, lock)) = locked(place.path())? {
            return Ok(Home { folder, _lock: lock, place });
        }
    }
    Err(io::Error::other("others removed it each time before it was locked"))
}

/// Removes the directory, at the end of the process.
pub fn leave_scratch() {
    drop(HOME.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Returns the path of the directory, if this process has one.
pub fn scratch_home() -> Option<PathBuf> {
    HOME.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|home| home.place.path().to_path_buf())
}

/// Returns handles of the directory and of its parent, for the kernel's restrictions.
#[cfg(target_os = "linux")]
pub fn scratch_handles() -> io::Result<Option<(rustix::fd::OwnedFd, rustix::fd::OwnedFd)>> {
    let home = HOME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(home) = &*home else { return Ok(None) };
    let above = home.place.path().parent().unwrap_or(Path::new("/"));
    Ok(Some((home.folder.descriptor()?, Folder::open_root(above)?.descriptor()?)))
}

/// Creates a scratch directory in the directory of the process, or else in the system's temporary directory (`TMPDIR`).
pub fn new_scratch() -> io::Result<Scratch> {
    Scratch::new_in(&scratch_home().unwrap_or_else(std::env::temp_dir))
}

/// Removes leftover directories and those inside them.
fn sweep(folder: &Folder, levels: u32) -> io::Result<()> {
    for entry in folder.entries()? {
        if !entry.name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        // Another process may remove it meanwhile, and it may be foreign.
        let Ok(left) = folder.open_folder(&entry.name) else { continue };
        let is_left = left.own_metadata().is_ok_and(|metadata| is_ours(&metadata));
        let lock = left.as_file().ok().filter(|file| is_left && !may_be_held(file));
        if lock.is_some() && (levels == 0 || sweep(&left, levels - 1).is_ok()) && sweep_in(&left).is_ok() {
            let _ = folder.remove_folder(&entry.name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Folder, LEVELS, make, sweep};

    /// Other processes may take a directory that is not yet locked for a leftover.
    #[test]
    fn a_folder_is_made_while_others_sweep() {
        let place = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            let makers = scope.spawn(|| (0..500).for_each(|_| drop(make(place.path()).expect("it is made"))));
            let folder = Folder::open_root(place.path()).expect("it is there");
            while !makers.is_finished() {
                let _ = sweep(&folder, LEVELS);
            }
        });
    }
}
