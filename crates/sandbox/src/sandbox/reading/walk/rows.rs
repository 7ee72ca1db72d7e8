//! Puts the entries that a search has read in the order of their paths.
//!
//! Paths are ordered by their bytes, so `a.txt` comes before `a/b`. A directory therefore takes two positions among its
//! siblings: as an entry by its name, and with its contents by its name followed by `/`.

use std::collections::HashSet;

use super::super::super::handles::metadata::Kind;
use super::super::super::handles::path::MAX_PATH;
use super::arrange::{children_of, unpack};
use super::entry::{EntryId, FileNames};
use super::reader::{NO_BLOCK, Reader};
use super::{Details, Failure};

/// The entries found by a search, in the order of their paths: one vector per field.
#[derive(Debug, Default)]
pub struct FoundEntries {
    /// All names concatenated.
    pub names: String,
    /// The end offset of each name in `names`.
    pub name_ends: Vec<u32>,
    /// The index of each entry's directory in `folder_names`; [`u32::MAX`] for entries directly below the start.
    pub folders: Vec<u32>,
    /// The names of the directories that contain entries.
    pub folder_names: FolderNames,
    /// The kind of each entry; for a link that was followed, the kind of its target.
    pub kinds: Vec<Kind>,
    /// Sizes in bytes; 0 for directories. Empty unless details were requested.
    pub sizes: Vec<i64>,
    /// Modification times in seconds since 1970. Empty unless details were requested.
    pub modified: Vec<i64>,
    /// The nanoseconds of these times, which no record holds: entries of one second are ordered by them.
    pub nanos: Vec<u32>,
    /// The file of each entry, and the number of its names. Empty unless identities were requested.
    pub files: Vec<FileNames>,
    /// The targets of links with the indices of their entries, in order. Empty unless details were requested.
    pub targets: Vec<(u32, String)>,
    /// Number of entries seen, whether they matched or not.
    pub met: usize,
    /// Notes about `.gitignore` files that could not be used.
    pub notes: Vec<String>,
}

/// Names of directories, each with the index of its parent.
#[derive(Debug, Default)]
pub struct FolderNames {
    /// All names concatenated.
    pub names: String,
    /// The end offset of each name in `names`.
    pub name_ends: Vec<u32>,
    /// The index of each directory's parent; [`u32::MAX`] for directories directly below the start.
    pub parents: Vec<u32>,
}

impl FoundEntries {
    /// Bytes used per entry while a search runs, including the name.
    pub const ENTRY_BYTES: usize = 96;

    /// Further bytes per entry if identities are requested.
    pub const IDENTITY_BYTES: usize = size_of::<(u32, FileNames)>() + 2 * size_of::<FileNames>();

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns the path of an entry from the start of the search.
    pub fn path(&self, entry: usize) -> String {
        let mut parts = vec![text_at(&self.names, &self.name_ends, entry)];
        let mut folder = self.folders[entry];
        while folder != u32::MAX {
            let names = &self.folder_names;
            parts.push(text_at(&names.names, &names.name_ends, folder as usize));
            folder = names.parents[folder as usize];
        }
        parts.reverse();
        parts.join("/")
    }
}

/// Returns one of several concatenated texts.
fn text_at<'a>(texts: &'a str, ends: &[u32], index: usize) -> &'a str {
    let start = index.checked_sub(1).map_or(0, |before| ends[before]);
    &texts[start as usize..ends[index] as usize]
}

/// A directory whose entries are being copied.
struct Level {
    reader: u8,
    /// The index of its next entry.
    next: u32,
    end: u32,
    /// The index in `Arranger::folders` of its first subdirectory, and of the next one to enter.
    folders: usize,
    next_folder: usize,
    /// The directory's own number.
    number: u32,
}

