//! Directories in memory: for programs without a disk, such as a web page, and for those that need none.
//!
//! A volume behaves as a file system of Linux does where this room relies on it: renaming and exchanging are atomic, an
//! open file outlives its name, nothing can be created in a removed directory, times of directories change with their
//! entries. Permission bits are kept and not enforced. A volume holds as many bytes as it was created for, and ends
//! with its last handle.

mod file;
mod node;

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard};

use super::super::metadata::{Kind, Metadata, Timestamp};
use super::{Entry, Replace};
pub use file::MemoryFile;
use file::Use;
use node::{Body, Entries, Node, Volume, locked};

/// Permission bits that new entries do not get, as with the usual umask.
const MASKED: u32 = 0o022;
/// Maximum number of bytes of a name, as on the file systems of Linux.
const LONGEST_NAME: usize = 255;

/// An open directory.
#[derive(Clone, Debug)]
pub struct MemoryFolder(Arc<Node>);

/// A held file, directory or link.
#[derive(Debug)]
pub struct MemoryEntry(Arc<Node>);

impl MemoryFolder {
    /// Creates an empty volume for `capacity` bytes and returns its root.
    pub fn new(capacity: u64) -> MemoryFolder {
        MemoryFolder(Volume::create(capacity))
    }

    /// Returns the number of bytes that the volume holds at most.
    pub fn capacity(&self) -> u64 {
        self.0.volume.capacity
    }

    fn names(&self) -> MutexGuard<'_, ()> {
        locked(&self.0.volume.names)
    }

    /// Returns an entry, or this directory for `.`.
    fn find(&self, name: &OsStr) -> io::Result<Arc<Node>> {
        let _names = self.names();
        if name == "." { Ok(self.0.clone()) } else { self.0.entry(name) }
    }

    pub fn open_folder(&self, name: &OsStr) -> io::Result<MemoryFolder> {
        let node = self.find(name)?;
        if node.kind() == Kind::Folder { Ok(MemoryFolder(node)) } else { Err(ErrorKind::NotADirectory.into()) }
    }

    /// Opens a directory several levels down. Returns `None` if something on the way is not a directory.
    pub fn open_chain(&self, names: &[&OsStr]) -> io::Result<Option<MemoryFolder>> {
        let mut folder = self.clone();
        for name in names {
            folder = match folder.open_folder(name) {
                Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(None),
                other => other?,
            };
        }
        Ok(Some(folder))
    }

    pub fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        Ok(self.find(name)?.metadata())
    }

    pub fn own_metadata(&self) -> io::Result<Metadata> {
        Ok(self.0.metadata())
    }

    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let _names = self.names();
        let entries = self.0.entries()?;
        Ok(entries.names.iter().map(|(name, node)| Entry { name: name.clone(), kind: Some(node.kind()) }).collect())
    }

    pub fn read_link(&self, name: &OsStr) -> io::Result<OsString> {
        match &self.find(name)?.body {
            Body::Link(target) => Ok(target.clone()),
            Body::File(_) | Body::Folder(_) => Err(ErrorKind::InvalidInput.into()),
        }
    }

    pub fn open_file(&self, name: &OsStr) -> io::Result<MemoryFile> {
        self.open(name, Use::Reading)
    }

    pub fn open_log(&self, name: &OsStr) -> io::Result<MemoryFile> {
        self.open(name, Use::Appending)
    }

    fn open(&self, name: &OsStr, for_use: Use) -> io::Result<MemoryFile> {
        let node = self.find(name)?;
        match node.kind() {
            Kind::Link | Kind::Special => Err(io::Error::new(ErrorKind::InvalidInput, "it is a link")),
            Kind::Folder if for_use != Use::Reading => Err(ErrorKind::IsADirectory.into()),
            Kind::File | Kind::Folder => Ok(MemoryFile::open(node, for_use)),
        }
    }

    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<MemoryFile> {
        let node = self.create(name, Body::File(Mutex::default()), mode & !MASKED)?;
        Ok(MemoryFile::open(node, Use::Writing))
    }

    pub fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        let inside = Entries { parent: Arc::downgrade(&self.0), ..Entries::default() };
        self.create(name, Body::Folder(Mutex::new(inside)), mode & !MASKED).map(drop)
    }

    pub fn create_link(&self, target: &OsStr, name: &OsStr) -> io::Result<()> {
        self.create(name, Body::Link(target.to_owned()), 0o777).map(drop)
    }

    fn create(&self, name: &OsStr, body: Body, mode: u32) -> io::Result<Arc<Node>> {
        check_name(name)?;
        let _names = self.names();
        let mut entries = self.changeable()?;
        if entries.names.contains_key(name) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let node = Node::create(&self.0.volume, body, mode)?;
        entries.names.insert(name.to_owned(), node.clone());
        drop(entries);
        self.0.touch();
        Ok(node)
    }

    /// Returns the entries for a change. Errors: of kind `NotFound` if this directory was removed.
    fn changeable(&self) -> io::Result<MutexGuard<'_, Entries>> {
        let entries = self.0.entries()?;
        if entries.is_removed { Err(ErrorKind::NotFound.into()) } else { Ok(entries) }
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        let _names = self.names();
        if self.0.entry(name)?.kind() == Kind::Folder {
            return Err(ErrorKind::IsADirectory.into());
        }
        self.forget(name)
    }

    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        let _names = self.names();
        mark_removed(self.0.entry(name)?.as_ref())?;
        self.forget(name)
    }

    /// Removes a name.
    fn forget(&self, name: &OsStr) -> io::Result<()> {
        let removed = self.changeable()?.names.remove(name);
        self.0.touch();
        drop(removed);
        Ok(())
    }

    pub fn rename(&self, from: &OsStr, to_folder: &MemoryFolder, to: &OsStr, replace: Replace) -> io::Result<()> {
        check_name(to)?;
        self.check_same_volume(to_folder)?;
        let _names = self.names();
        let node = self.0.entry(from)?;
        let there = to_folder.changeable()?.names.get(to).cloned();
        check_outside(&node, &to_folder.0)?;
        match there {
            Some(_) if replace == Replace::No => return Err(ErrorKind::AlreadyExists.into()),
            Some(other) if Arc::ptr_eq(&other, &node) => return Ok(()),
            Some(other) => match (node.kind(), other.kind()) {
                (Kind::Folder, _) => mark_removed(&other)?,
                (_, Kind::Folder) => return Err(ErrorKind::IsADirectory.into()),
                _ => {}
            },
            None => {}
        }
        self.forget(from)?;
        to_folder.put(to, node)
    }

    pub fn exchange(&self, one: &OsStr, other_folder: &MemoryFolder, other: &OsStr) -> io::Result<()> {
        self.check_same_volume(other_folder)?;
        let _names = self.names();
        let (first, second) = (self.0.entry(one)?, other_folder.0.entry(other)?);
        check_outside(&first, &other_folder.0)?;
        check_outside(&second, &self.0)?;
        self.put(one, second)?;
        other_folder.put(other, first)
    }

    /// Makes a name refer to a node, which may be that of another directory.
    fn put(&self, name: &OsStr, node: Arc<Node>) -> io::Result<()> {
        if let Ok(mut inside) = node.entries() {
            inside.parent = Arc::downgrade(&self.0);
        }
        let replaced = self.changeable()?.names.insert(name.to_owned(), node);
        self.0.touch();
        drop(replaced);
        Ok(())
    }

    fn check_same_volume(&self, other: &MemoryFolder) -> io::Result<()> {
        if Arc::ptr_eq(&self.0.volume, &other.0.volume) { Ok(()) } else { Err(ErrorKind::CrossesDevices.into()) }
    }

    pub fn set_modified(&self, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        self.find(name)?.set_modified(modified);
        Ok(())
    }

    pub fn as_file(&self) -> io::Result<MemoryFile> {
        Ok(MemoryFile::open(self.0.clone(), Use::Reading))
    }

    /// Does nothing, because nothing in memory outlives the process.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Holds the entry `name`; a link itself, not its target.
    pub fn hold(&self, name: &OsStr) -> io::Result<MemoryEntry> {
        self.find(name).map(MemoryEntry)
    }
}

