//! Paths that a forced undo leaves as they are.
//!
//! These are the paths that somebody else changed, and every path that would otherwise get wrong contents: the other
//! end of a move, paths below a directory that is not restored, and directories above a path that stays: a whole tree,
//! and a directory that the run created, whose permission bits and time therefore stay too.

use std::collections::{BTreeMap, BTreeSet};

use super::super::changing::journal::history::History;
use super::super::changing::journal::record::Step;
use super::super::handles::address::{Address, holder};
use super::obstacles::Conflict;
use super::outcome::keys_below;

/// The skipped paths and the reasons.
pub(super) struct Skipped<'h> {
    history: &'h History,
    reasons: BTreeMap<Address, String>,
    /// Paths occupied by another entry than that of the run, so that nothing below them is what it was.
    occupied: BTreeSet<Address>,
}

impl<'h> Skipped<'h> {
    /// Creates the set from conflicts and missing directories, and adds the paths that depend on them. `is_there` tells
    /// whether an entry exists at a path.
    pub fn new(
        conflicts: Vec<Conflict>,
        missing: Vec<Conflict>,
        history: &'h History,
        is_there: impl Fn(&Address) -> bool,
    ) -> Skipped<'h> {
        let occupied = missing.iter().map(|conflict| conflict.path.clone()).collect();
        let reasons = conflicts.into_iter().chain(missing).map(|conflict| (conflict.path, conflict.reason)).collect();
        let mut skipped = Skipped { history, reasons, occupied };
        skipped.spread();
        while !skipped.reasons.is_empty() && skipped.keep_made_folders(&is_there) {
            skipped.spread();
        }
        skipped
    }

    /// Whether a step is skipped.
    pub fn has(&self, step: &Step) -> bool {
        step.places().into_iter().any(|place| self.reasons.contains_key(place))
    }

    /// Whether every change of the run is skipped.
    pub fn has_all(&self) -> bool {
        self.history.steps.iter().filter(|taken| taken.step.is_change()).all(|taken| self.has(&taken.step))
    }

    /// Skips a step and everything that depends on its paths.
    pub fn add(&mut self, step: &Step, reason: &str) {
        for place in step.places() {
            self.reasons.entry(place.clone()).or_insert_with(|| reason.to_owned());
        }
        self.spread();
    }

    /// Whether an entry directly in `directory` is skipped.
    pub fn is_in(&self, directory: &Address) -> bool {
        self.reasons.keys().any(|place| place.parent() == *directory)
    }

    /// Returns the paths with the reasons, sorted by path.
    pub fn into_conflicts(self) -> Vec<Conflict> {
        self.reasons.into_iter().map(|(path, reason)| Conflict { path, reason }).collect()
    }

    /// Adds the directories that the run created and that contain an entry at a skipped path. Returns whether there are
    /// more than before.
    fn keep_made_folders(&mut self, is_there: &impl Fn(&Address) -> bool) -> bool {
        let count = self.reasons.len();
        for taken in &self.history.steps {
            let (Step::MakeFolder { path } | Step::Put { path, is_empty: true, .. }) = &taken.step else { continue };
            let stays = keys_below(&self.reasons, path).find(|below| is_there(below));
            if let Some(reason) = stays.map(|below| format!("`{}` is left as it is", below.display())) {
                self.reasons.entry(path.clone()).or_insert(reason);
            }
        }
        self.reasons.len() > count
    }

    /// Adds the paths of steps that depend on skipped paths, until no more are found.
    fn spread(&mut self) {
        if self.reasons.is_empty() {
            return;
        }
        let history = self.history;
        let mut count = 0;
        while count < self.reasons.len() + self.occupied.len() {
            count = self.reasons.len() + self.occupied.len();
            history.steps.iter().rev().for_each(|taken| self.follow(&taken.step));
        }
    }

    /// Adds the paths of a step if it depends on a skipped path.
    fn follow(&mut self, step: &Step) {
        let places = step.places();
        let Some(cause) = places.iter().find_map(|place| self.cause(place, step.is_of_tree())) else { return };
        let reason = format!("`{}` is left as it is", cause.display());
        for place in places {
            self.reasons.entry(place.clone()).or_insert_with(|| reason.clone());
            if step.is_of_tree() {
                self.occupied.insert(place.clone());
            }
        }
    }

    /// Returns the skipped path that causes `place` to be skipped: the path itself, an occupied ancestor, or, for a
    /// whole tree, a path below it.
    fn cause(&self, place: &Address, is_tree: bool) -> Option<Address> {
        if self.reasons.contains_key(place) {
            return Some(place.clone());
        }
        let occupied = holder(&self.occupied, &place.parent()).cloned();
        occupied.or_else(|| keys_below(&self.reasons, place).next().filter(|_| is_tree).cloned())
    }
}
