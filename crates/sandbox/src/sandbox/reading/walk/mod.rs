//! Walks a whole tree: every entry below a directory, in packed form.
//!
//! [`walk`] returns all entries in pre-order, siblings in byte order of their names; [`search`] returns those that a
//! [`Search`] selects, in the order of their paths. Directories are read in any order, perhaps by two threads, each
//! into its own block; the blocks are put in order at the end. Every entry is looked up through the handle of its
//! directory, and no link is followed while directories are read. Under an overlay, directories with changes in or
//! below them are read through it, all others directly from the disk.

mod arrange;
mod criteria;
mod entry;
mod filter;
mod follow;
#[cfg(target_os = "linux")]
mod linux;
mod portable;
mod reader;
mod rows;
mod search;

use std::sync::Arc;

use crate::limits::{Jobs, LimitHit, Meter, Progress, Watch};

use super::super::handles::error::SandboxError;
use super::super::handles::folder::Folder;
use super::super::handles::root::SandboxPath;

use filter::{Filter, Position};
use reader::{NO_BLOCK, Reader};

pub use arrange::Tree;
pub use criteria::{Bounds, Candidate, Choice, Resolve, Search};
pub use entry::FileNames;
pub use filter::Skip;
pub use rows::FoundEntries;
pub use search::{SearchScope, search};

/// The limits of a walk.
#[derive(Clone, Debug)]
pub struct WalkLimits {
    /// Maximum number of entries kept.
    pub entries: usize,
    /// The error for exceeding `entries`.
    pub hit: LimitHit,
    /// Maximum number of entries seen, kept or not.
    pub looks: usize,
    /// The error for exceeding `looks`.
    pub looks_hit: LimitHit,
    /// The deadline and the interrupt flag.
    pub watch: Watch,
    /// The number of threads that may read directories.
    pub jobs: Jobs,
    /// Counter of entries seen, for progress display.
    pub progress: Option<Arc<Progress>>,
}

impl WalkLimits {
    /// Returns the limits of a walk on one thread, without progress: the steps that are left, and the deadline.
    pub fn of(meter: &Meter) -> WalkLimits {
        let steps = usize::try_from(meter.steps_left()).unwrap_or(usize::MAX);
        let (hit, watch) = (meter.step_limit(), meter.watch());
        WalkLimits { entries: steps, hit, looks: steps, looks_hit: hit, watch, jobs: Jobs::ONE, progress: None }
    }

    /// Counts entries for progress display.
    fn tell_met(&self, entries: usize) {
        if let Some(progress) = &self.progress {
            progress.found(entries);
        }
    }
}

/// The details wanted for each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Details {
    /// Everything that a [`Tree`] can store.
    All,
    /// No size and no time. Most entries then need no lookup, because their directory reports their kind.
    KindAlone,
}

/// Walks the directory `start`.
///
/// Errors: if a directory cannot be read. An entry that disappears while the walk runs is left out, as if it had been
/// removed before.
pub fn walk(start: &SandboxPath, limits: &WalkLimits, skip: Skip<'_>, details: Details) -> Result<Tree, SandboxError> {
    let filter = Filter::of_walk(start, skip, details);
    let readers = read(start, filter, limits, &Position::of_start(start))?;
    Ok(arrange::arrange(&readers, details))
}

/// Reads the tree below the directory `start`.
fn read(
    start: &SandboxPath,
    filter: Filter<'_>,
    limits: &WalkLimits,
    position: &Position,
) -> Result<Vec<Reader>, SandboxError> {
    let reader = Reader::new(0, &filter, limits.watch.clone());
    let readers = read_folder(reader, &start.open_folder()?, position, filter, limits);
    readers.map_err(|failure| failure.at(start.display()))
}

/// Reads everything below a directory and appends it to `reader`, the first reader of the walk.
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

/// The reason why a walk ended early. Paths (`below`) are relative to the start.
#[derive(Debug)]
enum Failure {
    /// A system call failed.
    Io {
        below: String,
        error: std::io::Error,
    },
    /// A directory disappeared after its parent was read.
    Vanished {
        below: String,
    },
    /// No tool accepts the path of a matching entry.
    Unnameable {
        below: String,
        reason: &'static str,
    },
    /// The path of a matching entry is not UTF-8.
    NotText {
        below: Vec<u8>,
    },
    /// The target of a link cannot be read.
    Link(SandboxError),
    Limit(LimitHit),
}

impl Failure {
    fn at(self, start: &str) -> SandboxError {
        match self {
            Failure::Io { below, error } => SandboxError::io(joined(start, &below), &error),
            Failure::Vanished { below } => SandboxError::Vanished(joined(start, &below)),
            Failure::Unnameable { below, reason } => SandboxError::Unnameable { path: joined(start, &below), reason },
            Failure::NotText { below } => SandboxError::not_text(&joined_bytes(start, &below)),
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

/// Joins the path of a walk's start and a path below it.
pub fn joined(start: &str, below: &str) -> String {
    match (start, below) {
        (start, "") => start.to_owned(),
        ("." | "", below) => below.to_owned(),
        (start, below) => format!("{start}/{below}"),
    }
}

/// Like [`joined`], for a path below that may not be UTF-8.
pub fn joined_bytes(start: &str, below: &[u8]) -> Vec<u8> {
    match start {
        "." | "" => below.to_vec(),
        start => [start.as_bytes(), b"/", below].concat(),
    }
}
