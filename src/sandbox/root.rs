//! The root of the sandbox, and the way from it to a place below it.
//!
//! The root is an open handle. A path is followed from handle to handle: the kernel does it in one
//! step where no link is on the way, else [`Walker`] reads every link itself. So a link that leaves
//! the root is found wherever it stands, and the true name of every place is known.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::SandboxError;
use super::folder::{Folder, Resolver};
use super::keep::Account;
use super::metadata::{Kind, Metadata};
use super::own::is_reserved;
use super::path::{PathRule, PathText, check_new_name, reserved};
use super::read::ReadError;

/// Links that one path may go through; as many as Linux allows.
const MAX_LINKS: usize = 40;

/// The folder that scripts cannot leave.
#[derive(Debug)]
pub struct Root {
    pub(super) folder: Folder,
    /// Its absolute path, without links.
    path: PathBuf,
    /// Its absolute path as it was named, perhaps through a link.
    named: PathBuf,
    /// What addresses below it begin with; none for the sandbox root, `/…` for a further one.
    base: Option<Arc<str>>,
    /// What this run knows of what is kept below it.
    pub(super) account: Account,
}

/// A place below the root, found through handles: the nearest folder that exists, what is missing
/// below it, and the name of the place itself.
#[derive(Debug)]
pub struct SandboxPath {
    /// The folder in which `name` is, or would be if nothing were missing.
    folder: Folder,
    /// Folders between `folder` and the place that do not exist.
    missing: Vec<OsString>,
    /// The name in that folder; none for the root itself.
    name: Option<OsString>,
    /// The way from the root without links and `..`.
    resolved: String,
    /// The same with the names as they are, where one of them is no text.
    raw: Option<OsString>,
    /// The path as it was given, tidied, for messages.
    shown: String,
    /// The path itself named a link, which was followed.
    through_link: bool,
    /// The text ended in `/`, so a folder is meant.
    wants_folder: bool,
    /// The path of the further root that it lies below.
    base: Option<Arc<str>>,
}

impl Root {
    /// Opens a root by a path of the operating system.
    pub fn open(path: &Path) -> io::Result<Root> {
        let folder = Folder::open_root(path)?;
        let named = std::path::absolute(path)?;
        let path = named.canonicalize().unwrap_or_else(|_| named.clone());
        Ok(Root { folder, path, named, base: None, account: Account::default() })
    }

    /// Opens a further root, which is reached by absolute paths only. Its path must be text.
    pub fn open_further(path: &Path) -> io::Result<Root> {
        let root = Root::open(path)?;
        let base = root.path.to_str().ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
        let base = Some(Arc::from(base.trim_end_matches('/')));
        Ok(Root { base, ..root })
    }

    /// The part below it of an absolute path; empty for the root itself.
    pub fn part_below(&self, path: &Path) -> Option<PathBuf> {
        [&self.path, &self.named].into_iter().find_map(|root| path.strip_prefix(root).ok()).map(Path::to_path_buf)
    }

    /// Whether a place lies below this root.
    pub fn has(&self, place: &SandboxPath) -> bool {
        self.base == place.base
    }

