//! A file system in memory, served by FUSE, to which names are the same that systems without letter case take for the
//! same: `A` and `a`, `a.` and `a`, names with invisible characters, and short names such as `NS~1`.
//!
//! It keeps the spelling by which an entry was made. It is the enemy of checks that compare spellings.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs,
    ReplyWrite, Request, TimeOrNow, WriteFlags,
};

/// How long the kernel may cache entries: not at all, because it does not know which names are equal.
const TTL: Duration = Duration::ZERO;
const BLOCK: u32 = 4096;

/// The file system.
pub struct Folding(Mutex<Tree>);

struct Tree {
    nodes: HashMap<u64, Node>,
    last: u64,
}

struct Node {
    attr: FileAttr,
    content: Content,
}

enum Content {
    /// The entries by their folded name: the name as it was given, and the inode.
    Folder(BTreeMap<String, (OsString, u64)>),
    File(Vec<u8>),
    Link(PathBuf),
}

impl Folding {
    /// Creates an empty file system.
    pub fn new() -> Folding {
        let mut tree = Tree { nodes: HashMap::new(), last: 0 };
        tree.add(Content::Folder(BTreeMap::new()), FileType::Directory, 0o755);
        Folding(Mutex::new(tree))
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns what all spellings of a name have in common.
fn folded(name: &OsStr) -> String {
    let is_ignored = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}');
    let text: String = name.to_string_lossy().chars().filter(|c| !is_ignored(*c)).collect();
    text.trim_end_matches(['.', ' ']).to_lowercase()
}

/// Returns the short name of an entry, folded: `NS~1` for `.ns`.
fn short_name(folded: &str) -> String {
    let (stem, extension) = folded.trim_start_matches('.').rsplit_once('.').unwrap_or((folded, ""));
    let stem: String = stem.chars().filter(|c| c.is_ascii_alphanumeric()).take(6).collect();
    let extension: String = extension.chars().take(3).collect();
    if extension.is_empty() { format!("{stem}~1") } else { format!("{stem}~1.{extension}") }
}

impl Tree {
    fn add(&mut self, content: Content, kind: FileType, mode: u32) -> u64 {
        self.last += 1;
        let now = SystemTime::now();
        let attr = FileAttr {
            ino: INodeNo(self.last),
            size: 0,
            blocks: 0,
            atime: now,
            mtime: now,
            ctime: now,
            crtime: now,
            kind,
            perm: (mode & 0o7777) as u16,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: BLOCK,
            flags: 0,
        };
        self.nodes.insert(self.last, Node { attr, content });
        self.last
    }

