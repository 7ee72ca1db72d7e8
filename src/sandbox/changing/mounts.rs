//! Detects file systems mounted below a path: a rename would move them into the trash.
//!
//! Linux lists the mounts of the process; on other systems none are detected.

use std::ffi::OsStr;

use super::super::handles::folder::Folder;

/// Whether a file system is mounted at a name or below it.
pub fn has_mounts(folder: &Folder, name: &OsStr) -> bool {
    #[cfg(target_os = "linux")]
    return linux::mounted_at_or_below(folder, name).unwrap_or(false);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (folder, name);
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{OsStr, OsString};
    use std::io;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    use super::Folder;

    pub fn mounted_at_or_below(folder: &Folder, name: &OsStr) -> io::Result<bool> {
        let place = folder.current_path(name)?;
        let mounts = std::fs::read("/proc/self/mountinfo")?;
        // The fifth field of a line is the mount point (proc_pid_mountinfo(5)).
        let points = mounts.split(|&byte| byte == b'\n').filter_map(|line| line.split(|&byte| byte == b' ').nth(4));
        Ok(points.map(unescaped).any(|point| point.starts_with(&place)))
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
