//! The folders that a listing is in: how they are read, entered and left.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use crate::limits::LimitHit;

use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::ignore;
use super::super::is_reserved;
use super::super::metadata::{Kind, Metadata};
use super::super::root::parts_of;
use super::{Lister, Step};

/// Folders that are kept open at once, the nearest ones.
const MAX_HANDLES: usize = 64;

/// Names that make a path which the system takes, however long they are.
const NAMES_AT_ONCE: usize = 15;

/// A folder whose entries are being given.
pub struct Level {
    /// Its handle, as long as an entry is left that needs it.
    pub folder: Option<Folder>,
    pub next: usize,
    pub end: usize,
    /// The place behind the last entry that needs the handle.
    needed: usize,
    /// Where its names begin.
    names: usize,
    /// The length of the path to it, `/` included.
    pub path: usize,
    /// It brought rules that end with it.
    has_rules: bool,
    /// It has a [`Base`] of its own.
    is_base: bool,
}

/// A folder whose resolved path is not that of the folder above it and its name.
pub struct Base {
    resolved: OsString,
    /// The length of the path to it.
    path: usize,
}

/// An entry of a folder that was read.
#[derive(Clone, Copy)]
pub struct Found {
    pub start: u32,
    pub len: u16,
    pub kind: Option<Kind>,
}

/// A folder that is about to be entered.
pub struct Opened {
    pub folder: Option<Folder>,
    /// Its resolved path, where a link led to it.
    pub base: Option<OsString>,
}

