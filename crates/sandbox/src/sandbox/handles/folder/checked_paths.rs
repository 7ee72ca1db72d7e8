//! A deliberately unsafe `open`, as a control for the race tests: it checks a path and then opens it by that path.
//!
//! It is compiled only with `--features checked-paths`. The attacks of the race tests must succeed against it;
//! otherwise resisting them would prove nothing. Release builds refuse to compile it.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

#[cfg(not(debug_assertions))]
compile_error!("`checked-paths` is the control of the races: a release never finds places by path strings");

/// Opens a path below a directory: checks each component, then opens the path as a whole.
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
