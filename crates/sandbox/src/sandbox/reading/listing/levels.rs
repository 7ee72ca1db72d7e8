//! The stack of directories that a listing is in: reading, entering and leaving them.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::limits::LimitHit;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::Folder;
use super::super::super::handles::metadata::{Kind, Metadata};
use super::super::super::handles::path::parts_of;
use super::super::super::is_reserved;
use super::super::ignore::{self, Ignore, IgnoreSources, Scope};
use super::super::walk::joined;
use super::{Lister, Step};

/// Maximum number of directories kept open at once: the innermost ones.
const MAX_HANDLES: usize = 64;

/// Number of names that form a path short enough for the system, whatever their lengths.
const NAMES_AT_ONCE: usize = 15;

/// A directory whose entries are being listed.
pub struct Level {
    /// The directory's handle, as long as a remaining entry needs it.
    pub folder: Option<Folder>,
    pub next: usize,
    pub end: usize,
    /// The index after the last entry that needs the handle.
    needed: usize,
    /// The offset of the first of its names.
    names: usize,
    /// The length of the directory's path, including the trailing `/`.
    pub path: usize,
    /// The ignore rules in effect outside the directory.
    rules_above: Option<Arc<Scope>>,
    /// Whether the directory has its own [`Base`].
    is_base: bool,
}

/// A directory whose resolved path is not its parent's resolved path plus its name.
pub struct Base {
    resolved: OsString,
    /// The length of the directory's path.
    path: usize,
}

/// An entry of a directory that was read.
#[derive(Clone, Copy)]
pub struct Found {
    pub start: u32,
    pub len: u16,
    pub kind: Option<Kind>,
}

/// The files of ignore rules that a directory has.
#[derive(Default)]
struct RuleFiles {
    /// The kind of its `.gitignore`, as far as it is known, if it has one.
    gitignore: Option<Option<Kind>>,
    /// Whether it has an entry `.git`.
    has_repository: bool,
}

/// A directory about to be entered.
pub struct Opened {
    pub folder: Option<Folder>,
    /// The resolved path, if a link led to the directory.
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
            Err(Refused::Io(error)) if self.plan.strict || is_ours(&error) => {
                self.path.truncate(path);
                return Err(self.unreadable(&error));
            }
            // Entries read so far are dropped: a directory is listed completely or as empty.
            Err(Refused::Io(_)) => self.push(None, None, false).map_err(|_| SandboxError::NotFound(String::new()))?,
        }
        self.path.truncate(path);
        self.entry.is_entered = true;
        Ok(Some(Step::Enter))
    }

    /// Reads the directory at the current path and makes it the current level.
    pub(super) fn push(
        &mut self,
        folder: Option<Folder>,
        base: Option<OsString>,
        is_ignored: bool,
    ) -> Result<(), Refused> {
        self.limits.watch.poll().map_err(Refused::Limit)?;
        let (start, names, path) = (self.found.len(), self.names.len(), self.path.len());
        let mut rules = RuleFiles::default();
        let is_base = base.is_some();
        if let (Some(folder), false) = (&folder, is_ignored) {
            rules = self.read(folder)?;
        }
        self.bases.extend(base.map(|resolved| Base { resolved, path }));
        let rules_above = self.ignore.as_ref().and_then(Ignore::scope);
        if let Some(folder) = &folder {
            self.add_rules(folder, &rules);
        }
        let opens = self.plan.opens;
        let needs = |found: &Found| opens || !matches!(found.kind, Some(Kind::File | Kind::Special));
        let needed = self.found[start..].iter().rposition(needs).map_or(start, |at| start + at + 1);
        let end = self.found.len();
        if let Some(far) = self.levels.len().checked_sub(MAX_HANDLES) {
            self.levels[far].folder = None;
        }
        self.levels.push(Level { folder, next: start, end, needed, names, path, rules_above, is_base });
        Ok(())
    }

    /// Adds the ignore rules of a directory at the current path.
    fn add_rules(&mut self, folder: &Folder, rules: &RuleFiles) {
        let Some(ignore) = &mut self.ignore else { return };
        if rules.has_repository && self.plan.ignored_by == Some(IgnoreSources::Repository) {
            ignore.enter_repository(folder, &self.path);
        }
        if let Some(kind) = rules.gitignore {
            ignore.enter(folder, kind, &self.path);
        }
    }

    /// Reads and sorts the entries of a directory. Returns the files of rules that it has.
    fn read(&mut self, folder: &Folder) -> Result<RuleFiles, Refused> {
        let (start, names_start) = (self.found.len(), self.names.len());
        let mut rules = RuleFiles::default();
        let mut over = false;
        let (found, names, limits) = (&mut self.found, &mut self.names, self.limits);
        let skip_hidden = self.plan.skip_hidden;
        let read = folder.each_entry(&mut self.buffer, |name, kind| {
            if is_reserved(&os_name(name)) {
                return true;
            }
            if name == ignore::FILE.as_bytes() {
                rules.gitignore = Some(kind);
            }
            rules.has_repository |= name == ignore::GIT.as_bytes();
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

    /// Returns the directory at the current path, or `None` if it disappeared or cannot be read and that is not an
    /// error; it is then listed as empty.
    pub(super) fn readable(&self, opened: io::Result<Folder>) -> Result<Option<Folder>, SandboxError> {
        match opened {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if self.plan.strict || is_ours(&error) => Err(self.unreadable(&error)),
            Err(_) => Ok(None),
        }
    }

    /// Returns the error for a directory at the current path that cannot be read.
    fn unreadable(&self, error: &io::Error) -> SandboxError {
        let path = joined(&self.start, &self.path());
        match error.kind() {
            io::ErrorKind::NotFound => SandboxError::Vanished(path),
            _ => SandboxError::io(path, error),
        }
    }

    pub(super) fn pop(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        let start = self.levels.last().map_or(0, |above| above.end);
        self.found.truncate(start);
        self.names.truncate(level.names);
        if level.is_base {
            self.bases.pop();
        }
        if let Some(ignore) = &mut self.ignore {
            ignore.go_to(level.rules_above);
        }
    }

    /// Returns the handle of the directory whose entries are being listed.
    ///
    /// In a deep tree the handle may have been closed. The directory is then reopened, name by name from the root,
    /// which fails if somebody has moved a directory since.
    pub(super) fn folder(&mut self) -> io::Result<&Folder> {
        let level = self.levels.last().expect("entries have a level");
        if level.folder.is_none() {
            let folder = self.reopened(&self.resolved(level.path))?;
            self.levels.last_mut().expect("it was there").folder = Some(folder);
        }
        let level = self.levels.last().expect("it was there");
        Ok(level.folder.as_ref().expect("it was just opened"))
    }

    /// Returns the metadata of the directory that was just entered.
    pub(super) fn entered_metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        let [.., above, entered] = self.levels.as_slice() else { return Err(io::ErrorKind::NotFound.into()) };
        match (&entered.folder, &above.folder) {
            (Some(folder), _) => folder.own_metadata(),
            // The directory could not be opened: look it up by name instead.
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

    /// Returns the resolved path of the first `end` bytes of the current path.
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

    /// Returns the name that begins at an offset of the current path.
    pub(super) fn os_name(&self, at: usize) -> OsString {
        os_name(&self.path[at..]).into_owned()
    }
}

/// The reason why a directory was not read.
pub enum Refused {
    Io(io::Error),
    Limit(LimitHit),
}

/// Whether an error is due to this process and not to the directory; continuing would give a wrong listing.
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
