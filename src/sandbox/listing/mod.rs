//! Listing a tree entry by entry: each folder before what is in it, siblings by bytes of name.
//!
//! Unlike [`super::walk`] nothing is looked at but names and the kinds that come with them, folders
//! can be left out by `.gitignore` before they are opened, and links can be followed. No folder is
//! entered twice while links are followed; folders are told apart by device and inode.

mod levels;
mod link;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;

use crate::limits::LimitHit;

use super::error::SandboxError;
use super::folder::{EntryBuffer, Folder};
use super::ignore::{self, Above, Ignore, Shape};
use super::metadata::{Identity, Kind, Metadata};
use super::read::OpenFile;
use super::root::{Root, SandboxPath};
use super::walk::{Skip, WalkLimits};

use levels::{Base, Found, Level, Opened, Refused};
use link::LinkEnd;

/// What a listing shows and where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListingPlan {
    /// How many levels of folders below the start are entered.
    pub levels: usize,
    /// Whether links to folders are entered too.
    pub follow_folders: bool,
    /// Whether links to files stand for what they lead to.
    pub follow_files: bool,
    /// Whether `.gitignore` files are heeded.
    pub gitignore: bool,
    /// Whether it matters if a link leads to a folder.
    pub tell_links: bool,
    /// Whether the texts of links are wanted.
    pub targets: bool,
    /// Whether entries whose names begin with a dot are left out, and so what is in such folders.
    pub skip_hidden: bool,
    /// Whether a link stands for the file or folder that it leads to, without being entered; one that
    /// leads to nothing, out of the root or to where nobody may look is left out.
    pub links_as_targets: bool,
    /// Whether entries will be looked at or opened, so that their folders are kept open.
    pub opens: bool,
    /// Whether a folder that cannot be read ends the listing with an error, instead of being shown empty.
    pub strict: bool,
}

/// What comes next in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An entry; if it is a folder, it is not entered.
    Entry,
    /// A folder, or a link to one, whose entries come next.
    Enter,
    /// The folder entered last is over.
    Leave,
}

/// What an entry is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A file, a special file, or a link that was followed to one.
    File,
    /// A folder.
    Folder,
    /// A link.
    Link,
    /// A link that was followed and led nowhere, or to itself.
    DeadLink,
}

/// A listing under way. [`Lister::advance`] goes from step to step, and the other functions tell of
/// the entry of the last [`Step::Entry`] or [`Step::Enter`].
pub struct Lister<'a> {
    root: &'a Root,
    plan: ListingPlan,
    /// Path of the start, for messages.
    start: String,
    skip: Skip<'a>,
    limits: &'a WalkLimits,
    ignore: Option<Ignore>,
    entered: HashSet<Identity>,
    levels: Vec<Level>,
    bases: Vec<Base>,
    found: Vec<Found>,
    names: Vec<u8>,
    buffer: EntryBuffer,
    /// The resolved path of the start, then the way from there to the entry, all as bytes.
    path: Vec<u8>,
    /// Where the way from the start begins in `path`.
    below: usize,
    entry: Entry,
    /// Entries until the clock is looked at.
    patience: u32,
}

/// Entries between two looks at the clock.
const PATIENCE: u32 = 1024;

/// The entry that was given last.
struct Entry {
    name: usize,
    shown: Shown,
    is_folder: bool,
    target: Option<OsString>,
    /// Where the link led that it stands for.
    place: Option<Box<SandboxPath>>,
    kind: Kind,
    /// It is the folder whose entries come next.
    is_entered: bool,
}

impl Entry {
    /// An entry of a kind, shown as a file; its name begins at this place of the path.
    fn new(name: usize, kind: Kind) -> Entry {
        Entry { name, shown: Shown::File, is_folder: false, target: None, place: None, kind, is_entered: false }
    }
}

impl<'a> Lister<'a> {
    /// Bytes that an entry takes while its folder is being listed, its name included.
    pub const ENTRY_BYTES: usize = 48;