    /// The address of what has this resolved path ([`SandboxPath::address`]).
    pub fn address_of<'a>(&self, resolved: &'a str) -> Cow<'a, str> {
        match &self.base {
            None => Cow::Borrowed(resolved),
            Some(base) if resolved.is_empty() => Cow::Owned(base.to_string()),
            Some(base) => Cow::Owned(format!("{base}/{resolved}")),
        }
    }

    /// A path below it as messages show it.
    fn shown(&self, path: &PathText) -> String {
        match (&self.base, path.parts().is_empty()) {
            (None, _) => path.shown(),
            (Some(base), true) => base.to_string(),
            (Some(base), false) => format!("{base}/{}", path.shown()),
        }
    }

    /// Its absolute path, for messages to the user who named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What finds the way below it.
    pub fn resolver(&self) -> Resolver {
        self.folder.resolver()
    }

    /// Takes what is to be said about what is kept below it: a sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        self.account.take_notes()
    }

    /// Its handle.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The bytes of one of our own files directly below the root; none when it does not exist.
    ///
    /// A link, a folder or a special file of that name is an error, as is one over `limit` bytes.
    pub fn read_reserved(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        debug_assert!(is_reserved(OsStr::new(name)), "tools read everything else");
        let wrap = |error: &io::Error| SandboxError::io(name, error);
        match self.folder.metadata(OsStr::new(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| wrap(&error))?,
        };
        let folder = self.folder.duplicate().map_err(|error| wrap(&error))?;
        match SandboxPath::own(folder, OsStr::new(name), name.to_owned()).read_bytes(limit) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(ReadError::Sandbox(error)) => Err(error),
            Err(ReadError::TooLarge { size }) => Err(SandboxError::Io {
                path: name.to_owned(),
                reason: format!("it has {size} bytes, more than {limit}"),
            }),
        }
    }

    /// Checks a path text and finds the place that it names.
    pub fn locate(&self, text: &str, rule: PathRule) -> Result<SandboxPath, SandboxError> {
        let path = PathText::parse(text, rule, &[&self.path, &self.named])?;
        if let Some(place) = self.locate_directly(&path, rule)? {
            return Ok(place);
        }
        Walker::new(self, &path, rule).walk(rule)
    }

    /// The place that a link's text names: `folder` is the resolved path of where the link lies.
    pub fn locate_from(&self, folder: &OsStr, target: &OsStr, rule: PathRule) -> Result<SandboxPath, SandboxError> {
        let mut walker = Walker::new(self, &PathText::default(), rule);
        for name in parts_of(Path::new(folder)) {
            walker.enter(name)?;
        }
        walker.shown = folder.to_string_lossy().into_owned();
        walker.turn_to(Path::new(target))?;
        walker.walk(rule)
    }

    /// The way in one step of the kernel, where no link and no `..` is on it.
    fn locate_directly(&self, path: &PathText, rule: PathRule) -> Result<Option<SandboxPath>, SandboxError> {
        let names: Vec<&OsStr> = path.parts().iter().map(|part| OsStr::new(part.as_str())).collect();
        let Some((name, parents)) = names.split_last() else { return Ok(None) };
        if path.wants_folder || names.iter().any(|name| *name == "..") {
            return Ok(None);
        }
        let folder = match parents {
            [] => self.folder.duplicate().map(Some),
            _ => self.folder.open_chain(parents),
        };
        let Ok(Some(folder)) = folder else { return Ok(None) };
        if rule.follows && folder.metadata(name).is_ok_and(|metadata| metadata.kind == Kind::Link) {
            return Ok(None);
        }
        Ok(Some(SandboxPath {
            folder,
            missing: Vec::new(),
            name: Some((*name).to_owned()),
            resolved: path.shown(),
            raw: None,
            shown: self.shown(path),
            through_link: false,
            wants_folder: false,
            base: self.base.clone(),
        }))
    }

    /// The part of a link's absolute target below the root.
    fn below<'a>(&self, target: &'a Path) -> Option<&'a Path> {
        target.strip_prefix(&self.path).ok()
    }
}

/// Follows a path part by part, links included.
struct Walker<'a> {
    root: &'a Root,
    shown: String,
    /// The folders entered so far, with their names.
    entered: Vec<(Folder, OsString)>,
    ahead: VecDeque<OsString>,
    links: usize,
    /// The link followed last, for the message when it leaves the root.
    last_link: Option<String>,
    through_link: bool,
    follows: bool,
    wants_folder: bool,
}

