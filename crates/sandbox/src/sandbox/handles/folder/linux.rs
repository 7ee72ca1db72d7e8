//! Directories as Linux file descriptors.
//!
//! Handles are `O_PATH`: they need no read permission on the directory, and opening one has no side effects. All opens
//! use `openat2` with BENEATH, NO_SYMLINKS and NO_MAGICLINKS.

use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fs::{
    Access, AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, Statx, StatxAttributes, StatxFlags, Timespec,
    Timestamps, UTIME_OMIT,
};
use rustix::io::Errno;

use super::super::metadata::{Identity, Kind, Metadata, Owner, Timestamp};
use super::file::File;
use super::renames::rename_new;
use super::{Entry, EntryBuffer, Replace};

/// An open directory.
#[derive(Debug)]
pub struct LinuxFolder(OwnedFd);

const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);
const HANDLE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// The flags for a directory whose entries are read.
pub const LISTING: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Size in bytes of the buffer for directory entries.
const BUFFER: usize = 32 << 10;

/// The fields of `statx` that [`Metadata`] contains.
const FIELDS: StatxFlags = StatxFlags::BASIC_STATS.union(StatxFlags::BTIME);

impl LinuxFolder {
    /// Opens a root. Returns `None` if the kernel has no `openat2` or a seccomp filter blocks it.
    pub fn open_root(path: &Path) -> io::Result<Option<LinuxFolder>> {
        let root = rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        match open(root.as_fd(), OsStr::new("."), HANDLE, Mode::empty()) {
            Ok(_) => Ok(Some(LinuxFolder(root))),
            Err(Errno::NOSYS | Errno::PERM) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub fn open_folder(&self, name: &OsStr) -> io::Result<LinuxFolder> {
        Ok(LinuxFolder(open(self.0.as_fd(), name, HANDLE, Mode::empty())?))
    }

    pub fn open_chain(&self, names: &[&OsStr]) -> io::Result<Option<LinuxFolder>> {
        let path = names.join(OsStr::new("/"));
        match open(self.0.as_fd(), &path, HANDLE, Mode::empty()) {
            Ok(folder) => Ok(Some(LinuxFolder(folder))),
            // The path contains a link, or a component that must be resolved step by step.
            Err(Errno::LOOP | Errno::NOTDIR | Errno::XDEV) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub fn duplicate(&self) -> io::Result<LinuxFolder> {
        Ok(LinuxFolder(self.0.try_clone()?))
    }

    pub fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        Ok(metadata_of(&rustix::fs::statx(&self.0, name, flags, FIELDS)?))
    }

    pub fn own_metadata(&self) -> io::Result<Metadata> {
        Ok(metadata_of(&rustix::fs::statx(&self.0, "", AtFlags::EMPTY_PATH, FIELDS)?))
    }

    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        entries_of(self.for_listing()?)
    }

    pub fn open_listed(&self, name: &OsStr) -> io::Result<LinuxFolder> {
        Ok(LinuxFolder(open(self.0.as_fd(), name, LISTING, Mode::empty())?))
    }

    pub fn listed(&self) -> io::Result<LinuxFolder> {
        Ok(LinuxFolder(self.for_listing()?))
    }

    pub fn each_entry(
        &self,
        buffer: &mut EntryBuffer,
        mut take: impl FnMut(&[u8], Option<Kind>) -> bool,
    ) -> io::Result<()> {
        if buffer.0.is_empty() {
            buffer.0 = entry_buffer();
        }
        let mut raw = RawDir::new(self.0.as_fd(), &mut buffer.0);
        while let Some(entry) = raw.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." && !take(name, kind_of(entry.file_type())) {
                break;
            }
        }
        Ok(())
    }

    /// Returns a descriptor of this directory that can be read.
    pub fn for_listing(&self) -> io::Result<OwnedFd> {
        match open(self.0.as_fd(), OsStr::new("."), LISTING, Mode::empty()) {
            Err(Errno::ACCESS) => readable(&self.0),
            opened => Ok(opened?),
        }
    }