/// Returns all matching entries in order.
///
/// `start_bytes` is the length in bytes of the start's path, including the trailing `/`.
///
/// Errors: if a matching entry's path is not UTF-8 or is too long, so that no tool accepts it.
pub fn arrange(readers: &[Reader], details: Details, start_bytes: usize) -> Result<FoundEntries, Failure> {
    let mut targets: Vec<(EntryId, &str)> = Vec::new();
    for reader in readers {
        targets.extend(reader.targets.iter().map(|(entry, target)| (*entry, target.as_str())));
    }
    targets.sort_unstable_by_key(|(entry, _)| (entry.reader, entry.index));
    let mut arranger = Arranger {
        readers,
        details,
        children: children_of(readers),
        targets,
        found: FoundEntries::with_capacity(readers, details),
        levels: Vec::new(),
        folders: Vec::new(),
        without_text: HashSet::new(),
        folder_bytes: Vec::new(),
        start_bytes: start_bytes as u32,
    };
    if let Some(block) = readers[0].blocks.first().filter(|block| block.parent.is_none()) {
        arranger.enter(0, block.start, block.end, u32::MAX);
    }
    while arranger.advance()? {}
    Ok(arranger.found)
}

struct Arranger<'a> {
    readers: &'a [Reader],
    details: Details,
    children: Vec<Vec<u32>>,
    targets: Vec<(EntryId, &'a str)>,
    found: FoundEntries,
    levels: Vec<Level>,
    /// The subdirectories with entries, of all levels.
    folders: Vec<u32>,
    /// The numbers of directories whose paths are not UTF-8.
    without_text: HashSet<u32>,
    /// The length in bytes of each directory's path from the root, including the trailing `/`.
    folder_bytes: Vec<u32>,
    /// The same length for the start.
    start_bytes: u32,
}

impl Arranger<'_> {
    /// Copies the next entry, or enters the next directory. Returns false at the end.
    fn advance(&mut self) -> Result<bool, Failure> {
        let readers = self.readers;
        let Some(level) = self.levels.last_mut() else { return Ok(false) };
        let reader = &readers[usize::from(level.reader)];
        while level.next < level.end && !reader.found[level.next as usize].choice.gives() {
            level.next += 1;
        }
        let name = |index: u32| reader.name(&reader.found[index as usize]);
        let entry = (level.next < level.end).then_some(level.next);
        match (entry, self.folders.get(level.next_folder).copied()) {
            (None, None) => {
                self.folders.truncate(level.folders);
                self.levels.pop();
            }
            (Some(entry), folder) if folder.is_none_or(|folder| is_before(name(entry), name(folder))) => {
                level.next += 1;
                let (reader, folder) = (level.reader, level.number);
                self.take(EntryId { reader, index: entry }, folder)?;
            }
            (_, None) => unreachable!("an entry comes before no folder"),
            (_, Some(folder)) => {
                level.next_folder += 1;
                let (number, parent) = (level.reader, level.number);
                let (block_reader, block) = unpack(self.children[usize::from(number)][folder as usize]);
                let block = readers[usize::from(block_reader)].blocks[block];
                let folder = self.name_folder(name(folder), parent);
                self.enter(block_reader, block.start, block.end, folder);
            }
        }
        Ok(true)
    }

    /// Starts with the entries of a directory.
    fn enter(&mut self, reader: u8, start: u32, end: u32, number: u32) {
        let folders = self.folders.len();
        let children = &self.children[usize::from(reader)];
        self.folders.extend((start..end).filter(|index| children[*index as usize] != NO_BLOCK));
        let reader_of_names = &self.readers[usize::from(reader)];
        let name = |index: &u32| reader_of_names.name(&reader_of_names.found[*index as usize]);
        self.folders[folders..].sort_by(|a, b| order_of_contents(name(a), name(b)));
        self.levels.push(Level { reader, next: start, end, folders, next_folder: folders, number });
    }

    /// Adds a directory that contains entries, and returns its number.
    fn name_folder(&mut self, name: &[u8], parent: u32) -> u32 {
        let bytes = self.bytes_of(parent).saturating_add(name.len() as u32 + 1);
        let folders = &mut self.found.folder_names;
        let number = folders.parents.len() as u32;
        let text = String::from_utf8_lossy(name);
        folders.names.push_str(&text);
        folders.name_ends.push(folders.names.len() as u32);
        folders.parents.push(parent);
        self.folder_bytes.push(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) || self.without_text.contains(&parent) {
            self.without_text.insert(number);
        }
        number
    }

    fn bytes_of(&self, folder: u32) -> u32 {
        self.folder_bytes.get(folder as usize).copied().unwrap_or(self.start_bytes)
    }

    fn take(&mut self, entry: EntryId, folder: u32) -> Result<(), Failure> {
        let reader = &self.readers[usize::from(entry.reader)];
        let found = &reader.found[entry.index as usize];
        let name = str::from_utf8(reader.name(found)).ok();
        let Some(name) = name.filter(|_| self.without_text.is_empty() || !self.without_text.contains(&folder)) else {
            return Err(Failure::NotText { below: Reader::path_bytes_of(&self.readers(), entry) });
        };
        if self.bytes_of(folder) as usize + name.len() > MAX_PATH {
            let below = Reader::path_of(&self.readers(), entry);
            return Err(Failure::Unnameable { below, reason: "is longer than 4096 bytes" });
        }
        if let Ok(at) =
            self.targets.binary_search_by_key(&(entry.reader, entry.index), |(link, _)| (link.reader, link.index))
        {
            self.found.targets.push((self.found.len() as u32, self.targets[at].1.to_owned()));
        }
        self.found.names.push_str(name);
        self.found.name_ends.push(self.found.names.len() as u32);
        self.found.folders.push(folder);
        self.found.kinds.push(found.kind);
        if self.details == Details::All {
            self.found.sizes.push(found.size.min(i64::MAX as u64) as i64);
            self.found.modified.push(found.modified);
            self.found.nanos.push(found.nanos);
            self.found.files.extend(reader.file_of(found));
        }
        Ok(())
    }
}

