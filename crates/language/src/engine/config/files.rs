//! Paths outside scripts: the default sandbox and the policy files.

#![allow(clippy::disallowed_methods, reason = "policy files are the user's; no script reads them")]

use std::io;
use std::path::{Path, PathBuf};

/// Returns the current directory. Errors: it is the root of the file system or the home directory, which must not
/// become a sandbox by accident.
pub fn current_folder() -> Result<PathBuf, String> {
    let path = std::env::current_dir().map_err(|error| format!("the current folder cannot be found: {error}"))?;
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let what = if path.parent().is_none() {
        "the root of the file system"
    } else if home.is_some() && home == path.canonicalize().ok() {
        "the home folder"
    } else {
        return Ok(path);
    };
    Err(format!("{what} becomes the sandbox only when it is named"))
}

/// Returns the path of the policy file in the user's configuration directory; the file may be missing.
pub fn user_policy(name: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => std::env::home_dir()?.join(".config"),
    };
    Some(folder.join("neuroscript").join(name))
}

/// Returns the base directory for user state (`$XDG_STATE_HOME`), if the user has one.
///
/// Below a home directory it may not exist yet; a missing home directory is not created.
pub fn state_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute()) {
        return Some(folder);
    }
    let home = std::env::home_dir().filter(|home| home.is_absolute() && home.is_dir())?;
    Some(home.join(".local/state"))
}

/// Resolves links and `..`. Returns `None` if the path does not exist.
pub fn true_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// Resolves a path that may not exist yet: the existing part is resolved, and the rest is appended.
pub fn future_path(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    path.ancestors().find_map(|existing| {
        let rest = path.strip_prefix(existing).ok()?;
        Some(true_path(existing)?.join(rest))
    })
}

/// Whether something may exist at a path, including a dangling link. A path that cannot be inspected counts.
pub fn may_be_there(path: &Path) -> bool {
    let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    path.symlink_metadata().map_or_else(|error| !missing.contains(&error.kind()), |_| true)
}

/// Reads a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > limit {
        return Err(io::Error::other(format!("it is no regular file of at most {limit} bytes")));
    }
    std::fs::read(path)
}

/// Opens a handle to a file that does not permit reading it.
#[cfg(target_os = "linux")]
pub fn handle(path: &Path) -> io::Result<rustix::fd::OwnedFd> {
    use rustix::fs::{CWD, Mode, OFlags};
    Ok(rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
}