    pub fn read_link(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(OsString::from_vec(rustix::fs::readlinkat(&self.0, name, Vec::new())?.into_bytes()))
    }

    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(open(self.0.as_fd(), name, flags, Mode::empty())?))
    }

    pub fn open_log(&self, name: &OsStr) -> io::Result<File> {
        let access = OFlags::RDWR | OFlags::APPEND;
        let flags = access | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(open(self.0.as_fd(), name, flags, Mode::empty())?))
    }

    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(open(self.0.as_fd(), name, flags, Mode::from_raw_mode(mode))?))
    }

    pub fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.0, name, Mode::from_raw_mode(mode))?)
    }

    pub fn create_link(&self, target: &OsStr, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.0, name)?)
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    pub fn rename(&self, from: &OsStr, to_folder: &LinuxFolder, to: &OsStr, replace: Replace) -> io::Result<()> {
        match replace {
            Replace::Yes => Ok(rustix::fs::renameat(&self.0, from, &to_folder.0, to)?),
            Replace::No => rename_new(&self.0, from, &to_folder.0, to),
        }
    }

    pub fn set_modified(&self, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        let modified = Timespec { tv_sec: modified.seconds, tv_nsec: modified.nanos.into() };
        let access = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        let times = Timestamps { last_access: access, last_modification: modified };
        Ok(rustix::fs::utimensat(&self.0, name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    pub fn as_file(&self) -> io::Result<File> {
        Ok(File::from(self.for_listing()?))
    }

    pub fn sync(&self) -> io::Result<()> {
        let folder = self.for_listing()?;
        match rustix::fs::fsync(folder) {
            // Some file systems do not support syncing directories.
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl From<LinuxFolder> for OwnedFd {
    fn from(folder: LinuxFolder) -> OwnedFd {
        folder.0
    }
}

impl From<OwnedFd> for LinuxFolder {
    fn from(folder: OwnedFd) -> LinuxFolder {
        LinuxFolder(folder)
    }
}

impl AsFd for LinuxFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Returns a descriptor for reading a directory that grants no search permission.
///
/// Opening its `.` would need search permission; reopening the handle through `/proc/self/fd` does not.
pub fn readable(folder: impl AsFd) -> io::Result<OwnedFd> {
    let own = format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd());
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(CWD, own, flags, Mode::empty()).map_err(|_| Errno::ACCESS)?)
}

/// Returns the entries of a directory that can be read.
pub fn entries_of(folder: OwnedFd) -> io::Result<Vec<Entry>> {
    let mut buffer = Vec::with_capacity(BUFFER);
    let mut entries = Vec::new();
    let mut raw = RawDir::new(folder, buffer.spare_capacity_mut());
    while let Some(entry) = raw.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            entries.push(Entry { name: OsStr::from_bytes(name).to_owned(), kind: kind_of(entry.file_type()) });
        }
    }
    Ok(entries)
}

#[cfg(feature = "checked-paths")]
use super::checked_paths::open;

#[cfg(not(feature = "checked-paths"))]
fn open(folder: BorrowedFd<'_>, path: &OsStr, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let Ok(opened) = open_beneath(folder, path, flags, mode, || Ok::<(), std::convert::Infallible>(()));
    opened
}

/// Opens a path below a directory, and calls `poll` before each retry. The outer error is the one of `poll`.
pub fn open_beneath<E>(
    folder: BorrowedFd<'_>,
    path: &OsStr,
    flags: OFlags,
    mode: Mode,
    poll: impl Fn() -> Result<(), E>,
) -> Result<Result<OwnedFd, Errno>, E> {
    let is_one_name = path != ".." && !path.as_bytes().contains(&b'/');
    loop {
        match rustix::fs::openat2(folder, path, flags, mode, BENEATH) {
            // A concurrent rename made the kernel's check inconclusive, or a signal interrupted it: retry.
            Err(Errno::AGAIN | Errno::INTR) => poll()?,
            // The entry was moved out of the directory while it was opened: the next look does not find it.
            Err(Errno::XDEV) if is_one_name => poll()?,
            other => return Ok(other),
        }
    }
}

/// The magic numbers of ext4 and XFS (statfs(2)).
const WITH_ONE_LOG: [u64; 2] = [0xef53, 0x5846_5342];

/// Whether the file system journals the changes of all its directories in one log, in order.
pub fn has_one_log(folder: impl AsFd) -> bool {
    rustix::fs::fstatfs(folder).is_ok_and(|system| WITH_ONE_LOG.contains(&(system.f_type as u64)))
}

/// Checks that this user may add and remove entries of a directory.
pub fn check_changeable(folder: impl AsFd) -> io::Result<()> {
    let access = Access::WRITE_OK | Access::EXEC_OK;
    match rustix::fs::accessat(folder, ".", access, AtFlags::EACCESS) {
        // Older kernels cannot check this for the effective user.
        Err(Errno::NOSYS | Errno::INVAL) => Ok(()),
        other => Ok(other?),
    }
}

/// Returns the metadata of an open file.
pub fn file_metadata(file: impl AsFd) -> io::Result<Metadata> {
    Ok(metadata_of(&rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, FIELDS)?))
}