impl Arranger<'_> {
    fn readers(&self) -> Vec<&Reader> {
        self.readers.iter().collect()
    }
}

impl FoundEntries {
    fn with_capacity(readers: &[Reader], details: Details) -> FoundEntries {
        let given = |reader: &Reader| reader.found.iter().filter(|found| found.choice.gives()).count();
        let entries = readers.iter().map(given).sum();
        let detailed = if details == Details::All { entries } else { 0 };
        FoundEntries {
            name_ends: Vec::with_capacity(entries),
            folders: Vec::with_capacity(entries),
            kinds: Vec::with_capacity(entries),
            sizes: Vec::with_capacity(detailed),
            modified: Vec::with_capacity(detailed),
            nanos: Vec::with_capacity(detailed),
            met: readers.iter().map(|reader| reader.met).sum(),
            ..FoundEntries::default()
        }
    }
}

/// Whether an entry comes before the contents of a sibling directory.
fn is_before(entry: &[u8], folder: &[u8]) -> bool {
    match entry.strip_prefix(folder) {
        Some(rest) => rest.first().is_none_or(|next| *next < b'/'),
        None => entry < folder,
    }
}

/// Compares the contents of two sibling directories.
fn order_of_contents(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    a.iter().chain(b"/").cmp(b.iter().chain(b"/"))
}

#[cfg(test)]
mod tests {
    use super::{is_before, order_of_contents};

    #[test]
    fn names_are_ordered_as_paths_are() {
        let names: [&[u8]; 9] = [b"a", b"a ", b"a!b", b"a.txt", b"a0", b"ab", b"b", b"a/", b"a\xff"];
        for (entry, folder) in names.iter().flat_map(|entry| names.iter().map(move |folder| (*entry, *folder))) {
            let below = [folder, b"/"].concat();
            assert_eq!(is_before(entry, folder), *entry < *below, "{entry:?} {folder:?}");
            assert_eq!(order_of_contents(entry, folder), [entry, b"/"].concat().cmp(&below), "{entry:?} {folder:?}");
        }
    }
}
