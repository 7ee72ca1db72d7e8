//! An open folder, and what can be done with the names directly in it.
//!
//! Every operation takes the name of an entry, never a path, and follows no link, so nothing that
//! happens elsewhere in the tree meanwhile can lead it astray. On Linux the handle is a descriptor
//! and the calls are rustix's; where `openat2` is missing, and on other systems, it is cap-std's.
//! Under an overlay ([`super::overlay`]) it is either of them, and what a run would have changed.

/// Runs the same call on whichever handle a folder is.
macro_rules! on {
    ($folder:expr, $inner:ident => $call:expr) => {
        match $folder {
            #[cfg(target_os = "linux")]
            Folder::Linux($inner) => $call,
            Folder::Portable($inner) => $call,
            Folder::Overlaid($inner) => $call,
        }
    };
}

/// The same where nothing is laid over it.
#[cfg(target_os = "linux")]
macro_rules! on_disk {
    ($folder:expr, $inner:ident => $call:expr) => {
        match $folder {
            Folder::Linux($inner) => $call,
            Folder::Portable($inner) => $call,
            Folder::Overlaid(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    };
}

#[cfg(all(target_os = "linux", feature = "checked-paths"))]
mod checked_paths;
mod held;
mod trace;

pub use held::Held;
pub use trace::Trace;
#[cfg(target_os = "linux")]
mod linux;
mod portable;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

use super::metadata::{Kind, Metadata, Timestamp};
use super::overlay::OverlaidFolder;

/// An open folder.
#[derive(Debug)]
pub enum Folder {
    /// A descriptor, used through rustix.
    #[cfg(target_os = "linux")]
    Linux(LinuxFolder),
    /// A handle of cap-std.
    Portable(portable::PortableFolder),
    /// One that stays as it is while a run changes it.
    Overlaid(Box<OverlaidFolder>),
}

/// What finds the way below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolver {
    /// The kernel, with `openat2`.
    Openat2,
    /// cap-std, step by step.
    Portable,
}

/// An entry of a folder as it is read: its name, and its kind where the folder itself tells.
#[derive(Debug)]
pub struct Entry {
    /// The name, `.` and `..` left out.
    pub name: OsString,
    /// The kind, if known without another look.
    pub kind: Option<Kind>,
}

/// How a new file or a replacement comes to its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Whatever has the name is replaced in one step.
    Yes,
    /// If something has the name the operation fails, also in a race.
    No,
}

