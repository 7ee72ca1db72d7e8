//! The outcome of a run: for each path it changed, the entry before the run and the entry it left.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;

use super::super::changing::journal::history::{History, JournaledStep, StepOutcome};
use super::super::changing::journal::record::Step;
use super::super::handles::address::Address;
use super::super::handles::metadata::Kind;
use super::super::handles::state::{Moment, State};

/// The changes of a run to the tree.
#[derive(Clone, Debug, Default)]
pub struct RunOutcome {
    /// The changed paths.
    pub places: BTreeMap<Address, PathOutcome>,
    /// Removed entries, by the path of the backup.
    taken: BTreeMap<Address, RemovedEntry>,
    /// The places that name a backup, by its path.
    of_backup: BTreeMap<Address, Vec<Address>>,
    /// Directories whose entries changed, by path.
    pub(super) folders: BTreeMap<Address, Touched>,
    /// Directories that were removed later, by their path in the backup, or by their own path if there is no backup.
    gone: BTreeMap<Address, Touched>,
    /// The state of each entry when it was backed up, by the path of the backup.
    pub(super) kept: BTreeMap<Address, State>,
}

/// An entry that the run removed.
#[derive(Clone, Debug, Default)]
struct RemovedEntry {
    /// Its path when the run began, if it was moved before.
    from: Option<Address>,
    /// Its path when the run began, if directories above it were moved too, or if it was a backup.
    origin: Option<Address>,
    /// Whether the run restored it from a backup of an earlier run.
    is_restored: bool,
    /// The places below it.
    inside: Vec<(Address, PathOutcome)>,
}

/// A directory whose entries changed.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    /// Its path when the run began. It is below `.ns` if it was a backup or in one.
    pub(super) origin: Address,
    /// Its modification time before the run and after the run's last change.
    pub(super) before: Option<Moment>,
    pub(super) after: Option<Moment>,
    /// Its inode, if the journal has it.
    pub(super) inode: Option<u64>,
    /// The line of the journal that records the last change.
    line: u64,
}

/// The changes of a run to one path.
#[derive(Clone, Debug, Default)]
pub struct PathOutcome {
    /// The entry when the run began.
    pub was: Option<State>,
    /// The backup of that entry.
    pub kept: Option<Address>,
    /// The entry that the run left.
    pub now: Option<State>,
    /// The original path of that entry, if it was moved.
    pub from: Option<Address>,
    /// The path of that entry when the run began, if directories above it were moved too, or if it was a backup.
    origin: Option<Address>,
    /// Whether the run restored the entry from a backup of an earlier run.
    is_restored: bool,
    /// The original path of an entry that the run moved here and then replaced.
    pub(super) replaced: Option<Address>,
    /// Whether the run created the directory there and then its entries one by one.
    pub(super) is_made: bool,
    /// Whether the run installed a whole tree there.
    pub(super) is_tree: bool,
    /// Whether the entry is a copy of what the run left, made by a later move to another file system.
    pub(super) is_copied: bool,
    /// Whether a directory that was moved here or to an ancestor, after the run emptied this path, brought the entry.
    pub(super) is_covered: bool,
}

impl PathOutcome {
    /// Whether the entry is still the one from before the run.
    fn is_as_it_was(&self) -> bool {
        self.was.as_ref().zip(self.now.as_ref()).is_some_and(|(was, now)| was.inode == now.inode)
    }

    /// Records that the run removed the entry.
    fn empty(&mut self) {
        (self.now, self.origin, self.is_restored) = (None, None, false);
    }
}

impl RunOutcome {
    /// Computes the outcome of the steps of a run.
    pub fn of(history: &History) -> RunOutcome {
        let mut outcome = RunOutcome::default();
        let mut copied = history.copied.iter().peekable();
        for taken in &history.steps {
            while let Some((place, _)) = copied.next_if(|(_, line)| taken.is_after(*line)) {
                outcome.copy(place);
            }
            outcome.take(taken);
        }
        copied.for_each(|(place, _)| outcome.copy(place));
        for (folder, modified, line) in &history.touched {
            let touched = outcome.folders.get_mut(folder).or_else(|| outcome.gone.get_mut(folder));
            if let Some(touched) = touched.filter(|touched| touched.line < *line) {
                (touched.after, touched.line) = (*modified, *line);
            }
        }
        outcome
    }

