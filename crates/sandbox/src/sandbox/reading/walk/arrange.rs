//! Arranges the blocks of a walk in pre-order.

use std::collections::BTreeMap;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::metadata::Kind;
use super::entry::EntryId;
use super::{Details, NO_BLOCK, Reader, joined_bytes};

/// The entries of a tree in pre-order, one vector per field.
#[derive(Debug, Default)]
pub struct Tree {
    /// All names concatenated, with invalid UTF-8 replaced.
    pub names: String,
    /// The end offset of each name in `names`.
    pub name_ends: Vec<u32>,
    /// The index of each entry's parent directory; [`u32::MAX`] for entries directly below the start.
    pub parents: Vec<u32>,
    /// Whether each entry is a directory.
    pub is_folder: Vec<bool>,
    /// The indices of the symbolic links.
    pub links: Vec<u32>,
    /// Sizes in bytes; 0 for directories. Empty unless details were requested.
    pub sizes: Vec<i64>,
    /// Modification times in seconds since 1970. Empty unless details were requested.
    pub modified: Vec<i64>,
    /// Number of reserved entries left out, not counting the root's own.
    pub reserved: u64,
    /// The names that are not UTF-8, by the indices of their entries.
    not_text: BTreeMap<usize, Vec<u8>>,
}

/// A directory whose entries are being copied.
struct Level {
    reader: u8,
    next: u32,
    end: u32,
    /// The directory's own index in the result.
    row: u32,
}

pub fn arrange(readers: &[Reader], details: Details) -> Tree {
    let children = children_of(readers);
    let mut tree = Tree::with_capacity(readers, details);
    let mut levels = Vec::new();
    push_start(readers, &mut levels);
    while let Some(level) = levels.last_mut() {
        if level.next == level.end {
            levels.pop();
            continue;
        }
        let entry = EntryId { reader: level.reader, index: level.next };
        level.next += 1;
        let row = tree.take(&readers[entry.reader as usize], entry.index, level.row, details);
        let child = children[entry.reader as usize][entry.index as usize];
        if child != NO_BLOCK {
            let (reader, block) = unpack(child);
            let block = &readers[reader as usize].blocks[block];
            levels.push(Level { reader, next: block.start, end: block.end, row });
        }
    }
    tree
}

fn push_start(readers: &[Reader], levels: &mut Vec<Level>) {
    let start = readers[0].blocks.first().filter(|block| block.parent.is_none());
    if let Some(block) = start {
        levels.push(Level { reader: 0, next: block.start, end: block.end, row: u32::MAX });
    }
}

/// Returns, for each entry, the block of its own entries (decoded by [`unpack`]), or [`NO_BLOCK`].
pub fn children_of(readers: &[Reader]) -> Vec<Vec<u32>> {
    let mut children: Vec<Vec<u32>> = readers.iter().map(|reader| vec![NO_BLOCK; reader.found.len()]).collect();
    for (number, reader) in readers.iter().enumerate() {
        for (block, entries) in reader.blocks.iter().enumerate() {
            if let Some(parent) = entries.parent {
                children[parent.reader as usize][parent.index as usize] = (number as u32) << 31 | block as u32;
            }
        }
    }
    children
}

/// Decodes the reader and the index of a block of entries; the reader is stored in the highest bit.
pub fn unpack(child: u32) -> (u8, usize) {
    ((child >> 31) as u8, (child & 0x7fff_ffff) as usize)
}

impl Tree {
    /// Bytes used per entry while a walk runs, including names.
    pub const ENTRY_BYTES: usize = 96;

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Checks that every name in the tree of the directory `start` is UTF-8, so that the paths name its entries.
    pub fn check_text(&self, start: &str) -> Result<(), SandboxError> {
        self.not_text.keys().next().map_or(Ok(()), |entry| self.check_text_of(*entry, start))
    }

    /// Checks that the path of an entry in the tree of the directory `start` is UTF-8, so that it names the entry.
    pub fn check_text_of(&self, entry: usize, start: &str) -> Result<(), SandboxError> {
        let mut names = Vec::new();
        let (mut at, mut is_text) = (entry as u32, true);
        while at != u32::MAX && !self.not_text.is_empty() {
            let raw = self.not_text.get(&(at as usize));
            is_text &= raw.is_none();
            names.push(raw.map_or(self.name(at as usize).as_bytes(), Vec::as_slice));
            at = self.parents[at as usize];
        }
        names.reverse();
        if is_text { Ok(()) } else { Err(SandboxError::not_text(&joined_bytes(start, &names.join(&b'/')))) }
    }

    /// Returns the path from the start to an entry.
    pub fn path(&self, entry: usize) -> String {
        let mut names = Vec::new();
        let mut at = entry as u32;
        while at != u32::MAX {
            names.push(self.name(at as usize));
            at = self.parents[at as usize];
        }
        names.reverse();
        names.join("/")
    }

    fn name(&self, entry: usize) -> &str {
        let start = entry.checked_sub(1).map_or(0, |before| self.name_ends[before]);
        &self.names[start as usize..self.name_ends[entry] as usize]
    }

    fn with_capacity(readers: &[Reader], details: Details) -> Tree {
        let entries = readers.iter().map(|reader| reader.found.len()).sum();
        let detailed = if details == Details::All { entries } else { 0 };
        let names = readers.iter().map(|reader| reader.name_bytes()).sum();
        Tree {
            names: String::with_capacity(names),
            name_ends: Vec::with_capacity(entries),
            parents: Vec::with_capacity(entries),
            is_folder: Vec::with_capacity(entries),
            links: Vec::new(),
            sizes: Vec::with_capacity(detailed),
            modified: Vec::with_capacity(detailed),
            reserved: readers.iter().map(|reader| reader.reserved).sum(),
            not_text: BTreeMap::new(),
        }
    }

    fn take(&mut self, reader: &Reader, index: u32, parent: u32, details: Details) -> u32 {
        let found = &reader.found[index as usize];
        let name = reader.name(found);
        match str::from_utf8(name) {
            Ok(name) => self.names.push_str(name),
            Err(_) => {
                self.names.push_str(&String::from_utf8_lossy(name));
                self.not_text.insert(self.parents.len(), name.to_vec());
            }
        }
        if found.kind == Kind::Link {
            self.links.push(self.parents.len() as u32);
        }
        self.name_ends.push(self.names.len() as u32);
        self.parents.push(parent);
        self.is_folder.push(found.kind == Kind::Folder);
        if details == Details::All {
            self.sizes.push(found.size.min(i64::MAX as u64) as i64);
            self.modified.push(found.modified);
        }
        self.parents.len() as u32 - 1
    }
}