impl Lister<'_> {
    pub(super) fn enter(&mut self, opened: Opened) -> Result<Option<Step>, SandboxError> {
        let path = self.path.len();
        self.path.push(b'/');
        if let Some(level) = self.levels.last_mut().filter(|level| level.next >= level.needed) {
            level.folder = None;
        }
        match self.push(opened.folder, opened.base, false) {
            Ok(()) => {}
            Err(Refused::Limit(hit)) => return Err(hit.into()),
            Err(Refused::Io(error)) if is_ours(&error) => return Err(SandboxError::io(self.path(), &error)),
            // What was read so far is dropped: a folder is shown as a whole or empty.
            Err(Refused::Io(_)) => self.push(None, None, false).map_err(|_| SandboxError::NotFound(String::new()))?,
        }
        self.path.truncate(path);
        self.entry.is_entered = true;
        Ok(Some(Step::Enter))
    }

    /// Reads a folder, whose path is the current one, and makes it the level that is given.
    pub(super) fn push(
        &mut self,
        folder: Option<Folder>,
        base: Option<OsString>,
        is_ignored: bool,
    ) -> Result<(), Refused> {
        self.limits.watch.poll().map_err(Refused::Limit)?;
        let (start, names, path) = (self.found.len(), self.names.len(), self.path.len());
        let mut rules = None;
        let is_base = base.is_some();
        if let (Some(folder), false) = (&folder, is_ignored) {
            rules = self.read(folder)?;
        }
        self.bases.extend(base.map(|resolved| Base { resolved, path }));
        let has_rules = match (&mut self.ignore, &folder, rules) {
            (Some(ignore), Some(folder), Some(kind)) => ignore.enter(folder, kind, &self.path),
            _ => false,
        };
        let opens = self.plan.opens;
        let needs = |found: &Found| opens || !matches!(found.kind, Some(Kind::File | Kind::Special));
        let needed = self.found[start..].iter().rposition(needs).map_or(start, |at| start + at + 1);
        let end = self.found.len();
        if let Some(far) = self.levels.len().checked_sub(MAX_HANDLES) {
            self.levels[far].folder = None;
        }
        self.levels.push(Level { folder, next: start, end, needed, names, path, has_rules, is_base });
        Ok(())
    }

    /// Reads and sorts the entries of a folder; gives the kind of its `.gitignore`, if it has one.
    fn read(&mut self, folder: &Folder) -> Result<Option<Option<Kind>>, Refused> {
        let (start, names_start) = (self.found.len(), self.names.len());
        let mut rules = None;
        let mut over = false;
        let (found, names, limits) = (&mut self.found, &mut self.names, self.limits);
        let skip_hidden = self.plan.skip_hidden;
        let read = folder.each_entry(&mut self.buffer, |name, kind| {
            if is_reserved(&os_name(name)) {
                return true;
            }
            if name == ignore::FILE.as_bytes() {
                rules = Some(kind);
            }
            if skip_hidden && name.starts_with(b".") {
                return true;
            }
            over = found.len() >= limits.entries || names.len() > u32::MAX as usize / 2;
            found.push(Found { start: names.len() as u32, len: name.len() as u16, kind });
            names.extend_from_slice(name);
            !over
        });
        if over {
            return Err(Refused::Limit(limits.hit));
        }
        if let Err(error) = read {
            found.truncate(start);
            names.truncate(names_start);
            return Err(Refused::Io(error));
        }
        let name = |found: &Found| &names[found.start as usize..found.start as usize + usize::from(found.len)];
        found[start..].sort_unstable_by(|a, b| name(a).cmp(name(b)));
        Ok(rules)
    }

    pub(super) fn pop(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        let start = self.levels.last().map_or(0, |above| above.end);
        self.found.truncate(start);
        self.names.truncate(level.names);
        if level.is_base {
            self.bases.pop();
        }
        if let (true, Some(ignore)) = (level.has_rules, &mut self.ignore) {
            ignore.leave();
        }
    }

    /// The handle of the folder whose entries are given.
    ///
    /// In a deep tree it was given up meanwhile and is opened again, name by name from the root; that
    /// fails where somebody moved a folder since.
    pub(super) fn folder(&mut self) -> io::Result<&Folder> {
        let level = self.levels.last().expect("entries have a level");
        if level.folder.is_none() {
            let folder = self.reopened(&self.resolved(level.path))?;
            self.levels.last_mut().expect("it was there").folder = Some(folder);
        }
        let level = self.levels.last().expect("it was there");
        Ok(level.folder.as_ref().expect("it was just opened"))
    }

    /// What is known of the folder that was just entered.
    pub(super) fn entered_metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        let [.., above, entered] = self.levels.as_slice() else { return Err(io::ErrorKind::NotFound.into()) };
        match (&entered.folder, &above.folder) {
            (Some(folder), _) => folder.own_metadata(),
            // It could not be opened: its name is looked at.
            (None, Some(above)) => above.metadata(name),
            (None, None) => self.reopened(&self.resolved(above.path))?.metadata(name),
        }
    }

    fn reopened(&self, resolved: &OsStr) -> io::Result<Folder> {
        let names: Vec<OsString> = parts_of(Path::new(resolved)).collect();
        let mut folder = self.root.folder().duplicate()?;
        for names in names.chunks(NAMES_AT_ONCE) {
            let names: Vec<&OsStr> = names.iter().map(OsString::as_os_str).collect();
            folder = match folder.open_chain(&names)? {
                Some(folder) => folder,
                None => names.iter().try_fold(folder, |folder, name| folder.open_folder(name))?,
            };
        }
        Ok(folder)
    }

    /// The resolved path of what the first so many bytes of the current path name.
    pub(super) fn resolved(&self, end: usize) -> OsString {
        let base = self.bases.last().expect("the start is a base");
        let way = &self.path[base.path..end.max(base.path)];
        let mut resolved = base.resolved.clone();
        if !(resolved.is_empty() || way.is_empty()) {
            resolved.push("/");
        }
        resolved.push(os_name(way.strip_suffix(b"/").unwrap_or(way)));
        resolved
    }

    /// The name that begins at a place of the current path.
    pub(super) fn os_name(&self, at: usize) -> OsString {
        os_name(&self.path[at..]).into_owned()
    }
}

/// Why a folder was not read.
pub enum Refused {
    Io(io::Error),
    Limit(LimitHit),
}

/// The folder, if it can be read; none when it is gone or closed to us, which shows it empty.
pub fn readable(opened: io::Result<Folder>) -> Result<Option<Folder>, SandboxError> {
    match opened {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if is_ours(&error) => Err(SandboxError::io(".", &error)),
        Err(_) => Ok(None),
    }
}

/// Whether an error is about this process, not about a folder: then the listing would be wrong.
fn is_ours(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let codes = [Errno::MFILE, Errno::NFILE, Errno::NOMEM].map(Errno::raw_os_error);
        error.raw_os_error().is_some_and(|code| codes.contains(&code))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::OutOfMemory
    }
}

#[cfg(unix)]
pub fn os_name(name: &[u8]) -> Cow<'_, OsStr> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(OsStr::from_bytes(name))
}

#[cfg(not(unix))]
pub fn os_name(name: &[u8]) -> Cow<'_, OsStr> {
    Cow::Owned(String::from_utf8_lossy(name).into_owned().into())
}