    /// Marks the entry at `path`, with everything in it, as a copy of what the steps left.
    fn copy(&mut self, path: &Address) {
        for address in at_and_below(&self.places, path) {
            self.places.entry(address).and_modify(|place| place.is_copied = true);
        }
        for address in at_and_below(&self.folders, path) {
            self.folders.entry(address).and_modify(|touched| touched.inode = None);
        }
    }

    fn take(&mut self, taken: &JournaledStep) {
        let StepOutcome::Done { now, kept, .. } = &taken.fate else { return };
        self.touch_folders(taken);
        let (now, kept_any) = (now.clone(), *kept);
        match &taken.step {
            Step::Put { .. } => self.put(&taken.step, now, kept_any),
            Step::Take { path, old, kept, .. } => self.remove(path, old, kept, kept_any),
            Step::Move { path, old, to, draft } => self.shift(path, to, old, now, draft.is_some()),
            Step::MakeFolder { path } => {
                let place = self.place(path, None);
                (place.now, place.from, place.is_made, place.is_tree, place.is_copied) =
                    (now, None, true, false, false);
                (place.origin, place.is_restored) = (None, false);
            }
            Step::RemoveFolder { path, old } => {
                let place = self.place(path, Some(old));
                place.empty();
                self.let_go(path, path);
            }
            Step::SetMode { path, old, .. } | Step::SetModified { path, old, .. } => {
                let place = self.place(path, Some(old));
                (place.now, place.is_copied) = (now, false);
            }
            Step::Draft { .. } | Step::Temporary { .. } => {}
        }
    }

    /// Records that a step changed the entries of its directories.
    fn touch_folders(&mut self, JournaledStep { step, fate, before, inodes, .. }: &JournaledStep) {
        let StepOutcome::Done { after, line, .. } = fate else { return };
        let states = before.iter().zip(inodes).zip(after);
        for (folder, ((before, inode), after)) in step.folders().into_iter().zip(states) {
            let origin = folder.clone();
            let touched = Touched { origin, before: *before, after: *after, inode: *inode, line: *line };
            self.touch(folder, touched);
        }
    }

    /// Records a [`Step::Put`], which left the entry `now`.
    fn put(&mut self, step: &Step, now: Option<State>, kept_any: bool) {
        let Step::Put { path, old, draft, kept, from, is_empty } = step else { return };
        let taken = from.as_ref().and_then(|(from, _)| self.put_back(from));
        let is_new = taken.is_none();
        let earlier = from.as_ref().filter(|_| is_new && draft.is_none()).map(|(from, _)| from.clone());
        let RemovedEntry { from: before, origin, is_restored, inside } = taken.unwrap_or_default();
        let is_tree = now.as_ref().is_some_and(|now| now.kind == Kind::Folder) && is_new && !is_empty;
        for (below, place) in inside {
            let is_copied = place.is_copied || draft.is_some();
            self.places.insert(below, PathOutcome { is_copied, ..place });
        }
        let had_original = self.has_original(path);
        if let Some(kept) = kept.as_ref().filter(|_| kept_any) {
            self.let_go(path, kept);
        }
        if let Some((from, _)) = from {
            self.bring_back(from, path);
        }
        if kept_any {
            self.keep_moved(path, kept.as_ref());
            self.kept.extend(kept.clone().zip(old.clone()));
        }
        let place = self.place(path, old.as_ref());
        place.replaced = place.replaced.take().or(place.from.take()).filter(|_| kept_any);
        (place.now, place.from, place.is_made, place.is_tree, place.is_copied) =
            (now, before, is_new && *is_empty, is_tree, false);
        (place.is_restored, place.origin) = (is_restored || earlier.is_some(), origin.or(earlier));
        let is_backup = place.kept.is_none() && kept_any && had_original && place.was.is_some();
        if let Some(kept) = kept.as_ref().filter(|_| is_backup) {
            self.name_backup(path, kept);
        }
    }

