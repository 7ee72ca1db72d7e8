//! The criteria of a search that depend only on name and kind.

use crate::sandbox::{Candidate, Choice, Kind as EntryKind};

use super::super::patterns::{Entry, Patterns};

/// The criteria that depend only on name and kind.
pub struct Wanted {
    /// Patterns of names and paths.
    pub patterns: Patterns,
    /// The kind of entry to find; `None` for every kind.
    pub kind: Option<EntryKind>,
    /// Whether names that begin with a dot are found.
    pub hidden: bool,
}

impl Wanted {
    /// Decides about an entry.
    pub fn choose(&self, entry: &Candidate<'_>) -> Choice {
        if !self.hidden && entry.name.starts_with('.') {
            return Choice::Neither;
        }
        let is_directory = entry.kind == EntryKind::Folder;
        let subject = Entry { path: entry.path, name: entry.name, is_directory };
        let is_kind = self.kind.is_none_or(|kind| kind == entry.kind);
        Choice::of(is_kind && self.patterns.includes(subject), is_directory && self.patterns.may_hold(subject))
    }
}
