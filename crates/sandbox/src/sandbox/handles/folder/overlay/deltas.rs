//! The differences between an overlay and the disk.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::super::super::address::Address;
use super::super::super::metadata::{Metadata, Timestamp};
use super::super::super::path::parts_of;
use super::super::super::reserved::is_reserved;
use super::super::super::state::{State, moment};
use super::{BackingPath, Changed, Layer, MetadataChange, Overlay, down};

/// A path that would differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    /// The path at the end of the run.
    pub path: Address,
    /// The path on the disk, if a directory above it would be moved, or restored from a backup.
    pub origin: Option<Address>,
    /// Whether its directory is new, so that the path does not exist on the disk.
    pub in_new: bool,
    /// The entry on the disk.
    pub was: Option<State>,
    /// The entry at the end of the run.
    pub now: Option<State>,
    /// Where the new entry is stored.
    pub lies: StagingPlace,
    /// The modification time that the run sets, if any.
    pub modified: Option<Timestamp>,
}

/// Where a new entry is stored until it is put in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StagingPlace {
    /// There is no new entry: the path is removed, or has other permission bits or another time.
    Nowhere,
    /// In the scratch directory, under this name.
    Scratch(OsString),
    /// At another path of the tree, from which it would be moved.
    At(Address),
    /// In the backup store, where it stays: it would be copied.
    Kept(Address),
}

impl Overlay {
    /// Returns all paths that would differ, sorted.
    ///
    /// # Errors
    /// Returns errors of the operating system, for example if the tree disappears meanwhile.
    pub fn deltas(&self) -> io::Result<Vec<Delta>> {
        let layer = self.layer();
        let mut finder = Finder { overlay: self, layer: &layer, found: Vec::new(), moved: HashMap::new() };
        for (number, root) in layer.roots.iter().enumerate() {
            let backing = BackingPath::Tree(number, Address::from(""));
            finder.folder(&backing, &root.base)?;
        }
        finder.dressed()?;
        let Finder { mut found, .. } = finder;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }
}

struct Finder<'a> {
    overlay: &'a Overlay,
    layer: &'a Layer,
    found: Vec<Delta>,
    /// The new path of each moved entry of the tree.
    moved: HashMap<BackingPath, Address>,
}

