//! An open directory, and the operations on its entries.
//!
//! Every operation takes the name of an entry, never a path, and follows no link, so concurrent changes elsewhere in
//! the tree cannot redirect it. On Linux the handle is a descriptor used through rustix; without `openat2`, and on
//! other systems, it is a cap-std handle. It may also be a directory in memory ([`memory`]), the only kind where there
//! is no disk (WebAssembly). Under an overlay ([`overlay`]) it is one of them combined with the changes of the run.

/// Makes the same call on each kind of handle; on a directory in memory the last one, if there are two.
macro_rules! on {
    ($folder:expr, $inner:ident => $call:expr) => {
        on!($folder, $inner => $call, $call)
    };
    ($folder:expr, $inner:ident => $call:expr, $in_memory:expr) => {
        match $folder {
            #[cfg(target_os = "linux")]
            Folder::Linux($inner) => $call,
            #[cfg(not(target_family = "wasm"))]
            Folder::Portable($inner) => $call,
            Folder::Memory($inner) => $in_memory,
            Folder::Overlaid($inner) => $call,
        }
    };
}

/// The same call for directories whose handle is a descriptor.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
macro_rules! on_disk {
    ($folder:expr, $inner:ident => $call:expr) => {
        match $folder {
            #[cfg(target_os = "linux")]
            Folder::Linux($inner) => $call,
            Folder::Portable($inner) => $call,
            Folder::Memory(_) | Folder::Overlaid(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    };
}

#[cfg(all(target_os = "linux", feature = "checked-paths"))]
mod checked_paths;
mod file;
mod held;
pub mod lock;
mod memory;
mod mtime_guard;
mod open_files;
mod overlay;
mod path_handle;

use memory::MemoryFolder;
pub use mtime_guard::MtimeGuard;
#[cfg(target_os = "linux")]
pub use overlay::scratch_handles;
pub use overlay::{Delta, Overlay, Scratch, StagingPlace, leave_scratch, new_scratch, scratch_home, settle_scratch};
pub use path_handle::PathHandle;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_family = "wasm"))]
mod portable;
mod read_only;
#[cfg(not(target_family = "wasm"))]
mod renames;
#[cfg(any(windows, all(test, unix)))]
mod windows_names;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

use super::metadata::{Kind, Metadata, Timestamp};
pub use file::File;
pub use open_files::{file_metadata, next_data, set_access, share_content, sync_file_system};
use overlay::OverlaidFolder;

/// An open directory.
#[derive(Debug)]
pub enum Folder {
    /// A file descriptor, used through rustix.
    #[cfg(target_os = "linux")]
    Linux(LinuxFolder),
    /// A cap-std handle.
    #[cfg(not(target_family = "wasm"))]
    Portable(portable::PortableFolder),
    /// A directory in memory.
    Memory(MemoryFolder),
    /// A directory under an overlay: the changes of a run do not reach the disk.
    Overlaid(Box<OverlaidFolder>),
}

/// The mechanism that resolves paths below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolver {
    /// The kernel, with `openat2`.
    Openat2,
    /// cap-std, component by component.
    Portable,
    /// Component by component, in a folder in memory.
    Memory,
}

/// An entry of a directory, with its kind if the directory reports it.
#[derive(Debug)]
pub struct Entry {
    /// The name; `.` and `..` are left out.
    pub name: OsString,
    /// The kind, if known without a further system call.
    pub kind: Option<Kind>,
}

/// Whether a new name may replace an existing entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// An existing entry is replaced atomically.
    Yes,
    /// The operation fails if the name exists, even in a race.
    No,
}

