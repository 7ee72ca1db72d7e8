//! The root of the sandbox, and the way from it to a place below it.
//!
//! The root is an open handle. A path is followed from handle to handle: the kernel does it in one
//! step where no link is on the way, else [`Walker`] reads every link itself. So a link that leaves
//! the root is found wherever it stands, and the true name of every place is known.

mod walker;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compact_str::{CompactString, format_compact};

use super::error::SandboxError;
use super::folder::{Folder, Resolver};
use super::journal::Address;
use super::keep::Account;
use super::metadata::{Kind, Metadata};
use super::overlay::Overlay;
use super::path::{PathError, PathRule, PathText};
use super::read::ReadError;
use super::reserved::is_reserved;
use super::seal::RootSeal;
use super::user_state::UserState;
use walker::Walker;
pub(super) use walker::parts_of;

/// The folder that scripts cannot leave.
#[derive(Debug)]
pub struct Root {
    pub(super) folder: Arc<Folder>,
    /// Its absolute path, without links.
    path: PathBuf,
    /// Its absolute path as it was named, perhaps through a link.
    named: PathBuf,
    /// What addresses below it begin with; none for the sandbox root, `/…` for a further one.
    base: Option<Arc<str>>,
    /// What this run knows of what is kept below it.
    pub(super) account: Account,
    /// What tells our own files below it from a stranger's.
    pub(super) seal: RootSeal,
    /// What is kept of the user whose seals these are.
    pub(super) user: Arc<UserState>,
}

/// A place below the root, found through handles: the nearest folder that exists, what is missing
/// below it, and the name of the place itself.
#[derive(Debug)]
pub struct SandboxPath {
    /// The folder in which `name` is, or would be if nothing were missing; the root's own is shared with it.
    folder: Arc<Folder>,
    /// Folders between `folder` and the place that do not exist.
    missing: Vec<OsString>,
    /// The name in that folder; none for the root itself.
    name: Option<OsString>,
    /// The way from the root without links and `..`.
    resolved: CompactString,
    /// The same with the names as they are, where one of them is no text.
    raw: Option<OsString>,
    /// The path as it was given, tidied, for messages.
    shown: CompactString,
    /// The path itself named a link, which was followed.
    through_link: bool,
    /// The text ended in `/`, so a folder is meant.
    wants_folder: bool,
    /// The path of the further root that it lies below.
    base: Option<Arc<str>>,
}

/// Why a path leads to no place.
#[derive(Debug)]
pub struct Unreached {
    /// The reason.
    pub error: SandboxError,
    /// Where it led, as far as that is known.
    pub way: Option<Way>,
}

/// Where a path led that could not be followed to its end.
#[derive(Debug)]
pub struct Way {
    /// From the root, without links and `..`, and what of the path was still to come, up to its next `..`.
    pub resolved: String,
    /// Nothing is left out, so that this is what the path names.
    pub is_whole: bool,
}

impl From<PathError> for Unreached {
    fn from(error: PathError) -> Unreached {
        Unreached { error: error.into(), way: None }
    }
}

impl From<SandboxError> for Unreached {
    fn from(error: SandboxError) -> Unreached {
        Unreached { error, way: None }
    }
}

impl Root {
    /// Opens a root by a path of the operating system.
    pub fn open(path: &Path) -> io::Result<Root> {
        let folder = Arc::new(Folder::open_root(path)?);
        let named = std::path::absolute(path)?;
        let path = named.canonicalize().unwrap_or_else(|_| named.clone());
        let user = Arc::new(UserState::none("this program keeps no key"));
        let seal = RootSeal::of(&user.key, &folder.own_metadata()?);
        Ok(Root { folder, path, named, base: None, account: Account::default(), seal, user })
    }

    /// The same with the seals of a user: what that user keeps below it can be told from what others put there.
    ///
    /// # Errors
    /// The system's.
    pub fn sealed_for(self, user: &Arc<UserState>) -> io::Result<Root> {
        let seal = RootSeal::of(&user.key, &self.folder.own_metadata()?);
        Ok(Root { seal, user: user.clone(), ..self })
    }

    /// What tells our own files below it from a stranger's.
    pub fn seal(&self) -> &RootSeal {
        &self.seal
    }

    /// What is kept of the user whose seals it has.
    pub fn user(&self) -> &Arc<UserState> {
        &self.user
    }

    /// Opens a further root, which is reached by absolute paths only. Its path must be text.
    pub fn open_further(path: &Path) -> io::Result<Root> {
        let root = Root::open(path)?;
        let base = root.path.to_str().ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
        let base = Some(Arc::from(base.trim_end_matches('/')));
        Ok(Root { base, ..root })
    }