impl Finder<'_> {
    /// Finds the differences in a directory and below it. The stack depth does not depend on the nesting of
    /// directories.
    fn folder(&mut self, backing: &BackingPath, address: &Address) -> io::Result<()> {
        let mut waiting = vec![(backing.clone(), address.clone())];
        while let Some((backing, address)) = waiting.pop() {
            let empty = Changed::default();
            let changed = self.layer.folders.get(&backing).unwrap_or(&empty);
            for (name, means) in &changed.names {
                if is_reserved(name) {
                    continue;
                }
                let inner = address.join(name);
                let place = backing.join(name);
                self.name(&inner, place.as_ref(), means.as_ref())?;
                waiting.extend(means.clone().map(|means| (means, inner)));
            }
            for name in self.changed_below(&backing) {
                if !is_reserved(&name) && !changed.names.contains_key(&name) {
                    let inner = backing.join(&name).expect("only what is in the tree has something below it");
                    waiting.push((inner, address.join(&name)));
                }
            }
        }
        Ok(())
    }

    /// Returns the names in a directory of the tree below which something changed.
    fn changed_below(&self, backing: &BackingPath) -> BTreeSet<OsString> {
        let BackingPath::Tree(root, folder) = backing else { return BTreeSet::new() };
        let later = self.layer.folders.range(backing.clone()..).map(|(backing, _)| backing);
        let below = later.map_while(|backing| match backing {
            // Addresses that start with that of the directory are adjacent.
            BackingPath::Tree(number, address) if number == root && begins(address, folder) => Some(address),
            _ => None,
        });
        let part = |address: &Address| -> Option<OsString> {
            let rest = Path::new(&address.0).strip_prefix(Path::new(&folder.0)).ok()?;
            Some(rest.components().next()?.as_os_str().to_owned())
        };
        below.filter(|address| *address != folder && address.is_below(folder)).filter_map(part).collect()
    }

    fn name(&mut self, address: &Address, place: Option<&BackingPath>, means: Option<&BackingPath>) -> io::Result<()> {
        let was = place.map(|backing| self.on_disk(backing)).transpose()?.flatten();
        let now = means.map(|backing| self.at(backing)).transpose()?;
        let lies = match means {
            None => StagingPlace::Nowhere,
            Some(BackingPath::Made(name)) => StagingPlace::Scratch(name.clone()),
            Some(backing @ BackingPath::Tree(..)) => {
                self.moved.insert(backing.clone(), address.clone());
                let from = self.address(backing);
                if is_ours(backing) { StagingPlace::Kept(from) } else { StagingPlace::At(from) }
            }
        };
        if was.is_none() && now.is_none() {
            return Ok(());
        }
        let origin = place.map(|backing| self.address(backing)).filter(|origin| origin != address);
        let modified = now
            .filter(|now| matches!(lies, StagingPlace::Scratch(_)) && self.is_dated(now, means))
            .and_then(|now| now.modified);
        let (was, now) = (was.map(|was| State::of(&was)), now.map(|now| self.state(&now)));
        let (path, in_new) = (address.clone(), place.is_none());
        self.found.push(Delta { path, origin, in_new, was, now, lies, modified });
        Ok(())
    }

    fn on_disk(&self, backing: &BackingPath) -> io::Result<Option<Metadata>> {
        match self.at(backing) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            other => other.map(Some),
        }
    }

    fn at(&self, backing: &BackingPath) -> io::Result<Metadata> {
        let (folder, address) = match backing {
            BackingPath::Made(name) => return self.overlay.scratch.folder().metadata(name),
            BackingPath::Tree(root, address) => (&self.layer.roots[*root].folder, address),
        };
        let names: Vec<OsString> = parts_of(Path::new(&address.0)).collect();
        match names.split_last() {
            Some((name, above)) => down(folder, above)?.metadata(name),
            None => folder.own_metadata(),
        }
    }

    /// Returns the path on the disk of an entry of the tree.
    fn address(&self, backing: &BackingPath) -> Address {
        let BackingPath::Tree(root, address) = backing else { return Address::from("") };
        let base = &self.layer.roots[*root].base;
        if base.0.is_empty() { address.clone() } else { base.join(&address.0) }
    }

    /// Whether the run set the time of an entry that it created, and no later change of a directory gave it another.
    fn is_dated(&self, metadata: &Metadata, backing: Option<&BackingPath>) -> bool {
        let changed = backing.and_then(|backing| self.layer.folders.get(backing));
        let is_later = changed.is_some_and(|changed| changed.modified != metadata.modified);
        !is_later && self.layer.made.get(&metadata.identity.inode).is_some_and(|made| made.is_dated)
    }

    fn state(&self, metadata: &Metadata) -> State {
        let mut state = State::of(metadata);
        if let Some(MetadataChange { mode, modified, .. }) = self.layer.dressed.get(&metadata.identity) {
            state.mode = mode.unwrap_or(state.mode);
            state.modified = modified.map(moment).or(state.modified);
        }
        state
    }

    /// Finds entries of the tree with changed permission bits or modification time.
    fn dressed(&mut self) -> io::Result<()> {
        let positions: BTreeMap<Address, usize> =
            self.found.iter().enumerate().map(|(at, found)| (found.path.clone(), at)).collect();
        for MetadataChange { backing, mode, modified } in self.metadata_changes() {
            let Some(address) = self.now_at(&backing) else { continue };
            let Some(was) = self.on_disk(&backing)? else { continue };
            let was = State::of(&was);
            let now = State {
                mode: mode.unwrap_or(was.mode),
                modified: modified.map(moment).or(was.modified),
                ..was.clone()
            };
            match positions.get(&address) {
                Some(at) => self.found[*at].modified = modified,
                None => {
                    let origin = Some(self.address(&backing)).filter(|origin| *origin != address);
                    let (was, now) = (Some(was), Some(now));
                    let (in_new, lies) = (false, StagingPlace::Nowhere);
                    self.found.push(Delta { path: address, origin, in_new, was, now, lies, modified });
                }
            }
        }
        Ok(())
    }

    /// Returns the changed permission bits and times of entries of the tree, those of directories too.
    fn metadata_changes(&self) -> impl Iterator<Item = MetadataChange> + use<> {
        let dressed = self.layer.dressed.values().cloned();
        let mut changes: BTreeMap<BackingPath, MetadataChange> =
            dressed.map(|change| (change.backing.clone(), change)).collect();
        for (backing, changed) in &self.layer.folders {
            let Some(dated) = changed.dated().filter(|_| matches!(backing, BackingPath::Tree(..))) else { continue };
            let none = MetadataChange { backing: backing.clone(), mode: None, modified: None };
            changes.entry(backing.clone()).or_insert(none).modified = Some(dated);
        }
        changes.into_values()
    }

    /// Returns the path that an entry of the tree has at the end of the run, or `None` if it would be removed.
    fn now_at(&self, backing: &BackingPath) -> Option<Address> {
        if let Some(moved) = self.moved.get(backing) {
            return Some(moved.clone());
        }
        let BackingPath::Tree(root, address) = backing else { return None };
        if address.0.is_empty() {
            return Some(self.layer.roots[*root].base.clone());
        }
        let (above, name) = (address.parent(), Path::new(&address.0).file_name()?.to_owned());
        let above = BackingPath::Tree(*root, above);
        if self.layer.folders.get(&above).is_some_and(|changed| changed.names.contains_key(&name)) {
            return None;
        }
        Some(self.now_at(&above)?.join(&name))
    }
}

/// Whether an entry is one of NeuroScript's own files.
fn is_ours(backing: &BackingPath) -> bool {
    let BackingPath::Tree(_, address) = backing else { return false };
    Path::new(&address.0).iter().next().is_some_and(is_reserved)
}

fn begins(address: &Address, with: &Address) -> bool {
    address.0.as_encoded_bytes().starts_with(with.0.as_encoded_bytes())
}