impl<'a> Walker<'a> {
    fn new(root: &'a Root, path: &PathText, rule: PathRule) -> Walker<'a> {
        let ahead = path.parts().iter().map(|part| OsString::from(part.as_str())).collect();
        Walker {
            root,
            shown: root.shown(path),
            entered: Vec::new(),
            ahead,
            links: 0,
            last_link: None,
            through_link: false,
            follows: rule.follows,
            wants_folder: path.wants_folder,
        }
    }

    fn walk(mut self, rule: PathRule) -> Result<SandboxPath, SandboxError> {
        while let Some(part) = self.ahead.pop_front() {
            if part == ".." {
                self.climb()?;
                continue;
            }
            let metadata = match self.here().metadata(&part) {
                Err(error) if error.kind() == ErrorKind::NotFound => return self.missing(part, rule),
                other => other.map_err(|error| SandboxError::io(&self.shown, &error))?,
            };
            let last = self.ahead.is_empty();
            match metadata.kind {
                Kind::Link if !last || rule.follows || self.wants_folder => {
                    self.through_link |= last;
                    self.follow(&part)?;
                }
                Kind::Folder if !last => self.enter(part)?,
                _ if last => return self.found(part, metadata),
                _ => return Err(SandboxError::NotAFolder(self.shown)),
            }
        }
        // The way ended in a folder that was entered by `.`, `..` or a link.
        match self.entered.pop() {
            Some((_, name)) => self.place(Vec::new(), Some(name)),
            None => self.place(Vec::new(), None),
        }
    }

    fn here(&self) -> &Folder {
        self.entered.last().map_or(&self.root.folder, |(folder, _)| folder)
    }

    fn climb(&mut self) -> Result<(), SandboxError> {
        match self.entered.pop() {
            Some(_) => Ok(()),
            None => Err(self.escapes()),
        }
    }

    fn enter(&mut self, name: OsString) -> Result<(), SandboxError> {
        self.refuse_reserved(&name)?;
        let folder = self.here().open_folder(&name).map_err(|error| SandboxError::io(&self.shown, &error))?;
        self.entered.push((folder, name));
        Ok(())
    }

    fn follow(&mut self, name: &OsStr) -> Result<(), SandboxError> {
        self.refuse_reserved(name)?;
        self.links += 1;
        if self.links > MAX_LINKS {
            let reason = "too many levels of symbolic links".to_owned();
            return Err(SandboxError::Io { path: self.shown.clone(), reason });
        }
        let target = self.here().read_link(name).map_err(|error| SandboxError::io(&self.shown, &error))?;
        self.last_link = Some(self.joined(Some(name)));
        self.turn_to(Path::new(&target))
    }

    /// Puts the parts of a link's target ahead.
    fn turn_to(&mut self, target: &Path) -> Result<(), SandboxError> {
        let relative = if target.is_absolute() {
            let below = self.root.below(target).ok_or_else(|| self.escapes())?;
            self.entered.clear();
            below
        } else {
            target
        };
        for part in parts_of(relative).rev() {
            self.ahead.push_front(part);
        }
        Ok(())
    }

    fn found(mut self, name: OsString, metadata: Metadata) -> Result<SandboxPath, SandboxError> {
        self.refuse_reserved(&name)?;
        if self.wants_folder && metadata.kind != Kind::Folder {
            return Err(SandboxError::NotAFolder(self.shown));
        }
        self.place(Vec::new(), Some(name))
    }

    /// The place of a path whose part `name` does not exist.
    fn missing(mut self, name: OsString, rule: PathRule) -> Result<SandboxPath, SandboxError> {
        self.refuse_reserved(&name)?;
        let mut missing = vec![name];
        missing.extend(self.ahead.drain(..));
        if missing.iter().any(|part| part == "..") {
            return Err(SandboxError::NotFound(self.shown));
        }
        if rule.creates {
            // A link may have brought names that the path itself may not hold.
            missing.iter().try_for_each(|part| check_new_name(&part.to_string_lossy()))?;
        }
        let last = missing.pop();
        self.place(missing, last)
    }

    fn place(&mut self, missing: Vec<OsString>, name: Option<OsString>) -> Result<SandboxPath, SandboxError> {
        if self.through_link && !self.follows {
            // A slash at the end asks for a folder, and the link itself is none.
            return Err(SandboxError::NotAFolder(self.shown.clone()));
        }
        let entered = self.entered.iter().map(|(_, name)| name);
        let names: Vec<&OsStr> = entered.chain(&missing).chain(&name).map(OsString::as_os_str).collect();
        let raw = names.join(OsStr::new("/"));
        let resolved = raw.to_string_lossy().into_owned();
        let raw = raw.to_str().is_none().then_some(raw);
        let folder = match self.entered.pop() {
            Some((folder, _)) => folder,
            None => self.root.folder.duplicate().map_err(|error| SandboxError::io(&self.shown, &error))?,
        };
        Ok(SandboxPath {
            folder,
            missing,
            name,
            resolved,
            raw,
            shown: self.shown.clone(),
            through_link: self.through_link,
            wants_folder: self.wants_folder,
            base: self.root.base.clone(),
        })
    }

    /// The names of the folders entered so far, and perhaps one more.
    fn joined(&self, name: Option<&OsStr>) -> String {
        let names = self.entered.iter().map(|(_, name)| name.as_os_str()).chain(name);
        let names: Vec<_> = names.map(OsStr::to_string_lossy).collect();
        names.join("/")
    }

    fn refuse_reserved(&self, name: &OsStr) -> Result<(), SandboxError> {
        match self.entered.is_empty() && is_reserved(name) {
            true => Err(reserved(&name.to_string_lossy()).into()),
            false => Ok(()),
        }
    }

    fn escapes(&self) -> SandboxError {
        let link = self.last_link.clone().unwrap_or_else(|| self.shown.clone());
        SandboxError::Escapes { path: self.shown.clone(), link }
    }
}

/// The parts of a link's target; `.` is nothing, a root is nothing.
pub(super) fn parts_of(path: &Path) -> impl DoubleEndedIterator<Item = OsString> + '_ {
    use std::path::Component;
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    })
}