impl MemoryEntry {
    pub fn metadata(&self) -> Metadata {
        self.0.metadata()
    }

    pub fn set_mode(&self, mode: u32) {
        self.0.set_mode(mode);
    }

    pub fn set_modified(&self, modified: Timestamp) {
        self.0.set_modified(modified);
    }
}

/// Marks an empty directory as removed. Errors: unless it is one.
fn mark_removed(node: &Node) -> io::Result<()> {
    let mut entries = node.entries()?;
    if !entries.names.is_empty() {
        return Err(ErrorKind::DirectoryNotEmpty.into());
    }
    entries.is_removed = true;
    Ok(())
}

/// Checks that a directory is not put into itself or below itself.
fn check_outside(node: &Arc<Node>, folder: &Arc<Node>) -> io::Result<()> {
    let mut above = Some(folder.clone());
    while let Some(it) = above {
        if Arc::ptr_eq(&it, node) {
            return Err(ErrorKind::InvalidInput.into());
        }
        above = it.parent();
    }
    Ok(())
}

fn check_name(name: &OsStr) -> io::Result<()> {
    let bytes = name.as_encoded_bytes();
    if bytes.len() > LONGEST_NAME {
        return Err(ErrorKind::InvalidFilename.into());
    }
    let is_taken = matches!(bytes, b"" | b"." | b"..");
    if is_taken || bytes.iter().any(|byte| matches!(byte, b'/' | 0)) {
        return Err(ErrorKind::InvalidInput.into());
    }
    Ok(())
}
