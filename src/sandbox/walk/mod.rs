//! Walking a whole tree: every entry below a folder, packed.
//!
//! [`walk`] gives all entries in pre-order, siblings by bytes of name; [`search`] gives those that a
//! [`Search`] chooses, in the order of their paths. Folders are read in any order, perhaps by two threads,
//! each into a block of its own; the blocks are put into order at the end. Every entry is looked at
//! through the handle of its folder, and no link is followed while folders are read. Under an overlay,
//! folders in which or below which something was changed are read through it, and all others as they are
//! on the disk.

mod arrange;
mod filter;
mod follow;
#[cfg(target_os = "linux")]
mod linux;
mod portable;
mod reader;
mod rows;
mod search;

use std::sync::Arc;

use crate::limits::{LimitHit, Progress, Watch};

use super::error::SandboxError;
use super::folder::Folder;
use super::root::SandboxPath;

use filter::{Filter, Position};
use reader::{EntryId, NO_BLOCK, Reader};

pub use arrange::Tree;
pub use filter::Skip;
pub use rows::FoundEntries;
pub use search::{Bounds, Candidate, Choice, Grounds, Resolve, Search, search};

/// What bounds a walk.
#[derive(Clone, Debug)]
pub struct WalkLimits {
    /// The most entries that are kept.
    pub entries: usize,
    /// The limit that more entries would break.
    pub hit: LimitHit,
    /// The most entries that are met, kept or not.
    pub looks: usize,
    /// The limit that more looks would break.
    pub looks_hit: LimitHit,
    /// The clock and the interrupt.
    pub watch: Watch,
    /// Where met entries are counted for whoever watches.
    pub progress: Option<Arc<Progress>>,
}

impl WalkLimits {
    /// Counts entries for whoever watches.
    fn tell_met(&self, entries: usize) {
        if let Some(progress) = &self.progress {
            progress.met(entries);
        }
    }
}

/// What is wanted of each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Details {
    /// All that a [`Tree`] has room for.
    All,
    /// No size and no time, so that most entries need not be looked at: their folder knows their kind.
    KindAlone,
}

/// Walks the folder of a place.
///
/// Any folder that cannot be read ends the walk with its error; an entry that vanishes while the
/// walk runs is left out, as if it had gone before.
pub fn walk(start: &SandboxPath, limits: &WalkLimits, skip: Skip<'_>, details: Details) -> Result<Tree, SandboxError> {
    let filter = Filter::of_walk(start, skip, details);
    let readers = read(start, filter, limits, &Position::of_start(start))?;
    Ok(arrange::arrange(&readers, details))
}

/// Reads the tree below the folder of a place.
fn read(
    start: &SandboxPath,
    filter: Filter<'_>,
    limits: &WalkLimits,
    position: &Position,
) -> Result<Vec<Reader>, SandboxError> {
    let reader = Reader::new(0, &filter, limits.watch.clone());
    let readers = read_folder(reader, &start.open_folder()?, position, filter, limits);
    readers.map_err(|failure| failure.at(start.shown()))
}

/// Reads all below a folder, after what `reader`, the first of the walk, has read before.
fn read_folder(
    reader: Reader,
    folder: &Folder,
    position: &Position,
    filter: Filter<'_>,
    limits: &WalkLimits,
) -> Result<Vec<Reader>, Failure> {
    match folder.untouched() {
        #[cfg(target_os = "linux")]
        Folder::Linux(folder) => linux::read_tree(reader, folder, position, filter, limits),
        folder => portable::read_tree(reader, folder, position, filter, limits),
    }
}

/// Why a walk ended early.
#[derive(Debug)]
enum Failure {
    /// The system refused something, below the start.
    Io {
        below: String,
        error: std::io::Error,
    },
    /// A folder disappeared between the reading of its parent and its own, below the start.
    Vanished {
        below: String,
    },
    /// No tool takes the path of something that is wanted, below the start.
    Unnameable {
        below: String,
        reason: &'static str,
    },
    /// What a link leads to cannot be read.
    Link(SandboxError),
    Limit(LimitHit),
}

impl Failure {
    fn at(self, start: &str) -> SandboxError {
        match self {
            Failure::Io { below, error } => SandboxError::io(joined(start, &below), &error),
            Failure::Vanished { below } => SandboxError::Vanished(joined(start, &below)),
            Failure::Unnameable { below, reason } => SandboxError::Unnameable { path: joined(start, &below), reason },
            Failure::Link(error) => error,
            Failure::Limit(hit) => SandboxError::Limit(hit),
        }
    }
}

impl From<LimitHit> for Failure {
    fn from(hit: LimitHit) -> Failure {
        Failure::Limit(hit)
    }
}

/// The path of something below the start of a walk.
pub fn joined(start: &str, below: &str) -> String {
    match (start, below) {
        (start, "") => start.to_owned(),
        ("." | "", below) => below.to_owned(),
        (start, below) => format!("{start}/{below}"),
    }
}
