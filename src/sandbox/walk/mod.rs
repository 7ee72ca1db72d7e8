//! Walking a whole tree: every entry below a folder, packed, in pre-order, siblings by bytes of name.
//!
//! Folders are read in any order, perhaps by two threads, each into a block of its own; the blocks
//! are put into order at the end. Links are never followed, and every entry is looked at through
//! the handle of its folder. Under an overlay, folders in which or below which something was
//! changed are read through it, and all others as they are on the disk.

mod arrange;
#[cfg(target_os = "linux")]
mod linux;
mod portable;

use std::ffi::OsStr;

use crate::limits::{LimitHit, Watch};

use super::error::SandboxError;
use super::folder::Folder;
use super::reserved::is_reserved;
use super::root::SandboxPath;

pub use arrange::Tree;

/// What bounds a walk.
#[derive(Clone, Debug)]
pub struct WalkLimits {
    /// The most entries.
    pub entries: usize,
    /// What is said when there are more.
    pub hit: LimitHit,
    /// The clock and the interrupt.
    pub watch: Watch,
}

/// Where an entry lies that has no parent among the entries.
pub const NO_BLOCK: u32 = u32::MAX;

/// One entry of a folder that was read.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// Where its name begins in the names of its reader.
    name_start: u32,
    name_len: u16,
    is_folder: bool,
    /// Bytes; 0 for folders.
    size: u64,
    /// Seconds since 1970.
    modified: i64,
}

/// What one reader found: entries folder by folder, each folder's sorted by name.
#[derive(Debug, Default)]
struct Reader {
    names: Vec<u8>,
    found: Vec<Found>,
    blocks: Vec<Block>,
    /// Reserved entries that were left out.
    reserved: u64,
}

/// The entries of one folder.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The reader and entry that the folder is; none for the start of the walk.
    parent: Option<EntryId>,
    start: u32,
    end: u32,
}

/// An entry, by its reader and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EntryId {
    reader: u8,
    index: u32,
}

/// What is wanted of each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Details {
    /// All that a [`Tree`] has room for.
    All,
    /// No size and no time, so that most entries need not be looked at: their folder knows their kind.
    KindAlone,
}

/// What a walk leaves out, besides reserved names.
#[derive(Clone, Copy)]
pub struct Skip<'a> {
    /// Says of a folder, by its resolved path, that it and all in it are left out.
    pub rule: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
}

/// What the readers of one walk ask before they take an entry.
#[derive(Clone, Copy)]
struct Filter<'a> {
    skip: Skip<'a>,
    details: Details,
    /// The resolved path of the start.
    start: &'a str,
    /// The start is the root, whose own `.ns` and policy file are not counted among what is left out.
    start_is_root: bool,
}

impl Filter<'_> {
    /// Whether a name is left out because it is reserved, which is counted unless it is the root's own;
    /// `folder` is none for the start itself.
    fn leaves_out(&self, folder: Option<EntryId>, name: &OsStr, count: &mut u64) -> bool {
        let is_left_out = is_reserved(name);
        *count += u64::from(is_left_out && !(self.start_is_root && folder.is_none()));
        is_left_out
    }

    /// Whether the folder of a name is left out; `below` is the way from the start to where it lies.
    fn skips(&self, below: &str, name: &str) -> bool {
        let Some(rule) = self.skip.rule else { return false };
        let parts = [self.start, below, name].into_iter().filter(|part| !part.is_empty());
        rule(&parts.collect::<Vec<_>>().join("/"))
    }
}

/// Walks the folder of a place.
///
/// Any folder that cannot be read ends the walk with its error; an entry that vanishes while the
/// walk runs is left out, as if it had gone before.
pub fn walk(start: &SandboxPath, limits: &WalkLimits, skip: Skip<'_>, details: Details) -> Result<Tree, SandboxError> {
    let folder = start.open_folder()?;
    let filter = Filter { skip, details, start: start.resolved(), start_is_root: start.is_root() };
    let readers = match folder.untouched() {
        #[cfg(target_os = "linux")]
        Folder::Linux(folder) => linux::read_tree(folder, filter, limits),
        folder => portable::read_tree(folder, filter, limits).and_then(|read| read.whole(filter, limits)),
    };
    let readers = readers.map_err(|failure| failure.at(start.shown()))?;
    Ok(arrange::arrange(&readers, details))
}

/// Why a walk ended early.
#[derive(Debug)]
enum Failure {
    /// The system refused something, below the start.
    Io {
        below: String,
        error: std::io::Error,
    },
    Limit(LimitHit),
}

impl Failure {
    fn at(self, start: &str) -> SandboxError {
        match self {
            Failure::Io { below, error } => SandboxError::io(format!("{start}/{below}").trim_end_matches('/'), &error),
            Failure::Limit(hit) => SandboxError::Limit(hit),
        }
    }
}

impl From<LimitHit> for Failure {
    fn from(hit: LimitHit) -> Failure {
        Failure::Limit(hit)
    }
}

impl Reader {
    fn name(&self, found: &Found) -> &[u8] {
        let start = found.name_start as usize;
        &self.names[start..start + found.name_len as usize]
    }

    /// Sorts the entries from `start` on by name and closes their block.
    fn close_block(&mut self, parent: Option<EntryId>, start: usize) {
        let names = &self.names;
        let name = |found: &Found| {
            let from = found.name_start as usize;
            &names[from..from + found.name_len as usize]
        };
        self.found[start..].sort_unstable_by(|a, b| name(a).cmp(name(b)));
        self.blocks.push(Block { parent, start: start as u32, end: self.found.len() as u32 });
    }

    /// The way from the start of the walk to an entry, for messages.
    fn path_of(readers: &[&Reader], entry: EntryId) -> String {
        let mut names = Vec::new();
        let mut at = Some(entry);
        while let Some(EntryId { reader, index }) = at {
            let reader = readers[reader as usize];
            names.push(String::from_utf8_lossy(reader.name(&reader.found[index as usize])));
            let block = reader.blocks.partition_point(|block| block.end <= index);
            at = reader.blocks.get(block).and_then(|block| block.parent);
        }
        names.reverse();
        names.join("/")
    }
}
