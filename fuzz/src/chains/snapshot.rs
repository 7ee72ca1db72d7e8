//! Snapshots of a whole tree, as exact as the state that undo promises to restore: contents, targets of links, names
//! that share an inode, link counts, permission bits, and modification times to the nanosecond.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// One file, directory or link.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub kind: &'static str,
    pub mode: u32,
    pub modified: (i64, i64),
    /// The bytes of a file, or the target of a link.
    pub content: Vec<u8>,
    /// Number of hard links, including those outside the tree; 0 for directories.
    pub links: u64,
    /// The first path in the tree that has the same inode.
    pub first_name: PathBuf,
    pub inode: u64,
}

/// Everything below a root except `.ns`, by relative path; the root itself has the empty path.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub entries: BTreeMap<PathBuf, Entry>,
}

impl Snapshot {
    /// Takes a snapshot of a tree.
    pub fn take(root: &Path) -> Snapshot {
        let mut entries = BTreeMap::new();
        let mut ahead = vec![PathBuf::new()];
        while let Some(path) = ahead.pop() {
            let full = root.join(&path);
            let metadata = full.symlink_metadata().expect("an entry that was listed");
            if metadata.is_dir() {
                let inside = fs::read_dir(&full).expect("a directory that can be listed");
                let names = inside.map(|entry| path.join(entry.expect("an entry").file_name()));
                ahead.extend(names.filter(|name| name != Path::new(".ns")));
            }
            let entry = Entry::of(&full, &metadata);
            entries.insert(path, entry);
        }
        let mut first_names = BTreeMap::new();
        for (path, entry) in &mut entries {
            entry.first_name = first_names.entry(entry.inode).or_insert_with(|| path.clone()).clone();
        }
        Snapshot { entries }
    }

    /// Returns a line for each path at which two snapshots differ.
    pub fn differences(&self, found: &Snapshot) -> Vec<String> {
        let paths = self.entries.keys().chain(found.entries.keys().filter(|path| !self.entries.contains_key(*path)));
        let differs = |path: &&PathBuf| match (self.entries.get(*path), found.entries.get(*path)) {
            (Some(expected), Some(found)) => !expected.equals(found),
            _ => true,
        };
        let line = |path: &PathBuf| {
            let side = |tree: &Snapshot| tree.entries.get(path).map_or_else(|| "nothing".to_owned(), Entry::shown);
            format!("{}: expected {}, found {}", path.display(), side(self), side(found))
        };
        paths.filter(differs).map(line).collect()
    }

    /// Removes properties that a copy to another file system does not preserve: inodes, and which names share one.
    pub fn without_inodes(mut self) -> Snapshot {
        for entry in self.entries.values_mut() {
            (entry.inode, entry.links, entry.first_name) = (0, 0, PathBuf::new());
        }
        self
    }

    /// Panics unless another snapshot is equal.
    pub fn expect(&self, found: &Snapshot, when: &str) {
        let differences = self.differences(found);
        assert!(differences.is_empty(), "{when}:\n{}", differences.join("\n"));
    }
}

impl Entry {
    fn of(path: &Path, metadata: &Metadata) -> Entry {
        let (kind, content) = if metadata.is_symlink() {
            let target = fs::read_link(path).expect("a link that can be read");
            ("link", target.as_os_str().as_bytes().to_vec())
        } else if metadata.is_dir() {
            ("directory", Vec::new())
        } else if metadata.is_file() {
            ("file", fs::read(path).expect("a file that can be read"))
        } else {
            ("special", Vec::new())
        };
        Entry {
            kind,
            mode: metadata.mode() & 0o7777,
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            content,
            links: if metadata.is_dir() { 0 } else { metadata.nlink() },
            first_name: PathBuf::new(),
            inode: metadata.ino(),
        }
    }

    /// Whether two entries are equal. A directory may have a different inode.
    fn equals(&self, other: &Entry) -> bool {
        let inode = if self.kind == "directory" { self.inode } else { other.inode };
        *self == Entry { inode, ..other.clone() }
    }

    fn shown(&self) -> String {
        let Entry { kind, mode, modified, content, links, first_name, inode } = self;
        let content = String::from_utf8_lossy(&content[..content.len().min(40)]);
        format!(
            "{kind} {mode:o} {}.{:09} {content:?} links {links} first {} inode {inode}",
            modified.0,
            modified.1,
            first_name.display()
        )
    }
}
