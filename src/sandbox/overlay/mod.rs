//! An overlay: what a run would change, laid over a tree that stays as it is.
//!
//! What the run makes lies in a scratch folder outside the roots, flat and under numbers; which names
//! mean it, and which of the tree's own names mean nothing or something else by now, is kept here. So
//! whoever works through an [`OverlaidFolder`] sees its own changes, and the disk sees none.
//!
//! A thing is known by its [`Spot`]: where it really lies. A folder's spot stays the same when it gets
//! another name, so what was changed in it goes along.

mod deltas;
mod folder;
mod home;
mod scratch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::folder::Folder;
use super::journal::Address;
use super::metadata::{Identity, Kind, Metadata, Timestamp};
use super::root::{SandboxPath, parts_of};
pub use deltas::{Delta, Lies};
pub use folder::{Cover, OverlaidFolder};
#[cfg(target_os = "linux")]
pub use home::scratch_handles;
pub use home::{leave_scratch, scratch_home, settle_scratch};
pub use scratch::Scratch;

/// Inodes of what lies in the scratch folder have this bit, so that they are none of the tree's.
const MADE: u64 = 1 << 63;

/// Where a thing really lies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    /// In the tree of the root with this number.
    Tree(usize, Address),
    /// In the scratch folder.
    Made(OsString),
}

/// What a run would change.
#[derive(Debug)]
pub struct Overlay {
    scratch: Scratch,
    layer: Mutex<Layer>,
}

#[derive(Debug, Default)]
struct Layer {
    roots: Vec<Covered>,
    folders: BTreeMap<Spot, Changed>,
    /// What was given to things of the tree, which keep their content.
    dressed: HashMap<Identity, Dressed>,
    /// Where they lie.
    dressed_spots: BTreeSet<Spot>,
    /// What lies in the scratch folder, by inode.
    made: HashMap<u64, Made>,
}

/// A root that is covered.
#[derive(Debug)]
struct Covered {
    folder: Arc<Folder>,
    /// What addresses below it begin with.
    base: Address,
}

/// A folder whose entries are no longer those on the disk.
#[derive(Debug, Default)]
struct Changed {
    /// What a name means by now; none where it means nothing.
    names: BTreeMap<OsString, Option<Spot>>,
    modified: Option<Timestamp>,
}

/// Other permission bits or another time than the tree has.
#[derive(Clone, Debug)]
struct Dressed {
    spot: Spot,
    mode: Option<u32>,
    modified: Option<Timestamp>,
}

/// Something that the run made.
#[derive(Debug)]
struct Made {
    /// The device that it would be on.
    device: u64,
    /// Whether it was given a time.
    is_dated: bool,
}

impl Spot {
    fn join(&self, name: &OsStr) -> Option<Spot> {
        match self {
            Spot::Tree(root, address) => Some(Spot::Tree(*root, address.join(name))),
            Spot::Made(_) => None,
        }
    }
}

impl Overlay {
    /// An empty one.
    ///
    /// # Errors
    /// The system's, when it makes no scratch folder.
    pub fn new() -> io::Result<Arc<Overlay>> {
        Ok(Arc::new(Overlay { scratch: Scratch::new()?, layer: Mutex::default() }))
    }

    /// Where its scratch folder is.
    pub fn place(&self) -> &Path {
        self.scratch.path()
    }

    /// Lays it over a root; addresses below it begin with `base`.
    pub(super) fn cover(self: &Arc<Self>, root: Folder, base: &str) -> io::Result<Folder> {
        let folder = Arc::new(root.duplicate()?);
        let mut layer = self.layer();
        let spot = Spot::Tree(layer.roots.len(), Address::from(""));
        layer.roots.push(Covered { folder, base: Address::from(base) });
        Ok(Folder::overlaid(OverlaidFolder::new(self.clone(), root, spot)))
    }

    /// What it made lies there.
    pub fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// The folder that the tree has at an address; what the run changed is not in it.
    pub fn tree(&self, address: &Address) -> io::Result<Folder> {
        let (folder, names) = self.way(address)?;
        down(&folder, &names)
    }

    /// What is known of what the tree has at an address.
    pub fn on_disk(&self, address: &Address) -> io::Result<Metadata> {
        self.place_on_disk(address)?.metadata().map_err(io::Error::other)
    }

