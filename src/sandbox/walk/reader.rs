//! What one thread of a walk has read: entries folder by folder, each folder's sorted by name.
//!
//! Both ways of reading folders ([`super::linux`], [`super::portable`]) hand their entries to
//! [`Reader::take`], so that one piece of code decides what is kept.

use std::io;
use std::sync::Arc;

use crate::limits::{LimitHit, Watch};

use super::super::ignore::{Ignore, Scope};
use super::super::metadata::Kind;
use super::Details;
use super::filter::{Filter, Position};
use super::search::Choice;

/// Stands for the block of an entry that has none.
pub const NO_BLOCK: u32 = u32::MAX;

/// One entry of a folder that was read.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Start of its name in the names of its reader.
    name_start: u32,
    name_len: u16,
    pub kind: Kind,
    pub choice: Choice,
    /// Bytes; 0 for folders.
    pub size: u64,
    /// Seconds since 1970.
    pub modified: i64,
}

/// The entries of one folder.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The entry that the folder is, or to which it belongs; `None` for the start of the walk.
    pub parent: Option<EntryId>,
    pub start: u32,
    pub end: u32,
}

/// An entry, by its reader and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryId {
    pub reader: u8,
    pub index: u32,
}

/// A link that a walk has met and that is to be followed.
#[derive(Debug)]
pub struct PendingLink {
    /// Position of the folder that it would be. Its path is that of the link, with a `/` at the end.
    pub position: Position,
    pub entry: EntryId,
}

/// What a look at an entry tells.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub kind: Kind,
    /// Bytes.
    pub size: u64,
    /// Seconds since 1970.
    pub modified: i64,
}

impl Look {
    /// Bytes as an entry has them: 0 for folders.
    fn size_as_entry(&self) -> u64 {
        if self.kind == Kind::Folder { 0 } else { self.size }
    }
}

/// Entries that one thread has read.
#[derive(Debug)]
pub struct Reader {
    /// Its number among the readers of one walk.
    number: u8,
    names: Vec<u8>,
    pub found: Vec<Found>,
    pub blocks: Vec<Block>,
    /// Entries that were met, kept or not.
    pub met: usize,
    /// Texts of links that were kept.
    pub targets: Vec<(EntryId, String)>,
    pub pending: Vec<PendingLink>,
    /// Reserved entries that were left out, apart from the root's own.
    pub reserved: u64,
    ignore: Option<Ignore>,
    /// Path of the entry that is being taken.
    path: Vec<u8>,
}

/// Why an entry could not be taken.
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

/// A folder whose entries are being taken.
pub struct Intake<'a> {
    pub filter: &'a Filter<'a>,
    pub position: &'a Position,
    /// Index of its first entry.
    start: usize,
    /// Whether one of its entries was looked at: a folder that lists its names and shows none of its entries
    /// ends the walk.
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
            targets: Vec::new(),
            pending: Vec::new(),
            reserved: 0,
            ignore: is_ignoring.then(|| Ignore::within(None, watch)),
            path: Vec::new(),
        }
    }

    /// Begins with the entries of a folder. `enter` takes up the `.gitignore` file of the folder, where such files
    /// count.
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

    /// Takes an entry of a folder, if it is wanted. `told` is the kind that the folder tells, `look` looks at the
    /// entry; one that is gone by then is left out.
    pub fn take(
        &mut self,
        intake: &mut Intake<'_>,
        name: &[u8],
        told: Option<Kind>,
        look: impl Fn() -> io::Result<Look>,
    ) -> Result<(), Refusal> {
        self.met += 1;
        match self.chosen(intake, name, told, look) {
            Ok(Some((look, choice))) => {
                self.found.push(Found {
                    name_start: self.names.len() as u32,
                    name_len: name.len() as u16,
                    kind: look.kind,
                    choice,
                    size: look.size_as_entry(),
                    modified: look.modified,
                });
                self.names.extend_from_slice(name);
                Ok(())
            }
            Err(Refusal::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other.map(drop),
        }
    }

    /// What is known of an entry and what becomes of it; `None` where it is left out.
    fn chosen(
        &mut self,
        intake: &mut Intake<'_>,
        name: &[u8],
        told: Option<Kind>,
        look: impl Fn() -> io::Result<Look>,
    ) -> Result<Option<(Look, Choice)>, Refusal> {
        let filter = intake.filter;
        let look = || look().map_err(Refusal::Io);
        let wants_details = filter.details == Details::All;
        let mut looked = match told {
            Some(_) if filter.search.is_some() || intake.was_shown && !wants_details => None,
            _ => Some(look()?),
        };
        let mut kind =
            looked.map_or_else(|| told.expect("without a look the kind is told"), |looked: Look| looked.kind);
        let mut choice = self.choose(intake, name, kind)?;
        if looked.is_none() && choice.gives() && (wants_details || !intake.was_shown) {
            let look = look()?;
            // It was exchanged since its folder was read.
            if look.kind != kind {
                kind = look.kind;
                choice = self.choose(intake, name, kind)?;
            }
            looked = Some(look);
        }
        intake.was_shown |= looked.is_some();
        let look = looked.unwrap_or(Look { kind, size: 0, modified: 0 });
        let choice = filter.search.map_or(choice, |search| search.bounds.narrow(choice, &look));
        let is_pending = kind == Kind::Link && filter.follows() && self.may_lead_on(intake, name)?;
        Ok((choice != Choice::Neither || is_pending).then_some((look, choice)))
    }

    /// Whether what a link leads to may be wanted.
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

    /// Makes the entry of a link what the link leads to, and decides about it again.
    pub fn turn(&mut self, filter: &Filter<'_>, link: &PendingLink, look: Look) -> Result<Choice, LimitHit> {
        let PendingLink { position, entry } = link;
        if let Some(ignore) = &mut self.ignore {
            ignore.go_to(position.scope.clone());
        }
        let path = position.path.strip_suffix(b"/").unwrap_or(&position.path);
        let name_len = path.iter().rev().take_while(|byte| **byte != b'/').count();
        let choice = filter.choose(path, name_len, look.kind, position.depth, self.ignore.as_mut())?;
        let choice = filter.search.map_or(choice, |search| search.bounds.narrow(choice, &look));
        let found = &mut self.found[entry.index as usize];
        (found.kind, found.choice, found.size, found.modified) =
            (look.kind, choice, look.size_as_entry(), look.modified);
        Ok(choice)
    }

    /// Sorts the entries of a folder by name and closes their block.
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

    /// Reads the texts of the links of a folder, as far as they are wanted, and notes which are to be followed.
    /// `read` gives the text of a link.
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
                    // It is gone, or no link any more.
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

    /// The folders among the entries of a folder that are to be read: the position and name of each.
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

    /// The rules in force in the folder that is being read.
    fn scope(&self) -> Option<Arc<Scope>> {
        self.ignore.as_ref().and_then(Ignore::scope)
    }

    pub fn name(&self, found: &Found) -> &[u8] {
        let start = found.name_start as usize;
        &self.names[start..start + found.name_len as usize]
    }

    /// Bytes of all names.
    pub fn name_bytes(&self) -> usize {
        self.names.len()
    }

    /// Notes on `.gitignore` files that could not be used.
    pub fn take_notes(&mut self) -> Vec<String> {
        self.ignore.as_mut().map(Ignore::take_notes).unwrap_or_default()
    }

    /// Path from the start of the walk to an entry, for messages.
    pub fn path_of(readers: &[&Reader], entry: EntryId) -> String {
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
