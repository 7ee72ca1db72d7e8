//! Lists a tree entry by entry: each directory before its contents, siblings in byte order of their names.
//!
//! Unlike [`super::walk`], a listing reads only names and the kinds that come with them, can skip directories by
//! `.gitignore` before opening them, and can follow links. While links are followed, no directory is entered twice;
//! directories are identified by device and inode.

mod levels;
mod link;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;

use crate::limits::LimitHit;

use super::super::handles::error::SandboxError;
use super::super::handles::folder::{EntryBuffer, Folder};
use super::super::handles::metadata::{Identity, Kind, Metadata};
use super::super::handles::root::{Root, SandboxPath};
use super::ignore::{self, Above, Ignore, IgnoreSources, NoteMark, Shape};
use super::read::OpenFile;
use super::walk::{Skip, WalkLimits};

use levels::{Base, Found, Level, Opened, Refused};
use link::LinkEnd;

/// Options of a listing.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListingPlan {
    /// Number of levels of directories to enter below the start.
    pub levels: usize,
    /// Whether links to directories are entered too.
    pub follow_folders: bool,
    /// Whether a link to a file is reported as the file it leads to.
    pub follow_files: bool,
    /// The ignore files that apply, if any do.
    pub ignored_by: Option<IgnoreSources>,
    /// Whether the listing must find out if a link leads to a directory.
    pub tell_links: bool,
    /// Whether the targets of links are read.
    pub targets: bool,
    /// Whether entries whose names begin with a dot are left out, together with the contents of those directories.
    pub skip_hidden: bool,
    /// Whether a link is reported as the file or directory it leads to, without being entered. Links that lead to
    /// nothing, out of the root or to a path hidden by policy are left out.
    pub links_as_targets: bool,
    /// Whether the caller will look up or open entries, so that their directories must stay open.
    pub opens: bool,
    /// Whether a directory that cannot be read ends the listing with an error instead of being listed as empty.
    pub strict: bool,
}

/// The next step of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An entry. If it is a directory, it is not entered.
    Entry,
    /// A directory, or a link to one, whose entries follow.
    Enter,
    /// The end of the directory entered last.
    Leave,
}

/// The kind as which an entry is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedAs {
    /// A regular or special file, or a followed link to one.
    File,
    /// A directory.
    Folder,
    /// A link.
    Link,
    /// A followed link that leads nowhere or back to itself.
    DeadLink,
}

/// A listing in progress. [`Lister::advance`] moves to the next step; the other methods describe the entry of the last
/// [`Step::Entry`] or [`Step::Enter`].
pub struct Lister<'a> {
    root: &'a Root,
    plan: ListingPlan,
    /// The path of the start, for messages.
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
    /// The resolved path of the start followed by the path from there to the entry, as bytes.
    path: Vec<u8>,
    /// The offset in `path` at which the path below the start begins.
    below: usize,
    entry: Entry,
    /// Number of entries until the deadline is checked next.
    patience: u32,
}

/// Number of entries between two checks of the deadline.
const PATIENCE: u32 = 1024;

/// The current entry.
struct Entry {
    name: usize,
    shown: ListedAs,
    is_folder: bool,
    target: Option<OsString>,
    /// The target of a link that is reported as its target.
    place: Option<Box<SandboxPath>>,
    kind: Kind,
    /// Whether this is the directory whose entries come next.
    is_entered: bool,
}

impl Entry {
    /// Creates an entry of the given kind, reported as a file. `name` is the offset of its name in the path.
    fn new(name: usize, kind: Kind) -> Entry {
        Entry { name, shown: ListedAs::File, is_folder: false, target: None, place: None, kind, is_entered: false }
    }
}

impl<'a> Lister<'a> {
    /// Bytes used per entry while its directory is being listed, including the name.
    pub const ENTRY_BYTES: usize = 48;

