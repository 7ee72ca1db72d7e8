//! Criteria of a search: the decisions of the caller about entries.

use std::ops::{Range, RangeInclusive};

use super::super::super::handles::metadata::{Kind, Timestamp};
use super::super::super::handles::root::SandboxPath;
use super::Details;
use super::entry::EntryStat;

/// An entry about which a search decides.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The path from the start of the search; invalid UTF-8 is replaced.
    pub path: &'a str,
    /// The last component of the path.
    pub name: &'a str,
    /// The kind of the entry; for a link that is followed, the kind of its target.
    pub kind: Kind,
}

/// The decision about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The entry is left out, with everything in it.
    Neither,
    /// The entry is part of the result.
    Given,
    /// The entry is a directory to search.
    Entered,
    /// Both of these.
    GivenAndEntered,
}

impl Choice {
    /// Returns the choice with these two properties.
    pub fn of(gives: bool, enters: bool) -> Choice {
        match (gives, enters) {
            (false, false) => Choice::Neither,
            (true, false) => Choice::Given,
            (false, true) => Choice::Entered,
            (true, true) => Choice::GivenAndEntered,
        }
    }

    /// Whether the entry is part of the result.
    pub fn gives(self) -> bool {
        matches!(self, Choice::Given | Choice::GivenAndEntered)
    }

    /// Whether the entry is a directory to search.
    pub fn enters(self) -> bool {
        matches!(self, Choice::Entered | Choice::GivenAndEntered)
    }
}

/// The sizes and times that matching entries may have.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Size in bytes of entries that are not directories. If set, directories do not match.
    pub sizes: Option<RangeInclusive<u64>>,
    /// Modification time.
    pub modified: Option<Range<Timestamp>>,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Bounds = Bounds { sizes: None, modified: None };

    /// Whether every size and time is allowed.
    pub fn is_none(&self) -> bool {
        self.sizes.is_none() && self.modified.is_none()
    }

    /// Narrows a choice made by name and kind to entries within these bounds.
    pub(super) fn narrow(&self, choice: Choice, look: &EntryStat) -> Choice {
        let sizes = |sizes: &RangeInclusive<u64>| look.kind != Kind::Folder && sizes.contains(&look.size);
        let modified = Timestamp { seconds: look.modified, nanos: look.nanos };
        let fits = self.sizes.as_ref().is_none_or(sizes)
            && self.modified.as_ref().is_none_or(|times| times.contains(&modified));
        Choice::of(choice.gives() && fits, choice.enters())
    }
}

/// The criteria of a search.
pub struct Search<'a> {
    /// Decides about an entry by its path and kind.
    pub choose: &'a (dyn Fn(&Candidate<'_>) -> Choice + Sync),
    /// The sizes and times that matching entries may have.
    pub bounds: Bounds,
    /// The details wanted for each entry; [`Bounds`] require all of them.
    pub details: Details,
    /// Whether the identity of each entry is wanted; requires all details.
    pub identities: bool,
    /// Number of levels below the start to return: 1 for entries directly in it.
    pub depth: usize,
    /// Whether to apply `.gitignore` files and leave out `.git` directories.
    pub gitignore: bool,
}

/// Returns the target of the link at a path from the root, or `None` if it leads to nothing or to a path that no tool
/// may access.
pub type Resolve<'a> = dyn Fn(&str) -> Option<SandboxPath> + 'a;