/// Whether an open directory is the root of a mount. Returns `None` if the kernel does not tell.
pub fn is_mount_root(folder: impl AsFd) -> io::Result<Option<bool>> {
    let stat = rustix::fs::statx(folder, "", AtFlags::EMPTY_PATH, StatxFlags::empty())?;
    let is_told = stat.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT);
    Ok(is_told.then(|| stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)))
}

/// Returns the identity of an open file or directory.
pub fn identity_of(file: impl AsFd) -> io::Result<Identity> {
    Ok(file_metadata(file)?.identity)
}

/// Returns the identity of a path's target, following links. Used for the links in `/proc/self/fd`, which lead to open
/// files.
pub fn identity_of_path(path: &Path) -> io::Result<Identity> {
    Ok(metadata_of(&rustix::fs::statx(CWD, path, AtFlags::NO_AUTOMOUNT, FIELDS)?).identity)
}

/// Returns the kind reported by a directory entry; some file systems report none.
pub fn kind_of(file_type: FileType) -> Option<Kind> {
    match file_type {
        FileType::RegularFile => Some(Kind::File),
        FileType::Directory => Some(Kind::Folder),
        FileType::Symlink => Some(Kind::Link),
        FileType::Unknown => None,
        _ => Some(Kind::Special),
    }
}

/// Converts the result of `statx`.
pub fn metadata_of(stat: &Statx) -> Metadata {
    let time = |time: rustix::fs::StatxTimestamp| Timestamp { seconds: time.tv_sec, nanos: time.tv_nsec };
    let mask = StatxFlags::from_bits_retain(stat.stx_mask);
    let if_set = |flag, value| mask.contains(flag).then_some(value);
    Metadata {
        kind: kind_of(FileType::from_raw_mode(stat.stx_mode.into())).unwrap_or(Kind::Special),
        size: stat.stx_size,
        modified: if_set(StatxFlags::MTIME, time(stat.stx_mtime)),
        changed: if_set(StatxFlags::CTIME, time(stat.stx_ctime)),
        accessed: if_set(StatxFlags::ATIME, time(stat.stx_atime)),
        created: if_set(StatxFlags::BTIME, time(stat.stx_btime)),
        mode: u32::from(stat.stx_mode) & 0o7777,
        owner: Owner { user: stat.stx_uid, group: stat.stx_gid },
        links: stat.stx_nlink.into(),
        identity: Identity { device: rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor), inode: stat.stx_ino },
    }
}

/// Returns a buffer for [`RawDir`] that can be reused for several directories.
pub fn entry_buffer() -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); BUFFER]
}
