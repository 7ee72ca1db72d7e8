//! Directories as cap-std handles: for systems other than Linux, and for Linux without `openat2`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt, SystemTimeSpec};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, OpenOptions};

use super::super::metadata::{Identity, Kind, Metadata, Owner, Timestamp};
use super::file::File;
use super::renames::rename_new;
use super::{Entry, Replace};

/// An open directory.
#[derive(Debug)]
pub struct PortableFolder(Dir);

impl PortableFolder {
    pub fn open_root(path: &Path) -> io::Result<PortableFolder> {
        Ok(PortableFolder(Dir::open_ambient_dir(path, ambient_authority())?))
    }

    pub fn open_folder(&self, name: &OsStr) -> io::Result<PortableFolder> {
        Ok(PortableFolder(self.0.open_dir_nofollow(self.listed(name)?)?))
    }

    pub fn duplicate(&self) -> io::Result<PortableFolder> {
        Ok(PortableFolder(self.0.try_clone()?))
    }

    pub fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        Ok(metadata_of(&self.0.symlink_metadata(self.listed(name)?)?))
    }

    pub fn own_metadata(&self) -> io::Result<Metadata> {
        Ok(metadata_of(&self.0.dir_metadata()?))
    }

    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let read = match self.0.entries() {
            #[cfg(target_os = "linux")]
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return super::linux::entries_of(super::linux::readable(&self.0)?);
            }
            read => read?,
        };
        let entry = |entry: io::Result<cap_std::fs::DirEntry>| {
            let entry = entry?;
            Ok(Entry { name: entry.file_name(), kind: entry.file_type().ok().map(kind_of) })
        };
        read.map(entry).collect()
    }

    pub fn read_link(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(self.0.read_link_contents(self.listed(name)?)?.into_os_string())
    }

    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        self.open_with(name, OpenOptions::new().read(true))
    }

    pub fn open_log(&self, name: &OsStr) -> io::Result<File> {
        self.open_with(name, OpenOptions::new().read(true).append(true))
    }

    fn open_with(&self, name: &OsStr, options: &mut OpenOptions) -> io::Result<File> {
        options.follow(FollowSymlinks::No);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            use rustix::fs::OFlags;
            options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32);
        }
        Ok(self.0.open_with(self.listed(name)?, options)?.into_std().into())
    }

    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, mode);
        #[cfg(not(unix))]
        let _ = mode;
        Ok(self.0.open_with(self.fresh(name)?, &options)?.into_std().into())
    }

    pub fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "only unix has modes"))]
        let mut builder = cap_std::fs::DirBuilder::new();
        #[cfg(unix)]
        cap_std::fs::DirBuilderExt::mode(&mut builder, mode);
        #[cfg(not(unix))]
        let _ = mode;
        self.0.create_dir_with(self.fresh(name)?, &builder)
    }

    pub fn create_link(&self, target: &OsStr, name: &OsStr) -> io::Result<()> {
        #[cfg(unix)]
        return self.0.symlink_contents(target, self.fresh(name)?);
        #[cfg(not(unix))]
        return DirExt::symlink(&self.0, target, self.fresh(name)?);
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove_file_or_symlink(self.listed(name)?)
    }

    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove_dir(self.listed(name)?)
    }

    pub fn rename(&self, from: &OsStr, to_folder: &PortableFolder, to: &OsStr, replace: Replace) -> io::Result<()> {
        let (from, to) = (self.listed(from)?, to_folder.fresh(to)?);
        match replace {
            Replace::Yes => self.0.rename(from, &to_folder.0, to),
            Replace::No => rename_new(&self.0, from, &to_folder.0, to),
        }
    }

    pub fn set_modified(&self, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        let modified = SystemTimeSpec::from(cap_std::time::SystemTime::from_std(system_time(modified)));
        self.0.set_symlink_times(self.listed(name)?, None, Some(modified))
    }

    /// Returns the name of an entry. Windows knows further names of it, which are refused.
    fn listed<'n>(&self, name: &'n OsStr) -> io::Result<&'n OsStr> {
        #[cfg(windows)]
        super::windows_names::check_listed(&self.0, name)?;
        Ok(name)
    }

    /// Returns the name of a new entry, or of one that is replaced.
    fn fresh<'n>(&self, name: &'n OsStr) -> io::Result<&'n OsStr> {
        #[cfg(windows)]
        super::windows_names::check_new(&self.0, name)?;
        Ok(name)
    }

    pub fn as_file(&self) -> io::Result<File> {
        #[cfg(unix)]
        return Ok(self.0.open(".")?.into_std().into());
        // Windows opens no directory as a file; both handles lead to the directory.
        #[cfg(not(unix))]
        return Ok(self.0.try_clone()?.into_std_file().into());
    }

    pub fn sync(&self) -> io::Result<()> {
        #[cfg(unix)]
        self.0.open(".")?.into_std().sync_all()?;
        Ok(())
    }
}

