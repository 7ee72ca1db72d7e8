//! The directories of one attack: a sandbox, its surroundings, and their set-up.
//!
//! The user who runs the tests creates everything and then hands it over to the user of the mode, including the
//! outside, so that only the sandbox itself protects it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode as Bits, OFlags};
use tempfile::TempDir;

use super::mode::{Mode, is_root};
use super::vector::{Op, expand_text, from_hex, text_of};

/// The directories of one attack, removed on drop.
#[derive(Debug)]
pub struct Arena {
    temporary: TempDir,
    /// `${TMP}`
    pub top: PathBuf,
    /// `${ROOT}`
    pub root: PathBuf,
    /// `${OUT}`
    pub outside: PathBuf,
    /// `${EVIL}`: a sibling whose name begins like that of the root
    pub evil: PathBuf,
}

impl Arena {
    /// Creates the layout of `attacks.json`, with additional secrets outside.
    pub fn new() -> Arena {
        Arena::at(&std::env::temp_dir())
    }

    /// Creates it in memory, so that races do not wait for a disk.
    pub fn in_memory() -> Arena {
        let memory = Path::new("/dev/shm");
        match tempfile::tempdir_in(memory) {
            Ok(_) => Arena::at(memory),
            Err(_) => Arena::new(),
        }
    }

    fn at(folder: &Path) -> Arena {
        let temporary = tempfile::tempdir_in(folder).expect("a folder for the attack");
        let top = temporary.path().canonicalize().expect("a folder has a path");
        let below = |name: &str| top.join(name);
        let arena = Arena { root: below("root"), outside: below("outside"), evil: below("root-evil"), temporary, top };
        std::fs::set_permissions(&arena.top, std::fs::Permissions::from_mode(0o755)).expect("a folder of ours");
        for (path, content) in [
            ("root/a.txt", "A"),
            ("root/sub/b.txt", "B"),
            ("outside/secret.txt", "SECRET"),
            ("outside/f", "SECRET"),
            ("outside/SECRET-name", "SECRET"),
            ("outside/inner/secret.txt", "SECRET"),
            ("root-evil/secret.txt", "SECRET"),
        ] {
            write(&arena.top.join(path), content.as_bytes());
        }
        arena
    }

    /// Returns the values of the `${…}` placeholders.
    pub fn names(&self) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.to_str().expect("temporary folders have plain names").to_owned();
        vec![
            ("${TMP}", text(&self.top)),
            ("${ROOT}", text(&self.root)),
            ("${OUT}", text(&self.outside)),
            ("${EVIL}", text(&self.evil)),
        ]
    }

    /// Executes the steps of a set-up and hands everything over.
    pub fn set_up(&self, ops: &[Op], mode: Mode) {
        let late = |op: &&Op| matches!(op, Op::Chmod { .. } | Op::Chown { .. } | Op::Deep { .. });
        ops.iter().filter(|op| !late(op)).for_each(|op| self.apply(op, mode));
        self.hand_over(mode);
        ops.iter().filter(late).for_each(|op| self.apply(op, mode));
    }

    /// Gives everything to the user of a mode.
    pub fn hand_over(&self, mode: Mode) {
        if let Some(user) = mode.user_to_become() {
            give(&self.top, user);
        }
    }

    /// Returns a path in the sandbox, or the one that a `${…}` placeholder denotes.
    pub fn place(&self, path: &str) -> PathBuf {
        self.root.join(expand_text(path, &self.names()))
    }

    fn apply(&self, op: &Op, mode: Mode) {
        match op {
            Op::Dir { path } => std::fs::create_dir_all(self.place(path)).expect("a folder"),
            Op::File { path, content } => write(&self.place(path), text_of(content, &self.names()).as_bytes()),
            Op::Symlink { path, target, target_hex } => {
                let target = match target_hex {
                    Some(hex) => OsString::from_vec(from_hex(hex)),
                    None => text_of(target, &self.names()).into(),
                };
                symlink(target, with_parents(self.place(path))).expect("a link");
            }
            Op::Hardlink { path, target } => {
                std::fs::hard_link(self.place(target), self.place(path)).expect("a hard link");
            }
            Op::Fifo { path } => make_node(&self.place(path), FileType::Fifo, 0, 0),
            Op::Socket { path } => {
                let _ = std::os::unix::net::UnixListener::bind(self.place(path)).expect("a socket");
            }
            Op::MknodChar { path, major, minor } => {
                make_node(&self.place(path), FileType::CharacterDevice, *major, *minor);
            }
            Op::MknodBlock { path, major, minor } => {
                make_node(&self.place(path), FileType::BlockDevice, *major, *minor);
            }
            Op::Sparse { path, bytes } => {
                let file = std::fs::File::create(self.place(path)).expect("a file of ours");
                file.set_len(*bytes).expect("the file system keeps holes");
            }
            Op::RawName { path_hex, content, dir, target, folder } => {
                let folder = self.place(folder.as_deref().unwrap_or("."));
                let path = folder.join(OsString::from_vec(from_hex(path_hex)));
                match target {
                    Some(target) => symlink(expand_text(target, &self.names()), path).expect("a link"),
                    None if *dir => std::fs::create_dir(path).expect("a folder"),
                    None => write(&path, content.as_deref().unwrap_or_default().as_bytes()),
                }
            }
            Op::Chmod { path, mode } => {
                let bits = u32::from_str_radix(mode, 8).expect("modes are octal");
                std::fs::set_permissions(self.place(path), std::fs::Permissions::from_mode(bits)).expect("a mode");
            }
            Op::Chown { path, user } => lchown(self.place(path), Some(*user), Some(*user)).expect("root may chown"),
            Op::Deep { path, depth, beside } => make_deep(&self.place(path), *depth, *beside, mode),
            Op::Many { path, count, target } => self.make_many(path, *count, target.as_deref()),
            Op::Bomb { path, count } => make_bomb(&self.place(path), *count),
            Op::Gen { .. } | Op::MountTmpfs { .. } => unreachable!("such vectors have drivers of their own"),
        }
    }

    fn make_many(&self, path: &str, count: usize, target: Option<&str>) {
        let folder = self.place(path);
        std::fs::create_dir_all(&folder).expect("a folder");
        for number in 0..count {
            let path = folder.join(number.to_string());
            match target {
                Some(target) => symlink(expand_text(target, &self.names()), path).expect("a link"),
                None => write(&path, b""),
            }
        }
    }
}

