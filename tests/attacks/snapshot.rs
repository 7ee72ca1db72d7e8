//! Snapshots of a tree, and the differences between two of them.
//!
//! Access times show whether anything outside was read. They are set back before an attack, and recorded before this
//! module itself reads the files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT};

/// Directories below this depth are not examined, because their paths become too long for the system.
const MAX_DEPTH: usize = 64;
/// Files over this size are sparse files of the tests: only their size is compared.
const READ: u64 = 64 << 20;
/// Maximum size of contents that are stored as they are.
const KEPT: usize = 200;
/// The access time given to untouched files: 2001.
const LONG_AGO: i64 = 1_000_000_000;

/// A tree by the relative paths of its entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot(pub BTreeMap<PathBuf, Entry>);

/// The properties of one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub content: Content,
    pub mode: u32,
    owner: (u32, u32),
    /// `None` where the audit log is created, which changes the directory.
    modified: Option<(i64, i64)>,
    accessed: (i64, i64),
}

/// The content of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Folder,
    Link(OsString),
    Short(Vec<u8>),
    Long { length: usize, hash: u64 },
    Special,
    Unreadable,
}

/// How closely two snapshots are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// Names, contents, link targets, modes and owners.
    State,
    /// Modification times as well.
    Changes,
    /// Access times as well.
    Reads,
}

impl Snapshot {
    /// Takes a snapshot of a directory and everything below it.
    pub fn of(folder: &Path) -> Snapshot {
        let mut snapshot = Snapshot::default();
        snapshot.add(folder, &mut PathBuf::new(), 0);
        snapshot
    }

    /// Takes a snapshot of a sandbox without the audit log, whose content is tested elsewhere.
    pub fn of_root(folder: &Path) -> Snapshot {
        Snapshot::of(folder).without_log(Path::new(""))
    }

    /// Removes the audit log of a sandbox at a path of this tree, and the entries created for it.
    pub fn without_log(mut self, sandbox: &Path) -> Snapshot {
        let own = sandbox.join(".ns");
        let runs = own.join("runs");
        let is_private = |entry: &Entry| entry.mode & 0o077 == 0 && !matches!(entry.content, Content::Link(_));
        self.0.retain(|path, entry| !(path.starts_with(&runs) && is_private(entry)));
        let log = self.0.get(&own.join("audit.jsonl"));
        let is_ours = |entry: &Entry| entry.mode & 0o777 == 0o600 && !matches!(entry.content, Content::Link(_));
        if !log.is_some_and(is_ours) {
            return self;
        }
        self.0.remove(&own.join("audit.jsonl"));
        self.0.remove(&own.join(".gitignore"));
        if !self.0.keys().any(|path| path.starts_with(&own) && *path != own) {
            self.0.remove(&own);
        }
        for folder in [sandbox, &own] {
            if let Some(entry) = self.0.get_mut(folder) {
                entry.modified = None;
            }
        }
        self
    }

    fn add(&mut self, folder: &Path, below: &mut PathBuf, depth: usize) {
        let path = if below.as_os_str().is_empty() { folder.to_path_buf() } else { folder.join(&below) };
        let Ok(metadata) = std::fs::symlink_metadata(&path) else { return };
        let content = content(&path, &metadata);
        self.0.insert(below.clone(), Entry::new(&metadata, content));
        if !metadata.is_dir() || depth >= MAX_DEPTH {
            return;
        }
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            below.push(entry.file_name());
            self.add(folder, below, depth + 1);
            below.pop();
        }
    }

    /// Returns the differences, one line each.
    pub fn differences(&self, later: &Snapshot, closeness: Closeness) -> Vec<String> {
        let mut lines = Vec::new();
        for (path, entry) in &self.0 {
            match later.0.get(path) {
                None => lines.push(format!("`{}` is gone", path.display())),
                Some(later) => lines.extend(entry.difference(later, closeness).map(|what| {
                    format!("`{}`: {what}", if path.as_os_str().is_empty() { Path::new(".") } else { path }.display())
                })),
            }
        }
        let new = later.0.keys().filter(|path| !self.0.contains_key(*path));
        lines.extend(new.map(|path| format!("`{}` is new", path.display())));
        lines
    }

    /// Returns the paths whose file name begins with a prefix.
    pub fn named(&self, prefix: &str) -> Vec<&Path> {
        let begins = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        self.0.keys().filter(begins).map(PathBuf::as_path).collect()
    }
}

impl Entry {
    fn new(metadata: &Metadata, content: Content) -> Entry {
        Entry {
            content,
            mode: metadata.permissions().mode(),
            owner: (metadata.uid(), metadata.gid()),
            modified: Some((metadata.mtime(), metadata.mtime_nsec())),
            accessed: (metadata.atime(), metadata.atime_nsec()),
        }
    }

    fn difference(&self, later: &Entry, closeness: Closeness) -> Option<String> {
        if self.content != later.content {
            return Some(format!("{:?} became {:?}", self.content, later.content));
        }
        if self.mode != later.mode {
            return Some(format!("mode {:o} became {:o}", self.mode, later.mode));
        }
        if self.owner != later.owner {
            return Some(format!("owner {:?} became {:?}", self.owner, later.owner));
        }
        let both = self.modified.zip(later.modified);
        if closeness != Closeness::State && both.is_some_and(|(before, after)| before != after) {
            return Some("the time of change is another".to_owned());
        }
        let read = closeness == Closeness::Reads && self.accessed != later.accessed;
        read.then(|| "it was read".to_owned())
    }
}

fn content(path: &Path, metadata: &Metadata) -> Content {
    let kind = metadata.file_type();
    if kind.is_dir() {
        Content::Folder
    } else if kind.is_symlink() {
        std::fs::read_link(path).map_or(Content::Unreadable, |target| Content::Link(target.into()))
    } else if !kind.is_file() {
        Content::Special
    } else if metadata.len() > READ {
        Content::Long { length: metadata.len() as usize, hash: 0 }
    } else {
        std::fs::read(path).map_or(Content::Unreadable, shortened)
    }
}

fn shortened(bytes: Vec<u8>) -> Content {
    if bytes.len() <= KEPT {
        return Content::Short(bytes);
    }
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Content::Long { length: bytes.len(), hash: hasher.finish() }
}

/// Sets the access times of a tree back, so that any later read is noticed.
pub fn set_back_access_times(folder: &Path) {
    let times = Timestamps {
        last_access: Timespec { tv_sec: LONG_AGO, tv_nsec: 0 },
        last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
    };
    let entries = Snapshot::of(folder).0;
    for below in entries.keys().rev() {
        let path = if below.as_os_str().is_empty() { folder.to_path_buf() } else { folder.join(below) };
        rustix::fs::utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW).expect("a file of ours has times");
    }
}