    /// Records that the entry at `path` was removed, to the backup `kept`.
    fn remove(&mut self, path: &Address, old: &State, kept: &Address, kept_any: bool) {
        let mut inside = Vec::new();
        self.below(path, |outcome, below, place| {
            outcome.places.insert(below.clone(), PathOutcome { now: None, is_covered: false, ..place.clone() });
            inside.push((below, place));
        });
        let had_original = self.has_original(path);
        let PathOutcome { from, origin, is_restored, .. } = self.places.get(path).cloned().unwrap_or_default();
        self.taken.insert(kept.clone(), RemovedEntry { from, origin, is_restored, inside });
        self.let_go(path, kept);
        if kept_any {
            self.keep_moved(path, Some(kept));
            self.kept.insert(kept.clone(), old.clone());
        }
        let place = self.place(path, Some(old));
        place.empty();
        if place.kept.is_none() && had_original && place.was.is_some() {
            self.name_backup(path, kept);
        }
    }

    /// Handles an entry that was moved to `path` and is now replaced or removed: records its backup at its original
    /// path.
    fn keep_moved(&mut self, path: &Address, kept: Option<&Address>) {
        let Some(from) = self.places.get(path).and_then(|place| place.from.clone()) else { return };
        let lacks_backup = self.places.get(&from).is_some_and(|origin| origin.was.is_some() && origin.kept.is_none());
        if let Some(kept) = kept.filter(|_| lacks_backup) {
            self.name_backup(&from, kept);
        }
    }

    /// Whether the entry at a path is the one from before the run, even if the run moved it in between.
    fn has_original(&self, path: &Address) -> bool {
        self.places.get(path).is_none_or(|place| place.is_as_it_was() || place.from.as_ref() == Some(path))
    }

    /// Records the backup of the entry that was at a place when the run began. It stays there until the run itself
    /// restores the entry.
    fn name_backup(&mut self, path: &Address, kept: &Address) {
        if let Some(place) = self.places.get_mut(path) {
            place.kept = Some(kept.clone());
            self.of_backup.entry(kept.clone()).or_default().push(path.clone());
        }
    }

    /// Handles the restoration of an entry that the run itself removed: its backup is gone.
    fn put_back(&mut self, kept: &Address) -> Option<RemovedEntry> {
        let taken = self.taken.remove(kept)?;
        for path in self.of_backup.remove(kept).into_iter().flatten() {
            if let Some(place) = self.places.get_mut(&path).filter(|place| place.kept.as_ref() == Some(kept)) {
                place.kept = None;
            }
        }
        Some(taken)
    }

    fn touch(&mut self, folder: Address, new: Touched) {
        if let Some(touched) = self.folders.get_mut(&folder) {
            if touched.line < new.line {
                (touched.after, touched.line) = (new.after, new.line);
            }
        } else if !self.is_new(&folder) {
            let origin = self.origin_of(&folder);
            self.folders.insert(folder, Touched { origin, ..new });
        }
    }

    /// Whether the run created the entry at `address`, alone or as part of a tree. Undo removes such entries. What it
    /// restored from a backup of an earlier run goes back there.
    fn is_new(&self, address: &Address) -> bool {
        let nearest = address.ancestors().find_map(|above| self.places.get(&above).filter(|place| place.now.is_some()));
        nearest.is_some_and(|place| {
            let is_from_before = place.from.is_some() || place.is_as_it_was();
            !place.is_restored && (place.is_made || place.is_tree || !is_from_before)
        })
    }

    /// Whether the run installed a whole tree above `address` in place of one that it removed. Directories between them
    /// of which it only changed mode or time do not matter.
    pub(super) fn is_in_tree(&self, address: &Address) -> bool {
        let is_placed = |place: &&PathOutcome| place.is_tree || place.is_made || place.from.is_some();
        let known = |above: Address| self.places.get(&above).filter(|place| place.now.is_some()).filter(is_placed);
        address.ancestors().skip(1).find_map(known).is_some_and(|place| place.is_tree)
    }

    /// Handles the removal of a directory and those below it. Nobody else changes them from here on.
    fn let_go(&mut self, path: &Address, kept: &Address) {
        for folder in at_and_below(&self.folders, path) {
            let touched = self.folders.remove(&folder).expect("its key was just seen");
            self.gone.insert(folder.moved(path, kept), touched);
        }
    }

    /// Handles the restoration of the directories in a backup.
    fn bring_back(&mut self, kept: &Address, path: &Address) {
        for folder in at_and_below(&self.gone, kept) {
            let touched = self.gone.remove(&folder).expect("its key was just seen");
            self.folders.insert(folder.moved(kept, path), touched);
        }
    }

