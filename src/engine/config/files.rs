//! Where the sandbox is when nobody names it, and files that are not a script's: the policy.

use std::io;
use std::path::{Path, PathBuf};

/// The current folder, unless it is one that nobody takes for a sandbox by accident.
pub fn current_folder() -> Result<PathBuf, String> {
    let path = std::env::current_dir().map_err(|error| format!("the current folder cannot be found: {error}"))?;
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let what = match () {
        () if path.parent().is_none() => "the root of the file system",
        () if home.as_deref() == Some(&path) => "the home folder",
        () => return Ok(path),
    };
    Err(format!("{what} becomes the sandbox only when it is named"))
}

/// Where the policy file in the user's configuration folder is, if there is one.
pub fn user_policy(name: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => std::env::home_dir()?.join(".config"),
    };
    Some(folder.join("neuroscript").join(name))
}

/// The folder in which programs keep what outlives a run and is no setting, if the user has one.
///
/// Below a home folder it may be missing still; a home folder that is missing is not made.
pub fn state_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute()) {
        return Some(folder);
    }
    let home = std::env::home_dir().filter(|home| home.is_absolute() && home.is_dir())?;
    Some(home.join(".local/state"))
}

/// A path of the operating system without links and `..`; none when it leads nowhere.
pub fn true_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// The true path of what is or will be there: the part that exists without links, then the rest.
pub fn future_path(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    path.ancestors().find_map(|existing| {
        let rest = path.strip_prefix(existing).ok()?;
        Some(true_path(existing)?.join(rest))
    })
}

/// Whether there may be something at a path, be it a link that leads nowhere. What nobody lets us look at
/// may be there.
pub fn may_be_there(path: &Path) -> bool {
    let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    path.symlink_metadata().map_or_else(|error| !missing.contains(&error.kind()), |_| true)
}

/// The bytes of a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > limit {
        return Err(io::Error::other(format!("it is no regular file of at most {limit} bytes")));
    }
    std::fs::read(path)
}

/// A handle of a file by which it cannot be read.
#[cfg(target_os = "linux")]
pub fn handle(path: &Path) -> io::Result<rustix::fd::OwnedFd> {
    use rustix::fs::{CWD, Mode, OFlags};
    Ok(rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
}
