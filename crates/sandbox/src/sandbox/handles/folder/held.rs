//! A file or directory that is held without being opened, to read its metadata and set its permission bits and
//! modification time.
//!
//! On the disk of a Linux system the handle is `O_PATH`, which needs no permission on the file and has no side effect,
//! whatever its kind. Other systems open the file for reading and check that it is the expected one.

use std::ffi::OsStr;
use std::io;

use super::super::metadata::{Metadata, Timestamp};
#[cfg(not(target_os = "linux"))]
use super::File;
use super::Folder;
use super::memory::MemoryEntry;

/// Returns the times for a system call that sets the modification time alone.
#[cfg(unix)]
fn times_of(modified: Timestamp) -> rustix::fs::Timestamps {
    use rustix::fs::{Timespec, Timestamps, UTIME_OMIT};
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: modified.seconds, tv_nsec: modified.nanos.into() },
    }
}

/// A held file or directory, independent of its current name.
#[derive(Debug)]
pub enum HeldEntry {
    Disk(DiskEntry),
    Memory(MemoryEntry),
}

impl Folder {
    /// Holds the entry `name` of a directory that is not under an overlay. A link is held itself, not its target, or is
    /// an error if the system cannot do that.
    pub(super) fn hold_below_overlays(&self, name: &OsStr) -> io::Result<HeldEntry> {
        match self {
            Folder::Memory(folder) => folder.hold(name).map(HeldEntry::Memory),
            _ => self.hold_on_disk(name).map(HeldEntry::Disk),
        }
    }
}

impl HeldEntry {
    /// Returns its metadata.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        match self {
            HeldEntry::Disk(entry) => entry.metadata(),
            HeldEntry::Memory(entry) => Ok(entry.metadata()),
        }
    }

    /// Sets its permission bits. `folder` and `name` are where it was found.
    pub(super) fn set_mode(&self, folder: &Folder, name: &OsStr, mode: u32) -> io::Result<()> {
        match self {
            HeldEntry::Disk(entry) => entry.set_mode(folder, name, mode),
            HeldEntry::Memory(entry) => {
                entry.set_mode(mode);
                Ok(())
            }
        }
    }

    /// Sets its modification time. `folder` and `name` are where it was found.
    pub(super) fn set_modified(&self, folder: &Folder, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        match self {
            HeldEntry::Disk(entry) => entry.set_modified(folder, name, modified),
            HeldEntry::Memory(entry) => {
                entry.set_modified(modified);
                Ok(())
            }
        }
    }
}

/// A held file or directory on the disk.
#[derive(Debug)]
pub struct DiskEntry {
    #[cfg(target_os = "linux")]
    handle: rustix::fd::OwnedFd,
    #[cfg(not(target_os = "linux"))]
    file: File,
}

#[cfg(target_os = "linux")]
impl Folder {
    /// Holds the entry `name` of a directory that is not under an overlay; a link itself is held, not its target.
    fn hold_on_disk(&self, name: &OsStr) -> io::Result<DiskEntry> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle =
            on_disk!(self, folder => Ok::<_, io::Error>(rustix::fs::openat(folder, name, flags, Mode::empty())?))?;
        Ok(DiskEntry { handle })
    }
}

#[cfg(target_os = "linux")]
impl DiskEntry {
    /// Returns its metadata.
    fn metadata(&self) -> io::Result<Metadata> {
        super::linux::file_metadata(&self.handle)
    }

    /// Sets its permission bits. `folder` and `name` are where it was found.
    ///
    /// An `O_PATH` handle does not support `fchmod`, but `/proc/self/fd` leads to the held file itself. Without `/proc`
    /// the file is opened again and compared.
    fn set_mode(&self, folder: &Folder, name: &OsStr, mode: u32) -> io::Result<()> {
        use rustix::fd::AsRawFd;
        use rustix::fs::Mode;
        let mode = Mode::from_raw_mode(mode);
        match rustix::fs::chmod(format!("/proc/self/fd/{}", self.handle.as_raw_fd()), mode) {
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => {}
            other => return Ok(other?),
        }
        Ok(rustix::fs::fchmod(self.opened(folder, name)?.on_disk()?, mode)?)
    }

    /// Sets its modification time; see [`DiskEntry::set_mode`].
    fn set_modified(&self, folder: &Folder, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        use rustix::fd::AsRawFd;
        use rustix::fs::{AtFlags, CWD};
        let times = times_of(modified);
        let link = format!("/proc/self/fd/{}", self.handle.as_raw_fd());
        match rustix::fs::utimensat(CWD, link, &times, AtFlags::empty()) {
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => {}
            other => return Ok(other?),
        }
        Ok(rustix::fs::futimens(self.opened(folder, name)?.on_disk()?, &times)?)
    }

    /// Opens the held file again by its name.
    fn opened(&self, folder: &Folder, name: &OsStr) -> io::Result<super::File> {
        let file = folder.open_file(name)?;
        if super::file_metadata(&file)?.identity == self.metadata()?.identity {
            Ok(file)
        } else {
            Err(io::Error::new(io::ErrorKind::NotFound, "it was exchanged meanwhile"))
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Folder {
    /// Holds the entry `name` of a directory that is not under an overlay. Errors: if it is a link.
    fn hold_on_disk(&self, name: &OsStr) -> io::Result<DiskEntry> {
        use super::super::metadata::Kind;
        let found = self.metadata(name)?;
        let file = match found.kind {
            Kind::Folder => self.open_folder(name)?.as_file()?,
            Kind::File => self.open_file(name)?,
            Kind::Link | Kind::Special => {
                return Err(io::Error::new(io::ErrorKind::Unsupported, "it is a link, pipe, socket or device"));
            }
        };
        if super::file_metadata(&file)?.identity == found.identity {
            Ok(DiskEntry { file })
        } else {
            Err(io::Error::new(io::ErrorKind::NotFound, "it was exchanged meanwhile"))
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl DiskEntry {
    /// Returns its metadata.
    fn metadata(&self) -> io::Result<Metadata> {
        super::file_metadata(&self.file)
    }

    /// Sets its modification time. `folder` and `name` are where it was found.
    ///
    /// Windows sets no time through a handle for reading, so the entry that has the name now gets it. No link is
    /// followed, and an entry that is there instead is in the same directory.
    fn set_modified(&self, folder: &Folder, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        #[cfg(unix)]
        {
            let _ = (folder, name);
            Ok(rustix::fs::futimens(self.file.on_disk()?, &times_of(modified))?)
        }
        #[cfg(not(unix))]
        folder.set_modified(name, modified)
    }

    /// Sets its permission bits. `folder` and `name` are where it was found.
    fn set_mode(&self, _: &Folder, _: &OsStr, mode: u32) -> io::Result<()> {
        #[cfg(unix)]
        return Ok(rustix::fs::fchmod(self.file.on_disk()?, rustix::fs::Mode::from_raw_mode(mode as _))?);
        #[cfg(not(unix))]
        {
            let _ = mode;
            Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no permission bits"))
        }
    }
}
