//! The tree that an archive describes, built before anything is created: every name is safe and unique, and
//! every entry is in a directory of the archive. Entries that are not safe are kept apart.
//!
//! Of two entries with one name the first is in the tree: what was added to an archive later never replaces what it
//! had. (`tar` keeps the last, and programs that unpack zip files disagree.)
//!
//! No entry is below a link, and the text of a link has `..` only at its start and never climbs above the
//! destination. So the directories on the path of a link are directories that the archive creates or implies,
//! and no chain of links can leave the destination either.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use compact_str::CompactString;

use crate::limits::{LimitHit, MemoryCharge};
use crate::sandbox::{entry_parts, link_stays};
use crate::toolkit::ToolError;

use super::budget::Budget;
use super::fault::{display, shortened};
use super::unsafe_entry::{Refusal, UnsafeEntry};
use super::{ArchivedKind, Entry};

/// Maximum nesting of directories; each level holds handles while it is unpacked.
const MAX_DEPTH: usize = 128;
/// Maximum length of a link text in bytes.
const MAX_LINK: usize = 4096;

/// Bytes for a name in the tree, not counting its parts; nodes of the B-tree may be half empty.
const NODE_BYTES: usize = 2 * size_of::<(Parts, Node)>();

/// Returns the memory that the parts of a name use, in bytes.
fn bytes_of(parts: &[CompactString]) -> usize {
    let own = |part: &CompactString| if part.is_heap_allocated() { part.capacity() } else { 0 };
    parts.iter().map(|part| size_of::<CompactString>() + own(part)).sum()
}

/// The parts of a name.
pub type Parts = Vec<CompactString>;

/// The tree to be created.
pub struct Plan {
    /// All names, each directory before its contents.
    pub(super) nodes: BTreeMap<Parts, Node>,
    /// The entries in the order of the archive, with their parsed names; unsafe ones have none.
    pub listed: Vec<(Entry, Parts)>,
    /// The entries that are not in the tree.
    pub unsafe_entries: Vec<UnsafeEntry>,
    /// Total size of all files in bytes.
    pub bytes: u64,
    /// The memory charge for names and entries.
    held: MemoryCharge,
}

/// One name of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// The kind of node.
    pub kind: NodeKind,
    /// Permission bits.
    pub mode: u32,
    /// Modification time in seconds since 1970; `None` for a directory that the archive only implies.
    pub modified: Option<i64>,
    /// Size of a file in bytes.
    pub size: u64,
    /// Whether the archive has an entry for it.
    is_listed: bool,
}

/// The kind of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A file with the content of its entry.
    File,
    /// A file with the content of another.
    CopyOf(Parts),
    /// A directory.
    Folder,
    /// A symbolic link with this text.
    Link(String),
}

impl Plan {
    /// Creates an empty tree.
    pub fn new() -> Plan {
        Plan {
            nodes: BTreeMap::new(),
            listed: Vec::new(),
            unsafe_entries: Vec::new(),
            bytes: 0,
            held: MemoryCharge::default(),
        }
    }

