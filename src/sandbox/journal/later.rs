//! What later runs did to a tree that a run left, and took back again: it is the tree that it was.
//!
//! Moving something out of a folder and back changes when it was changed last, so that time alone does not tell. The
//! journals of the later runs do, as far as all that they did there was taken back.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;

use super::super::metadata::{Kind, Metadata, Timestamp};
use super::address::{Address, holder};
use super::history::{Fate, History, HistoryError, PutBack, Taken};
use super::record::{State, Step};
use super::roots::Roots;
use super::run::Folders;
use super::times::Undone;

/// The end of a run, and what came after it.
pub(super) struct Since<'a> {
    /// When it ended; none where that is not known.
    pub at: Option<Timestamp>,
    run: &'a str,
    roots: Roots<'a>,
    later: OnceCell<Later>,
}

impl<'a> Since<'a> {
    pub fn new(run: &'a str, at: Option<Timestamp>, roots: Roots<'a>) -> Since<'a> {
        Since { at, run, roots, later: OnceCell::new() }
    }

    /// Whether somebody else changed what is at an address in a tree that the run left.
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
            // It got its time again with what was put back into it.
            None if found.kind == Kind::Folder => later.folders.contains(address),
            None => later.states.get(&found.identity.inode).is_some_and(|state| state.is_still(&State::of(found))),
        };
        !is_put_back || later.stays_in(tree)
    }

    /// Whether what is at an address may be a copy of what the run left there, since a later run brought it back
    /// from another file system.
    pub fn is_copied(&self, address: &Address) -> bool {
        let later = self.later();
        holder(&later.copied, address).is_some() && !later.stays.contains(address)
    }

    fn later(&self) -> &Later {
        self.later.get_or_init(|| Later::read(self.run, self.roots).unwrap_or_default())
    }
}

/// What runs after one did.
#[derive(Default)]
struct Later {
    /// What those that took others back left, by its address.
    left: BTreeMap<Address, State>,
    /// The last state of what they moved, put, replaced or took away, by its inode. A file with further names
    /// changes with each of them, as far as its time of change of status (ctime) tells.
    states: HashMap<u64, State>,
    /// Where they put copies of what had been there, with all that is in them.
    copied: BTreeSet<Address>,
    /// The folders that they put something into, or took something from.
    folders: BTreeSet<Address>,
    /// Where those changed something that were not taken back.
    stays: BTreeSet<Address>,
}

impl Later {
    /// Reads the journals; none where they cannot all be read, since then it is not known.
    fn read(run: &str, roots: Roots<'_>) -> Option<Later> {
        let folders = Folders::find(roots.main).ok()??;
        let mut runs = Vec::new();
        for name in folders.runs().ok()?.into_iter().filter(|name| name.as_os_str() > OsStr::new(run)) {
            let file = folders.ended.open_file(&name).or_else(|_| folders.open.open_file(&name)).ok()?;
            let history = match History::read(&file, &name, &folders.seal) {
                Ok(history) if history.damaged.is_none() => history,
                // It tells of no run of this user's.
                Err(HistoryError::Foreign) => continue,
                _ => return None,
            };
            runs.push((name.into_string().ok()?, history));
        }
        let mut undone = Undone::default();
        runs.iter().rev().for_each(|(_, history)| undone.see(&history.begin, history.end));
        let names: HashSet<&str> = runs.iter().map(|(name, _)| name.as_str()).collect();
        let mut later = Later::default();
        for (name, history) in &runs {
            // One that took back another of them comes to nothing together with that.
            let is_reversal = history.begin.undoes.as_ref().is_some_and(|run| names.contains(run.as_str()));
            let stays = !is_reversal && !undone.has(name);
            let takes_back = history.begin.undoes.is_some();
            let copies = history.steps.iter().filter(|taken| takes_back || matches!(taken.step, Step::Move { .. }));
            later.copied.extend(copies.filter_map(|taken| taken.step.copied_back_to()).cloned());
            later.folders.extend(history.touched.iter().map(|(folder, ..)| folder.clone()));
            later.copied.extend(history.copied.iter().map(|(place, _)| place.clone()));
            let mut put_back = history.put_back.iter().peekable();
            for taken in &history.steps {
                while let Some(earlier) = put_back.next_if(|put_back| taken.is_after(put_back.line)) {
                    later.put_back(earlier);
                }
                later.take(taken, stays);
            }
            put_back.for_each(|put_back| later.put_back(put_back));
        }
        Some(later)
    }

    fn take(&mut self, taken: &Taken, stays: bool) {
        let place = taken.step.destination();
        if stays {
            self.stays.extend([place.clone(), taken.step.path().clone()]);
        }
        self.folders.extend(taken.step.folders());
        let now = if let Fate::Done { now, .. } = &taken.fate { now.as_ref() } else { None };
        let states = taken.step.states().into_iter().chain(now);
        self.states.extend(states.map(|state| (state.inode, state.clone())));
        if place != taken.step.path() {
            self.left.remove(taken.step.path());
        }
        match &taken.fate {
            Fate::Done { now: Some(now), .. } => drop(self.left.insert(place.clone(), now.clone())),
            _ => drop(self.left.remove(place)),
        }
    }

    /// A step and the one that took it back come to nothing, but for the time at which this happened.
    fn put_back(&mut self, PutBack { place, now, .. }: &PutBack) {
        match now {
            Some(now) => {
                self.states.insert(now.inode, now.clone());
                self.left.insert(place.clone(), now.clone());
            }
            None => drop(self.left.remove(place)),
        }
    }

    fn stays_in(&self, tree: &Address) -> bool {
        self.stays.iter().any(|address| address == tree || address.is_below(tree))
    }
}
