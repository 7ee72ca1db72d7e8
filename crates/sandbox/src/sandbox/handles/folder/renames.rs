//! Renames that never replace an entry, and the exchange of two names.
//!
//! Linux and macOS do both in one system call. Windows renames without replacing in one call, by path: the open handles
//! of both directories keep these and those above them from being renamed meanwhile. Other systems create a hard link,
//! which fails if the new name exists, and remove the old name; directories cannot have hard links, so they are not
//! renamed there. Only Linux and macOS exchange names.

#[cfg(not(any(target_os = "linux", target_vendor = "apple", windows)))]
pub use by_link::rename_new;
#[cfg(windows)]
pub use by_path::rename_new;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub use one_call::{exchange, rename_new};

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod one_call {
    use std::ffi::OsStr;
    use std::io;
    use std::os::fd::AsFd;

    use rustix::fs::{AtFlags, RenameFlags};
    use rustix::io::Errno;

    /// Renames without replacing: uses `renameat2` or `renameatx_np` or, if the file system does not support it (NFS),
    /// creates a hard link and removes the old name.
    ///
    /// Directories cannot have hard links. A rename of a directory fails if the new name is anything but an empty
    /// directory (rename(2)), so at most one that appears at this moment is lost. Of the old name, the trailing slash
    /// makes it a directory's.
    pub fn rename_new(from_folder: impl AsFd, from: &OsStr, to_folder: impl AsFd, to: &OsStr) -> io::Result<()> {
        match rustix::fs::renameat_with(&from_folder, from, &to_folder, to, RenameFlags::NOREPLACE) {
            Err(error) if is_missing(error) => {}
            other => return Ok(other?),
        }
        match rustix::fs::linkat(&from_folder, from, &to_folder, to, AtFlags::empty()) {
            Ok(()) => Ok(rustix::fs::unlinkat(&from_folder, from, AtFlags::empty())?),
            Err(error) if error == Errno::PERM || is_missing(error) => {
                rename_new_folder(from_folder, from, to_folder, to)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Renames a directory without replacing anything but an empty directory.
    fn rename_new_folder(from_folder: impl AsFd, from: &OsStr, to_folder: impl AsFd, to: &OsStr) -> io::Result<()> {
        match rustix::fs::statat(&to_folder, to, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let mut directory = from.to_owned();
        directory.push("/");
        match rustix::fs::renameat(&from_folder, &directory, &to_folder, to) {
            Ok(()) => Ok(()),
            Err(Errno::NOTDIR) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "this file system cannot rename without the risk of overwriting",
            )),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Exchanges two entries atomically.
    pub fn exchange(one_folder: impl AsFd, one: &OsStr, other_folder: impl AsFd, other: &OsStr) -> io::Result<()> {
        match rustix::fs::renameat_with(one_folder, one, other_folder, other, RenameFlags::EXCHANGE) {
            Err(error) if is_missing(error) => Err(io::ErrorKind::Unsupported.into()),
            other => Ok(other?),
        }
    }

    /// Whether an error says that the kernel or the file system does not have the call. Linux has one number for the
    /// last two, macOS has two.
    fn is_missing(error: Errno) -> bool {
        [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].contains(&error)
    }
}

#[cfg(windows)]
mod by_path {
    use std::ffi::OsStr;
    use std::io;
    use std::path::PathBuf;

    use cap_std::fs::Dir;

    /// Renames without replacing.
    pub fn rename_new(from_folder: &Dir, from: &OsStr, to_folder: &Dir, to: &OsStr) -> io::Result<()> {
        renamore::rename_exclusive(path_of(from_folder)?.join(from), path_of(to_folder)?.join(to))
    }

    /// Returns the current path of an open directory. It begins with `\\?\`, so its length has no bound of 260.
    fn path_of(folder: &Dir) -> io::Result<PathBuf> {
        winx::file::get_file_path(&folder.try_clone()?.into_std_file())
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple", windows)))]
mod by_link {
    use std::ffi::OsStr;
    use std::io;

    use cap_std::fs::Dir;

    /// Renames without replacing: creates a hard link and removes the old name.
    ///
    /// Errors: if the old name is a directory.
    pub fn rename_new(from_folder: &Dir, from: &OsStr, to_folder: &Dir, to: &OsStr) -> io::Result<()> {
        if from_folder.symlink_metadata(from)?.is_dir() {
            let words = "a directory cannot be renamed here without the risk of overwriting";
            return Err(io::Error::new(io::ErrorKind::Unsupported, words));
        }
        from_folder.hard_link(from, to_folder, to)?;
        cap_fs_ext::DirExt::remove_file_or_symlink(from_folder, from)
    }
}