    /// Returns all names with their nodes, each directory before its contents.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (&Parts, &Node)> {
        self.nodes.iter()
    }

    /// Returns the node with a name, or `None` for the destination itself.
    pub fn node(&self, parts: &[CompactString]) -> Option<&Node> {
        self.nodes.get(parts)
    }

    /// Returns the size of a file, which for a hard link is that of its content.
    pub fn size(&self, node: &Node) -> u64 {
        match &node.kind {
            NodeKind::CopyOf(source) => self.nodes.get(source).map_or(0, |source| source.size),
            _ => node.size,
        }
    }

    /// Returns the number of names.
    pub fn len(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// Adds the next entry of an archive, to the tree or to the unsafe entries. Errors: a limit is exceeded.
    pub fn add(&mut self, entry: Entry, budget: &Budget) -> Result<(), ToolError> {
        let parts = match self.admit(&entry) {
            Ok(parts) => parts,
            Err(Stop::Refused(refusal)) => {
                // Twice the size: the list may have twice the capacity that it uses.
                self.held.grow(2 * size_of::<UnsafeEntry>() + entry.name.len() + refusal.reason.len())?;
                self.unsafe_entries.push(UnsafeEntry { entry: entry.clone(), refusal });
                Parts::new()
            }
            Err(Stop::Limit(hit)) => return Err(hit.into()),
        };
        budget.check_total(self.bytes)?;
        self.held.grow(2 * size_of::<(Entry, Parts)>() + entry.name.len() + bytes_of(&parts))?;
        self.listed.push((entry, parts));
        budget.check_entries(self.len().max(self.listed.len() as u64))
    }

    /// Adds an entry to the tree, and returns its parsed name.
    fn admit(&mut self, entry: &Entry) -> Result<Parts, Stop> {
        if !entry.is_text {
            return Err(Refusal::invalid(format!("the name or the link `{}` is not UTF-8", entry.name)).into());
        }
        let parts = parts_of(&entry.name)?;
        let (kind, bytes) = match &entry.what {
            ArchivedKind::File => (NodeKind::File, entry.size),
            ArchivedKind::Folder => (NodeKind::Folder, 0),
            ArchivedKind::Link(text) => (NodeKind::Link(check_link(&parts, text)?), 0),
            ArchivedKind::Same(name) => self.copy_of(&entry.name, name)?,
            ArchivedKind::Special => {
                return Err(Refusal::invalid(format!("`{}` is a pipe or device, which is not made", entry.name)).into());
            }
        };
        if !parts.is_empty() {
            let &Entry { mode, modified, size, .. } = entry;
            self.put(&parts, Node { kind, mode, modified, size, is_listed: true })?;
        } else if kind != NodeKind::Folder {
            return Err(Refusal::invalid(format!("`{}` names no file", entry.name)).into());
        }
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(parts)
    }

    /// Adds a name and its missing parent directories to the tree.
    fn put(&mut self, parts: &[CompactString], node: Node) -> Result<(), Stop> {
        let parent = &parts[..parts.len() - 1];
        let is_known = self.nodes.get(parent).is_some_and(|node| node.kind == NodeKind::Folder);
        for depth in if is_known { 0..0 } else { 1..parts.len() } {
            if !self.nodes.contains_key(&parts[..depth]) {
                self.held.grow(NODE_BYTES + bytes_of(&parts[..depth]))?;
            }
            let above = self.nodes.entry(parts[..depth].to_vec()).or_insert_with(Node::implied);
            if above.kind != NodeKind::Folder {
                let (name, above) = (parts.join("/"), parts[..depth].join("/"));
                return Err(Refusal::leaves(format!("`{name}` lies below `{above}`, which is a link or a file")).into());
            }
        }
        match self.nodes.get_mut(parts) {
            Some(there) if there.is_listed || node.kind != NodeKind::Folder => {
                Err(Refusal::invalid(format!("the name `{}` stands in it twice", parts.join("/"))).into())
            }
            Some(there) => {
                *there = node;
                Ok(())
            }
            None => {
                self.held.grow(NODE_BYTES + bytes_of(parts))?;
                self.nodes.insert(parts.to_vec(), node);
                Ok(())
            }
        }
    }

    /// Resolves a hard link to the file that provides the content, and returns its size.
    fn copy_of(&self, name: &str, other: &str) -> Result<(NodeKind, u64), Refusal> {
        // A name that no archive may hold is in none.
        let target = parts_of(other).unwrap_or_default();
        let node = self.nodes.get(&target);
        match node.map(|node| (&node.kind, node.size)) {
            Some((NodeKind::File, size)) => Ok((NodeKind::CopyOf(target), size)),
            Some((NodeKind::CopyOf(source), _)) => {
                Ok((NodeKind::CopyOf(source.clone()), self.nodes.get(source).map_or(0, |node| node.size)))
            }
            _ => Err(Refusal::leaves(format!("`{name}` is a hard link to `{other}`, which is no file before it"))),
        }
    }
}

/// Why an entry is not in the tree.
enum Stop {
    Refused(Refusal),
    Limit(LimitHit),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

impl From<LimitHit> for Stop {
    fn from(hit: LimitHit) -> Stop {
        Stop::Limit(hit)
    }
}

impl Node {
    /// Returns a directory that occurs only in names of other entries.
    fn implied() -> Node {
        Node { kind: NodeKind::Folder, mode: 0o777, modified: None, size: 0, is_listed: false }
    }
}

/// Returns why [`Plan::add`] refuses an entry of a packed tree, whose names are unique and never below a link.
pub fn refusal(entry: &Entry) -> Option<String> {
    let name = display(&entry.name);
    match (entry_parts(&entry.name), &entry.what) {
        (Err(error), _) => Some(format!("it makes no name like `{name}` ({error}; `FS.MoveFile` renames it)")),
        (Ok(parts), _) if parts.len() > MAX_DEPTH => {
            Some(format!("`{name}` lies in more than {MAX_DEPTH} directories"))
        }
        (Ok(parts), ArchivedKind::Link(text)) if !stays_inside(parts.len(), text) => {
            Some(format!("the link `{name}` leads out of what is packed"))
        }
        _ => None,
    }
}

pub(super) fn parts_of(name: &str) -> Result<Parts, Refusal> {
    let parts = entry_parts(name);
    let parts = parts.map_err(|error| Refusal::leaves(format!("the name `{}`: {error}", shortened(name))))?;
    if parts.len() > MAX_DEPTH {
        let start = parts[..8].join("/");
        Err(Refusal::invalid(format!("`{start}…` lies in more than {MAX_DEPTH} directories")))
    } else {
        Ok(parts)
    }
}

/// Checks that a link stays inside the destination.
fn check_link(parts: &[CompactString], text: &str) -> Result<String, Refusal> {
    if stays_inside(parts.len(), text) {
        Ok(text.to_owned())
    } else {
        Err(Refusal::leaves(format!("the link `{}` points to `{text}`", parts.join("/"))))
    }
}

/// Returns whether a link whose own name has `depth` parts stays inside the destination.
fn stays_inside(depth: usize, text: &str) -> bool {
    let is_strange = |c: char| c.is_control() || c == '\\';
    if text.is_empty() || text.len() > MAX_LINK || text.starts_with('/') || text.contains(is_strange) {
        return false;
    }
    let drive = text.as_bytes();
    let has_drive = drive.len() >= 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':';
    !has_drive && link_stays(OsStr::new(text), depth)
}
