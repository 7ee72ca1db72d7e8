//! What an archive comes to, before anything is made: a tree in which every name is safe and stands
//! once, and every entry lies in a folder of the archive.
//!
//! Nothing lies below a link, and a link's text climbs only at its beginning and never above the
//! folder that is unpacked into. So the folders on the way of a link are folders that the archive
//! made or implies, and a chain of such links cannot leave either.

use std::collections::BTreeMap;

use compact_str::CompactString;

use crate::limits::Held;
use crate::sandbox::{SandboxError, entry_parts};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::budget::Budget;
use super::fault::invalid;
use super::{Entry, What};

/// Folders inside each other; each level holds handles while it is unpacked.
const MAX_DEPTH: usize = 128;
/// Bytes that the text of a link may have.
const MAX_LINK: usize = 4096;

/// Bytes of a name in the tree besides its parts: nodes of the tree may be half empty.
const NODE_BYTES: usize = 2 * size_of::<(Parts, Node)>();

/// Bytes that the parts of a name take.
fn bytes_of(parts: &[CompactString]) -> usize {
    let own = |part: &CompactString| if part.is_heap_allocated() { part.capacity() } else { 0 };
    parts.iter().map(|part| size_of::<CompactString>() + own(part)).sum()
}

/// The parts of a name.
pub type Parts = Vec<CompactString>;

/// A tree that is to be made.
pub struct Plan {
    /// Every name, a folder before what is in it.
    nodes: BTreeMap<Parts, Node>,
    /// The entries in the order of the archive, with the names that they get.
    pub listed: Vec<(Entry, Parts)>,
    /// Bytes of all files.
    pub bytes: u64,
    /// What names and entries take.
    held: Held,
}

/// One name of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it becomes.
    pub kind: NodeKind,
    /// Permission bits.
    pub mode: u32,
    /// Seconds since 1970; none for a folder that the archive only implies.
    pub modified: Option<i64>,
    /// Bytes of a file.
    pub size: u64,
    /// Whether an entry stands for it.
    is_listed: bool,
}

/// What a name becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A file with the content of its entry.
    File,
    /// A file with the content of another.
    CopyOf(Parts),
    /// A folder.
    Folder,
    /// A link with this text.
    Link(String),
}

impl Plan {
    /// A tree without names.
    pub fn new() -> Plan {
        Plan { nodes: BTreeMap::new(), listed: Vec::new(), bytes: 0, held: Held::default() }
    }

