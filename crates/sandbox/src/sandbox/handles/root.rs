//! The root of the sandbox, and the resolution of paths below it.
//!
//! The root is an open handle. A path is resolved from handle to handle: in one step by the kernel if it contains no
//! link, otherwise by [`Walker`], which reads every link itself. A link that leaves the root is therefore always
//! detected, and the resolved path of every entry is known.
//!
//! A link that stays inside the root is followed: on the way always, at the end of the path if [`PathRule::follows`].
//! The last step of every operation is one name in an open directory, and never follows a link: if the name becomes a
//! link after the path was resolved, the operation acts on the link itself. Code that checks a path as text and then
//! uses the text is wrong even if it passes its test: an exchange of directories in between leads it out of the root.

mod locate;
mod shared_folders;
mod walker;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compact_str::{CompactString, format_compact};

use super::address::Address;
use super::error::{PathError, SandboxError};
use super::folder::{Folder, Resolver};
use super::metadata::{Kind, Metadata};
use super::path::{PathRule, PathText, check_new_name};
use super::seal::RootSeal;
use super::store_usage::StoreUsage;
use super::user_state::UserState;
pub use shared_folders::SharedFolders;

/// The path of a root in memory, for messages.
const IN_MEMORY: &str = "memory:";

/// The directory that scripts cannot leave.
#[derive(Debug)]
pub struct Root {
    pub(in crate::sandbox) folder: Arc<Folder>,
    /// The absolute path, with links resolved.
    path: PathBuf,
    /// The absolute path as the user named it, perhaps through a link.
    named: PathBuf,
    /// The prefix of addresses below the root: `None` for the sandbox root, an absolute path for a further root.
    base: Option<Arc<str>>,
    /// The run's knowledge of the backup store below the root.
    pub(in crate::sandbox) usage: StoreUsage,
    /// The seals that distinguish our own files below the root from foreign ones.
    pub(in crate::sandbox) seal: RootSeal,
    /// The state of the user who owns these seals.
    pub(in crate::sandbox) user: Arc<UserState>,
}

/// A path below the root, resolved through handles: the nearest existing directory, the missing directories below it,
/// and the last name.
#[derive(Debug)]
pub struct SandboxPath {
    /// The nearest existing directory: the parent of `name` if nothing is missing. For entries of the root, the root's
    /// own handle is shared.
    folder: Arc<Folder>,
    /// The directories between `folder` and `name` that do not exist.
    missing: Vec<OsString>,
    /// The last name of the path; `None` for the root itself.
    name: Option<OsString>,
    /// The path from the root with links and `..` resolved.
    resolved: CompactString,
    /// The same path as raw bytes, if one of its names is not UTF-8.
    raw: Option<OsString>,
    /// The path as given, normalized, for messages.
    shown: CompactString,
    /// Whether the last name of the path was a link that was followed.
    through_link: bool,
    /// Whether the path ended in `/` and must therefore be a directory.
    wants_folder: bool,
    /// The path of the further root that contains it.
    base: Option<Arc<str>>,
}

/// The reason why a path could not be resolved.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Unresolved {
    /// The error.
    pub error: SandboxError,
    /// The path as far as it was resolved.
    pub way: Option<PartialPath>,
}

/// A path that could not be resolved completely.
#[derive(Debug)]
pub struct PartialPath {
    /// The resolved part from the root, followed by the unresolved part up to its next `..`.
    pub resolved: String,
    /// Whether nothing is omitted, so that `resolved` is the whole path.
    pub is_whole: bool,
}

impl From<PathError> for Unresolved {
    fn from(error: PathError) -> Unresolved {
        Unresolved { error: error.into(), way: None }
    }
}

impl From<SandboxError> for Unresolved {
    fn from(error: SandboxError) -> Unresolved {
        Unresolved { error, way: None }
    }
}

impl Root {
    /// Opens a root by a path of the operating system.
    pub fn open(path: &Path) -> io::Result<Root> {
        let folder = Folder::open_root(path)?;
        let named = std::path::absolute(path)?;
        let path = named.canonicalize().unwrap_or_else(|_| named.clone());
        Root::of(folder, path, named)
    }

    /// Creates an empty folder in memory as a root, for as many bytes as `capacity`; metadata takes some of them. No
    /// absolute path is in it. It ends with its last handle, and needs no file system.
    ///
    /// Errors: if the system has no random numbers.
    pub fn in_memory(capacity: u64) -> io::Result<Root> {
        let [path, named] = [PathBuf::from(IN_MEMORY), PathBuf::from(IN_MEMORY)];
        Root::of(Folder::in_memory(capacity), path, named)
    }

    /// Returns another root of the same directory, for a second engine.
    ///
    /// Errors: from the operating system.
    pub fn duplicate(&self) -> io::Result<Root> {
        Ok(self.with_handle(self.folder.duplicate()?))
    }

