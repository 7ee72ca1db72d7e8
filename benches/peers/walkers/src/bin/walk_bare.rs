//! A bare loop of `getdents64` and `statx` over a tree: the lower bound for `FS.WalkDir`.
//!
//! It makes the same system calls for every entry and does nothing else: no order, no stored results, no limits, one
//! thread. It is a yardstick, not a tool; the first unreadable entry ends it.

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::CString;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, StatxFlags};
    use rustix::io::Errno;

    /// Buffer size of one `getdents64` call, in bytes.
    const BUFFER: usize = 32 << 10;

    /// Totals of a walk.
    #[derive(Default)]
    pub struct Totals {
        /// Number of files, directories, links and other entries.
        pub entries: u64,
        /// Sum of sizes, except those of directories.
        pub bytes: u64,
    }

    /// Counts everything below a directory.
    pub fn walk(start: &str) -> Result<Totals, Errno> {
        let mut totals = Totals::default();
        let folder = rustix::fs::open(start, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let mut waiting = vec![(folder, Vec::new())];
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
        waiting[0].1 = read(&waiting[0].0, &mut buffer, &mut totals)?;
        while let Some((folder, names)) = waiting.last_mut() {
            match names.pop() {
                None => drop(waiting.pop()),
                Some(name) => {
                    let inner = open(folder, &name)?;
                    let names = read(&inner, &mut buffer, &mut totals)?;
                    waiting.push((inner, names));
                }
            }
        }
        Ok(totals)
    }

    fn open(folder: &OwnedFd, name: &CString) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(folder, name, flags, Mode::empty())
    }

    /// Counts the entries of one directory and returns the names of its subdirectories.
    fn read(folder: &OwnedFd, buffer: &mut [MaybeUninit<u8>], totals: &mut Totals) -> Result<Vec<CString>, Errno> {
        let mut folders = Vec::new();
        let mut entries = RawDir::new(folder, buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
            let wanted = StatxFlags::TYPE | StatxFlags::SIZE | StatxFlags::MTIME;
            let stat = rustix::fs::statx(folder, name, flags, wanted)?;
            totals.entries += 1;
            match FileType::from_raw_mode(stat.stx_mode.into()) {
                FileType::Directory => folders.push(name.to_owned()),
                _ => totals.bytes += stat.stx_size,
            }
        }
        Ok(folders)
    }
}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let Some(start) = std::env::args().nth(1) else {
        eprintln!("usage: walk_bare DIR");
        return 2.into();
    };
    match linux::walk(&start) {
        Ok(totals) => {
            println!("{} {}", totals.entries, totals.bytes);
            0.into()
        }
        Err(error) => {
            eprintln!("walk_bare: `{start}`: {error}");
            1.into()
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("walk_bare measures the system calls of Linux");
}
