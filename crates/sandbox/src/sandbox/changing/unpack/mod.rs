//! Creates a tree completely before anybody sees it: files, directories and links are created in a temporary directory
//! next to the target, and get their final names when all of them exist and are synced.
//!
//! If the target does not exist, the tree is put there with one rename. If it is a directory, the entries are moved
//! into it one by one ([`merge`]) without replacing anything; if one cannot be moved, the moves before it are undone.
//! All operations use handles and single names and follow no links.

mod merge;

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use compact_str::CompactString;

use super::super::handles::address::Address;
use super::super::handles::discard::discard;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::File;
use super::super::handles::folder::{Folder, Replace};
use super::super::handles::metadata::{Kind, Metadata, Timestamp};
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::random_name;
use super::journal::{Change, PendingStep, Step};

use merge::Merge;

/// Only the user may access an incomplete tree.
const PRIVATE_MODE: u32 = 0o700;
/// The permission bits of the directory that becomes the target, before the umask.
const FOLDER_MODE: u32 = 0o777;
/// Permissions that the owner gets on every directory, so that entries can be created in it.
const USABLE: u32 = 0o700;
/// The name of the tree in the temporary directory.
const TREE: &str = "tree";

/// The names of a tree, each with whether it is a directory. A directory comes directly before its contents.
pub type Names<'a> = [(&'a [CompactString], bool)];

/// A tree being created.
pub struct Unpacking<'p> {
    target: &'p SandboxPath,
    change: &'p Change<'p>,
    /// The step that created the temporary directory; it ends when that directory is gone.
    pending: Option<PendingStep<'p>>,
    /// The address of `home`.
    address: Address,
    /// The directory that contains the temporary one: the target itself if it exists, otherwise its nearest existing
    /// parent.
    home: Folder,
    name: OsString,
    /// The temporary directory; `None` while it is removed, because Windows removes no directory that is open.
    outer: Option<Folder>,
    /// The tree in it; `None` once it is moved, because Windows moves no directory that is open.
    tree: Option<Finder>,
    exists: bool,
}

/// Opens directories of a tree and caches the last one.
struct Finder {
    top: Folder,
    recent: Option<(Vec<CompactString>, Folder)>,
}

impl SandboxPath {
    /// Checks that a tree can be put at the path. Errors: if one of its names is taken, or if an existing entry is not
    /// a directory but must be one.
    pub fn check_free(&self, names: &Names<'_>) -> Result<(), SandboxError> {
        let Some(folder) = self.existing_folder()? else { return Ok(()) };
        let mut levels = vec![folder];
        for (at, (parts, is_folder)) in names.iter().enumerate() {
            // Below a missing directory all names are free.
            if levels.len() < parts.len() {
                continue;
            }
            levels.truncate(parts.len());
            let (name, level) = (last(parts), &levels[parts.len() - 1]);
            let shown = || display(self, parts);
            match level.metadata(name) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(SandboxError::io(shown(), &error)),
                Ok(found) if *is_folder && found.kind == Kind::Folder => {
                    let is_empty = names.get(at + 1).is_none_or(|(next, _)| next.len() <= parts.len());
                    if !is_empty {
                        levels.push(level.open_folder(name).map_err(|error| SandboxError::io(shown(), &error))?);
                    }
                }
                Ok(_) if *is_folder => return Err(SandboxError::NotAFolder(shown())),
                Ok(_) => return Err(SandboxError::Exists(shown())),
            }
        }
        Ok(())
    }

    /// Starts a tree at the path.
    pub fn unpack<'p>(&'p self, change: &'p Change<'p>) -> Result<Unpacking<'p>, SandboxError> {
        let wrap = |error: io::Error| self.error(&error);
        let existing = self.existing_folder()?;
        let exists = existing.is_some();
        let (nearest, missing) = self.missing_folders();
        let home = existing.map_or_else(|| nearest.duplicate().map_err(wrap), Ok)?;
        let above = if exists { 0 } else { missing.len() + 1 };
        let address = (0..above).fold(self.full_address(), |address, _| address.parent());
        let name = random_name();
        let pending = Some(change.begin(Step::Draft { path: address.join(&name) }, &[&home])?);
        // The modification time of the parent is restored, because the temporary directory is removed at the end.
        home.without_trace(|| home.create_folder(&name, PRIVATE_MODE)).map_err(wrap)?;
        let opened = home.open_folder(&name).and_then(|outer| {
            outer.create_folder(OsStr::new(TREE), FOLDER_MODE)?;
            let tree = Finder::new(&outer.open_folder(OsStr::new(TREE))?)?;
            Ok((outer, tree))
        });
        match opened {
            Ok((outer, tree)) => {
                let (outer, tree) = (Some(outer), Some(tree));
                Ok(Unpacking { target: self, change, pending, address, home, name, outer, tree, exists })
            }
            Err(error) => {
                let _ = discard_without_trace(&home, &name, self.display());
                Err(wrap(error))
            }
        }
    }

    /// Returns the directory at the path, or `None` if nothing exists there.
    fn existing_folder(&self) -> Result<Option<Folder>, SandboxError> {
        match self.metadata() {
            Err(SandboxError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
            Ok(_) => self.open_folder().map(Some),
        }
    }
}