/// Room for entries as the system gives them, to be used for one folder after another.
#[derive(Default)]
pub struct EntryBuffer(#[cfg(target_os = "linux")] Vec<std::mem::MaybeUninit<u8>>);

impl Folder {
    /// Opens the folder that is to be a root, by a path of the operating system.
    pub fn open_root(path: &Path) -> io::Result<Folder> {
        #[cfg(target_os = "linux")]
        if let Some(folder) = LinuxFolder::open_root(path)? {
            return Ok(Folder::Linux(folder));
        }
        Ok(Folder::Portable(portable::PortableFolder::open_root(path)?))
    }

    /// One under an overlay.
    pub fn overlaid(folder: OverlaidFolder) -> Folder {
        Folder::Overlaid(Box::new(folder))
    }

    /// The folder on the disk, as long as nothing under the overlay over it differs from that.
    pub fn untouched(&self) -> &Folder {
        match self {
            Folder::Overlaid(folder) => folder.untouched().unwrap_or(self),
            _ => self,
        }
    }

    /// The folder on the disk that has the folder of a name, as long as nothing in that or below it differs
    /// from the disk.
    pub fn untouched_above(&self, name: &OsStr) -> Option<&Folder> {
        match self {
            Folder::Overlaid(folder) => folder.untouched_above(name),
            _ => Some(self),
        }
    }

    /// What finds the way from this folder.
    pub fn resolver(&self) -> Resolver {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(_) => Resolver::Openat2,
            Folder::Portable(_) => Resolver::Portable,
            Folder::Overlaid(folder) => folder.resolver(),
        }
    }

    /// Opens the folder of a name; a link is an error.
    pub fn open_folder(&self, name: &OsStr) -> io::Result<Folder> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.open_folder(name).map(Folder::Linux),
            Folder::Portable(folder) => folder.open_folder(name).map(Folder::Portable),
            Folder::Overlaid(folder) => folder.open_folder(name).map(Folder::overlaid),
        }
    }

    /// Opens a folder some names down, in one step where the system can; none where it cannot tell
    /// because a link is on the way.
    pub fn open_chain(&self, names: &[&OsStr]) -> io::Result<Option<Folder>> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => Ok(folder.open_chain(names)?.map(Folder::Linux)),
            Folder::Portable(_) => Ok(None),
            Folder::Overlaid(folder) => Ok(folder.open_chain(names)?.map(Folder::overlaid)),
        }
    }

    /// Another handle of the same folder.
    pub fn duplicate(&self) -> io::Result<Folder> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.duplicate().map(Folder::Linux),
            Folder::Portable(folder) => folder.duplicate().map(Folder::Portable),
            Folder::Overlaid(folder) => folder.duplicate().map(Folder::overlaid),
        }
    }

    /// Another descriptor of the folder; under an overlay, of the folder on the disk.
    #[cfg(target_os = "linux")]
    pub fn descriptor(&self) -> io::Result<rustix::fd::OwnedFd> {
        use rustix::fd::AsFd;
        match self {
            Folder::Linux(folder) => folder.as_fd().try_clone_to_owned(),
            Folder::Portable(folder) => folder.as_fd().try_clone_to_owned(),
            Folder::Overlaid(folder) => folder.descriptor(),
        }
    }

    /// Where a name in this folder is now, by the system's own knowledge of the handle and not by any path
    /// that was used to find it. Only Linux with a mounted `/proc` tells.
    #[cfg(target_os = "linux")]
    pub fn current_path(&self, name: &OsStr) -> io::Result<PathBuf> {
        use rustix::fd::{AsFd, AsRawFd};
        if let Folder::Overlaid(folder) = self {
            return folder.current_path(name);
        }
        let number = on_disk!(self, folder => Ok::<_, io::Error>(folder.as_fd().as_raw_fd()))?;
        Ok(std::fs::read_link(format!("/proc/self/fd/{number}"))?.join(name))
    }

    /// What is known of a name; of a link, what is known of the link itself.
    pub fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        on!(self, folder => folder.metadata(name))
    }

    /// What is known of this folder.
    pub fn own_metadata(&self) -> io::Result<Metadata> {
        on!(self, folder => folder.own_metadata())
    }

    /// What an open file is that was found in a folder of the same root.
    pub fn file_metadata(&self, file: &File) -> io::Result<Metadata> {
        match self {
            Folder::Overlaid(folder) => folder.file_metadata(file),
            _ => file_metadata(file),
        }
    }

    /// The entries, in no order.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        on!(self, folder => folder.entries())
    }

    /// Opens the folder of a name so that [`Folder::each_entry`] needs no further call; a link is an error.
    pub fn open_listed(&self, name: &OsStr) -> io::Result<Folder> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.open_listed(name).map(Folder::Linux),
            Folder::Portable(folder) => folder.open_folder(name).map(Folder::Portable),
            Folder::Overlaid(folder) => folder.open_listed(name).map(Folder::overlaid),
        }
    }

    /// The same for this folder itself.
    pub fn listed(&self) -> io::Result<Folder> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.listed().map(Folder::Linux),
            Folder::Portable(folder) => folder.duplicate().map(Folder::Portable),
            Folder::Overlaid(folder) => folder.listed().map(Folder::overlaid),
        }
    }

    /// Gives every entry of a folder that was opened to be listed, in no order, until `take` has enough.
    pub fn each_entry(
        &self,
        buffer: &mut EntryBuffer,
        mut take: impl FnMut(&[u8], Option<Kind>) -> bool,
    ) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Folder::Linux(folder) => folder.each_entry(buffer, take),
            Folder::Portable(folder) => {
                let _ = buffer;
                let entries = folder.entries()?;
                let _ = entries.iter().all(|entry| take(entry.name.as_encoded_bytes(), entry.kind));
                Ok(())
            }
            Folder::Overlaid(folder) => folder.each_entry(buffer, take),
        }
    }

    /// Where a link points, as stored.
    pub fn read_link(&self, name: &OsStr) -> io::Result<OsString> {
        on!(self, folder => folder.read_link(name))
    }

    /// Opens a file for reading, without blocking; the caller checks what it got.
    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        on!(self, folder => folder.open_file(name))
    }

    /// Opens a file for reading and for adding to its end, without blocking; the caller checks what it got.
    pub fn open_log(&self, name: &OsStr) -> io::Result<File> {
        on!(self, folder => folder.open_log(name))
    }

    /// Makes a file for writing; an existing name is an error.
    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        on!(self, folder => folder.create_file(name, mode))
    }

    /// Makes a folder; an existing name is an error.
    pub fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        on!(self, folder => folder.create_folder(name, mode))
    }

    /// Makes a link with this text; an existing name is an error.
    pub fn create_link(&self, target: &OsStr, name: &OsStr) -> io::Result<()> {
        on!(self, folder => folder.create_link(target, name))
    }

    /// Removes a file or link.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        on!(self, folder => folder.remove_file(name))
    }

    /// Removes an empty folder.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        on!(self, folder => folder.remove_folder(name))
    }

    /// Gives a file, folder or link another name, perhaps in another folder, in one step.
    pub fn rename(&self, from: &OsStr, to_folder: &Folder, to: &OsStr, replace: Replace) -> io::Result<()> {
        match (self, to_folder) {
            #[cfg(target_os = "linux")]
            (Folder::Linux(folder), Folder::Linux(other)) => folder.rename(from, other, to, replace),
            (Folder::Portable(folder), Folder::Portable(other)) => folder.rename(from, other, to, replace),
            (Folder::Overlaid(folder), Folder::Overlaid(other)) => folder.rename(from, other, to, replace),
            _ => unreachable!("all folders of a run come from one resolver"),
        }
    }

    /// Exchanges what two names mean, perhaps in two folders, in one step; an error of the kind
    /// `Unsupported` where the system or the file system cannot.
    pub fn exchange(&self, one: &OsStr, other_folder: &Folder, other: &OsStr) -> io::Result<()> {
        if let (Folder::Overlaid(folder), Folder::Overlaid(other_folder)) = (self, other_folder) {
            return folder.exchange(one, other_folder, other);
        }
        #[cfg(target_os = "linux")]
        return on_disk!(self, folder => on_disk!(other_folder, inner => linux::exchange(folder, one, inner, other)));
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (one, other_folder, other);
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Sets the time of last change of a file, folder or link itself.
    pub fn set_modified(&self, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        on!(self, folder => folder.set_modified(name, modified))
    }

    /// Sets the time of last change of this folder.
    pub fn set_own_modified(&self, modified: Timestamp) -> io::Result<()> {
        self.set_modified(OsStr::new("."), modified)
    }

    /// The time of last change of this folder, if the system tells it.
    pub fn modified(&self) -> Option<Timestamp> {
        self.own_metadata().ok()?.modified
    }

    /// Does something of which the time of last change of this folder shall tell nothing: what comes and
    /// goes with a run, and what nobody sees.
    pub fn without_trace<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let before = self.modified();
        let done = work()?;
        // A time that cannot be set is no reason to fail.
        before.map(|time| self.set_own_modified(time));
        Ok(done)
    }

    /// This folder as an open file, for what is done to a folder and not to names in it.
    pub fn as_file(&self) -> io::Result<File> {
        on!(self, folder => folder.as_file())
    }

    /// Makes sure that everything in this folder, at any depth, outlives a power cut.
    ///
    /// Linux does it for the whole file system at once, which for many small files is far quicker
    /// than one after another; elsewhere only the names directly in it are safe.
    pub fn sync_all_below(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if !matches!(self, Folder::Overlaid(_)) {
            return Ok(rustix::fs::syncfs(self.as_file()?)?);
        }
        self.sync()
    }

    /// An error when this user may not change which names are in this folder, as far as the system tells.
    pub fn check_changeable(&self) -> io::Result<()> {
        if let Folder::Overlaid(folder) = self {
            return folder.check_changeable();
        }
        #[cfg(target_os = "linux")]
        return on_disk!(self, folder => linux::check_changeable(folder));
        #[cfg(not(target_os = "linux"))]
        Ok(())
    }

    /// Whether syncing this folder makes durable whatever was done before anywhere on its file system's
    /// folders: ext4 and XFS keep all such changes in one log, in order.
    pub fn has_one_log(&self) -> bool {
        #[cfg(target_os = "linux")]
        return match self {
            Folder::Linux(folder) => linux::has_one_log(folder),
            Folder::Portable(folder) => linux::has_one_log(folder),
            Folder::Overlaid(_) => true,
        };
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Makes sure that the names in this folder outlive a power cut.
    pub fn sync(&self) -> io::Result<()> {
        on!(self, folder => folder.sync())
    }
}

