//! An overlay: the changes that a run would make, on top of a tree that stays as it is.
//!
//! Entries that the run creates are stored outside the roots, in a flat scratch directory with numbers as names. The
//! overlay records which names refer to them, and which names of the tree are removed or refer to another entry. Code
//! that works through an [`OverlaidFolder`] sees its own changes; nothing changes on the disk.
//!
//! An entry is identified by its [`BackingPath`], where it is really stored. The backing path of a directory does not
//! change when the directory is renamed, so changes inside it move along and a move costs one record.
//!
//! A plan is a run: the planning engine has a gate of its own to the same sandbox (`Gate::planning`), whose roots are
//! covered as a whole, `.ns` included. Tools, journal and backups therefore do not know about plans. Only code that
//! leaves the roots or acts on earlier runs asks: the audit log writes nothing, project memory works on a copy,
//! recovery and warnings about earlier runs wait, and the lockdown grants no changes. A session switches between the
//! two gates.
//!
//! No entry of the tree is opened for writing, so an operation that needs it fails. The differences at the end
//! ([`deltas`]) are the plan; `plan/apply` carries it out with the steps of the journal. `tests/suite.rs` plans, runs
//! and applies every case, `tests/plan` random scripts, and both compare the results.

mod deltas;
#[cfg(not(target_family = "wasm"))]
mod disk;
#[cfg(not(target_family = "wasm"))]
mod home;
#[cfg(target_family = "wasm")]
mod no_disk;
mod overlaid_folder;
mod scratch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::address::Address;
use super::super::metadata::{Identity, Kind, Metadata, Timestamp};
use super::super::path::parts_of;
use super::Folder;
pub use deltas::{Delta, StagingPlace};
#[cfg(target_os = "linux")]
pub use home::scratch_handles;
#[cfg(not(target_family = "wasm"))]
pub use home::{leave_scratch, new_scratch, scratch_home, settle_scratch};
#[cfg(target_family = "wasm")]
pub use no_disk::{leave_scratch, new_scratch, scratch_home, settle_scratch};
pub use overlaid_folder::{Cover, OverlaidFolder};
pub use scratch::Scratch;

/// This bit is set in the inode of every entry from the scratch directory, to keep it distinct from inodes of the
/// tree.
const MADE: u64 = 1 << 63;

/// Where an entry is really stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BackingPath {
    /// In the tree of the root with this index.
    Tree(usize, Address),
    /// In the scratch directory.
    Made(OsString),
}

/// The changes that a run would make.
#[derive(Debug)]
pub struct Overlay {
    scratch: Scratch,
    layer: Mutex<Layer>,
}

#[derive(Debug, Default)]
struct Layer {
    roots: Vec<OverlaidRoot>,
    folders: BTreeMap<BackingPath, Changed>,
    /// Metadata changes of entries of the tree whose content is unchanged.
    dressed: HashMap<Identity, MetadataChange>,
    /// Where those entries are stored.
    dressed_paths: BTreeSet<BackingPath>,
    /// Entries in the scratch directory, by inode.
    made: HashMap<u64, Made>,
}

/// A root under the overlay.
#[derive(Debug)]
struct OverlaidRoot {
    folder: Arc<Folder>,
    /// The prefix of addresses below it.
    base: Address,
}

/// A directory whose entries differ from those on the disk.
#[derive(Debug, Default)]
struct Changed {
    /// The entry that each changed name refers to, or `None` if the name is removed.
    names: BTreeMap<OsString, Option<BackingPath>>,
    modified: Option<Timestamp>,
    /// The time that the run set last. It is in force as long as it is `modified`: a later change of an entry gives
    /// another one.
    dated: Option<Timestamp>,
}

impl Changed {
    /// Returns the time that the run set and that is still in force.
    fn dated(&self) -> Option<Timestamp> {
        self.dated.filter(|dated| self.modified == Some(*dated))
    }
}

/// Changed permission bits or modification time of an entry of the tree.
#[derive(Clone, Debug)]
struct MetadataChange {
    backing: BackingPath,
    mode: Option<u32>,
    modified: Option<Timestamp>,
}

/// An entry that the run created.
#[derive(Debug)]
struct Made {
    /// The device that it appears to be on.
    device: u64,
    /// Whether the run set its modification time.
    is_dated: bool,
}

impl BackingPath {
    fn join(&self, name: &OsStr) -> Option<BackingPath> {
        match self {
            BackingPath::Tree(root, address) => Some(BackingPath::Tree(*root, address.join(name))),
            BackingPath::Made(_) => None,
        }
    }
}

impl Overlay {
    /// Creates an empty overlay for a root: its scratch directory is in memory if the root is.
    ///
    /// # Errors
    /// Returns errors of the operating system from creating the scratch directory.
    pub(in crate::sandbox) fn over(root: &Folder) -> io::Result<Arc<Overlay>> {
        let scratch = match root {
            Folder::Memory(folder) => Scratch::in_memory(folder.capacity())?,
            _ => new_scratch()?,
        };
        Ok(Arc::new(Overlay { scratch, layer: Mutex::default() }))
    }

    /// Returns the path of the scratch directory; `None` in memory.
    pub fn place(&self) -> Option<&Path> {
        self.scratch.path()
    }

    /// Puts the overlay on a root; `base` is the prefix of addresses below it.
    pub(in crate::sandbox) fn cover(self: &Arc<Self>, root: Folder, base: &str) -> io::Result<Folder> {
        let folder = Arc::new(root.duplicate()?);
        let mut layer = self.layer();
        let backing = BackingPath::Tree(layer.roots.len(), Address::from(""));
        layer.roots.push(OverlaidRoot { folder, base: Address::from(base) });
        Ok(Folder::overlaid(OverlaidFolder::new(self.clone(), root, backing)))
    }

