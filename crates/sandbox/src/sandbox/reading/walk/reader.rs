//! The entries that one thread of a walk has read: directory by directory, each sorted by name.
//!
//! Both implementations ([`super::linux`], [`super::portable`]) pass their entries to [`Reader::take`], so that one
//! function decides which entries are kept.

use std::io;
use std::sync::Arc;

use super::entry::{EntryId, EntryStat, FileNames};
use crate::limits::{LimitHit, Watch};

use super::super::super::handles::metadata::Kind;
use super::super::ignore::{Ignore, Scope};
use super::Details;
use super::criteria::Choice;
use super::filter::{Filter, Position};

/// The block of an entry that has none.
pub const NO_BLOCK: u32 = u32::MAX;

/// An entry of a directory that was read.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The offset of the entry's name in the names of its reader.
    name_start: u32,
    name_len: u16,
    pub kind: Kind,
    pub choice: Choice,
    /// The size in bytes; 0 for directories.
    pub size: u64,
    /// The modification time in seconds since 1970.
    pub modified: i64,
    /// The nanoseconds of that time.
    pub nanos: u32,
}

/// The entries of one directory.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The entry of the directory; `None` for the start of the walk.
    pub parent: Option<EntryId>,
    pub start: u32,
    pub end: u32,
}

/// A link to be followed.
#[derive(Debug)]
pub struct PendingLink {
    /// The position of the link's target as a directory. Its path is that of the link, with a trailing `/`.
    pub position: Position,
    pub entry: EntryId,
}

/// The entries that one thread has read.
#[derive(Debug)]
pub struct Reader {
    /// The reader's number in its walk.
    number: u8,
    names: Vec<u8>,
    pub found: Vec<Found>,
    pub blocks: Vec<Block>,
    /// Number of entries seen, kept or not.
    pub met: usize,
    /// The file of each entry in `found`, by the start of its name. Empty unless identities are wanted.
    files: Vec<(u32, FileNames)>,
    /// The targets of the links that were kept.
    pub targets: Vec<(EntryId, String)>,
    pub pending: Vec<PendingLink>,
    /// Number of reserved entries left out, not counting the root's own.
    pub reserved: u64,
    ignore: Option<Ignore>,
    /// The path of the current entry.
    path: Vec<u8>,
}

/// The reason why an entry could not be taken.
#[derive(Debug)]
pub enum Refusal {
    Io(io::Error),
    Limit(LimitHit),
}

impl From<LimitHit> for Refusal {
    fn from(hit: LimitHit) -> Refusal {
        Refusal::Limit(hit)
    }
}

/// A directory whose entries are being taken.
pub struct Intake<'a> {
    pub filter: &'a Filter<'a>,
    pub position: &'a Position,
    /// The index of the directory's first entry.
    start: usize,
    /// Whether the metadata of one of its entries was read. A directory whose names can be listed but whose entries
    /// cannot be looked up ends the walk with an error.
    was_shown: bool,
}

impl Reader {
    pub fn new(number: u8, filter: &Filter<'_>, watch: Watch) -> Reader {
        let is_ignoring = filter.search.is_some_and(|search| search.gitignore);
        Reader {
            number,
            names: Vec::new(),
            found: Vec::new(),
            blocks: Vec::new(),
            met: 0,
            files: Vec::new(),
            targets: Vec::new(),
            pending: Vec::new(),
            reserved: 0,
            ignore: is_ignoring.then(|| Ignore::within(None, watch)),
            path: Vec::new(),
        }
    }

