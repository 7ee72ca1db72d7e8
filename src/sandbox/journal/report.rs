//! Summaries of the changes of a run, for people and programs.

use std::collections::BTreeSet;

use super::super::metadata::Kind;
use super::Journal;
use super::address::Address;
use super::history::History;
use super::list::Reversal;
use super::outcome::{PathOutcome, RunOutcome};
use super::record::{Begin, End, State};
use super::roots::Roots;
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
    /// The backup of the previous entry, below `.ns`.
    pub kept: Option<Address>,
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
        let changes =
            changes(&RunOutcome::of(&history)).filter_map(|(path, place)| change_report(path, place)).collect();
        let History { begin, end, damaged, .. } = history;
        Ok(RunReport { begin, end, reversal: None, damaged, changes })
    }
}

/// Returns the changes to show. An entry that was moved away is shown at its new path.
pub(super) fn changes(outcome: &RunOutcome) -> impl Iterator<Item = (&Address, &PathOutcome)> {
    let places = outcome.places.iter();
    let moved = places.clone().filter(|(_, place)| place.now.is_some());
    let sources: BTreeSet<&Address> = moved.filter_map(|(_, place)| place.from.as_ref()).collect();
    let is_shown = move |(path, place): &(&Address, &PathOutcome)| match (&place.was, &place.now) {
        (None, None) => false,
        (Some(_), None) => !sources.contains(path),
        _ => true,
    };
    places.filter(is_shown)
}

fn change_report(path: &Address, place: &PathOutcome) -> Option<ChangeReport> {
    let (path, PathOutcome { was, now, from, kept, .. }) = (path.clone(), place.clone());
    let what = match (&was, &now, from) {
        (_, Some(_), Some(from)) => ChangeKind::Moved(from),
        (None, Some(_), None) => ChangeKind::Created,
        (Some(_), None, _) => ChangeKind::Deleted,
        (Some(was), Some(now), None) if is_mode_alone(was, now) => ChangeKind::Mode(was.mode, now.mode),
        (Some(_), Some(_), None) => ChangeKind::Changed,
        (None, None, _) => return None,
    };
    let is_folder = now.as_ref().or(was.as_ref()).is_some_and(|state| state.kind == Kind::Folder);
    let sizes = (was.map(|state| state.size), now.map(|state| state.size));
    Some(ChangeReport { path, what, is_folder, sizes, kept })
}

fn is_mode_alone(was: &State, now: &State) -> bool {
    (was.inode, was.size, was.modified) == (now.inode, now.size, now.modified) && was.mode != now.mode
}