    /// Every name with what it becomes, a folder before what is in it.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (&Parts, &Node)> {
        self.nodes.iter()
    }

    /// What a name becomes; none for the top itself.
    pub fn node(&self, parts: &[CompactString]) -> Option<&Node> {
        self.nodes.get(parts)
    }

    /// How many names there are.
    pub fn len(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// Adds the next entry of an archive.
    pub fn add(&mut self, entry: Entry, budget: &Budget) -> Result<(), ToolError> {
        let parts = parts_of(&entry.name)?;
        self.bytes = self.bytes.saturating_add(entry.size);
        let kind = match &entry.what {
            What::File => NodeKind::File,
            What::Folder => NodeKind::Folder,
            What::Link(text) => NodeKind::Link(check_link(&parts, text)?),
            What::Same(name) => self.copy_of(&entry.name, name)?,
        };
        budget.check_total(self.bytes)?;
        // The list of entries has room for as many again.
        self.held.grow(2 * size_of::<(Entry, Parts)>() + entry.name.len() + bytes_of(&parts))?;
        if parts.is_empty() {
            if kind != NodeKind::Folder {
                return Err(invalid(format!("`{}` names no file", entry.name)));
            }
        } else {
            let Entry { mode, modified, size, .. } = entry;
            self.put(&parts, Node { kind, mode, modified, size, is_listed: true })?;
        }
        self.listed.push((entry, parts));
        budget.check_entries(self.len().max(self.listed.len() as u64))
    }

    /// Puts a name and the folders above it into the tree.
    fn put(&mut self, parts: &[CompactString], node: Node) -> Result<(), ToolError> {
        let parent = &parts[..parts.len() - 1];
        let is_known = self.nodes.get(parent).is_some_and(|node| node.kind == NodeKind::Folder);
        for depth in if is_known { 0..0 } else { 1..parts.len() } {
            if !self.nodes.contains_key(&parts[..depth]) {
                self.held.grow(NODE_BYTES + bytes_of(&parts[..depth]))?;
            }
            let above = self.nodes.entry(parts[..depth].to_vec()).or_insert_with(Node::implied);
            if above.kind != NodeKind::Folder {
                let (name, above) = (parts.join("/"), parts[..depth].join("/"));
                return Err(leaves(format!("`{name}` lies below `{above}`, which is a link or a file")));
            }
        }
        match self.nodes.get_mut(parts) {
            Some(there) if there.is_listed || node.kind != NodeKind::Folder => {
                Err(invalid(format!("the name `{}` stands in it twice", parts.join("/"))))
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

    /// The file that a further name of it (a hard link) gets its content from.
    fn copy_of(&mut self, name: &str, other: &str) -> Result<NodeKind, ToolError> {
        let target = parts_of(other)?;
        let node = self.nodes.get(&target);
        let (source, size) = match node.map(|node| (&node.kind, node.size)) {
            Some((NodeKind::File, size)) => (target, size),
            Some((NodeKind::CopyOf(source), _)) => (source.clone(), self.nodes.get(source).map_or(0, |node| node.size)),
            _ => return Err(leaves(format!("`{name}` is a hard link to `{other}`, which is no file before it"))),
        };
        self.bytes = self.bytes.saturating_add(size);
        Ok(NodeKind::CopyOf(source))
    }
}

impl Node {
    /// A folder that stands in names only.
    fn implied() -> Node {
        Node { kind: NodeKind::Folder, mode: 0o777, modified: None, size: 0, is_listed: false }
    }
}

fn parts_of(name: &str) -> Result<Parts, ToolError> {
    let refused = |error: SandboxError| {
        let message = format!("the archive is refused for the name `{}`: {error}", shown(name));
        ToolError::new(ToolCode::SandboxViolation, message).hint("look into the archive with another tool")
    };
    let parts = entry_parts(name).map_err(refused)?;
    match parts.len() > MAX_DEPTH {
        true => Err(invalid(format!("`{}…` lies in more than {MAX_DEPTH} directories", parts[..8].join("/")))),
        false => Ok(parts),
    }
}

/// The error for an entry that leads out of the folder that is unpacked into.
fn leaves(reason: String) -> ToolError {
    let message = format!("the archive is refused: {}", shown(&reason));
    ToolError::new(ToolCode::SandboxViolation, message).hint("look into the archive with another tool")
}

fn shown(text: &str) -> String {
    crate::text::safe::name(&crate::value::print::shortened(text, 300)).into_owned()
}

/// Checks that a link stays inside the folder that is unpacked into.
fn check_link(parts: &[CompactString], text: &str) -> Result<String, ToolError> {
    match link_stays(parts.len(), text) {
        true => Ok(text.to_owned()),
        false => Err(leaves(format!("the link `{}` points to `{text}`", parts.join("/")))),
    }
}

/// Whether a link whose own name has so many parts stays inside the folder that it is unpacked into.
pub fn link_stays(depth: usize, text: &str) -> bool {
    let is_strange = |c: char| c.is_control() || c == '\\';
    if text.is_empty() || text.len() > MAX_LINK || text.starts_with('/') || text.contains(is_strange) {
        return false;
    }
    let drive = text.as_bytes();
    if drive.len() >= 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':' {
        return false;
    }
    let mut named = text.split('/').filter(|part| !matches!(*part, "" | "."));
    let climbs = named.by_ref().take_while(|part| *part == "..").count();
    // After a name a `..` would climb from wherever that leads.
    climbs < depth && !named.any(|part| part == "..")
}