    /// The place of an address in the tree, where nothing of the run is.
    pub fn place_on_disk(&self, address: &Address) -> io::Result<SandboxPath> {
        let last = Path::new(&address.0).file_name().ok_or(ErrorKind::NotFound)?;
        Ok(SandboxPath::own(self.tree(&address.parent())?, last, address.shown().into_owned()))
    }

    fn way(&self, address: &Address) -> io::Result<(Arc<Folder>, Vec<OsString>)> {
        let layer = self.layer();
        let below = |root: &Covered| {
            let path = Path::new(&address.0);
            let way = path.strip_prefix(Path::new(&root.base.0)).ok()?;
            (path.is_absolute() != root.base.0.is_empty()).then(|| (root.folder.clone(), parts_of(way).collect()))
        };
        Ok(layer.roots.iter().find_map(below).ok_or(ErrorKind::NotFound)?)
    }

    fn layer(&self) -> MutexGuard<'_, Layer> {
        self.layer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the folder and the name by which a thing is found on the disk.
    fn at<T>(&self, spot: &Spot, work: impl FnOnce(&Folder, &OsStr) -> io::Result<T>) -> io::Result<T> {
        let (root, address) = match spot {
            Spot::Made(name) => return work(self.scratch.folder(), name),
            Spot::Tree(root, address) => (self.layer().roots[*root].folder.clone(), address),
        };
        let names: Vec<OsString> = parts_of(Path::new(&address.0)).collect();
        let (last, above) = names.split_last().ok_or(ErrorKind::NotFound)?;
        work(&down(&root, above)?, last)
    }

    /// What is known of something as the run sees it.
    fn seen(&self, spot: Option<&Spot>, mut metadata: Metadata) -> Metadata {
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
            && let Some(changed) = spot.and_then(|spot| layer.folders.get(spot))
        {
            metadata.modified = changed.modified.or(metadata.modified);
        }
        metadata
    }

    /// Gives something of the tree other permission bits or another time.
    fn dress(&self, spot: &Spot, identity: Identity, mode: Option<u32>, modified: Option<Timestamp>) {
        let mut layer = self.layer();
        layer.dressed_spots.insert(spot.clone());
        let empty = Dressed { spot: spot.clone(), mode: None, modified: None };
        let dressed = layer.dressed.entry(identity).or_insert(empty);
        dressed.mode = mode.or(dressed.mode);
        dressed.modified = modified.or(dressed.modified);
    }

    /// Removes what the run itself made and nothing names any more.
    fn forget(&self, spot: &Spot) -> io::Result<()> {
        let Spot::Made(name) = spot else { return Ok(()) };
        let folder = self.scratch.folder();
        let metadata = folder.metadata(name)?;
        match metadata.kind {
            Kind::Folder => folder.remove_folder(name)?,
            _ => folder.remove_file(name)?,
        }
        let mut layer = self.layer();
        layer.made.remove(&metadata.identity.inode);
        layer.folders.remove(spot);
        Ok(())
    }
}

impl Layer {
    /// Whether something in a folder, or below it, is no longer as it is on the disk.
    fn has_changed(&self, spot: &Spot) -> bool {
        let Spot::Tree(root, address) = spot else { return true };
        let is_below = |other: &Spot| matches!(other, Spot::Tree(number, it) if number == root && it.is_below(address));
        let first = if address.0.is_empty() { address.clone() } else { address.join(OsStr::new("")) };
        let later = Spot::Tree(*root, first)..;
        self.folders.contains_key(spot)
            || self.folders.range(later.clone()).next().is_some_and(|(other, _)| is_below(other))
            || self.dressed_spots.range(later).next().is_some_and(is_below)
    }

    fn name(&mut self, folder: &Spot, name: &OsStr, means: Option<Spot>, is_on_disk: bool) {
        let changed = self.folders.entry(folder.clone()).or_default();
        let is_as_on_disk = match &means {
            Some(spot) => folder.join(name).as_ref() == Some(spot),
            None => !is_on_disk,
        };
        match is_as_on_disk {
            true => drop(changed.names.remove(name)),
            false => drop(changed.names.insert(name.to_owned(), means)),
        }
        changed.modified = now();
    }
}

/// The folder at the end of a way from another.
fn down(from: &Folder, way: &[OsString]) -> io::Result<Folder> {
    way.iter().try_fold(from.duplicate()?, |folder, name| folder.open_folder(name))
}

fn now() -> Option<Timestamp> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Timestamp { seconds: since.as_secs().try_into().ok()?, nanos: since.subsec_nanos() })
}
