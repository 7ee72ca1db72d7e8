//! What a run changed, as a person or a program is told.

use std::collections::BTreeSet;

use super::super::metadata::Kind;
use super::Journal;
use super::address::Address;
use super::history::History;
use super::list::Reversal;
use super::outcome::{Outcome, Place};
use super::record::{Begin, End, State};
use super::roots::Roots;
use super::undo::{UndoError, read};

/// A run, with everything that it changed.
#[derive(Clone, Debug)]
pub struct ShownRun {
    /// Whose journal it is.
    pub begin: Begin,
    /// How it ended.
    pub end: Option<End>,
    /// State that later undos and redos gave it, or `None` if no run reversed it.
    pub reversal: Option<Reversal>,
    /// The first line of its journal that is damaged; what came after it is not known.
    pub damaged: Option<u64>,
    /// What it changed, by paths.
    pub changes: Vec<ShownChange>,
}

/// What a run did to one place.
#[derive(Clone, Debug)]
pub struct ShownChange {
    /// The place.
    pub path: Address,
    /// What was done.
    pub what: What,
    /// Whether a folder is meant.
    pub is_folder: bool,
    /// The size before, and after.
    pub sizes: (Option<u64>, Option<u64>),
    /// Where what was there is kept, below `.ns`.
    pub kept: Option<Address>,
}

/// What was done to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Nothing was there before.
    Created,
    /// Something else was there before.
    Changed,
    /// It got other permission bits: those before, and those after.
    Mode(u32, u32),
    /// It came from here.
    Moved(Address),
    /// Nothing is there any more.
    Deleted,
}

impl Journal {
    /// What a run changed. What later runs made of it is left out: it takes their journals to know.
    pub fn show(roots: Roots<'_>, run: &str) -> Result<ShownRun, UndoError> {
        let (history, _) = read(roots, run)?;
        let changes = changes(&Outcome::of(&history)).filter_map(|(path, place)| shown(path, place)).collect();
        let History { begin, end, damaged, .. } = history;
        Ok(ShownRun { begin, end, reversal: None, damaged, changes })
    }
}

/// The places at which something is to be shown. Where something was moved away its new place says so.
pub(super) fn changes(outcome: &Outcome) -> impl Iterator<Item = (&Address, &Place)> {
    let places = outcome.places.iter();
    let moved = places.clone().filter(|(_, place)| place.now.is_some());
    let sources: BTreeSet<&Address> = moved.filter_map(|(_, place)| place.from.as_ref()).collect();
    let is_shown = move |(path, place): &(&Address, &Place)| match (&place.was, &place.now) {
        (None, None) => false,
        (Some(_), None) => !sources.contains(path),
        _ => true,
    };
    places.filter(is_shown)
}

fn shown(path: &Address, place: &Place) -> Option<ShownChange> {
    let (path, Place { was, now, from, kept, .. }) = (path.clone(), place.clone());
    let what = match (&was, &now, from) {
        (_, Some(_), Some(from)) => What::Moved(from),
        (None, Some(_), None) => What::Created,
        (Some(_), None, _) => What::Deleted,
        (Some(was), Some(now), None) if is_mode_alone(was, now) => What::Mode(was.mode, now.mode),
        (Some(_), Some(_), None) => What::Changed,
        (None, None, _) => return None,
    };
    let is_folder = now.as_ref().or(was.as_ref()).is_some_and(|state| state.kind == Kind::Folder);
    let sizes = (was.map(|state| state.size), now.map(|state| state.size));
    Some(ShownChange { path, what, is_folder, sizes, kept })
}

fn is_mode_alone(was: &State, now: &State) -> bool {
    (was.inode, was.size, was.modified) == (now.inode, now.size, now.modified) && was.mode != now.mode
}