    /// Returns the scratch directory.
    pub fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// Opens the directory at a path of the tree, without the changes of the run.
    pub fn tree(&self, address: &Address) -> io::Result<Folder> {
        let (folder, names) = self.open_parent(address)?;
        down(&folder, &names)
    }

    fn open_parent(&self, address: &Address) -> io::Result<(Arc<Folder>, Vec<OsString>)> {
        let layer = self.layer();
        let below = |root: &OverlaidRoot| {
            let path = Path::new(&address.0);
            let way = path.strip_prefix(Path::new(&root.base.0)).ok()?;
            (path.is_absolute() != root.base.0.is_empty()).then(|| (root.folder.clone(), parts_of(way).collect()))
        };
        Ok(layer.roots.iter().find_map(below).ok_or(ErrorKind::NotFound)?)
    }

    fn layer(&self) -> MutexGuard<'_, Layer> {
        self.layer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the directory and name under which an entry is stored on the disk.
    fn at<T>(&self, backing: &BackingPath, work: impl FnOnce(&Folder, &OsStr) -> io::Result<T>) -> io::Result<T> {
        let (root, address) = match backing {
            BackingPath::Made(name) => return work(self.scratch.folder(), name),
            BackingPath::Tree(root, address) => (self.layer().roots[*root].folder.clone(), address),
        };
        let names: Vec<OsString> = parts_of(Path::new(&address.0)).collect();
        let (last, above) = names.split_last().ok_or(ErrorKind::NotFound)?;
        work(&down(&root, above)?, last)
    }

    /// Converts metadata from the disk to those that the run sees.
    fn seen(&self, backing: Option<&BackingPath>, mut metadata: Metadata) -> Metadata {
        let layer = self.layer();
        if metadata.identity.device == self.scratch.device()
            && let Some(made) = layer.made.get(&metadata.identity.inode)
        {
            metadata.identity = Identity { device: made.device, inode: metadata.identity.inode | MADE };
        } else if let Some(dressed) = layer.dressed.get(&metadata.identity) {
            metadata.mode = dressed.mode.unwrap_or(metadata.mode);
            metadata.modified = dressed.modified.or(metadata.modified);
        }
        if metadata.kind == Kind::Folder
            && let Some(changed) = backing.and_then(|backing| layer.folders.get(backing))
        {
            metadata.modified = changed.modified.or(metadata.modified);
        }
        metadata
    }

    /// Changes the permission bits or modification time of an entry of the tree.
    fn dress(&self, backing: &BackingPath, identity: Identity, mode: Option<u32>, modified: Option<Timestamp>) {
        let mut layer = self.layer();
        layer.dressed_paths.insert(backing.clone());
        let empty = MetadataChange { backing: backing.clone(), mode: None, modified: None };
        let dressed = layer.dressed.entry(identity).or_insert(empty);
        dressed.mode = mode.or(dressed.mode);
        dressed.modified = modified.or(dressed.modified);
    }

    /// Sets the modification time of a directory of the tree.
    fn date(&self, backing: &BackingPath, modified: Timestamp) {
        let mut layer = self.layer();
        let changed = layer.folders.entry(backing.clone()).or_default();
        (changed.modified, changed.dated) = (Some(modified), Some(modified));
    }

    /// Removes an entry from the scratch directory if the run created it; called when no name refers to it any more.
    fn forget(&self, backing: &BackingPath) -> io::Result<()> {
        let BackingPath::Made(name) = backing else { return Ok(()) };
        let folder = self.scratch.folder();
        let metadata = folder.metadata(name)?;
        match metadata.kind {
            Kind::Folder => folder.remove_folder(name)?,
            _ => folder.remove_file(name)?,
        }
        let mut layer = self.layer();
        layer.made.remove(&metadata.identity.inode);
        layer.folders.remove(backing);
        Ok(())
    }
}

impl Layer {
    /// Whether anything in a directory or below it differs from the disk.
    fn has_changed(&self, backing: &BackingPath) -> bool {
        let BackingPath::Tree(root, address) = backing else { return true };
        let is_below = |other: &BackingPath| matches!(other, BackingPath::Tree(number, it) if number == root && it.is_below(address));
        let first = if address.0.is_empty() { address.clone() } else { address.join(OsStr::new("")) };
        let later = BackingPath::Tree(*root, first)..;
        self.folders.contains_key(backing)
            || self.folders.range(later.clone()).next().is_some_and(|(other, _)| is_below(other))
            || self.dressed_paths.range(later).next().is_some_and(is_below)
    }

    fn name(&mut self, folder: &BackingPath, name: &OsStr, means: Option<BackingPath>, is_on_disk: bool) {
        let changed = self.folders.entry(folder.clone()).or_default();
        let is_as_on_disk = match &means {
            Some(backing) => folder.join(name).as_ref() == Some(backing),
            None => !is_on_disk,
        };
        if is_as_on_disk {
            drop(changed.names.remove(name))
        } else {
            drop(changed.names.insert(name.to_owned(), means))
        }
        changed.modified = Some(Timestamp::now());
    }
}

/// Opens the directory at a relative path.
fn down(from: &Folder, way: &[OsString]) -> io::Result<Folder> {
    way.iter().try_fold(from.duplicate()?, |folder, name| folder.open_folder(name))
}