#[cfg(target_os = "linux")]
pub use linux::{LinuxFolder, entry_buffer, identity_of, identity_of_path, kind_of};

/// Gives an open file or folder the owner, as far as this user may, and the permission bits of another.
///
/// By handle, not by name: under the name there may be a link to the outside by now.
pub fn set_access(file: &File, like: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{Gid, Mode, Uid};
        let (user, group) = (Uid::from_raw(like.owner.user), Gid::from_raw(like.owner.group));
        match rustix::fs::fchown(file, Some(user), Some(group)) {
            Ok(()) | Err(rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        // After the owner: a new one takes the set-user-id bit away.
        rustix::fs::fchmod(file, Mode::from_raw_mode(like.mode))?;
    }
    #[cfg(not(unix))]
    let _ = (file, like);
    Ok(())
}

/// What an open file is on the disk, by `fstat`.
pub fn file_metadata(file: &File) -> io::Result<Metadata> {
    #[cfg(target_os = "linux")]
    return linux::file_metadata(file);
    #[cfg(not(target_os = "linux"))]
    return portable::file_metadata(file);
}

/// Makes a new file share the content of another, where the file system can (`FICLONE`).
pub fn share_content(source: &File, target: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return Ok(rustix::fs::ioctl_ficlone(target, source)?);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (source, target);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The next stretch of a file that is no hole, from a place on and up to `size`; where the system
/// does not tell, all of it.
pub fn next_data(file: &File, at: u64, size: u64) -> io::Result<Option<(u64, u64)>> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{SeekFrom, seek};
        use rustix::io::Errno;
        let start = match seek(file, SeekFrom::Data(at)) {
            Err(Errno::NXIO) => return Ok(None),
            Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok(Some((at, size))),
            other => other?,
        };
        let end = seek(file, SeekFrom::Hole(start))?.min(size);
        Ok((start < size).then_some((start, end)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        Ok(Some((at, size)))
    }
}
