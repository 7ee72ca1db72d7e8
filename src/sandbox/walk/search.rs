//! Searching a tree: the entries that somebody chooses, in the order of their paths.
//!
//! An entry is chosen by its path and kind before it is looked at, and a folder is read only where it may
//! hold something that is wanted. Nothing is left out in silence: a folder that cannot be read or that
//! disappears ends the search, and so does a path that no tool takes.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};
use std::sync::Mutex;

use super::super::error::SandboxError;
use super::super::ignore::{Above, Ignore};
use super::super::metadata::Kind;
use super::super::root::{Root, SandboxPath};
use super::filter::{Filter, Position, Skip};
use super::follow::Follower;
use super::reader::{Look, Reader};
use super::rows::{FoundEntries, arrange};
use super::{Details, Failure, WalkLimits, read};

/// An entry that a search decides about.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Path from the start of the search; bytes that are not UTF-8 are replaced.
    pub path: &'a str,
    /// Last part of the path.
    pub name: &'a str,
    /// What it is. A link that is followed is what it leads to.
    pub kind: Kind,
}

/// What becomes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// It is left out, with all that is in it.
    Neither,
    /// It is part of the answer.
    Given,
    /// It is a folder whose entries are asked about.
    Entered,
    /// Both.
    GivenAndEntered,
}

impl Choice {
    /// The choice that says so.
    pub fn of(gives: bool, enters: bool) -> Choice {
        match (gives, enters) {
            (false, false) => Choice::Neither,
            (true, false) => Choice::Given,
            (false, true) => Choice::Entered,
            (true, true) => Choice::GivenAndEntered,
        }
    }

    /// Whether the entry is part of the answer.
    pub fn gives(self) -> bool {
        matches!(self, Choice::Given | Choice::GivenAndEntered)
    }

    /// Whether its entries are asked about.
    pub fn enters(self) -> bool {
        matches!(self, Choice::Entered | Choice::GivenAndEntered)
    }
}

/// Sizes and times that entries may have.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Bytes of what is no folder; where there is such a bound, folders are not given.
    pub sizes: Option<RangeInclusive<u64>>,
    /// Seconds since 1970.
    pub modified: Option<Range<i64>>,
}

impl Bounds {
    /// Every size and time.
    pub const NONE: Bounds = Bounds { sizes: None, modified: None };

    /// Whether everything is within them.
    pub fn is_none(&self) -> bool {
        self.sizes.is_none() && self.modified.is_none()
    }

    /// A choice by name and kind, and by what a look at the entry told.
    pub(super) fn narrow(&self, choice: Choice, look: &Look) -> Choice {
        let sizes = |sizes: &RangeInclusive<u64>| look.kind != Kind::Folder && sizes.contains(&look.size);
        let fits = self.sizes.as_ref().is_none_or(sizes)
            && self.modified.as_ref().is_none_or(|times| times.contains(&look.modified));
        Choice::of(choice.gives() && fits, choice.enters())
    }
}

/// What a search looks for, and where.
pub struct Search<'a> {
    /// Decides about an entry by its path and kind.
    pub choose: &'a (dyn Fn(&Candidate<'_>) -> Choice + Sync),
    /// Sizes and times that entries may have.
    pub bounds: Bounds,
    /// What is wanted of each entry; with [`Bounds`], all.
    pub details: Details,
    /// Levels below the start that are given: 1 for what lies directly in it.
    pub depth: usize,
    /// Whether `.gitignore` files and `.git` folders count.
    pub gitignore: bool,
}

/// Where a search may go.
pub struct Grounds<'a> {
    /// The root that the start lies below.
    pub root: &'a Root,
    /// Folders that are left out.
    pub skip: Skip<'a>,
    /// What bounds it.
    pub limits: &'a WalkLimits,
    /// Finds the place to which the link of a path from the root leads, where links are followed; `None` for a
    /// link that leads to nothing or to where nobody may look.
    pub resolve: Option<&'a Resolve<'a>>,
}

/// Finds the place to which the link of a path from the root leads.
pub type Resolve<'a> = dyn Fn(&str) -> Option<SandboxPath> + 'a;

/// Searches the folder of a place.
///
/// # Errors
/// Any folder that cannot be read or that disappears, and any entry to be given whose path no tool takes.
pub fn search(start: &SandboxPath, search: &Search<'_>, grounds: &Grounds<'_>) -> Result<FoundEntries, SandboxError> {
    let Grounds { root, skip, limits, resolve } = *grounds;
    let mut position = Position::of_start(start);
    let mut notes = Vec::new();
    if search.gitignore {
        let Above { mut ignore, start_is_ignored } = Ignore::above(root, start, limits.watch.clone())?;
        notes = ignore.take_notes();
        position.scope = ignore.scope();
        if start_is_ignored {
            start.open_folder()?;
            return Ok(FoundEntries { notes, ..FoundEntries::default() });
        }
    }
    let entered = resolve.map(|_| Mutex::new(HashSet::new()));
    let of_walk = Filter::of_walk(start, skip, search.details);
    let filter = Filter { search: Some(search), entered: entered.as_ref(), ..of_walk };
    let mut readers = read(start, filter, limits, &position)?;
    let at_start = |failure: Failure| failure.at(start.shown());
    if let Some(resolve) = resolve {
        Follower { filter, limits, resolve }.follow(&mut readers).map_err(at_start)?;
    }
    notes.extend(readers.iter_mut().flat_map(Reader::take_notes));
    notes.sort();
    let found = arrange(&readers, search.details, filter.start_len).map_err(at_start)?;
    Ok(FoundEntries { notes, ..found })
}