impl Unpacking<'_> {
    /// Creates a directory; its parent exists.
    pub fn make_folder(&mut self, parts: &[CompactString], mode: u32) -> Result<(), SandboxError> {
        self.within(parts, |folder, name| folder.create_folder(name, mode & 0o777 | USABLE))
    }

    /// Creates a file for writing.
    pub fn make_file(&mut self, parts: &[CompactString], mode: u32) -> Result<File, SandboxError> {
        self.within(parts, |folder, name| folder.create_file(name, mode & 0o777))
    }

    /// Closes a file that was written, and sets its modification time.
    pub fn close_file(
        &mut self,
        parts: &[CompactString],
        file: File,
        modified: Option<Timestamp>,
    ) -> Result<(), SandboxError> {
        // On Linux, `finish` syncs all files together.
        #[cfg(not(target_os = "linux"))]
        file.sync_all().map_err(|error| self.error(parts, &error))?;
        drop(file);
        modified.map_or(Ok(()), |modified| self.set_modified(parts, modified))
    }

    /// Opens a file that was created before.
    pub fn open_file(&mut self, parts: &[CompactString]) -> Result<File, SandboxError> {
        let (file, metadata) = self.within(parts, |folder, name| {
            let file = folder.open_file(name)?;
            let metadata = folder.file_metadata(&file)?;
            Ok((file, metadata))
        })?;
        match metadata.kind {
            Kind::File => Ok(file),
            _ => Err(SandboxError::Special(display(self.target, parts))),
        }
    }

    /// Creates a link with this target, without checking the target.
    pub fn make_link(&mut self, parts: &[CompactString], text: &str) -> Result<(), SandboxError> {
        self.within(parts, |folder, name| folder.create_link(OsStr::new(text), name))
    }

    /// Sets the modification time of an entry; for a directory, call this after its contents are complete.
    pub fn set_modified(&mut self, parts: &[CompactString], modified: Timestamp) -> Result<(), SandboxError> {
        self.within(parts, |folder, name| folder.set_modified(name, modified))
    }

    /// Returns the error for a failed system call on a name of the tree.
    pub fn error(&self, parts: &[CompactString], error: &io::Error) -> SandboxError {
        SandboxError::io(display(self.target, parts), error)
    }

    /// Puts the tree at its target. Existing entries stay as they are; after an error, nothing has changed.
    pub fn finish(mut self, names: &Names<'_>) -> Result<(), SandboxError> {
        let wrap = |error: io::Error| self.target.error(&error);
        self.outer().sync_all_below().map_err(wrap)?;
        self.tree = None;
        if self.exists {
            return Merge::new(&self, names).run();
        }
        let parents = self.target.make_parents(self.change)?;
        let (folder, name) = (parents.folder(), self.target.name()?);
        let step = Step::Put {
            path: self.target.full_address(),
            old: None,
            draft: None,
            kept: None,
            from: None,
            is_empty: false,
        };
        let pending = self.change.begin(step, &[folder])?;
        match self.outer().rename(OsStr::new(TREE), folder, name, Replace::No) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(SandboxError::Exists(self.target.display().to_owned()));
            }
            other => other.map_err(wrap)?,
        }
        let synced = pending.sync(&[folder]);
        pending.done(folder.metadata(name).ok().as_ref(), false, &[folder]);
        parents.keep();
        synced.map_err(|error| self.target.undurable(&error))
    }

    /// Returns the temporary directory.
    fn outer(&self) -> &Folder {
        self.outer.as_ref().expect("the temporary directory is open until it is removed")
    }

    /// Calls `work` with the parent directory and the last name of `parts`.
    fn within<R>(
        &mut self,
        parts: &[CompactString],
        work: impl FnOnce(&Folder, &OsStr) -> io::Result<R>,
    ) -> Result<R, SandboxError> {
        let above = &parts[..parts.len() - 1];
        let tree = self.tree.as_mut().expect("the tree is open until it is finished");
        let done = tree.folder(above).and_then(|folder| work(folder, last(parts)));
        done.map_err(|error| self.error(parts, &error))
    }
}

impl Drop for Unpacking<'_> {
    fn drop(&mut self) {
        self.tree = None;
        let own = self.outer.take().and_then(|outer| outer.own_metadata().ok());
        let is = |metadata: Metadata| own.is_some_and(|own| own.identity == metadata.identity);
        if self.home.metadata(&self.name).is_ok_and(is) {
            // Remains of a failed change must not stay visible.
            match (discard_without_trace(&self.home, &self.name, self.target.display()), self.pending.take()) {
                (Err(_), Some(pending)) => pending.leave_unswept(),
                (_, pending) => drop(pending),
            }
            self.change.touched(self.address.clone(), &self.home);
        }
    }
}

/// Removes a temporary directory with its contents, and restores the modification time of its parent.
fn discard_without_trace(home: &Folder, name: &OsStr, shown: &str) -> Result<(), SandboxError> {
    home.without_trace(|| Ok(discard(home, name, shown))).map_err(|error| SandboxError::io(shown, &error))?
}

impl Finder {
    fn new(top: &Folder) -> io::Result<Finder> {
        Ok(Finder { top: top.duplicate()?, recent: None })
    }

    /// Opens the directory at some names, none of which may be a link.
    fn folder(&mut self, parts: &[CompactString]) -> io::Result<&Folder> {
        if parts.is_empty() {
            return Ok(&self.top);
        }
        if self.recent.as_ref().is_none_or(|(recent, _)| recent != parts) {
            let mut folder = self.top.duplicate()?;
            for part in parts {
                folder = folder.open_folder(OsStr::new(part.as_str()))?;
            }
            self.recent = Some((parts.to_vec(), folder));
        }
        Ok(self.recent.as_ref().map_or(&self.top, |(_, folder)| folder))
    }
}

fn last(parts: &[CompactString]) -> &OsStr {
    OsStr::new(parts.last().expect("only the tree itself has no name").as_str())
}

fn display(target: &SandboxPath, parts: &[CompactString]) -> String {
    let name = parts.join("/");
    match target.display() {
        "." => name,
        folder => format!("{folder}/{name}"),
    }
}
