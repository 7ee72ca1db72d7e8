//! Later runs: changes that they made to a tree left by a run and then undid, so that the tree counts as unchanged.
//!
//! Moving an entry out of a directory and back changes its times, so times alone do not prove a change. The journals
//! of later runs do, provided that all their changes to the tree were undone.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::rc::Rc;

use super::super::changing::journal::folders::Folders;
use super::super::changing::journal::history::{History, HistoryError, JournaledStep, PutBack, StepOutcome};
use super::super::changing::journal::record::{Begin, End, Step};
use super::super::changing::journal::roots::Roots;
use super::super::handles::address::{Address, holder};
use super::super::handles::metadata::{Kind, Metadata, Timestamp};
use super::super::handles::stamp;
use super::super::handles::state::State;
use super::outcome::{keys_below, members_below};

/// The end of a run and the runs after it.
pub(super) struct Since<'a> {
    /// When the run ended, or `None` if that is not known.
    pub at: Option<Timestamp>,
    run: &'a str,
    roots: Roots<'a>,
    /// The client that is told the names of its runs, and of no others; `None` is told all.
    client: Option<&'a str>,
    later: OnceCell<LaterRuns>,
    /// The runs that it named as authors of changes.
    named: RefCell<BTreeSet<Rc<str>>>,
}

impl<'a> Since<'a> {
    pub fn new(run: &'a str, at: Option<Timestamp>, roots: Roots<'a>, client: Option<&'a str>) -> Since<'a> {
        Since { at, run, roots, client, later: OnceCell::new(), named: RefCell::default() }
    }

    /// Whether somebody else changed the entry at `address` in a tree that the run left.
    pub fn is_changed(&self, tree: &Address, address: &Address, found: &Metadata) -> bool {
        let is_after = |time: Option<Timestamp>| time.zip(self.at).is_some_and(|(time, at)| time > at);
        if !is_after(found.changed) {
            return false;
        }
        let later = self.later();
        let is_put_back = match later.left.get(address) {
            Some(left) => left.is_still(&State::of(found)),
            None if is_after(found.modified) => false,
            None if holder(&later.copied, address).is_some() => true,
            // Its time changed when entries were restored in it.
            None if found.kind == Kind::Folder => later.folders.contains(address),
            None => later.states.get(&found.identity.inode).is_some_and(|state| state.is_still(&State::of(found))),
        };
        !is_put_back || later.stays_in(tree)
    }

    /// Whether the entry may be a copy of what the run left, because a later run brought it back from another file
    /// system.
    pub fn is_copied(&self, address: &Address) -> bool {
        let later = self.later();
        holder(&later.copied, address).is_some() && !later.stays.contains_key(address)
    }

    /// Returns the short name of the later run that left a path in this state, if nobody undid that.
    pub fn author(&self, address: &Address, found: Option<&State>) -> Option<&str> {
        let later = self.later();
        let run = later.stays.get(address)?;
        let is_as_left = match (later.left.get(address), found) {
            (None, None) => true,
            (Some(left), Some(found)) => left.is_still(found),
            _ => false,
        };
        is_as_left.then(|| self.name(run))
    }

    /// Returns where later runs moved an entry that the run left at a path, with the short name of the last that did.
    /// Returns `None` if none of them did, or if it is gone from there too.
    pub fn moved_to(&self, address: &Address, left: &State) -> Option<(Address, &str)> {
        let (to, run) = self.later().way_of(address)?;
        let found = self.roots.state(&to).ok()??;
        (to != *address && found.kind == left.kind).then(|| (to, self.name(run)))
    }

    /// Returns the short name of a later run, which stands in the way.
    fn name<'r>(&self, run: &'r Rc<str>) -> &'r str {
        if &**run != OF_OTHERS {
            self.named.borrow_mut().insert(Rc::clone(run));
        }
        stamp::short(run)
    }

    /// Returns the short names of the later runs that it named, newest first.
    pub fn named(&self) -> Vec<String> {
        self.named.borrow().iter().rev().map(|run| stamp::short(run).to_owned()).collect()
    }

    fn later(&self) -> &LaterRuns {
        self.later.get_or_init(|| LaterRuns::read(self.run, self.roots, self.client).unwrap_or_default())
    }
}

