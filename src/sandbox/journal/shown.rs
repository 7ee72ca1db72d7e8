//! What a run changed, as a person or a program is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::metadata::Kind;
use super::super::root::SandboxPath;
use super::Journal;
use super::address::Address;
use super::conflicts::first_below;
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
    /// How much is in a folder that goes or comes as a whole, as far as it is known.
    pub holds: Option<Holds>,
}

/// How much is in a folder, at any depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holds {
    /// Files and links.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Holds {
    /// Counts something in the folder.
    pub fn add(&mut self, kind: Kind, size: u64) {
        if kind != Kind::Folder {
            *self = self.and(Holds { files: 1, bytes: size });
        }
    }

    /// The sum of what is in several folders.
    pub fn and(self, other: Holds) -> Holds {
        Holds { files: self.files + other.files, bytes: self.bytes.saturating_add(other.bytes) }
    }
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
        let outcome = Outcome::of(&history);
        let changes = changes(&outcome).filter_map(|(path, place)| {
            let holds = tree_of(roots, path, place).and_then(holds);
            shown(&outcome, path, place).map(|change| ShownChange { holds, ..change })
        });
        let changes = changes.collect();
        let History { begin, end, damaged, .. } = history;
        Ok(ShownRun { begin, end, reversal: None, damaged, changes })
    }
}

/// The places at which something is to be shown. Where something was moved away its new place says so.
pub(super) fn changes(outcome: &Outcome) -> impl Iterator<Item = (&Address, &Place)> {
    let places = outcome.places.iter();
    let moved = places.clone().filter(|(_, place)| place.now.is_some());
    let sources: BTreeMap<&Address, &Place> =
        moved.filter_map(|(_, place)| Some((place.from.as_ref()?, place))).collect();
    // One line names one kept thing.
    let is_told = move |path: &Address, place: &Place| {
        sources.get(path).is_some_and(|to| place.kept.is_none() || to.kept.is_none())
    };
    let is_shown = move |(path, place): &(&Address, &Place)| match (&place.was, &place.now) {
        (None, None) => false,
        (Some(_), None) => !is_told(path, place),
        _ => true,
    };
    places.filter(is_shown)
}

fn shown(outcome: &Outcome, path: &Address, place: &Place) -> Option<ShownChange> {
    let origin = place.from.as_ref().and_then(|from| outcome.places.get(from));
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
    // What was replaced after it was moved.
    let kept = kept.or_else(|| origin.and_then(|origin| origin.kept.clone()));
    Some(ShownChange { path, what, is_folder, sizes, kept, holds: None })
}

fn is_mode_alone(was: &State, now: &State) -> bool {
    (was.inode, was.size, was.modified) == (now.inode, now.size, now.modified) && was.mode != now.mode
}

/// The tree that a run put at a place as a whole or took away from there, if it is still where the run left it.
fn tree_of(roots: Roots<'_>, path: &Address, place: &Place) -> Option<SandboxPath> {
    let (state, found) = match (&place.was, &place.now, &place.kept) {
        (Some(was), None, Some(kept)) => (was, roots.kept(kept).ok()??),
        (_, Some(now), _) if place.is_tree => (now, roots.place(path).ok()?),
        _ => return None,
    };
    let is_same = found.metadata().is_ok_and(|metadata| metadata.identity.inode == state.inode);
    (state.kind == Kind::Folder && is_same).then_some(found)
}

/// How much is in a tree; none where that cannot be told.
fn holds(tree: SandboxPath) -> Option<Holds> {
    let mut holds = Holds::default();
    let counted = first_below(tree.open_folder().ok()?, &Address::from(""), |_, metadata| {
        holds.add(metadata.kind, metadata.size);
        Ok(None::<()>)
    });
    counted.ok().map(|_| holds)
}