impl Drop for Arena {
    /// Removes what a recursive removal by path cannot: directories that are too deep or not accessible.
    fn drop(&mut self) {
        empty_out(self.temporary.path());
    }
}

/// Writes a file and creates its parent directories.
pub fn write(path: &Path, content: &[u8]) {
    std::fs::write(with_parents(path.to_path_buf()), content).expect("a file of ours can be written");
}

fn with_parents(path: PathBuf) -> PathBuf {
    let parent = path.parent().expect("a file lies in a folder");
    std::fs::create_dir_all(parent).expect("a folder of ours can be made");
    path
}

fn make_node(path: &Path, kind: FileType, major: u32, minor: u32) {
    let device = rustix::fs::makedev(major, minor);
    rustix::fs::mknodat(CWD, path, kind, Bits::from_raw_mode(0o666), device).expect("a special file");
}

/// Creates nested directories `z/z/z…`, optionally each with an empty directory `a`.
fn make_deep(path: &Path, depth: usize, beside: bool, mode: Mode) {
    std::fs::create_dir(path).expect("a folder");
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open(path, flags, Bits::empty()).expect("a folder of ours");
    let owner = mode.user_to_become();
    for _ in 0..depth {
        if beside {
            rustix::fs::mkdirat(&folder, "a", Bits::from_raw_mode(0o755)).expect("a folder");
        }
        rustix::fs::mkdirat(&folder, "z", Bits::from_raw_mode(0o755)).expect("a folder");
        let inner = rustix::fs::openat(&folder, "z", flags, Bits::empty()).expect("a folder of ours");
        if let Some(user) = owner {
            std::os::unix::fs::fchown(&folder, Some(user), Some(user)).expect("root may chown");
        }
        folder = inner;
    }
    if let Some(user) = owner {
        std::os::unix::fs::fchown(&folder, Some(user), Some(user)).expect("root may chown");
    }
}

/// Creates links of which `0` denotes the directory itself and each later one passes twice through the previous.
fn make_bomb(folder: &Path, count: usize) {
    std::fs::create_dir_all(folder).expect("a folder");
    symlink(".", folder.join("0")).expect("a link");
    for number in 1..=count {
        let before = number - 1;
        symlink(format!("{before}/{before}"), folder.join(number.to_string())).expect("a link");
    }
}

fn give(path: &Path, user: u32) {
    lchown(path, Some(user), Some(user)).expect("root may chown");
    let is_folder = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if is_folder {
        for entry in std::fs::read_dir(path).expect("a folder of ours can be read") {
            give(&entry.expect("a folder of ours can be read").path(), user);
        }
    }
}

/// Removes everything in a directory without naming paths deeper than two levels: nested directories are moved up
/// before their parents are removed.
fn empty_out(top: &Path) {
    let mut number = 0_u64;
    let mut ahead: Vec<PathBuf> = entries(top);
    while let Some(path) = ahead.pop() {
        if std::fs::remove_file(&path).is_ok() {
            continue;
        }
        loosen(&path);
        for inner in entries(&path) {
            if std::fs::remove_file(&inner).is_ok() {
                continue;
            }
            loosen(&inner);
            let raised = top.join(format!("raised-{number}"));
            number += 1;
            if std::fs::rename(&inner, &raised).is_ok() {
                ahead.push(raised);
            }
        }
        let _ = std::fs::remove_dir(&path);
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Restores an ordinary user's access to a directory; root needs no permission.
fn loosen(path: &Path) {
    let is_folder = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if is_folder && !is_root() {
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700));
    }
}