/// A buffer for directory entries that can be reused for several directories.
#[derive(Default)]
pub struct EntryBuffer(#[cfg(target_os = "linux")] Vec<std::mem::MaybeUninit<u8>>);

impl Folder {
    /// Opens a directory as a root, by a path of the operating system.
    pub fn open_root(path: &Path) -> io::Result<Folder> {
        #[cfg(target_os = "linux")]
        if let Some(folder) = LinuxFolder::open_root(path)? {
            return Ok(Folder::Linux(folder));
        }
        #[cfg(not(target_family = "wasm"))]
        return Ok(Folder::Portable(portable::PortableFolder::open_root(path)?));
        #[cfg(target_family = "wasm")]
        {
            let _ = path;
            Err(io::Error::new(io::ErrorKind::Unsupported, "there is no disk here; use a folder in memory"))
        }
    }

    /// Creates a directory in memory as a root, for `capacity` bytes.
    pub fn in_memory(capacity: u64) -> Folder {
        Folder::Memory(MemoryFolder::new(capacity))
    }

    /// Returns a directory under an overlay.
    pub fn overlaid(folder: OverlaidFolder) -> Folder {
        Folder::Overlaid(Box::new(folder))
    }

    /// Returns the directory on the disk, if the overlay changes nothing in or below it; otherwise this directory.
    pub fn untouched(&self) -> &Folder {
        match self {
            Folder::Overlaid(folder) => folder.untouched().unwrap_or(self),
            _ => self,
        }
    }

    /// Returns the directory on the disk that contains the directory `name`, if the overlay changes nothing in or below
    /// the latter.
    pub fn untouched_above(&self, name: &OsStr) -> Option<&Folder> {
        match self {
            Folder::Overlaid(folder) => folder.untouched_above(name),
            _ => Some(self),
        }
    }

    /// Returns the mechanism by which paths below this directory are resolved.
    pub fn resolver(&self) -> Resolver {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(_) => Resolver::Openat2,
            #[cfg(not(target_family = "wasm"))]
            Folder::Portable(_) => Resolver::Portable,
            Folder::Memory(_) => Resolver::Memory,
            Folder::Overlaid(folder) => folder.resolver(),
        }
    }

    /// Opens the directory `name`. Errors: if it is a link.
    pub fn open_folder(&self, name: &OsStr) -> io::Result<Folder> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.open_folder(name).map(Folder::Linux),
            #[cfg(not(target_family = "wasm"))]
            Folder::Portable(folder) => folder.open_folder(name).map(Folder::Portable),
            Folder::Memory(folder) => folder.open_folder(name).map(Folder::Memory),
            Folder::Overlaid(folder) => folder.open_folder(name).map(Folder::overlaid),
        }
    }

    /// Opens a directory several levels down, in one system call if possible. Returns `None` if that is not possible,
    /// for example because the path contains a link.
    pub fn open_chain(&self, names: &[&OsStr]) -> io::Result<Option<Folder>> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => Ok(folder.open_chain(names)?.map(Folder::Linux)),
            #[cfg(not(target_family = "wasm"))]
            Folder::Portable(_) => Ok(None),
            Folder::Memory(folder) => Ok(folder.open_chain(names)?.map(Folder::Memory)),
            Folder::Overlaid(folder) => Ok(folder.open_chain(names)?.map(Folder::overlaid)),
        }
    }

    /// Duplicates the handle.
    pub fn duplicate(&self) -> io::Result<Folder> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.duplicate().map(Folder::Linux),
            #[cfg(not(target_family = "wasm"))]
            Folder::Portable(folder) => folder.duplicate().map(Folder::Portable),
            Folder::Memory(folder) => Ok(Folder::Memory(folder.clone())),
            Folder::Overlaid(folder) => folder.duplicate().map(Folder::overlaid),
        }
    }

    /// Duplicates the descriptor; under an overlay, that of the directory on the disk. A directory in memory has none.
    #[cfg(target_os = "linux")]
    pub fn descriptor(&self) -> io::Result<rustix::fd::OwnedFd> {
        use rustix::fd::AsFd;
        match self {
            Folder::Linux(folder) => folder.as_fd().try_clone_to_owned(),
            Folder::Portable(folder) => folder.as_fd().try_clone_to_owned(),
            Folder::Memory(_) => Err(io::ErrorKind::Unsupported.into()),
            Folder::Overlaid(folder) => folder.descriptor(),
        }
    }

    /// Returns the current path of a name in this directory, as the kernel reports it for the handle, independent of
    /// any path used to open it. Needs Linux with a mounted `/proc`.
    #[cfg(target_os = "linux")]
    pub fn current_path(&self, name: &OsStr) -> io::Result<PathBuf> {
        use rustix::fd::{AsFd, AsRawFd};
        if let Folder::Overlaid(folder) = self {
            return folder.current_path(name);
        }
        let number = on_disk!(self, folder => Ok::<_, io::Error>(folder.as_fd().as_raw_fd()))?;
        Ok(std::fs::read_link(format!("/proc/self/fd/{number}"))?.join(name))
    }

    /// Returns the metadata of an entry; of a link itself, not of its target.
    pub fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        on!(self, folder => folder.metadata(name))
    }

    /// Returns the metadata of this directory.
    pub fn own_metadata(&self) -> io::Result<Metadata> {
        on!(self, folder => folder.own_metadata())
    }

    /// Whether this directory is the root of a mounted file system, as it was when the directory was opened. Returns
    /// `None` if the system does not tell (Linux before 5.8).
    #[cfg(target_os = "linux")]
    pub fn is_mount_root(&self) -> io::Result<Option<bool>> {
        match self {
            Folder::Overlaid(folder) => folder.is_mount_root(),
            Folder::Memory(_) => Ok(Some(false)),
            _ => on_disk!(self, folder => linux::is_mount_root(folder)),
        }
    }

    /// Returns the metadata of an open file that was found in a directory of the same root.
    pub fn file_metadata(&self, file: &File) -> io::Result<Metadata> {
        match self {
            Folder::Overlaid(folder) => folder.file_metadata(file),
            _ => file_metadata(file),
        }
    }

    /// Returns the entries in no particular order.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        on!(self, folder => folder.entries())
    }

    /// Whether the directory can be read and has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries().is_ok_and(|entries| entries.is_empty())
    }

    /// Opens the directory `name` so that [`Folder::each_entry`] can be called on it directly. Errors: if it is a link.
    pub fn open_listed(&self, name: &OsStr) -> io::Result<Folder> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.open_listed(name).map(Folder::Linux),
            #[cfg(not(target_family = "wasm"))]
            Folder::Portable(folder) => folder.open_folder(name).map(Folder::Portable),
            Folder::Memory(folder) => folder.open_folder(name).map(Folder::Memory),
            Folder::Overlaid(folder) => folder.open_listed(name).map(Folder::overlaid),
        }
    }

    /// Reopens this directory so that [`Folder::each_entry`] can be called on it directly.
    pub fn listed(&self) -> io::Result<Folder> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.listed().map(Folder::Linux),
            #[cfg(not(target_family = "wasm"))]
            Folder::Portable(folder) => folder.duplicate().map(Folder::Portable),
            Folder::Memory(folder) => Ok(Folder::Memory(folder.clone())),
            Folder::Overlaid(folder) => folder.listed().map(Folder::overlaid),
        }
    }

    /// Passes every entry of a directory opened for listing to `take`, in no particular order, until that returns
    /// false.
    pub fn each_entry(
        &self,
        buffer: &mut EntryBuffer,
        mut take: impl FnMut(&[u8], Option<Kind>) -> bool,
    ) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.each_entry(buffer, take),
            Folder::Overlaid(folder) => folder.each_entry(buffer, take),
            _ => {
                let entries = self.entries()?;
                let _ = entries.iter().all(|entry| take(entry.name.as_encoded_bytes(), entry.kind));
                Ok(())
            }
        }
    }

    /// Returns the target of a link as stored.
    pub fn read_link(&self, name: &OsStr) -> io::Result<OsString> {
        on!(self, folder => folder.read_link(name))
    }

    /// Opens a file for reading, without blocking. The caller must check what was opened.
    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        on!(self, folder => folder.open_file(name), folder.open_file(name).map(File::Memory))
    }

    /// Opens a file for reading and appending, without blocking. The caller must check what was opened.
    pub fn open_log(&self, name: &OsStr) -> io::Result<File> {
        on!(self, folder => folder.open_log(name), folder.open_log(name).map(File::Memory))
    }

    /// Creates a file for writing. Errors: if the name exists.
    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        on!(self, folder => folder.create_file(name, mode), folder.create_file(name, mode).map(File::Memory))
    }

    /// Creates a directory. Errors: if the name exists.
    pub fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        on!(self, folder => folder.create_folder(name, mode))
    }

    /// Creates a link with this target. Errors: if the name exists.
    pub fn create_link(&self, target: &OsStr, name: &OsStr) -> io::Result<()> {
        on!(self, folder => folder.create_link(target, name))
    }

    /// Removes a file or link.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        on!(self, folder => folder.remove_file(name))
    }

    /// Removes an empty directory.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        on!(self, folder => folder.remove_folder(name))
    }

    /// Renames a file, directory or link atomically, perhaps to another directory.
    pub fn rename(&self, from: &OsStr, to_folder: &Folder, to: &OsStr, replace: Replace) -> io::Result<()> {
        match (self, to_folder) {
            #[cfg(target_os = "linux")]
            (Folder::Linux(folder), Folder::Linux(other)) => folder.rename(from, other, to, replace),
            #[cfg(not(target_family = "wasm"))]
            (Folder::Portable(folder), Folder::Portable(other)) => folder.rename(from, other, to, replace),
            (Folder::Memory(folder), Folder::Memory(other)) => folder.rename(from, other, to, replace),
            (Folder::Overlaid(folder), Folder::Overlaid(other)) => folder.rename(from, other, to, replace),
            _ => unreachable!("all folders of a run come from one resolver"),
        }
    }

    /// Exchanges two entries atomically, perhaps of two directories. Errors: of kind `Unsupported` if the system or the
    /// file system cannot do it.
    pub fn exchange(&self, one: &OsStr, other_folder: &Folder, other: &OsStr) -> io::Result<()> {
        if let (Folder::Overlaid(folder), Folder::Overlaid(other_folder)) = (self, other_folder) {
            return folder.exchange(one, other_folder, other);
        }
        if let (Folder::Memory(folder), Folder::Memory(other_folder)) = (self, other_folder) {
            return folder.exchange(one, other_folder, other);
        }
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        return on_disk!(self, folder => on_disk!(other_folder, inner => renames::exchange(folder, one, inner, other)));
        #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
        {
            let _ = (one, other_folder, other);
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Sets the modification time of a file, a directory, or a link itself.
    pub fn set_modified(&self, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        on!(self, folder => folder.set_modified(name, modified))
    }

    /// Sets the modification time of this directory.
    pub fn set_own_modified(&self, modified: Timestamp) -> io::Result<()> {
        self.set_modified(OsStr::new("."), modified)
    }

    /// Returns the modification time of this directory, if the system reports it.
    pub fn modified(&self) -> Option<Timestamp> {
        self.own_metadata().ok()?.modified
    }

    /// Performs `work` and restores the modification time of this directory afterwards. Used for entries that exist
    /// only during a run and for entries that no tool lists.
    pub fn without_trace<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let before = self.modified();
        let done = work()?;
        // Failing to restore a modification time is not an error.
        before.map(|time| self.set_own_modified(time));
        Ok(done)
    }

    /// Returns this directory as an open file, for operations on the directory itself.
    pub fn as_file(&self) -> io::Result<File> {
        on!(self, folder => folder.as_file(), folder.as_file().map(File::Memory))
    }

    /// Syncs everything in this directory, at any depth, so that it survives a power failure.
    ///
    /// On Linux this syncs the whole file system at once, which is far faster than many small files one by one.
    /// Elsewhere only the names directly in the directory are synced.
    pub fn sync_all_below(&self) -> io::Result<()> {
        if matches!(self, Folder::Overlaid(_) | Folder::Memory(_)) {
            self.sync()
        } else {
            sync_file_system(&self.as_file()?)
        }
    }

    /// Checks that this user may add and remove entries of this directory, as far as the system can tell.
    pub fn check_changeable(&self) -> io::Result<()> {
        match self {
            Folder::Overlaid(folder) => folder.check_changeable(),
            Folder::Memory(_) => Ok(()),
            #[cfg(target_os = "linux")]
            _ => on_disk!(self, folder => linux::check_changeable(folder)),
            #[cfg(all(not(target_os = "linux"), not(target_family = "wasm")))]
            _ => Ok(()),
        }
    }

    /// Whether syncing this directory makes all earlier changes to directories of its file system durable: ext4 and XFS
    /// journal all these changes in one log, in order.
    pub fn has_one_log(&self) -> bool {
        #[cfg(target_os = "linux")]
        return match self {
            Folder::Linux(folder) => linux::has_one_log(folder),
            Folder::Portable(folder) => linux::has_one_log(folder),
            Folder::Memory(_) | Folder::Overlaid(_) => true,
        };
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Syncs the names in this directory, so that they survive a power failure.
    pub fn sync(&self) -> io::Result<()> {
        on!(self, folder => folder.sync())
    }
}

#[cfg(target_os = "linux")]
pub use linux::{LISTING, LinuxFolder, entry_buffer, identity_of, identity_of_path, kind_of, open_beneath};