    /// Whether the root is a folder in memory.
    pub fn is_in_memory(&self) -> bool {
        matches!(self.folder.resolver(), Resolver::Memory)
    }

    fn of(folder: Folder, path: PathBuf, named: PathBuf) -> io::Result<Root> {
        let user = Arc::new(UserState::none("this program keeps no key"));
        let seal = RootSeal::of(&user.key, &folder.own_metadata()?);
        Ok(Root { folder: Arc::new(folder), path, named, base: None, usage: StoreUsage::default(), seal, user })
    }

    /// Adds the seals of a user, so that files of this user's state below the root can be told from foreign ones.
    ///
    /// Errors: from the operating system.
    pub fn sealed_for(self, user: &Arc<UserState>) -> io::Result<Root> {
        let seal = RootSeal::of(&user.key, &self.folder.own_metadata()?);
        Ok(Root { seal, user: user.clone(), ..self })
    }

    /// Returns the seals that distinguish our own files below the root from foreign ones.
    pub fn seal(&self) -> &RootSeal {
        &self.seal
    }

    /// Returns the state of the user who owns the seals.
    pub fn user(&self) -> &Arc<UserState> {
        &self.user
    }

    /// Opens a further root, which is reached only by absolute paths. Errors: if its path is not UTF-8.
    pub fn open_further(path: &Path) -> io::Result<Root> {
        let root = Root::open(path)?;
        let base = root.path.to_str().ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
        let base = Some(Arc::from(base.trim_end_matches('/')));
        Ok(Root { base, ..root })
    }

    /// Returns this root with another handle of the same directory, which nothing is known of yet.
    pub(in crate::sandbox) fn with_handle(&self, folder: Folder) -> Root {
        let (path, named, base) = (self.path.clone(), self.named.clone(), self.base.clone());
        let (seal, user) = (self.seal.clone(), self.user.clone());
        Root { folder: Arc::new(folder), path, named, base, usage: StoreUsage::default(), seal, user }
    }

    /// Returns the prefix of addresses below the root, which is empty for the sandbox root.
    pub(in crate::sandbox) fn base(&self) -> &str {
        self.base.as_deref().unwrap_or_default()
    }

    /// Returns the part of an absolute path below this root: empty for the root itself, `None` outside.
    pub fn part_below(&self, path: &Path) -> Option<PathBuf> {
        [&self.path, &self.named].into_iter().find_map(|root| path.strip_prefix(root).ok()).map(Path::to_path_buf)
    }

    /// Whether a path is below this root.
    pub fn has(&self, place: &SandboxPath) -> bool {
        self.base == place.base
    }

    /// Returns the address of a resolved path ([`SandboxPath::address`]).
    pub fn address_of<'a>(&self, resolved: &'a str) -> Cow<'a, str> {
        match &self.base {
            None => Cow::Borrowed(resolved),
            Some(base) if resolved.is_empty() => Cow::Owned(base.to_string()),
            Some(base) => Cow::Owned(format!("{base}/{resolved}")),
        }
    }

    /// Returns a path below the root as messages show it.
    fn display(&self, path: &PathText) -> CompactString {
        match (&self.base, path.parts().is_empty()) {
            (None, _) => path.display(),
            (Some(base), true) => CompactString::from(&**base),
            (Some(base), false) => format_compact!("{base}/{}", path.display()),
        }
    }

    /// Returns the absolute path, for messages to the user who named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a handle of the root on the disk, for Landlock rules.
    #[cfg(target_os = "linux")]
    pub fn handle(&self) -> Result<rustix::fd::OwnedFd, SandboxError> {
        self.folder.descriptor().map_err(|error| SandboxError::io(".", &error))
    }

    /// Returns the mechanism by which paths below the root are resolved.
    pub fn resolver(&self) -> Resolver {
        self.folder.resolver()
    }

    /// Whether there are notes about the backup store below the root.
    pub fn has_notes(&self) -> bool {
        self.usage.has_notes()
    }

    /// Returns and clears the notes about the backup store below the root, one sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        self.usage.take_notes()
    }

    /// Returns the root's handle.
    pub(in crate::sandbox) fn folder(&self) -> &Folder {
        &self.folder
    }
}

impl SandboxPath {
    /// Returns whether both paths are below the same root.
    pub(in crate::sandbox) fn has_root_of(&self, other: &SandboxPath) -> bool {
        self.base == other.base
    }

    /// Returns the path of one of our own files, which no path text can name.
    pub(in crate::sandbox) fn own(folder: impl Into<Arc<Folder>>, name: &OsStr, path: String) -> SandboxPath {
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

    /// Returns the path as given, normalized, for messages.
    pub fn display(&self) -> &str {
        &self.shown
    }

    /// Returns the path by which the entry can be named again, with links and `..` resolved: relative to the sandbox
    /// root (empty for the root itself), or absolute below a further root.
    pub fn address(&self) -> Cow<'_, str> {
        match &self.base {
            None => Cow::Borrowed(&self.resolved),
            Some(base) if self.resolved.is_empty() => Cow::Owned(base.to_string()),
            Some(base) => Cow::Owned(format!("{base}/{}", self.resolved)),
        }
    }