impl SandboxPath {
    /// One of our own, which no path leads to.
    pub(super) fn own(folder: Folder, name: &OsStr, path: String) -> SandboxPath {
        SandboxPath {
            folder,
            missing: Vec::new(),
            name: Some(name.to_owned()),
            resolved: path.clone(),
            raw: None,
            shown: path,
            through_link: false,
            wants_folder: false,
            base: None,
        }
    }

    /// The path as it was given, tidied, for messages.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The path by which it can be named again, without links and `..`: from the sandbox root, empty for
    /// that root itself; absolute below a further root.
    pub fn address(&self) -> Cow<'_, str> {
        match &self.base {
            None => Cow::Borrowed(&self.resolved),
            Some(base) if self.resolved.is_empty() => Cow::Owned(base.to_string()),
            Some(base) => Cow::Owned(format!("{base}/{}", self.resolved)),
        }
    }

    /// The way from its root without links and `..`; empty for the root itself.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// The same with the names as they are, also where they are no text.
    pub fn resolved_raw(&self) -> &OsStr {
        self.raw.as_deref().unwrap_or(OsStr::new(&self.resolved))
    }

    /// Whether the path itself named a link, which was followed.
    pub fn is_through_link(&self) -> bool {
        self.through_link
    }

    /// Whether the path ended in `/`, so that a folder is meant.
    pub fn wants_folder(&self) -> bool {
        self.wants_folder
    }

    /// Whether a place lies inside this one, or is this one.
    pub fn holds(&self, other: &SandboxPath) -> bool {
        let below = other.resolved.strip_prefix(&self.resolved);
        let holds = self.is_root() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        holds && self.base == other.base
    }

    /// Whether it is the root itself.
    pub fn is_root(&self) -> bool {
        self.name.is_none()
    }

    /// The name of the place, as far as it is text; `.` for the root.
    pub fn file_name(&self) -> String {
        self.name.as_ref().map_or_else(|| ".".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The folder that holds the place and its name there; an error for the root itself, or when a
    /// folder on the way is missing.
    pub fn entry(&self) -> Result<(&Folder, &OsStr), SandboxError> {
        let name = self.name.as_deref().ok_or(SandboxError::RootItself("a target"))?;
        match self.missing.is_empty() {
            true => Ok((&self.folder, name)),
            false => Err(SandboxError::NotFound(self.shown.clone())),
        }
    }

    /// The nearest folder that exists and the names of the missing ones below it.
    pub fn missing_folders(&self) -> (&Folder, &[OsString]) {
        (&self.folder, &self.missing)
    }

    /// The name of the place; an error for the root itself.
    pub fn name(&self) -> Result<&OsStr, SandboxError> {
        self.name.as_deref().ok_or(SandboxError::RootItself("a target"))
    }

    /// What is known of the place; of a link that was not followed, of the link itself.
    pub fn metadata(&self) -> Result<Metadata, SandboxError> {
        if self.is_root() {
            return self.folder.own_metadata().map_err(|error| self.error(&error));
        }
        let (folder, name) = self.entry()?;
        folder.metadata(name).map_err(|error| self.error(&error))
    }

    /// Opens the place as a folder.
    pub fn open_folder(&self) -> Result<Folder, SandboxError> {
        if self.is_root() {
            return self.folder.duplicate().map_err(|error| self.error(&error));
        }
        match self.metadata()?.kind {
            Kind::Folder => {
                let (folder, name) = self.entry()?;
                folder.open_folder(name).map_err(|error| self.error(&error))
            }
            _ => Err(SandboxError::NotAFolder(self.shown.clone())),
        }
    }

    /// The error for what the operating system said of this place.
    pub fn error(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(&self.shown, error)
    }
}