    /// Begins with the folder of a place; that it cannot be read is an error.
    pub fn open(
        root: &'a Root,
        start: &SandboxPath,
        plan: ListingPlan,
        skip: Skip<'a>,
        limits: &'a WalkLimits,
    ) -> Result<Lister<'a>, SandboxError> {
        let folder = start.open_folder()?.listed().map_err(|error| start.error(&error))?;
        let mut path = start.resolved_raw().as_encoded_bytes().to_vec();
        if !path.is_empty() {
            path.push(b'/');
        }
        let above = match plan.gitignore {
            true => Some(Ignore::above(root, start, limits.watch.clone())?),
            false => None,
        };
        let start_is_ignored = above.as_ref().is_some_and(|above| above.start_is_ignored);
        let mut lister = Lister {
            root,
            plan,
            start: start.shown().to_owned(),
            skip,
            limits,
            ignore: above.map(|Above { ignore, .. }| ignore),
            entered: HashSet::new(),
            levels: Vec::new(),
            bases: Vec::new(),
            found: Vec::new(),
            names: Vec::new(),
            buffer: EntryBuffer::default(),
            below: path.len(),
            path,
            entry: Entry::new(0, Kind::Folder),
            patience: PATIENCE,
        };
        if lister.marks() {
            lister.entered.insert(folder.own_metadata().map_err(|error| start.error(&error))?.identity);
        }
        lister.push(Some(folder), Some(start.resolved_raw().to_owned()), start_is_ignored).map_err(|refused| {
            match refused {
                Refused::Io(error) => start.error(&error),
                Refused::Limit(hit) => hit.into(),
            }
        })?;
        Ok(lister)
    }

    /// The next step; none when the listing is over.
    pub fn advance(&mut self) -> Result<Option<Step>, SandboxError> {
        while let Some(level) = self.levels.last_mut() {
            if level.next == level.end {
                self.pop();
                return Ok((!self.levels.is_empty()).then_some(Step::Leave));
            }
            let found = self.found[level.next];
            level.next += 1;
            self.look_at_clock()?;
            if let Some(step) = self.give(found)? {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// The entry's name.
    pub fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.path[self.entry.name..])
    }

    /// The way from the start to the entry.
    pub fn path(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.path[self.below..])
    }

    /// What it is shown as.
    pub fn shown(&self) -> Shown {
        self.entry.shown
    }

    /// Whether it is a folder or, if the plan asks for that, a link to one.
    pub fn is_folder(&self) -> bool {
        self.entry.is_folder
    }

    /// Whether it is a regular file itself, not a link to one.
    pub fn is_file(&self) -> bool {
        self.entry.kind == Kind::File
    }

    /// The text of a link, if the plan asks for it.
    pub fn target(&self) -> Cow<'_, str> {
        let target = self.entry.target.as_deref().unwrap_or_default();
        String::from_utf8_lossy(target.as_encoded_bytes())
    }

    /// Whether the entry's path is UTF-8, so that tools take it.
    pub fn is_text(&self) -> bool {
        str::from_utf8(&self.path[self.below..]).is_ok()
    }

    /// What is known of the entry; of a link that stands for something, what is known of that.
    pub fn metadata(&mut self) -> io::Result<Metadata> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        if let Some(place) = &self.entry.place {
            return place.metadata().map_err(|_| gone());
        }
        let name = self.os_name(self.entry.name);
        match self.entry.is_entered {
            true => self.entered_metadata(&name),
            false => self.folder()?.metadata(&name),
        }
    }

    /// Opens the entry for reading if it is a regular file; a link is not, wherever it leads.
    pub fn open_file(&mut self) -> io::Result<OpenFile> {
        let special = || io::Error::new(io::ErrorKind::Unsupported, "it is no regular file");
        if self.entry.kind != Kind::File {
            return Err(special());
        }
        let name = self.os_name(self.entry.name);
        let folder = self.folder()?;
        let file = folder.open_file(&name)?;
        let metadata = folder.file_metadata(&file)?;
        // It may have been exchanged since its folder was read.
        match metadata.kind {
            Kind::File => Ok(OpenFile { file, metadata }),
            _ => Err(special()),
        }
    }

    /// The entry's way from the root, without links.
    pub fn resolved_path(&self) -> Cow<'_, str> {
        match self.bases.len() {
            // No link led here: the path is the way.
            1 => String::from_utf8_lossy(&self.path),
            _ => Cow::Owned(self.resolved(self.path.len()).to_string_lossy().into_owned()),
        }
    }

    /// What is to be said about `.gitignore` files that could not be used.
    pub fn take_notes(&mut self) -> Vec<String> {
        self.ignore.as_mut().map(Ignore::take_notes).unwrap_or_default()
    }

    /// Whether folders are told apart: only where a link can lead to one again.
    fn marks(&self) -> bool {
        self.plan.follow_folders && self.plan.levels > 0
    }

    /// Whether folders of the level that is being given are entered.
    fn descends(&self) -> bool {
        self.levels.len() <= self.plan.levels
    }

    /// Whether nobody may go into the folder of this resolved path.
    fn hides(&self, resolved: &str) -> bool {
        self.skip.rule.is_some_and(|rule| rule(resolved))
    }

    fn look_at_clock(&mut self) -> Result<(), LimitHit> {
        self.patience -= 1;
        if self.patience == 0 {
            self.patience = PATIENCE;
            self.limits.watch.poll()?;
        }
        Ok(())
    }

    /// Makes an entry the current one; none when it is left out.
    fn give(&mut self, found: Found) -> Result<Option<Step>, SandboxError> {
        let level = self.levels.last().expect("an entry has a level");
        let name = found.start as usize..found.start as usize + usize::from(found.len);
        let at = level.path;
        self.path.truncate(at);
        // Of a folder that was just entered the path has no `/` yet.
        self.path.resize(at, b'/');
        self.path.extend_from_slice(&self.names[name]);
        let kind = match found.kind {
            Some(kind) => kind,
            // Rare file systems tell no kinds; an entry that is gone is as if it had never been.
            None => {
                let name = self.os_name(at);
                match self.folder().and_then(|folder| folder.metadata(&name)) {
                    Ok(metadata) => metadata.kind,
                    Err(_) => return Ok(None),
                }
            }
        };
        let shape = if kind == Kind::Folder { Shape::Folder } else { Shape::Other };
        if let Some(ignore) = &mut self.ignore {
            let is_git = kind == Kind::Folder && self.path[at..] == *ignore::GIT.as_bytes();
            if is_git || ignore.ignores(&self.path, usize::from(found.len), shape)? {
                return Ok(None);
            }
        }
        self.entry = Entry::new(at, kind);
        match kind {
            Kind::File | Kind::Special => Ok(Some(Step::Entry)),
            Kind::Folder => self.give_folder(),
            Kind::Link => self.give_link(),
        }
    }

    fn give_folder(&mut self) -> Result<Option<Step>, SandboxError> {
        if self.skip.rule.is_some() && self.hides(&self.resolved(self.path.len()).to_string_lossy()) {
            return Ok(None);
        }
        self.entry = Entry { shown: Shown::Folder, is_folder: true, ..self.take_entry() };
        if !self.descends() {
            return Ok(Some(Step::Entry));
        }
        let name = self.os_name(self.entry.name);
        let opened = self.folder().and_then(|folder| folder.open_listed(&name));
        if self.marks() && !self.mark(&opened, &name) {
            return Ok(None);
        }
        let folder = self.readable(opened)?;
        self.enter(Opened { folder, base: None })
    }

    fn give_link(&mut self) -> Result<Option<Step>, SandboxError> {
        let name = self.os_name(self.entry.name);
        if self.plan.links_as_targets {
            return Ok(self.give_target(&name));
        }
        self.entry.shown = Shown::Link;
        if self.plan.targets {
            self.entry.target = self.folder().and_then(|folder| folder.read_link(&name)).ok();
        }
        let may_enter = self.plan.follow_folders && self.descends();
        if !(self.plan.tell_links || self.plan.follow_files || may_enter) {
            return Ok(Some(Step::Entry));
        }
        match self.end_of(&name) {
            LinkEnd::Folder(place) => {
                self.entry.is_folder = true;
                let is_hidden = self.hides(place.resolved());
                let is_git = self.ignore.is_some() && name == ignore::GIT;
                match may_enter && !is_hidden && !is_git {
                    true => self.enter_link(&place),
                    false => Ok(Some(Step::Entry)),
                }
            }
            LinkEnd::File(place) if self.plan.follow_files && !self.hides(folder_of(place.resolved())) => {
                self.entry = Entry { shown: Shown::File, target: None, ..self.take_entry() };
                Ok(Some(Step::Entry))
            }
            LinkEnd::Nowhere(target) if self.plan.follow_files => {
                let target = if target.is_empty() { self.entry.target.take() } else { Some(target) };
                self.entry = Entry { shown: Shown::DeadLink, target, ..self.take_entry() };
                Ok(Some(Step::Entry))
            }
            LinkEnd::File(_) | LinkEnd::Nowhere(_) | LinkEnd::Outside => Ok(Some(Step::Entry)),
        }
    }

    /// Gives what a link leads to.
    fn give_target(&mut self, name: &OsStr) -> Option<Step> {
        let (place, is_folder) = match self.end_of(name) {
            LinkEnd::Folder(place) if !self.hides(place.resolved()) => (place, true),
            LinkEnd::File(place) if !self.hides(folder_of(place.resolved())) => (place, false),
            _ => return None,
        };
        let shown = if is_folder { Shown::Folder } else { Shown::File };
        self.entry = Entry { shown, is_folder, place: Some(Box::new(place)), ..self.take_entry() };
        Some(Step::Entry)
    }

    /// Where the link of a name in the current folder ends.
    fn end_of(&mut self, name: &OsStr) -> LinkEnd {
        let resolved = self.resolved(self.levels.last().expect("an entry has a level").path);
        let root = self.root;
        match self.folder() {
            Ok(folder) => link::follow(root, folder, &resolved, name),
            Err(_) => LinkEnd::Outside,
        }
    }

    fn enter_link(&mut self, place: &SandboxPath) -> Result<Option<Step>, SandboxError> {
        let folder = place.open_folder();
        let identity = match &folder {
            Ok(folder) => folder.own_metadata().ok().map(|metadata| metadata.identity),
            Err(_) => place.metadata().ok().map(|metadata| metadata.identity),
        };
        if identity.is_some_and(|identity| !self.entered.insert(identity)) {
            return Ok(None);
        }
        let folder = match folder {
            Ok(folder) => self.readable(folder.listed())?,
            Err(_) => None,
        };
        self.enter(Opened { folder, base: Some(place.resolved_raw().to_owned()) })
    }

    /// Marks a folder as entered; false when it was before.
    fn mark(&mut self, opened: &io::Result<Folder>, name: &OsStr) -> bool {
        let metadata = match opened {
            Ok(folder) => folder.own_metadata(),
            Err(_) => self.folder().and_then(|folder| folder.metadata(name)),
        };
        metadata.map_or(true, |metadata| self.entered.insert(metadata.identity))
    }

    fn take_entry(&mut self) -> Entry {
        let fresh = Entry::new(self.entry.name, self.entry.kind);
        std::mem::replace(&mut self.entry, fresh)
    }
}

/// The resolved path of the folder in which a place lies.
fn folder_of(resolved: &str) -> &str {
    resolved.rsplit_once('/').map_or("", |(folder, _)| folder)
}