#[cfg(unix)]
impl rustix::fd::AsFd for PortableFolder {
    fn as_fd(&self) -> rustix::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Returns the metadata of an open file.
#[cfg(not(target_os = "linux"))]
pub fn file_metadata(file: &std::fs::File) -> io::Result<Metadata> {
    Ok(metadata_of(&cap_std::fs::Metadata::from_file(file)?))
}

fn kind_of(file_type: FileType) -> Kind {
    if file_type.is_file() {
        Kind::File
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_symlink() {
        Kind::Link
    } else {
        Kind::Special
    }
}

#[cfg(unix)]
fn changed(metadata: &cap_std::fs::Metadata) -> Option<Timestamp> {
    use cap_std::fs::MetadataExt as _;
    Some(Timestamp { seconds: metadata.ctime(), nanos: metadata.ctime_nsec().try_into().ok()? })
}

#[cfg(not(unix))]
fn changed(_: &cap_std::fs::Metadata) -> Option<Timestamp> {
    None
}

fn metadata_of(metadata: &cap_std::fs::Metadata) -> Metadata {
    let time = |time: io::Result<cap_std::time::SystemTime>| time.ok().map(|time| timestamp(time.into_std()));
    Metadata {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        modified: time(metadata.modified()),
        changed: changed(metadata),
        accessed: time(metadata.accessed()),
        created: time(metadata.created()),
        mode: mode_of(metadata),
        owner: owner_of(metadata),
        links: metadata.nlink(),
        identity: Identity { device: metadata.dev(), inode: metadata.ino() },
    }
}

#[cfg(unix)]
fn mode_of(metadata: &cap_std::fs::Metadata) -> u32 {
    cap_std::fs::MetadataExt::mode(metadata) & 0o7777
}

#[cfg(unix)]
fn owner_of(metadata: &cap_std::fs::Metadata) -> Owner {
    use cap_std::fs::MetadataExt;
    Owner { user: MetadataExt::uid(metadata), group: MetadataExt::gid(metadata) }
}

#[cfg(not(unix))]
fn owner_of(_: &cap_std::fs::Metadata) -> Owner {
    Owner { user: 0, group: 0 }
}

#[cfg(not(unix))]
fn mode_of(metadata: &cap_std::fs::Metadata) -> u32 {
    if metadata.permissions().readonly() { 0o444 } else { 0o644 }
}

fn timestamp(time: SystemTime) -> Timestamp {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => Timestamp { seconds: after.as_secs() as i64, nanos: after.subsec_nanos() },
        Err(before) => {
            let before = before.duration();
            let partial = u32::from(before.subsec_nanos() > 0);
            let seconds = -(before.as_secs() as i64) - i64::from(partial);
            Timestamp { seconds, nanos: (1_000_000_000 * partial) - before.subsec_nanos() }
        }
    }
}

fn system_time(time: Timestamp) -> SystemTime {
    let whole = Duration::from_secs(time.seconds.unsigned_abs());
    let base = if time.seconds < 0 { SystemTime::UNIX_EPOCH - whole } else { SystemTime::UNIX_EPOCH + whole };
    base + Duration::from_nanos(time.nanos.into())
}
