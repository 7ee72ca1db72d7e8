//! The nodes of a volume: files, directories and links, each with its metadata.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::super::super::metadata::{Identity, Kind, Metadata, Owner, Timestamp};

/// Bytes that a node takes of the volume's capacity, besides its content. It covers a name of the usual length.
const NODE: u64 = 512;

/// The number of volumes so far: each is a device of its own.
static VOLUMES: AtomicU64 = AtomicU64::new(0);

/// A file system in memory.
#[derive(Debug)]
pub struct Volume {
    device: u64,
    /// Bytes that it holds at most.
    pub(super) capacity: u64,
    /// The number of nodes so far.
    nodes: AtomicU64,
    /// Bytes that may still be stored.
    room: AtomicU64,
    /// Held while names are looked up or changed, so that a change of two directories is seen as one.
    pub(super) names: Mutex<()>,
}

/// A file, directory or link.
#[derive(Debug)]
pub struct Node {
    pub(super) volume: Arc<Volume>,
    inode: u64,
    attributes: Mutex<Attributes>,
    pub(super) body: Body,
    /// The token of the open file that holds the lock.
    pub(super) lock: Mutex<Weak<()>>,
}

#[derive(Clone, Copy, Debug)]
struct Attributes {
    mode: u32,
    owner: Owner,
    created: Timestamp,
    modified: Timestamp,
    changed: Timestamp,
}

/// The content of a node.
#[derive(Debug)]
pub(super) enum Body {
    File(Mutex<Vec<u8>>),
    Folder(Mutex<Entries>),
    Link(OsString),
}

/// The entries of a directory.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub names: BTreeMap<OsString, Arc<Node>>,
    /// The directory that contains this one; none for the root.
    pub parent: Weak<Node>,
    /// Whether it was removed, so that nothing can be created in it.
    pub is_removed: bool,
}

/// Locks a mutex; a panic of another thread leaves nothing half done here.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Volume {
    /// Creates a volume for this many bytes and returns its root directory.
    pub(super) fn create(capacity: u64) -> Arc<Node> {
        let volume = Arc::new(Volume {
            device: VOLUMES.fetch_add(1, Ordering::Relaxed),
            capacity,
            nodes: AtomicU64::new(0),
            room: AtomicU64::new(capacity),
            names: Mutex::default(),
        });
        let body = Body::Folder(Mutex::default());
        // The root takes nothing of the capacity, but gives `NODE` back when it is dropped, with the volume.
        Arc::new(Node::of(&volume, body, 0o755))
    }

    /// Takes bytes of the capacity. Errors: of kind `StorageFull` if there are not as many.
    pub(super) fn take(&self, bytes: u64) -> io::Result<()> {
        let taken =
            self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(bytes)).map(drop);
        taken.map_err(|_| ErrorKind::StorageFull.into())
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.room.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Node {
    fn of(volume: &Arc<Volume>, body: Body, mode: u32) -> Node {
        let now = Timestamp::now();
        Node {
            volume: volume.clone(),
            inode: volume.nodes.fetch_add(1, Ordering::Relaxed) + 1,
            attributes: Mutex::new(Attributes {
                mode: mode & 0o7777,
                owner: Owner { user: 0, group: 0 },
                created: now,
                modified: now,
                changed: now,
            }),
            body,
            lock: Mutex::default(),
        }
    }

    /// Creates a node that no directory contains yet. Errors: of kind `StorageFull`.
    pub(super) fn create(volume: &Arc<Volume>, body: Body, mode: u32) -> io::Result<Arc<Node>> {
        let content = match &body {
            Body::Link(target) => target.len() as u64,
            Body::File(_) | Body::Folder(_) => 0,
        };
        volume.take(NODE + content)?;
        Ok(Arc::new(Node::of(volume, body, mode)))
    }

    pub(super) fn kind(&self) -> Kind {
        match self.body {
            Body::File(_) => Kind::File,
            Body::Folder(_) => Kind::Folder,
            Body::Link(_) => Kind::Link,
        }
    }

    /// Returns the entries. Errors: of kind `NotADirectory`.
    pub(super) fn entries(&self) -> io::Result<MutexGuard<'_, Entries>> {
        match &self.body {
            Body::Folder(entries) => Ok(locked(entries)),
            Body::File(_) | Body::Link(_) => Err(ErrorKind::NotADirectory.into()),
        }
    }

    /// Returns the content. Errors: if it is not a file.
    pub(super) fn content(&self) -> io::Result<MutexGuard<'_, Vec<u8>>> {
        match &self.body {
            Body::File(content) => Ok(locked(content)),
            Body::Folder(_) => Err(ErrorKind::IsADirectory.into()),
            Body::Link(_) => Err(ErrorKind::InvalidInput.into()),
        }
    }

    /// Returns the directory that contains this directory.
    pub(super) fn parent(&self) -> Option<Arc<Node>> {
        self.entries().ok()?.parent.upgrade()
    }

    pub(super) fn metadata(&self) -> Metadata {
        let size = match &self.body {
            Body::File(content) => locked(content).len() as u64,
            Body::Folder(_) => 0,
            Body::Link(target) => target.len() as u64,
        };
        let Attributes { mode, owner, created, modified, changed } = *locked(&self.attributes);
        let identity = Identity { device: self.volume.device, inode: self.inode };
        Metadata {
            kind: self.kind(),
            size,
            modified: Some(modified),
            changed: Some(changed),
            accessed: Some(modified),
            created: Some(created),
            mode,
            owner,
            links: 1,
            identity,
        }
    }

    /// Records that the content changed.
    pub(super) fn touch(&self) {
        let now = Timestamp::now();
        let mut attributes = locked(&self.attributes);
        (attributes.modified, attributes.changed) = (now, now);
    }

    pub(super) fn set_modified(&self, modified: Timestamp) {
        let mut attributes = locked(&self.attributes);
        (attributes.modified, attributes.changed) = (modified, Timestamp::now());
    }

    pub(super) fn set_mode(&self, mode: u32) {
        let mut attributes = locked(&self.attributes);
        (attributes.mode, attributes.changed) = (mode & 0o7777, Timestamp::now());
    }

    /// Takes over permission bits and owner.
    pub(super) fn set_access(&self, like: &Metadata) {
        let mut attributes = locked(&self.attributes);
        (attributes.mode, attributes.owner, attributes.changed) = (like.mode & 0o7777, like.owner, Timestamp::now());
    }

    /// Returns the entry `name` of this directory. Errors: of kind `NotFound` or `NotADirectory`.
    pub(super) fn entry(&self, name: &OsStr) -> io::Result<Arc<Node>> {
        self.entries()?.names.get(name).cloned().ok_or_else(|| ErrorKind::NotFound.into())
    }
}

/// A node gives back what it took. Directories are dropped without recursion, however deep they are nested.
impl Drop for Node {
    fn drop(&mut self) {
        let content = match &mut self.body {
            Body::File(content) => content.get_mut().unwrap_or_else(PoisonError::into_inner).len() as u64,
            Body::Link(target) => target.len() as u64,
            Body::Folder(_) => 0,
        };
        self.volume.give_back(NODE + content);
        let mut waiting = taken_names(&mut self.body);
        while let Some(node) = waiting.pop() {
            if let Some(mut node) = Arc::into_inner(node) {
                waiting.append(&mut taken_names(&mut node.body));
            }
        }
    }
}

fn taken_names(body: &mut Body) -> Vec<Arc<Node>> {
    match body {
        Body::Folder(entries) => {
            let entries = entries.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut entries.names).into_values().collect()
        }
        Body::File(_) | Body::Link(_) => Vec::new(),
    }
}
