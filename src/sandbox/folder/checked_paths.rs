//! What this house must never do: look where a path leads, and then open it by the path.
//!
//! It is in no build but the control of the races (`--features checked-paths`), which must be seen to lose
//! them: else the races would prove nothing. No release can be made of it.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

#[cfg(not(debug_assertions))]
compile_error!("`checked-paths` is the control of the races: a release never finds places by path strings");

/// Opens a way below a folder: the check of every part, and then the path as a whole.
pub fn open(folder: BorrowedFd<'_>, path: &OsStr, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let link = format!("/proc/self/fd/{}", folder.as_raw_fd());
    let above = PathBuf::from(OsString::from_vec(rustix::fs::readlinkat(CWD, link, Vec::new())?.into_bytes()));
    let mut way = above;
    for part in Path::new(path) {
        way.push(part);
        match rustix::fs::statat(CWD, &way, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::Symlink => return Err(Errno::LOOP),
            _ => {}
        }
    }
    rustix::fs::openat(CWD, &way, flags.difference(OFlags::NOFOLLOW), mode)
}