    /// The same with an overlay over it: nothing below it is changed on the disk.
    ///
    /// # Errors
    /// The system's, or one that says that the overlay's own folder lies below the root.
    pub fn covered(&self, overlay: &Arc<Overlay>) -> io::Result<Root> {
        if self.part_below(overlay.place()).is_some() {
            return Err(io::Error::other("the directory for temporary files lies below it"));
        }
        let (path, named, base) = (self.path.clone(), self.named.clone(), self.base.clone());
        let folder = Arc::new(overlay.cover(self.folder.duplicate()?, base.as_deref().unwrap_or_default())?);
        let (seal, user) = (self.seal.clone(), self.user.clone());
        Ok(Root { folder, path, named, base, account: Account::default(), seal, user })
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
    fn shown(&self, path: &PathText) -> CompactString {
        match (&self.base, path.parts().is_empty()) {
            (None, _) => path.shown(),
            (Some(base), true) => CompactString::from(&**base),
            (Some(base), false) => format_compact!("{base}/{}", path.shown()),
        }
    }

    /// Its absolute path, for messages to the user who named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A handle of it on the disk, for the kernel's restrictions.
    #[cfg(target_os = "linux")]
    pub fn handle(&self) -> Result<rustix::fd::OwnedFd, SandboxError> {
        self.folder.descriptor().map_err(|error| SandboxError::io(".", &error))
    }

    /// What finds the way below it.
    pub fn resolver(&self) -> Resolver {
        self.folder.resolver()
    }

    /// Whether there is something to be said about what is kept below it.
    pub fn has_notes(&self) -> bool {
        self.account.has_notes()
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
        match SandboxPath::own(self.folder.clone(), OsStr::new(name), name.to_owned()).read_bytes(limit) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(ReadError::Sandbox(error)) => Err(error),
            Err(ReadError::TooLarge { size }) => Err(SandboxError::Io {
                path: name.to_owned(),
                reason: format!("it has {size} bytes, more than {limit}"),
            }),
        }
    }

    /// Why a text is no path of this root, as far as it says so itself.
    pub fn refusal(&self, text: &str, rule: PathRule) -> Option<SandboxError> {
        PathText::parse(text, rule, &[&self.path, &self.named]).err().map(SandboxError::from)
    }

    /// Checks a path text and finds the place that it names.
    pub fn locate(&self, text: &str, rule: PathRule) -> Result<SandboxPath, Unreached> {
        let path = PathText::parse(text, rule, &[&self.path, &self.named])?;
        match self.locate_directly(&path, rule) {
            Some(place) => Ok(place),
            None => Walker::new(self, &path, rule).walk(rule),
        }
    }

    /// The place that a link's text names: `folder` is the resolved path of where the link lies.
    pub fn locate_from(&self, folder: &OsStr, target: &OsStr, rule: PathRule) -> Result<SandboxPath, SandboxError> {
        let mut walker = Walker::new(self, &PathText::default(), rule);
        for name in parts_of(Path::new(folder)) {
            walker.enter(name)?;
        }
        walker.shown = folder.to_string_lossy().into();
        walker.turn_to(Path::new(target))?;
        walker.walk(rule).map_err(|unreached| unreached.error)
    }

    /// The place at the end of a way through no link.
    pub(super) fn locate_exactly(&self, way: &Path) -> Result<SandboxPath, SandboxError> {
        let rule = PathRule::INSIDE.not_following();
        let mut walker = Walker::new(self, &PathText::default(), rule);
        walker.shown = self.address_of(&way.to_string_lossy()).into();
        let mut names = parts_of(way);
        let last = names.next_back();
        for name in names {
            walker.enter(name)?;
        }
        last.map_or(Ok(()), |name| walker.turn_to(Path::new(&name)))?;
        walker.walk(rule).map_err(|unreached| unreached.error)
    }

    /// The way in one step of the kernel, where no link and no `..` is on it.
    fn locate_directly(&self, path: &PathText, rule: PathRule) -> Option<SandboxPath> {
        let names: Vec<&OsStr> = path.parts().iter().map(|part| OsStr::new(part.as_str())).collect();
        if names.iter().any(|name| *name == "..") {
            return None;
        }
        let Some((name, parents)) = names.split_last() else { return Some(self.itself(path)) };
        if path.wants_folder {
            return None;
        }
        let folder = match parents {
            [] => self.folder.clone(),
            _ => Arc::new(self.folder.open_chain(parents).ok()??),
        };
        if rule.follows && folder.metadata(name).is_ok_and(|metadata| metadata.kind == Kind::Link) {
            return None;
        }
        let name = Some((*name).to_owned());
        Some(SandboxPath { folder, name, resolved: path.shown(), ..self.itself(path) })
    }

    /// The place of the root itself, as a path shows it.
    fn itself(&self, path: &PathText) -> SandboxPath {
        SandboxPath {
            folder: self.folder.clone(),
            missing: Vec::new(),
            name: None,
            resolved: CompactString::default(),
            raw: None,
            shown: self.shown(path),
            through_link: false,
            wants_folder: path.wants_folder,
            base: self.base.clone(),
        }
    }

    /// The part of a link's absolute target below the root.
    fn below<'a>(&self, target: &'a Path) -> Option<&'a Path> {
        target.strip_prefix(&self.path).ok()
    }
}

impl SandboxPath {
    /// One of our own, which no path leads to.
    pub(super) fn own(folder: impl Into<Arc<Folder>>, name: &OsStr, path: String) -> SandboxPath {
        let path = CompactString::from(path);
        SandboxPath {
            folder: folder.into(),
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

    /// The same with the names as they are, for the journal.
    pub(super) fn full_address(&self) -> Address {
        let below = self.resolved_raw();
        match &self.base {
            None => below.into(),
            Some(base) if below.is_empty() => (&**base).into(),
            Some(base) => {
                let mut address = OsString::from(format!("{base}/"));
                address.push(below);
                Address(address)
            }
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
        let below = other.resolved.strip_prefix(&*self.resolved);
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
            false => Err(SandboxError::NotFound(self.shown.to_string())),
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
            _ => Err(SandboxError::NotAFolder(self.shown.to_string())),
        }
    }

    /// The error for what the operating system said after this place was changed.
    pub(super) fn undurable(&self, error: &io::Error) -> SandboxError {
        SandboxError::undurable(&self.shown, error)
    }

    /// The error for what the operating system said of this place.
    pub fn error(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(&*self.shown, error)
    }
}
