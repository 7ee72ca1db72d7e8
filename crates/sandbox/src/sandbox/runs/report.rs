//! Summaries of the changes of a run, for people and programs.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::super::changing::journal::Journal;
use super::super::changing::journal::history::History;
use super::super::changing::journal::list::Reversal;
use super::super::changing::journal::record::{Begin, End};
use super::super::changing::journal::roots::Roots;
use super::super::handles::address::Address;
use super::super::handles::folder::Folder;
use super::super::handles::metadata::{Kind, Timestamp};
use super::super::handles::root::SandboxPath;
use super::super::handles::state::State;
use super::below::visit_below;
use super::outcome::{PathOutcome, RunOutcome};
use super::undo::{UndoError, read};

/// A run with all its changes.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The header of its journal.
    pub begin: Begin,
    /// How the run ended.
    pub end: Option<End>,
    /// State that later undos and redos gave it, or `None` if no run reversed it.
    pub reversal: Option<Reversal>,
    /// The first damaged line of its journal. Changes after it are not known.
    pub damaged: Option<u64>,
    /// The changes, sorted by path.
    pub changes: Vec<ChangeReport>,
}

/// The change of a run to one path.
#[derive(Clone, Debug)]
pub struct ChangeReport {
    /// The path.
    pub path: Address,
    /// The kind of change.
    pub what: ChangeKind,
    /// Whether the entry is a directory.
    pub is_folder: bool,
    /// The size before and after, in bytes.
    pub sizes: (Option<u64>, Option<u64>),
    /// The backup of the previous entry, below `.ns`, if it is still there.
    pub kept: Option<Address>,
    /// The contents of a directory that is created or deleted as a whole; `None` if unknown.
    pub holds: Option<Holds>,
}

/// The number and total size of the files in a directory, at any depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holds {
    /// Number of files and links.
    pub files: u64,
    /// Their total size in bytes.
    pub bytes: u64,
}

impl Holds {
    /// Counts the contents of the directory at `path`, except for the paths in `without` and everything below them.
    pub(in crate::sandbox) fn below(folder: Folder, path: &Address, without: &BTreeSet<Address>) -> io::Result<Holds> {
        let mut holds = Holds::default();
        visit_below(folder, path, |address, metadata| {
            let counts = !without.contains(address);
            if counts {
                holds.add(metadata.kind, metadata.size);
            }
            ControlFlow::<(), bool>::Continue(counts)
        })?;
        Ok(holds)
    }

    /// Adds an entry of the directory. Directories are not counted.
    pub fn add(&mut self, kind: Kind, size: u64) {
        if kind != Kind::Folder {
            *self = self.and(Holds { files: 1, bytes: size });
        }
    }

    /// Returns the sum of two counts.
    pub fn and(self, other: Holds) -> Holds {
        Holds { files: self.files + other.files, bytes: self.bytes.saturating_add(other.bytes) }
    }
}

/// The kind of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The path did not exist before.
    Created,
    /// Another entry or content was there before.
    Changed,
    /// The permission bits changed: the bits before and after.
    Mode(u32, u32),
    /// The modification time changed: the times before and after.
    Modified(Timestamp, Timestamp),
    /// The entry was moved from this path.
    Moved(Address),
    /// The path no longer exists.
    Deleted,
}

impl Journal {
    /// Returns the changes of a run. `reversal` is not determined, because that would require the journals of later
    /// runs.
    pub fn show(roots: Roots<'_>, run: &str) -> Result<RunReport, UndoError> {
        let (history, _) = read(roots, run)?;
        let outcome = RunOutcome::of(&history);
        let changes = changes(&outcome).filter_map(|(path, place)| {
            let holds = tree_of(roots, path, place).and_then(holds);
            let change = change_report(&outcome, path, place)?;
            // A backup that an undo put back is no longer there.
            let kept = change.kept.filter(|kept| matches!(roots.kept(kept), Ok(Some(_))));
            Some(ChangeReport { holds, kept, ..change })
        });
        let changes = changes.collect();
        let History { begin, end, damaged, .. } = history;
        Ok(RunReport { begin, end, reversal: None, damaged, changes })
    }
}

/// Returns the changes to show. An entry that was moved away is shown at its new path.
pub(super) fn changes(outcome: &RunOutcome) -> impl Iterator<Item = (&Address, &PathOutcome)> {
    let places = outcome.places.iter();
    let moved = places.clone().filter(|(_, place)| place.now.is_some());
    let sources: BTreeMap<&Address, &PathOutcome> =
        moved.filter_map(|(_, place)| Some((place.from.as_ref()?, place))).collect();
    // A line can name only one backup.
    let is_told = move |path: &Address, place: &PathOutcome| {
        sources.get(path).is_some_and(|to| place.kept.is_none() || to.kept.is_none())
    };
    let is_shown = move |(path, place): &(&Address, &PathOutcome)| match (&place.was, &place.now) {
        (None, None) => false,
        (Some(_), None) => !is_told(path, place),
        _ => true,
    };
    places.filter(is_shown)
}

fn change_report(outcome: &RunOutcome, path: &Address, place: &PathOutcome) -> Option<ChangeReport> {
    let origin = place.from.as_ref().and_then(|from| outcome.places.get(from));
    let (path, PathOutcome { was, now, from, kept, .. }) = (path.clone(), place.clone());
    let what = match (&was, &now, from) {
        (_, Some(_), Some(from)) => ChangeKind::Moved(from),
        (None, Some(_), None) => ChangeKind::Created,
        (Some(_), None, _) => ChangeKind::Deleted,
        (Some(was), Some(now), None) => attribute_change(was, now).unwrap_or(ChangeKind::Changed),
        (None, None, _) => return None,
    };
    let is_folder = now.as_ref().or(was.as_ref()).is_some_and(|state| state.kind == Kind::Folder);
    let sizes = (was.map(|state| state.size), now.map(|state| state.size));
    // The original path of a moved entry may have the backup.
    let kept = kept.or_else(|| origin.and_then(|origin| origin.kept.clone()));
    Some(ChangeReport { path, what, is_folder, sizes, kept, holds: None })
}

/// Returns the change of an entry that is still the same, with other permission bits or another time.
pub fn attribute_change(was: &State, now: &State) -> Option<ChangeKind> {
    if (was.inode, was.size) != (now.inode, now.size) {
        return None;
    }
    if was.mode != now.mode {
        return Some(ChangeKind::Mode(was.mode, now.mode));
    }
    let (before, after) = was.modified().zip(now.modified())?;
    (before != after).then_some(ChangeKind::Modified(before, after))
}

/// Returns the tree that a run installed at a path as a whole, or removed from it. Returns `None` if the tree is neither
/// where the run left it nor, after an undo, where it was before.
fn tree_of(roots: Roots<'_>, path: &Address, place: &PathOutcome) -> Option<SandboxPath> {
    let (state, found) = match (&place.was, &place.now, &place.kept) {
        (Some(was), None, Some(kept)) => (was, roots.kept(kept).ok()?.or_else(|| roots.place(path).ok())?),
        (_, Some(now), _) if place.is_tree => (now, roots.place(path).ok()?),
        _ => return None,
    };
    let is_same = found.metadata().is_ok_and(|metadata| metadata.identity.inode == state.inode);
    (state.kind == Kind::Folder && is_same).then_some(found)
}

/// Counts the contents of a tree. Returns `None` if it cannot be read.
fn holds(tree: SandboxPath) -> Option<Holds> {
    Holds::below(tree.open_folder().ok()?, &Address::from(""), &BTreeSet::new()).ok()
}