    /// Returns the address as raw bytes, for the journal.
    pub(in crate::sandbox) fn full_address(&self) -> Address {
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

    /// Returns the path from its root with links and `..` resolved; empty for the root itself.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// Returns the resolved path as raw bytes, even if names are not UTF-8.
    pub fn resolved_raw(&self) -> &OsStr {
        self.raw.as_deref().unwrap_or(OsStr::new(&self.resolved))
    }

    /// Whether the last name of the path was a link that was followed.
    pub fn is_through_link(&self) -> bool {
        self.through_link
    }

    /// Whether the path ended in `/` and must therefore be a directory.
    pub fn wants_folder(&self) -> bool {
        self.wants_folder
    }

    /// Whether another path is inside this one or equal to it.
    pub fn holds(&self, other: &SandboxPath) -> bool {
        let below = other.resolved.strip_prefix(&*self.resolved);
        let holds = self.is_root() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        holds && self.base == other.base
    }

    /// Uses the handle of another path, if that is in the same directory and was just resolved too.
    pub fn share_folder(&mut self, other: &SandboxPath) {
        let parent = |place: &SandboxPath| place.resolved.rfind('/').map(|end| place.resolved[..end].to_owned());
        let is_simple = |place: &SandboxPath| place.raw.is_none() && place.missing.is_empty() && !place.is_root();
        if is_simple(self) && is_simple(other) && self.base == other.base && parent(self) == parent(other) {
            self.folder = Arc::clone(&other.folder);
        }
    }

    /// Whether this is the root itself.
    pub fn is_root(&self) -> bool {
        self.name.is_none()
    }

    /// Returns the last name, with invalid UTF-8 replaced; `.` for the root.
    pub fn file_name(&self) -> String {
        self.name.as_ref().map_or_else(|| ".".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Returns the parent directory and the name in it. Errors: for the root itself, or if a parent directory is
    /// missing.
    pub fn entry(&self) -> Result<(&Folder, &OsStr), SandboxError> {
        let name = self.name.as_deref().ok_or(SandboxError::RootItself("a target"))?;
        if self.missing.is_empty() {
            Ok((&self.folder, name))
        } else {
            Err(SandboxError::NotFound(self.shown.to_string()))
        }
    }

    /// Returns the nearest existing directory and the names of the missing ones below it.
    pub fn missing_folders(&self) -> (&Folder, &[OsString]) {
        (&self.folder, &self.missing)
    }

    /// Returns the last name. Errors: for the root itself.
    pub fn name(&self) -> Result<&OsStr, SandboxError> {
        self.name.as_deref().ok_or(SandboxError::RootItself("a target"))
    }

    /// Returns the entry's metadata; for a link that was not followed, that of the link itself.
    pub fn metadata(&self) -> Result<Metadata, SandboxError> {
        if self.is_root() {
            return self.folder.own_metadata().map_err(|error| self.error(&error));
        }
        let (folder, name) = self.entry()?;
        folder.metadata(name).map_err(|error| self.error(&error))
    }

    /// Whether a path with names that are never created is accepted here: because the entry exists or is to be
    /// restored, or because the names of all missing entries are acceptable.
    fn may_be_named(&self, rule: PathRule) -> bool {
        let made = || self.missing.iter().chain(self.name.iter().filter(|_| !rule.keeps_name));
        let is_there = self.missing.is_empty() && self.metadata().is_ok();
        is_there || rule.returns || rule.creates && made().all(|name| check_new_name(&name.to_string_lossy()).is_ok())
    }

    /// Checks the last name of a path for a new entry that is made of `source`: a name that is never created is accepted
    /// if the source has it, because nothing is named anew then.
    pub fn check_name_like(&self, source: &SandboxPath) -> Result<(), SandboxError> {
        let Some(name) = self.name.as_ref().filter(|_| self.name != source.name) else { return Ok(()) };
        match check_new_name(&name.to_string_lossy()) {
            // An existing entry keeps its name, whoever gave it.
            Err(fault) if self.metadata().is_err() => Err(fault.into()),
            _ => Ok(()),
        }
    }

    /// Opens the path as a directory.
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

    /// Returns the error for a failure after this entry was changed.
    pub(in crate::sandbox) fn undurable(&self, error: &io::Error) -> SandboxError {
        SandboxError::undurable(&self.shown, error)
    }

    /// Returns the error for a failed system call on this entry.
    pub fn error(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(&*self.shown, error)
    }
}
