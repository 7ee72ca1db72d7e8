//! Searches a tree for the entries that a caller selects, in the order of their paths.
//!
//! The search selects an entry by its path and kind before reading its metadata, and reads a directory only if it may
//! contain matches. Nothing is left out silently: a directory that cannot be read or that disappears ends the search
//! with an error, and so does a path that no tool accepts.

use std::collections::HashSet;
use std::sync::Mutex;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::root::{Root, SandboxPath};
use super::super::ignore::{Above, Ignore, IgnoreSources};
use super::criteria::{Resolve, Search};
use super::filter::{Filter, Position, Skip};
use super::follow::Follower;
use super::reader::Reader;
use super::rows::{FoundEntries, arrange};
use super::{Failure, WalkLimits, read};

/// The scope of a search.
pub struct SearchScope<'a> {
    /// The root that contains the start.
    pub root: &'a Root,
    /// Directories to leave out.
    pub skip: Skip<'a>,
    /// The limits of the search.
    pub limits: &'a WalkLimits,
    /// Resolves a link, given its path from the root; `None` if links are not followed.
    pub resolve: Option<&'a Resolve<'a>>,
}

/// Searches the directory `start`.
///
/// Errors: if a directory cannot be read or disappears, or if a matching entry has a path that no tool accepts.
pub fn search(
    start: &SandboxPath,
    search: &Search<'_>,
    grounds: &SearchScope<'_>,
) -> Result<FoundEntries, SandboxError> {
    let SearchScope { root, skip, limits, resolve } = *grounds;
    let mut position = Position::of_start(start);
    let mut notes = Vec::new();
    if search.gitignore {
        let Above { mut ignore, start_is_ignored } =
            Ignore::above(root, start, IgnoreSources::Repository, limits.watch.clone())?;
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
    let at_start = |failure: Failure| failure.at(start.display());
    if let Some(resolve) = resolve {
        Follower { filter, limits, resolve }.follow(&mut readers).map_err(at_start)?;
    }
    notes.extend(readers.iter_mut().flat_map(Reader::take_notes));
    notes.sort();
    let found = arrange(&readers, search.details, filter.start_len).map_err(at_start)?;
    Ok(FoundEntries { notes, ..found })
}
