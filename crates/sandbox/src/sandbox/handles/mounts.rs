//! Detects file systems mounted at or below a path: a rename would move them into the trash, and a removal would empty
//! them. A bind mount counts, even if it shows another directory of the same file system.
//!
//! Linux lists the mounts of the process, and reports of an open directory whether it is the root of a mount. A
//! directory about which neither can be learned counts as mounted. On other systems no mounts are detected.

use std::ffi::OsStr;

use super::folder::Folder;

/// Whether a file system is mounted at a name or below it, or may be: also true if the system does not tell.
pub fn has_mounts(folder: &Folder, name: &OsStr) -> bool {
    #[cfg(target_os = "linux")]
    return linux::is_listed_below(folder, name).or_else(|_| linux::is_found_below(folder, name)).unwrap_or(true);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (folder, name);
        false
    }
}

/// Whether a directory, opened at a name, is the root of a mounted file system, or may be: also true if the system does
/// not tell.
pub fn is_mounted(inner: &Folder, folder: &Folder, name: &OsStr) -> bool {
    #[cfg(target_os = "linux")]
    return match inner.is_mount_root() {
        Ok(Some(is_root)) => is_root,
        Ok(None) | Err(_) => linux::is_listed_at(folder, name).unwrap_or(true),
    };
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (inner, folder, name);
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{OsStr, OsString};
    use std::io;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    use crate::limits::work;

    use super::super::emptying::{Emptying, emptying};
    use super::super::metadata::Kind;
    use super::{Folder, is_mounted};

    /// Whether the list of mounts has one at a name or below it.
    pub fn is_listed_below(folder: &Folder, name: &OsStr) -> io::Result<bool> {
        let place = folder.current_path(name)?;
        Ok(mount_points()?.iter().any(|point| point.starts_with(&place)))
    }

    /// Whether the list of mounts has one at a name.
    pub fn is_listed_at(folder: &Folder, name: &OsStr) -> io::Result<bool> {
        let place = folder.current_path(name)?;
        Ok(mount_points()?.contains(&place))
    }

    /// Returns the paths at which file systems are mounted.
    fn mount_points() -> io::Result<Vec<PathBuf>> {
        let mounts = std::fs::read("/proc/self/mountinfo")?;
        if mounts.is_empty() {
            // Another file hides the list: a process always has a root.
            return Err(io::ErrorKind::NotFound.into());
        }
        // The fifth field of a line is the mount point (proc_pid_mountinfo(5)).
        let points = mounts.split(|&byte| byte == b'\n').filter_map(|line| line.split(|&byte| byte == b' ').nth(4));
        Ok(points.map(unescaped).collect())
    }

    /// Opens every directory at a name and below it until one is the root of a mount: for systems without the list.
    pub fn is_found_below(folder: &Folder, name: &OsStr) -> io::Result<bool> {
        let Some(top) = opened(folder, name)? else { return Ok(true) };
        let mut levels = vec![top];
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.ahead.pop() else {
                levels.pop();
                continue;
            };
            // A run that must stop learns it from its next charge; until then the tree counts as mounted.
            work::charge(1).map_err(io::Error::other)?;
            if level.folder.metadata(&name)?.kind == Kind::Folder {
                let Some(inner) = opened(&level.folder, &name)? else { return Ok(true) };
                levels.push(inner);
            }
        }
        Ok(false)
    }

    /// Opens a directory. Returns `None` if it is the root of a mount.
    fn opened(folder: &Folder, name: &OsStr) -> io::Result<Option<Emptying>> {
        let inner = folder.open_folder(name)?;
        if is_mounted(&inner, folder, name) { Ok(None) } else { emptying(inner, name.to_owned()).map(Some) }
    }

    /// Decodes a path of the table, in which whitespace and backslashes are written as three octal digits.
    fn unescaped(field: &[u8]) -> PathBuf {
        let mut path = Vec::with_capacity(field.len());
        let mut rest = field;
        while let Some((&byte, after)) = rest.split_first() {
            let digits =
                after.get(..3).filter(|digits| byte == b'\\' && digits.iter().all(|d| (b'0'..b'8').contains(d)));
            match digits {
                Some(digits) => {
                    path.push(
                        digits.iter().fold(0_u8, |number, digit| number.wrapping_mul(8).wrapping_add(digit - b'0')),
                    );
                    rest = &after[3..];
                }
                None => {
                    path.push(byte);
                    rest = after;
                }
            }
        }
        OsString::from_vec(path).into()
    }

    #[cfg(test)]
    mod tests {
        use std::path::Path;

        #[test]
        fn blanks_are_read_back() {
            assert_eq!(super::unescaped(br"/a\040b\134c"), Path::new(r"/a b\c"));
        }
    }
}