    fn node(&mut self, inode: INodeNo) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&inode.0).ok_or(Errno::ENOENT)
    }

    fn entries(&mut self, folder: INodeNo) -> Result<&mut BTreeMap<String, (OsString, u64)>, Errno> {
        match &mut self.node(folder)?.content {
            Content::Folder(entries) => Ok(entries),
            _ => Err(Errno::ENOTDIR),
        }
    }

    /// Returns the key of an entry in its directory, and its inode.
    fn find(&mut self, folder: INodeNo, name: &OsStr) -> Result<(String, u64), Errno> {
        let key = folded(name);
        let entries = self.entries(folder)?;
        let found = entries.get_key_value(&key);
        let found = found.or_else(|| entries.iter().find(|(other, _)| short_name(other) == key));
        found.map(|(key, (_, inode))| (key.clone(), *inode)).ok_or(Errno::ENOENT)
    }

    /// Puts an entry into a directory, whose times change.
    fn put(&mut self, folder: INodeNo, name: &OsStr, inode: u64) -> Result<(), Errno> {
        self.entries(folder)?.insert(folded(name), (name.to_owned(), inode));
        self.touch(folder)
    }

    fn touch(&mut self, folder: INodeNo) -> Result<(), Errno> {
        let attr = &mut self.node(folder)?.attr;
        (attr.mtime, attr.ctime) = (SystemTime::now(), SystemTime::now());
        Ok(())
    }

    fn make(&mut self, (folder, name): (INodeNo, &OsStr), content: Content, mode: u32) -> Result<FileAttr, Errno> {
        if self.find(folder, name).is_ok() {
            return Err(Errno::EEXIST);
        }
        let kind = match &content {
            Content::Folder(_) => FileType::Directory,
            Content::File(_) => FileType::RegularFile,
            Content::Link(_) => FileType::Symlink,
        };
        let inode = self.add(content, kind, mode);
        self.put(folder, name, inode)?;
        Ok(self.nodes[&inode].attr)
    }

    fn remove(&mut self, folder: INodeNo, name: &OsStr, is_folder: bool) -> Result<(), Errno> {
        let (key, inode) = self.find(folder, name)?;
        match &self.node(INodeNo(inode))?.content {
            Content::Folder(_) if !is_folder => return Err(Errno::EISDIR),
            Content::Folder(entries) if !entries.is_empty() => return Err(Errno::ENOTEMPTY),
            Content::Folder(_) => {}
            _ if is_folder => return Err(Errno::ENOTDIR),
            _ => {}
        }
        self.entries(folder)?.remove(&key);
        // The node stays: it may be open.
        let attr = &mut self.node(INodeNo(inode))?.attr;
        (attr.nlink, attr.ctime) = (attr.nlink - 1, SystemTime::now());
        self.touch(folder)
    }

    fn rename(
        &mut self,
        (from, name): (INodeNo, &OsStr),
        (to, new_name): (INodeNo, &OsStr),
        flags: RenameFlags,
    ) -> Result<(), Errno> {
        let (key, inode) = self.find(from, name)?;
        let there = self.find(to, new_name).ok();
        if flags.contains(RenameFlags::RENAME_EXCHANGE) {
            let (other_key, other) = there.ok_or(Errno::ENOENT)?;
            self.entries(from)?.get_mut(&key).expect("it was found").1 = other;
            self.entries(to)?.get_mut(&other_key).expect("it was found").1 = inode;
        } else {
            if let Some((other_key, other)) = there {
                let is_folder = self.node(INodeNo(other))?.attr.kind == FileType::Directory;
                match (other == inode, flags.contains(RenameFlags::RENAME_NOREPLACE)) {
                    (false, true) => return Err(Errno::EEXIST),
                    // As with ext4: even the other spelling of the same entry is there already.
                    (true, true) if name != new_name => return Err(Errno::EEXIST),
                    (false, false) => self.remove(to, OsStr::new(&other_key), is_folder)?,
                    _ => {}
                }
            }
            self.entries(from)?.remove(&key);
            self.put(to, new_name, inode)?;
        }
        self.node(INodeNo(inode))?.attr.ctime = SystemTime::now();
        self.touch(from).and_then(|()| self.touch(to))
    }

    fn link(&mut self, inode: INodeNo, folder: INodeNo, name: &OsStr) -> Result<FileAttr, Errno> {
        if self.find(folder, name).is_ok() {
            return Err(Errno::EEXIST);
        }
        self.put(folder, name, inode.0)?;
        let attr = &mut self.node(inode)?.attr;
        (attr.nlink, attr.ctime) = (attr.nlink + 1, SystemTime::now());
        Ok(*attr)
    }

    fn write(&mut self, inode: INodeNo, offset: u64, data: &[u8]) -> Result<u32, Errno> {
        let node = self.node(inode)?;
        let Content::File(bytes) = &mut node.content else { return Err(Errno::EISDIR) };
        let (from, to) = (offset as usize, offset as usize + data.len());
        bytes.resize(bytes.len().max(to), 0);
        bytes[from..to].copy_from_slice(data);
        node.is_changed();
        Ok(data.len() as u32)
    }

    fn read(&mut self, inode: INodeNo, offset: u64, size: u32) -> Result<Vec<u8>, Errno> {
        let Content::File(bytes) = &self.node(inode)?.content else { return Err(Errno::EISDIR) };
        let from = bytes.len().min(offset as usize);
        Ok(bytes[from..bytes.len().min(from + size as usize)].to_vec())
    }
}