    /// Starts a listing at the directory `start`.
    ///
    /// Errors: if that directory cannot be read, whatever the plan says.
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
        let above = plan.ignored_by.map(|from| Ignore::above(root, start, from, limits.watch.clone())).transpose()?;
        let start_is_ignored = above.as_ref().is_some_and(|above| above.start_is_ignored);
        let mut lister = Lister {
            root,
            plan,
            start: start.display().to_owned(),
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

    /// Returns the next step, or `None` at the end of the listing.
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

    /// Returns the entry's name.
    pub fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.path[self.entry.name..])
    }

    /// Returns the path from the start to the entry.
    pub fn path(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.path[self.below..])
    }

    /// Returns the kind as which the entry is reported.
    pub fn listed_as(&self) -> ListedAs {
        self.entry.shown
    }

    /// Whether the entry is a directory or, if the plan asks for it, a link to one.
    pub fn is_folder(&self) -> bool {
        self.entry.is_folder
    }

    /// Whether the entry itself is a regular file, not a link to one.
    pub fn is_file(&self) -> bool {
        self.entry.kind == Kind::File
    }

    /// Returns the target of a link, if the plan asks for it.
    pub fn target(&self) -> Cow<'_, str> {
        let target = self.entry.target.as_deref().unwrap_or_default();
        String::from_utf8_lossy(target.as_encoded_bytes())
    }

    /// Checks that the entry's path is UTF-8, so that tools accept it. `prefix` is what the path begins with in the error.
    pub fn check_text(&self, prefix: &str) -> Result<(), SandboxError> {
        let path = &self.path[self.below..];
        str::from_utf8(path).map(drop).map_err(|_| SandboxError::not_text(&[prefix.as_bytes(), path].concat()))
    }

    /// Returns the entry's metadata, or its target's for a link that is reported as its target.
    pub fn metadata(&mut self) -> io::Result<Metadata> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        if let Some(place) = &self.entry.place {
            return place.metadata().map_err(|_| gone());
        }
        let name = self.os_name(self.entry.name);
        if self.entry.is_entered { self.entered_metadata(&name) } else { self.folder()?.metadata(&name) }
    }

    /// Opens the entry for reading. Fails unless the entry is a regular file; links are not followed.
    pub fn open_file(&mut self) -> io::Result<OpenFile> {
        let special = || io::Error::new(io::ErrorKind::Unsupported, "it is no regular file");
        if self.entry.kind != Kind::File {
            return Err(special());
        }
        let name = self.os_name(self.entry.name);
        let folder = self.folder()?;
        let file = folder.open_file(&name)?;
        let metadata = folder.file_metadata(&file)?;
        // The entry may have been replaced since its directory was read.
        match metadata.kind {
            Kind::File => Ok(OpenFile { file, metadata }),
            _ => Err(special()),
        }
    }

    /// Returns the entry's path from the root, with all links resolved.
    pub fn resolved_path(&self) -> Cow<'_, str> {
        match self.bases.len() {
            // No link was followed: the path is already resolved.
            1 => String::from_utf8_lossy(&self.path),
            _ => Cow::Owned(self.resolved(self.path.len()).to_string_lossy().into_owned()),
        }
    }

    /// Returns the notes so far, for [`Lister::forget_notes_after`].
    pub fn note_mark(&self) -> NoteMark {
        self.ignore.as_ref().map(Ignore::note_mark).unwrap_or_default()
    }

    /// Removes the notes about ignore files that were met since.
    pub fn forget_notes_after(&mut self, mark: NoteMark) {
        self.ignore.iter_mut().for_each(|ignore| ignore.forget_notes_after(mark));
    }

    /// Returns and clears the notes about ignore files that could not be used.
    pub fn take_notes(&mut self) -> Vec<String> {
        self.ignore.as_mut().map(Ignore::take_notes).unwrap_or_default()
    }

    /// Whether visited directories are recorded: only if a link can lead to one again.
    fn marks(&self) -> bool {
        self.plan.follow_folders && self.plan.levels > 0
    }

    /// Whether directories of the current level are entered.
    fn descends(&self) -> bool {
        self.levels.len() <= self.plan.levels
    }

    /// Whether the policy hides the directory at this resolved path.
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

    /// Makes an entry the current one. Returns `None` if it is left out.
    fn give(&mut self, found: Found) -> Result<Option<Step>, SandboxError> {
        let level = self.levels.last().expect("an entry has a level");
        let name = found.start as usize..found.start as usize + usize::from(found.len);
        let at = level.path;
        self.path.truncate(at);
        // The path of a directory that was just entered has no `/` yet.
        self.path.resize(at, b'/');
        self.path.extend_from_slice(&self.names[name]);
        let kind = match found.kind {
            Some(kind) => kind,
            // A few file systems do not report kinds. An entry that has disappeared is skipped.
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
        self.entry = Entry { shown: ListedAs::Folder, is_folder: true, ..self.take_entry() };
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
        self.entry.shown = ListedAs::Link;
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
                if may_enter && !is_hidden && !is_git { self.enter_link(&place) } else { Ok(Some(Step::Entry)) }
            }
            LinkEnd::File(place) if self.plan.follow_files && !self.hides(folder_of(place.resolved())) => {
                self.entry = Entry { shown: ListedAs::File, target: None, ..self.take_entry() };
                Ok(Some(Step::Entry))
            }
            LinkEnd::Nowhere(target) if self.plan.follow_files => {
                let target = if target.is_empty() { self.entry.target.take() } else { Some(target) };
                self.entry = Entry { shown: ListedAs::DeadLink, target, ..self.take_entry() };
                Ok(Some(Step::Entry))
            }
            LinkEnd::File(_) | LinkEnd::Nowhere(_) | LinkEnd::Outside => Ok(Some(Step::Entry)),
        }
    }

    /// Reports a link as its target.
    fn give_target(&mut self, name: &OsStr) -> Option<Step> {
        let (place, is_folder) = match self.end_of(name) {
            LinkEnd::Folder(place) if !self.hides(place.resolved()) => (place, true),
            LinkEnd::File(place) if !self.hides(folder_of(place.resolved())) => (place, false),
            _ => return None,
        };
        let shown = if is_folder { ListedAs::Folder } else { ListedAs::File };
        self.entry = Entry { shown, is_folder, place: Some(Box::new(place)), ..self.take_entry() };
        Some(Step::Entry)
    }

    /// Resolves the link `name` in the current directory.
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

    /// Records a directory as entered. Returns false if it had been entered before.
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

/// Returns the directory part of a resolved path.
fn folder_of(resolved: &str) -> &str {
    resolved.rsplit_once('/').map_or("", |(folder, _)| folder)
}