/// Stands for the name of a run that the client is not told.
pub(super) const OF_OTHERS: &str = "";

/// Changes made by later runs.
#[derive(Default)]
struct LaterRuns {
    /// The state that they last left at each path.
    left: BTreeMap<Address, State>,
    /// The last state, by inode, of each entry that they moved, installed, replaced or removed. All hard links of a
    /// file share one change time (ctime), so a change of one link affects the others.
    states: HashMap<u64, State>,
    /// Roots of copies that they made of earlier entries.
    copied: BTreeSet<Address>,
    /// Directories in which they changed entries.
    folders: BTreeSet<Address>,
    /// Paths that they changed without a later undo, each with the last run that did.
    stays: BTreeMap<Address, Rc<str>>,
    /// Their moves and removals without a later undo, in order.
    ways: Vec<Way>,
    /// The numbers of the ways that begin at a path, ascending.
    ways_from: BTreeMap<Address, Vec<usize>>,
}

/// A move or a removal of an entry.
struct Way {
    from: Address,
    /// Where it was moved, or `None` if it was removed.
    to: Option<Address>,
    /// The run that did it.
    run: Rc<str>,
}

impl LaterRuns {
    /// Reads the journals of all runs after `run`. Returns `None` if one of them cannot be read, because the changes
    /// are then not known.
    fn read(run: &str, roots: Roots<'_>, client: Option<&str>) -> Option<LaterRuns> {
        let folders = Folders::find(roots.main).ok()??;
        let mut runs = Vec::new();
        for name in folders.runs().ok()?.into_iter().filter(|name| name.as_os_str() > OsStr::new(run)) {
            let file = folders.open_journal(&name).ok()?;
            let history = match History::read(&file, &name, &folders.seal) {
                Ok(history) if history.damaged.is_none() => history,
                // It records no run of this user.
                Err(HistoryError::Foreign) => continue,
                _ => return None,
            };
            runs.push((name.into_string().ok()?, history));
        }
        let mut undone = UndoneRuns::default();
        runs.iter().rev().for_each(|(_, history)| undone.see(&history.begin, history.end));
        let names: HashSet<&str> = runs.iter().map(|(name, _)| name.as_str()).collect();
        let mut later = LaterRuns::default();
        for (name, history) in &runs {
            // A run that undid another later run cancels out with it.
            let is_reversal = history.begin.undoes.as_ref().is_some_and(|run| names.contains(run.as_str()));
            let is_told = client.is_none() || history.begin.client.as_deref() == client;
            let told = if is_told { name.as_str() } else { OF_OTHERS };
            let stays = (!is_reversal && !undone.has(name)).then(|| Rc::<str>::from(told));
            let takes_back = history.begin.undoes.is_some();
            let mut touched = history.touched.iter().peekable();
            let mut copied = history.copied.iter().peekable();
            let mut put_back = history.put_back.iter().peekable();
            for taken in &history.steps {
                while let Some((folder, ..)) = touched.next_if(|(.., line)| taken.is_after(*line)) {
                    later.folders.insert(folder.clone());
                }
                while let Some((place, _)) = copied.next_if(|(_, line)| taken.is_after(*line)) {
                    later.copied.insert(place.clone());
                }
                while let Some(earlier) = put_back.next_if(|put_back| taken.is_after(put_back.line)) {
                    later.put_back(earlier);
                }
                later.take(taken, stays.as_ref());
                if takes_back || matches!(taken.step, Step::Move { .. }) {
                    later.copied.extend(taken.step.copied_back_to().cloned());
                }
            }
            later.folders.extend(touched.map(|(folder, ..)| folder.clone()));
            later.copied.extend(copied.map(|(place, _)| place.clone()));
            put_back.for_each(|put_back| later.put_back(put_back));
        }
        Some(later)
    }