    /// Starts a directory. `enter` loads its `.gitignore` file, if such files apply.
    pub fn open<'a>(
        &mut self,
        filter: &'a Filter<'a>,
        position: &'a Position,
        enter: impl FnOnce(&mut Ignore, &[u8]),
    ) -> Intake<'a> {
        if let Some(ignore) = &mut self.ignore {
            ignore.go_to(position.scope.clone());
            enter(ignore, &position.path);
        }
        self.path.clear();
        self.path.extend_from_slice(&position.path);
        Intake { filter, position, start: self.found.len(), was_shown: false }
    }

    /// Takes an entry of a directory if it is wanted. `reported` is the kind that the directory reports, and `look`
    /// reads the metadata; an entry that has disappeared by then is left out.
    pub fn take(
        &mut self,
        intake: &mut Intake<'_>,
        name: &[u8],
        reported: Option<Kind>,
        look: impl Fn() -> io::Result<EntryStat>,
    ) -> Result<(), Refusal> {
        self.met += 1;
        match self.chosen(intake, name, reported, look) {
            Ok(Some((look, choice))) => {
                self.found.push(Found {
                    name_start: self.names.len() as u32,
                    name_len: name.len() as u16,
                    kind: look.kind,
                    choice,
                    size: look.size_as_entry(),
                    modified: look.modified,
                    nanos: look.nanos,
                });
                if intake.filter.wants_identities() {
                    self.files.push((self.names.len() as u32, look.file));
                }
                self.names.extend_from_slice(name);
                Ok(())
            }
            Err(Refusal::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other.map(drop),
        }
    }

    /// Returns the metadata of an entry and the decision about it, or `None` if it is left out.
    fn chosen(
        &mut self,
        intake: &mut Intake<'_>,
        name: &[u8],
        reported: Option<Kind>,
        look: impl Fn() -> io::Result<EntryStat>,
    ) -> Result<Option<(EntryStat, Choice)>, Refusal> {
        let filter = intake.filter;
        let look = || look().map_err(Refusal::Io);
        let wants_details = filter.details == Details::All;
        let mut looked = match reported {
            Some(_) if filter.search.is_some() || intake.was_shown && !wants_details => None,
            _ => Some(look()?),
        };
        let mut kind = looked
            .map_or_else(|| reported.expect("without a look the kind is reported"), |looked: EntryStat| looked.kind);
        let mut choice = self.choose(intake, name, kind)?;
        if looked.is_none() && choice.gives() && (wants_details || !intake.was_shown) {
            let look = look()?;
            // The entry was replaced after its directory was read.
            if look.kind != kind {
                kind = look.kind;
                choice = self.choose(intake, name, kind)?;
            }
            looked = Some(look);
        }
        intake.was_shown |= looked.is_some();
        let look = looked.unwrap_or(EntryStat { kind, size: 0, modified: 0, nanos: 0, file: FileNames::UNKNOWN });
        let choice = filter.search.map_or(choice, |search| search.bounds.narrow(choice, &look));
        let is_pending = kind == Kind::Link && filter.follows() && self.may_lead_on(intake, name)?;
        Ok((choice != Choice::Neither || is_pending).then_some((look, choice)))
    }

    /// Whether the target of a link may be wanted.
    fn may_lead_on(&mut self, intake: &Intake<'_>, name: &[u8]) -> Result<bool, Refusal> {
        for kind in [Kind::Folder, Kind::File, Kind::Special] {
            if self.choose(intake, name, kind)? != Choice::Neither {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn choose(&mut self, intake: &Intake<'_>, name: &[u8], kind: Kind) -> Result<Choice, Refusal> {
        let (filter, position) = (intake.filter, intake.position);
        if !filter.asks_for_paths() {
            return Ok(if kind == Kind::Folder { Choice::GivenAndEntered } else { Choice::Given });
        }
        self.path.truncate(position.path.len());
        self.path.extend_from_slice(name);
        Ok(filter.choose(&self.path, name.len(), kind, position.depth + 1, self.ignore.as_mut())?)
    }

    /// Replaces the entry of a link by its target and decides about it again.
    pub fn turn(&mut self, filter: &Filter<'_>, link: &PendingLink, look: EntryStat) -> Result<Choice, LimitHit> {
        let PendingLink { position, entry } = link;
        if let Some(ignore) = &mut self.ignore {
            ignore.go_to(position.scope.clone());
        }
        let path = position.path.strip_suffix(b"/").unwrap_or(&position.path);
        let name_len = path.iter().rev().take_while(|byte| **byte != b'/').count();
        let choice = filter.choose(path, name_len, look.kind, position.depth, self.ignore.as_mut())?;
        let choice = filter.search.map_or(choice, |search| search.bounds.narrow(choice, &look));
        let found = &mut self.found[entry.index as usize];
        *found = Found {
            kind: look.kind,
            choice,
            size: look.size_as_entry(),
            modified: look.modified,
            nanos: look.nanos,
            ..*found
        };
        if let Ok(at) = file_index(&self.files, found) {
            self.files[at].1 = look.file;
        }
        Ok(choice)
    }

    /// Returns the file of an entry, if identities are wanted.
    pub fn file_of(&self, found: &Found) -> Option<FileNames> {
        file_index(&self.files, found).ok().map(|at| self.files[at].1)
    }

    /// Sorts the entries of a directory by name and closes their block.
    pub fn close(&mut self, intake: &Intake<'_>) {
        let names = &self.names;
        let name = |found: &Found| {
            let from = found.name_start as usize;
            &names[from..from + found.name_len as usize]
        };
        let start = intake.start;
        self.found[start..].sort_unstable_by(|a, b| name(a).cmp(name(b)));
        let (parent, end) = (intake.position.entry, self.found.len() as u32);
        self.blocks.push(Block { parent, start: start as u32, end });
    }

    /// Reads the targets of a directory's links with `read`, if they are wanted, and records the links to be followed.
    pub fn note_links(
        &mut self,
        intake: &Intake<'_>,
        read: impl Fn(&[u8]) -> io::Result<String>,
    ) -> Result<(), Refusal> {
        let (filter, position) = (intake.filter, intake.position);
        let Some(search) = filter.search else { return Ok(()) };
        for index in intake.start..self.found.len() {
            if self.found[index].kind != Kind::Link {
                continue;
            }
            let entry = EntryId { reader: self.number, index: index as u32 };
            if search.details == Details::All {
                match read(self.name(&self.found[index])) {
                    Ok(target) => self.targets.push((entry, target)),
                    Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(Refusal::Io(error)),
                    // The link has disappeared or was replaced by something else.
                    Err(_) => {
                        self.found[index].choice = Choice::Neither;
                        continue;
                    }
                }
            }
            if filter.follows() {
                let scope = self.scope();
                let position = position.below(entry, self.name(&self.found[index]), scope);
                self.pending.push(PendingLink { position, entry });
            }
        }
        Ok(())
    }

    /// Returns the directories among the entries that are to be read, each with its position and name.
    pub fn folders<'r>(&'r self, intake: &'r Intake<'_>) -> impl Iterator<Item = (Position, &'r [u8])> {
        let is_folder = |(_, found): &(usize, &Found)| found.kind == Kind::Folder && found.choice.enters();
        self.found[intake.start..].iter().enumerate().filter(is_folder).map(|(offset, found)| {
            let entry = EntryId { reader: self.number, index: (intake.start + offset) as u32 };
            let name = self.name(found);
            let position = if intake.filter.asks_for_paths() {
                intake.position.below(entry, name, self.scope())
            } else {
                Position::unnamed(entry)
            };
            (position, name)
        })
    }

    /// Returns the ignore rules in effect in the directory that is being read.
    fn scope(&self) -> Option<Arc<Scope>> {
        self.ignore.as_ref().and_then(Ignore::scope)
    }

    pub fn name(&self, found: &Found) -> &[u8] {
        let start = found.name_start as usize;
        &self.names[start..start + found.name_len as usize]
    }

    /// Returns the total length of all names in bytes.
    pub fn name_bytes(&self) -> usize {
        self.names.len()
    }

    /// Returns and clears the notes about `.gitignore` files that could not be used.
    pub fn take_notes(&mut self) -> Vec<String> {
        self.ignore.as_mut().map(Ignore::take_notes).unwrap_or_default()
    }

    /// Returns the path from the start of the walk to an entry, for messages.
    pub fn path_of(readers: &[&Reader], entry: EntryId) -> String {
        String::from_utf8_lossy(&Reader::path_bytes_of(readers, entry)).into_owned()
    }

    /// Returns the path from the start of the walk to an entry as raw bytes.
    pub fn path_bytes_of(readers: &[&Reader], entry: EntryId) -> Vec<u8> {
        let mut names = Vec::new();
        let mut at = Some(entry);
        while let Some(EntryId { reader, index }) = at {
            let reader = readers[reader as usize];
            names.push(reader.name(&reader.found[index as usize]));
            let block = reader.blocks.partition_point(|block| block.end <= index);
            at = reader.blocks.get(block).and_then(|block| block.parent);
        }
        names.reverse();
        names.join(&b'/')
    }
}

/// Returns the index of an entry's file. Names are appended in the order in which entries are taken, so the starts of
/// their names ascend.
fn file_index(files: &[(u32, FileNames)], found: &Found) -> Result<usize, usize> {
    files.binary_search_by_key(&found.name_start, |(name_start, _)| *name_start)
}
