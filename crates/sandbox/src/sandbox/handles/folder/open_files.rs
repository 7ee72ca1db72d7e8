//! Operations on open files for which the standard library has no function: access, holes, shared blocks.

use std::io;

use super::super::metadata::Metadata;
use super::File;
#[cfg(target_os = "linux")]
use super::linux;
#[cfg(all(not(target_os = "linux"), not(target_family = "wasm")))]
use super::portable;

/// Permission bits with which a program runs as the owner or the group of its file.
#[cfg(unix)]
const SET_ID: u32 = 0o6000;

/// Sets the permission bits of an open file or directory to those of another and, if this user is allowed to, its
/// owner and its group. Nobody gains by it: with another owner or group the file has no set-user-id and set-group-id,
/// and another group may do what everybody may.
///
/// Uses the handle, not the name, which could by now be a link to a file outside. For the owner and the group alone,
/// `EPERM` is accepted (the lockdown refuses calls with the same error), and so is `EINVAL`, which a user namespace gives
/// for ids that it does not know.
pub fn set_access(file: &File, like: &Metadata) -> io::Result<()> {
    let file = match file {
        File::Disk(file) | File::Scratch(file) => file,
        File::Memory(file) => {
            file.set_access(like);
            return Ok(());
        }
    };
    #[cfg(unix)]
    {
        use rustix::fs::{Gid, Mode, Uid};
        let (user, group) = (Uid::from_raw(like.owner.user), Gid::from_raw(like.owner.group));
        let is_kept = |kept: rustix::io::Result<()>| match kept {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::PERM | rustix::io::Errno::INVAL) => Ok(false),
            Err(error) => Err(io::Error::from(error)),
        };
        let mode = if is_kept(rustix::fs::fchown(file, Some(user), Some(group)))? {
            like.mode
        } else if is_kept(rustix::fs::fchown(file, None, Some(group)))? {
            like.mode & !SET_ID
        } else {
            like.mode & !SET_ID & !0o070 | (like.mode & 0o007) << 3
        };
        // After the owner, because changing the owner clears the setuid bit.
        rustix::fs::fchmod(file, Mode::from_raw_mode(mode as rustix::fs::RawMode))?;
    }
    #[cfg(not(unix))]
    let _ = (file, like);
    Ok(())
}

/// Syncs the whole file system of an open file or directory; elsewhere than on Linux, the file or directory alone.
pub fn sync_file_system(file: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if let File::Disk(file) = file {
        return Ok(rustix::fs::syncfs(file)?);
    }
    file.sync_all()
}

/// Returns the metadata of an open file, without an overlay.
pub fn file_metadata(file: &File) -> io::Result<Metadata> {
    match file {
        File::Memory(file) => Ok(file.metadata()),
        #[cfg(target_os = "linux")]
        File::Disk(file) | File::Scratch(file) => linux::file_metadata(file),
        #[cfg(all(not(target_os = "linux"), not(target_family = "wasm")))]
        File::Disk(file) | File::Scratch(file) => portable::file_metadata(file),
        #[cfg(target_family = "wasm")]
        File::Disk(_) | File::Scratch(_) => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Makes a new file share the blocks of another, if the file system supports it (`FICLONE`).
pub fn share_content(source: &File, target: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return Ok(rustix::fs::ioctl_ficlone(target.on_disk()?, source.on_disk()?)?);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (source, target);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns the next range of a file that is not a hole, from an offset up to `size`; everything if the system does not
/// report holes.
pub fn next_data(file: &File, at: u64, size: u64) -> io::Result<Option<(u64, u64)>> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = file.on_disk() {
        use rustix::fs::{SeekFrom, seek};
        use rustix::io::Errno;
        let start = match seek(file, SeekFrom::Data(at)) {
            Err(Errno::NXIO) => return Ok(None),
            Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok(Some((at, size))),
            other => other?,
        };
        let end = seek(file, SeekFrom::Hole(start))?.min(size);
        return Ok((start < size).then_some((start, end)));
    }
    let _ = file;
    Ok(Some((at, size)))
}