impl Node {
    /// Sets size and times after a change of the content.
    fn is_changed(&mut self) {
        if let Content::File(bytes) = &self.content {
            self.attr.size = bytes.len() as u64;
            self.attr.blocks = self.attr.size.div_ceil(512);
        }
        (self.attr.mtime, self.attr.ctime) = (SystemTime::now(), SystemTime::now());
    }
}

/// Answers a request with a value or an error.
macro_rules! answer {
    ($result:expr, $reply:ident, $value:pat => $good:expr) => {
        match $result {
            Ok($value) => $good,
            Err(error) => $reply.error(error),
        }
    };
}

impl Filesystem for Folding {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let mut tree = self.tree();
        let found = tree.find(parent, name).map(|(_, inode)| tree.nodes[&inode].attr);
        answer!(found, reply, attr => reply.entry(&TTL, &attr, Generation(0)));
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answer!(self.tree().node(inode), reply, node => reply.attr(&TTL, &node.attr));
    }

    fn setattr(
        &self,
        _: &Request,
        inode: INodeNo,
        mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut tree = self.tree();
        let set = tree.node(inode).map(|node| {
            if let (Content::File(bytes), Some(size)) = (&mut node.content, size) {
                bytes.resize(size as usize, 0);
                node.is_changed();
            }
            let attr = &mut node.attr;
            attr.perm = mode.map_or(attr.perm, |mode| (mode & 0o7777) as u16);
            attr.mtime = match mtime {
                Some(TimeOrNow::SpecificTime(time)) => time,
                Some(TimeOrNow::Now) => SystemTime::now(),
                None => attr.mtime,
            };
            attr.ctime = SystemTime::now();
            *attr
        });
        answer!(set, reply, attr => reply.attr(&TTL, &attr));
    }

    fn readlink(&self, _: &Request, inode: INodeNo, reply: ReplyData) {
        match self.tree().node(inode).map(|node| &node.content) {
            Ok(Content::Link(target)) => reply.data(target.as_os_str().as_encoded_bytes()),
            _ => reply.error(Errno::EINVAL),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, mode: u32, umask: u32, reply: ReplyEntry) {
        let made = self.tree().make((parent, name), Content::Folder(BTreeMap::new()), mode & !umask);
        answer!(made, reply, attr => reply.entry(&TTL, &attr, Generation(0)));
    }

    fn symlink(&self, _: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let made = self.tree().make((parent, name), Content::Link(target.to_owned()), 0o777);
        answer!(made, reply, attr => reply.entry(&TTL, &attr, Generation(0)));
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, mode: u32, umask: u32, _: i32, reply: ReplyCreate) {
        let made = self.tree().make((parent, name), Content::File(Vec::new()), mode & !umask);
        answer!(made, reply, attr => reply.created(&TTL, &attr, Generation(0), FileHandle(0), FopenFlags::empty()));
    }

    fn link(&self, _: &Request, inode: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let made = self.tree().link(inode, parent, name);
        answer!(made, reply, attr => reply.entry(&TTL, &attr, Generation(0)));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(self.tree().remove(parent, name, false), reply, () => reply.ok());
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(self.tree().remove(parent, name, true), reply, () => reply.ok());
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        answer!(self.tree().rename((parent, name), (new_parent, new_name), flags), reply, () => reply.ok());
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::empty());
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        answer!(self.tree().read(inode, offset, size), reply, bytes => reply.data(&bytes));
    }

    fn write(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        answer!(self.tree().write(inode, offset, data), reply, written => reply.written(written));
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn readdir(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let mut tree = self.tree();
        let entries = match tree.entries(inode) {
            Ok(entries) => entries.clone(),
            Err(error) => return reply.error(error),
        };
        let dots = [".", ".."].map(|name| (OsString::from(name), inode.0));
        for (number, (name, inode)) in dots.into_iter().chain(entries.into_values()).enumerate().skip(offset as usize) {
            let kind = tree.nodes[&inode].attr.kind;
            if reply.add(INodeNo(inode), number as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, BLOCK, 255, BLOCK);
    }
}
