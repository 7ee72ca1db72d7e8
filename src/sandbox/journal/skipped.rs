//! The places that a forced undo skips, so that they stay as they are.
//!
//! These are the places that somebody changed, and every place that would get a wrong content without them: the other
//! end of a move, what lies below something that is not put back, and what holds something that stays.

use std::collections::{BTreeMap, BTreeSet};

use super::address::{Address, holder};
use super::conflicts::Conflict;
use super::history::History;
use super::outcome::keys_below;
use super::record::Step;

/// The places that are skipped, and why.
pub(super) struct Skipped<'h> {
    history: &'h History,
    reasons: BTreeMap<Address, String>,
    /// Those at which another thing stands than the run had there, so that nothing below them is what it was.
    occupied: BTreeSet<Address>,
}

impl<'h> Skipped<'h> {
    /// The places of conflicts, the directories that are missing, and what is skipped with them.
    pub fn new(conflicts: Vec<Conflict>, missing: Vec<Conflict>, history: &'h History) -> Skipped<'h> {
        let occupied = missing.iter().map(|conflict| conflict.path.clone()).collect();
        let reasons = conflicts.into_iter().chain(missing).map(|conflict| (conflict.path, conflict.reason)).collect();
        let mut skipped = Skipped { history, reasons, occupied };
        skipped.spread();
        skipped
    }

    /// Whether a step is skipped.
    pub fn has(&self, step: &Step) -> bool {
        step.places().into_iter().any(|place| self.reasons.contains_key(place))
    }

    /// Skips a step, and all that depends on its places.
    pub fn add(&mut self, step: &Step, reason: &str) {
        for place in step.places() {
            self.reasons.entry(place.clone()).or_insert_with(|| reason.to_owned());
        }
        self.spread();
    }

    /// Whether something directly in a directory is skipped.
    pub fn is_in(&self, directory: &Address) -> bool {
        self.reasons.keys().any(|place| place.parent() == *directory)
    }

    /// The places with the reasons, by their addresses.
    pub fn into_conflicts(self) -> Vec<Conflict> {
        self.reasons.into_iter().map(|(path, reason)| Conflict { path, reason }).collect()
    }

    /// Adds the places of steps that depend on places that are skipped, until there are no more.
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

    /// Adds the places of a step if it depends on a place that is skipped.
    fn follow(&mut self, step: &Step) {
        let places = step.places();
        let Some(cause) = places.iter().find_map(|place| self.cause(place, step.is_of_tree())) else { return };
        let reason = format!("`{}` is left as it is", cause.shown());
        for place in places {
            self.reasons.entry(place.clone()).or_insert_with(|| reason.clone());
            if step.is_of_tree() {
                self.occupied.insert(place.clone());
            }
        }
    }

    /// The place because of which another is skipped: itself, one above it, or one below it if it goes as a whole.
    fn cause(&self, place: &Address, is_tree: bool) -> Option<Address> {
        if self.reasons.contains_key(place) {
            return Some(place.clone());
        }
        let occupied = holder(&self.occupied, &place.parent()).cloned();
        occupied.or_else(|| keys_below(&self.reasons, place).next().filter(|_| is_tree).cloned())
    }
}