    /// Returns the path that an entry had when the run began, which is that of a backup if it was one.
    fn origin_of(&self, address: &Address) -> Address {
        let moved = |above: Address| {
            let place = self.places.get(&above)?;
            Some(address.moved(&above, place.origin.as_ref().or(place.from.as_ref())?))
        };
        address.ancestors().find_map(moved).unwrap_or_else(|| address.clone())
    }

    /// Returns the directories whose entries changed, with the path at which each is at the end of the run. That is a
    /// path below `.ns` if the run removed it.
    pub(super) fn directories(&self) -> impl Iterator<Item = (&Address, &Touched)> {
        self.folders.iter().chain(&self.gone)
    }

    /// Returns the place of a path. On first use, `old` becomes the entry from before the run.
    fn place(&mut self, path: &Address, old: Option<&State>) -> &mut PathOutcome {
        let place = self.places.entry(path.clone());
        let place = place.or_insert_with(|| PathOutcome { was: old.cloned(), ..PathOutcome::default() });
        place.is_covered = false;
        place
    }

    /// Removes the places below a path and passes each to `work`.
    fn below(&mut self, path: &Address, mut work: impl FnMut(&mut RunOutcome, Address, PathOutcome)) {
        let below: Vec<Address> = keys_below(&self.places, path).cloned().collect();
        for address in below {
            let place = self.places.remove(&address).expect("its key was just seen");
            work(self, address, place);
        }
    }

    fn shift(&mut self, path: &Address, to: &Address, old: &State, now: Option<State>, is_copied: bool) {
        for folder in at_and_below(&self.folders, path) {
            let touched = self.folders.remove(&folder).expect("its key was just seen");
            let inode = touched.inode.filter(|_| !is_copied);
            self.folders.insert(folder.moved(path, to), Touched { inode, ..touched });
        }
        let covered: Vec<Address> = keys_below(&self.places, to).cloned().collect();
        for address in covered {
            self.places.entry(address).and_modify(|place| place.is_covered = true);
        }
        self.below(path, |outcome, below, place| {
            let from = place.now.is_some().then(|| below.clone());
            let there = outcome.places.remove(&below.moved(path, to)).unwrap_or_default();
            let is_copied = is_copied || place.is_copied;
            let moved = PathOutcome { was: there.was, kept: there.kept, from, is_copied, ..place.clone() };
            outcome.places.insert(below.moved(path, to), moved);
            if place.was.is_some() {
                outcome.places.insert(below, PathOutcome { now: None, is_covered: false, ..place });
            }
        });
        let origin = Some(self.origin_of(path));
        let source = self.place(path, Some(old));
        let from = source.from.take().or(Some(path.clone()));
        let moved = PathOutcome { was: None, kept: None, from, origin, ..source.clone() };
        *source = PathOutcome { was: source.was.clone(), kept: source.kept.clone(), ..PathOutcome::default() };
        let was = self.places.get(to).and_then(|place| place.was.clone());
        let kept = self.places.get(to).and_then(|place| place.kept.clone());
        self.places.insert(to.clone(), PathOutcome { was, kept, now, is_copied: false, ..moved });
    }
}

/// Returns a path, if it is a key, and the keys below it.
pub(super) fn at_and_below<T>(map: &BTreeMap<Address, T>, path: &Address) -> Vec<Address> {
    let own = map.contains_key(path).then_some(path);
    own.into_iter().chain(keys_below(map, path)).cloned().collect()
}

/// Returns the keys strictly below a path. They are adjacent because addresses sort by their bytes.
pub(super) fn keys_below<'m, T>(map: &'m BTreeMap<Address, T>, path: &'m Address) -> impl Iterator<Item = &'m Address> {
    map.range(first_below(path)..).map(|(other, _)| other).take_while(|other| other.is_below(path))
}

/// Returns the members strictly below a path.
pub(super) fn members_below<'s>(set: &'s BTreeSet<Address>, path: &'s Address) -> impl Iterator<Item = &'s Address> {
    set.range(first_below(path)..).take_while(|other| other.is_below(path))
}

/// Returns the first possible path below another, in the order of paths.
fn first_below(path: &Address) -> Address {
    path.join(OsStr::new(""))
}