    /// Applies a step. `stays` is the run that took it, unless it was undone.
    fn take(&mut self, taken: &JournaledStep, stays: Option<&Rc<str>>) {
        let place = taken.step.destination();
        if let Some(run) = stays {
            self.stays.extend([place, taken.step.path()].map(|path| (path.clone(), Rc::clone(run))));
            let to = match &taken.step {
                Step::Move { to, .. } => Some(Some(to.clone())),
                Step::Take { .. } => Some(None),
                _ => None,
            };
            if let Some(to) = to {
                self.add_way(Way { from: taken.step.path().clone(), to, run: Rc::clone(run) });
            }
        }
        if let Step::Move { path, to, .. } = &taken.step {
            self.rename(path, to);
        }
        self.folders.extend(taken.step.folders());
        let now = if let StepOutcome::Done { now, .. } = &taken.fate { now.as_ref() } else { None };
        let states = taken.step.states().into_iter().chain(now);
        self.states.extend(states.map(|state| (state.inode, state.clone())));
        if place != taken.step.path() {
            self.left.remove(taken.step.path());
        }
        match &taken.fate {
            StepOutcome::Done { now: Some(now), .. } => drop(self.left.insert(place.clone(), now.clone())),
            _ => drop(self.left.remove(place)),
        }
    }

    /// Renames what is known of a tree with the tree.
    fn rename(&mut self, from: &Address, to: &Address) {
        for set in [&mut self.folders, &mut self.copied] {
            let moved: Vec<Address> = members_below(set, from).chain(set.get(from)).cloned().collect();
            for address in moved {
                set.remove(&address);
                set.insert(address.moved(from, to));
            }
        }
        rename_below(&mut self.left, from, to);
        rename_below(&mut self.stays, from, to);
    }

    /// Applies the state after a step and its reversal. They cancel out except for the change time.
    fn put_back(&mut self, PutBack { place, now, .. }: &PutBack) {
        match now {
            Some(now) => {
                self.states.insert(now.inode, now.clone());
                self.left.insert(place.clone(), now.clone());
            }
            None => drop(self.left.remove(place)),
        }
    }

    /// Follows an entry through the moves. Returns its last path and the run that moved it there; `None` if it was not
    /// moved, or removed in the end.
    fn way_of(&self, address: &Address) -> Option<(Address, &Rc<str>)> {
        let (mut at, mut mover, mut number) = (address.clone(), None, 0);
        while let Some(next) = self.next_way(&at, number) {
            let Way { from, to, run } = &self.ways[next];
            (at, mover, number) = (at.moved(from, to.as_ref()?), Some(run), next + 1);
        }
        Some((at, mover?))
    }

    /// Returns the first way, from a number on, of an entry at a path or of a directory above it.
    fn next_way(&self, path: &Address, number: usize) -> Option<usize> {
        let next = |above: Address| {
            let numbers = self.ways_from.get(&above)?;
            numbers.get(numbers.partition_point(|earlier| *earlier < number)).copied()
        };
        path.ancestors().filter_map(next).min()
    }

    fn add_way(&mut self, way: Way) {
        self.ways_from.entry(way.from.clone()).or_default().push(self.ways.len());
        self.ways.push(way);
    }

    fn stays_in(&self, tree: &Address) -> bool {
        self.stays.contains_key(tree) || keys_below(&self.stays, tree).next().is_some()
    }
}

/// Runs that are undone and not redone, collected from the newest run to the oldest.
#[derive(Debug, Default)]
struct UndoneRuns(HashSet<String>);

impl UndoneRuns {
    /// Adds the effect of a run, which must be older than those seen before.
    fn see(&mut self, begin: &Begin, end: Option<End>) {
        if let (Some(run), Some(End::Done), false) = (&begin.undoes, end, self.has(&begin.run)) {
            self.0.insert(run.clone());
        }
    }

    /// Whether a run is undone.
    fn has(&self, run: &str) -> bool {
        self.0.contains(run)
    }
}

/// Renames the keys below a directory that was moved.
fn rename_below<T>(map: &mut BTreeMap<Address, T>, from: &Address, to: &Address) {
    let moved: Vec<Address> = keys_below(map, from).cloned().collect();
    for address in moved {
        let value = map.remove(&address).expect("it was just found");
        map.insert(address.moved(from, to), value);
    }
}
