//! Changing the disk. Whatever does needs an open [`Change`], and only [`Journal`] opens one.
//!
//! Each operation is atomic for everybody else: they see the old state or the new one. The journal
//! does not record yet; it counts what a run changes and refuses where nothing may be changed.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Read, Write};

use crate::limits::Meter;

use super::error::SandboxError;
use super::folder::{Folder, Replace, set_access};
use super::metadata::{Kind, Metadata};
use super::root::SandboxPath;

/// The permission bits of new files and folders, before the user's mask.
const FILE_MODE: u32 = 0o666;
const FOLDER_MODE: u32 = 0o777;
/// The permission bits of a file until it gets those of another.
const PRIVATE_MODE: u32 = 0o600;

/// The right to change what is below a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Journal {
    writable: bool,
}

/// One change that is under way. It is opened before anything is touched.
#[derive(Debug)]
pub struct Change(());

impl Journal {
    /// A journal for a run that may change files.
    pub fn writable() -> Journal {
        Journal { writable: true }
    }

    /// A journal that refuses every change.
    pub fn read_only() -> Journal {
        Journal { writable: false }
    }

    /// Opens a change of so many files and folders, counted against the limits of the run.
    pub fn begin(self, files: u64, meter: &mut Meter) -> Result<Change, SandboxError> {
        if !self.writable {
            return Err(SandboxError::Refused("the run is read-only: nothing may be changed".to_owned()));
        }
        meter.change_files(files)?;
        Ok(Change(()))
    }
}

/// A new file under a name of ours, which becomes the file of a place or vanishes.
pub(super) struct Draft<'a> {
    folder: &'a Folder,
    name: OsString,
    kept: bool,
}

impl<'a> Draft<'a> {
    /// Makes an empty file under a name that nobody has.
    pub(super) fn create(folder: &'a Folder, mode: u32) -> io::Result<(Draft<'a>, File)> {
        loop {
            let name = random_name();
            match folder.create_file(&name, mode) {
                Ok(file) => return Ok((Draft { folder, name, kept: false }, file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn rename(mut self, to_folder: &Folder, to: &OsStr, replace: Replace) -> io::Result<()> {
        self.folder.rename(&self.name, to_folder, to, replace)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.kept {
            // Best effort: what is left of a failed change must not stay visible.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// A name for a file that is not finished, which nobody can guess.
fn random_name() -> OsString {
    let number = RandomState::new().build_hasher().finish();
    OsString::from(format!(".ns-tmp-{number:016x}"))
}

impl SandboxPath {
    /// Writes a file: all of it or nothing, and durable when this returns.
    ///
    /// Missing folders are made. A file that is replaced leaves its permission bits and, where this
    /// user may, its owner.
    pub fn write_file(&self, content: &[u8], replace: Replace, change: &Change) -> Result<(), SandboxError> {
        let name = self.name()?;
        let made = self.make_parents(change)?;
        let folder = made.as_ref().unwrap_or(self.missing_folders().0);
        let old = self.replaceable(folder, name, replace)?;
        let wrap = |error: io::Error| self.error(&error);
        // The new content of a private file is private from the start.
        let mode = if old.is_some() { PRIVATE_MODE } else { FILE_MODE };
        let (draft, mut file) = Draft::create(folder, mode).map_err(wrap)?;
        file.write_all(content).map_err(wrap)?;
        if let Some(old) = &old {
            set_access(&file, old).map_err(wrap)?;
        }
        file.sync_all().map_err(wrap)?;
        draft.rename(folder, name, replace).map_err(wrap)?;
        folder.sync().map_err(wrap)
    }

    /// What is known of the file that a write would replace; an error when it may not be replaced.
    fn replaceable(&self, folder: &Folder, name: &OsStr, replace: Replace) -> Result<Option<Metadata>, SandboxError> {
        let metadata = match folder.metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| self.error(&error))?,
        };
        let shown = self.shown().to_owned();
        match metadata.kind {
            Kind::Folder => Err(SandboxError::IsAFolder(shown)),
            Kind::Special => Err(SandboxError::Special(shown)),
            Kind::File | Kind::Link if replace == Replace::No => Err(SandboxError::Exists(shown)),
            Kind::File => Ok(Some(metadata)),
            Kind::Link => Ok(None),
        }
    }

    /// Makes the folder of the place, and the missing ones above it.
    pub fn create_folder(&self, change: &Change) -> Result<(), SandboxError> {
        let name = self.name()?;
        let made = self.make_parents(change)?;
        let folder = made.as_ref().unwrap_or(self.missing_folders().0);
        folder.create_folder(name, FOLDER_MODE).map_err(|error| self.error(&error))?;
        folder.sync().map_err(|error| self.error(&error))
    }

    /// Makes the missing folders above the place, and gives the last of them.
    fn make_parents(&self, _change: &Change) -> Result<Option<Folder>, SandboxError> {
        let (nearest, missing) = self.missing_folders();
        let mut made: Option<Folder> = None;
        for name in missing {
            let folder = made.as_ref().unwrap_or(nearest);
            match folder.create_folder(name, FOLDER_MODE) {
                // Somebody else made it meanwhile.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                other => other.map_err(|error| self.error(&error))?,
            }
            folder.sync().map_err(|error| self.error(&error))?;
            made = Some(folder.open_folder(name).map_err(|error| self.error(&error))?);
        }
        Ok(made)
    }

    /// Removes a file or link.
    pub fn remove_file(&self, _change: &Change) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        folder.remove_file(name).map_err(|error| self.error(&error))?;
        folder.sync().map_err(|error| self.error(&error))
    }

    /// Removes a folder; with all that is in it when `recursive`.
    pub fn remove_folder(&self, recursive: bool, _change: &Change) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        if recursive {
            let inner = folder.open_folder(name).map_err(|error| self.error(&error))?;
            remove_contents(inner, self.shown())?;
        }
        folder.remove_folder(name).map_err(|error| self.error(&error))?;
        folder.sync().map_err(|error| self.error(&error))
    }

    /// Gives a file, folder or link another name; whatever has that name makes it fail.
    pub fn rename_to(&self, target: &SandboxPath, _change: &Change) -> Result<(), RenameError> {
        let (folder, name) = self.entry()?;
        let (target_folder, target_name) = target.entry()?;
        match folder.rename(name, target_folder, target_name, Replace::No) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::CrossesDevices => return Err(RenameError::OtherDevice),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(SandboxError::Exists(target.shown().to_owned()).into());
            }
            Err(error) => return Err(self.error(&error).into()),
        }
        folder.sync().map_err(|error| self.error(&error))?;
        target_folder.sync().map_err(|error| target.error(&error))?;
        Ok(())
    }
}

impl SandboxPath {
    /// Copies a file or folder to a place, which gets its name only once the copy is whole and synced.
    pub fn copy_to(
        &self,
        target: &SandboxPath,
        replace: Replace,
        meter: &mut Meter,
        change: &Change,
    ) -> Result<(), SandboxError> {
        let name = target.name()?;
        if let (folder, []) = target.missing_folders() {
            target.replaceable(folder, name, replace)?;
        }
        let made = target.make_parents(change)?;
        let folder = made.as_ref().unwrap_or(target.missing_folders().0);
        let aside = copy_aside(self, folder, meter, change)?;
        if let Err(error) = folder.rename(&aside, folder, name, replace) {
            // Best effort: the error that matters is the first.
            let _ = discard(folder, &aside, target.shown());
            return Err(match error.kind() {
                ErrorKind::AlreadyExists => SandboxError::Exists(target.shown().to_owned()),
                _ => target.error(&error),
            });
        }
        folder.sync().map_err(|error| target.error(&error))
    }
}

/// Why a rename did not happen.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// The two places are on different file systems.
    #[error("the places are on different file systems")]
    OtherDevice,
    /// Anything else.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// A folder whose contents are being removed, and its name in the folder above.
struct Emptying {
    folder: Folder,
    name: OsString,
    ahead: Vec<OsString>,
}

/// Removes everything in a folder. Links are removed, never followed; no depth takes native stack.
fn remove_contents(folder: Folder, shown: &str) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(shown, &error);
    let mut levels = vec![emptying(folder, OsString::new()).map_err(wrap)?];
    loop {
        let level = levels.last_mut().expect("the outermost level is left only by returning");
        let Some(name) = level.ahead.pop() else {
            let done = levels.pop().expect("there is a level");
            let Some(above) = levels.last() else { return Ok(()) };
            above.folder.remove_folder(&done.name).map_err(wrap)?;
            continue;
        };
        match level.folder.metadata(&name) {
            Ok(metadata) if metadata.kind == Kind::Folder => {
                let inner = level.folder.open_folder(&name).map_err(wrap)?;
                levels.push(emptying(inner, name).map_err(wrap)?);
            }
            Ok(_) => level.folder.remove_file(&name).map_err(wrap)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(wrap(error)),
        }
    }
}

fn emptying(folder: Folder, name: OsString) -> io::Result<Emptying> {
    let ahead = folder.entries()?.into_iter().map(|entry| entry.name).collect();
    Ok(Emptying { folder, name, ahead })
}

/// Copies a file, folder or link to a name that nobody has, and gives that name.
///
fn copy_aside(
    from: &SandboxPath,
    to_folder: &Folder,
    meter: &mut Meter,
    _change: &Change,
) -> Result<OsString, SandboxError> {
    let (folder, name) = from.entry()?;
    let aside = random_name();
    let copied = Copier { meter, shown: from.shown() }.copy(folder, name, to_folder, &aside);
    match copied.and_then(|()| to_folder.sync().map_err(|error| from.error(&error))) {
        Ok(()) => Ok(aside),
        Err(error) => {
            // Best effort: the source is untouched, and the error that matters is the first.
            let _ = discard(to_folder, &aside, from.shown());
            Err(error)
        }
    }
}

/// Removes a copy that did not become final.
fn discard(folder: &Folder, name: &OsStr, shown: &str) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(shown, &error);
    match folder.metadata(name) {
        Ok(metadata) if metadata.kind == Kind::Folder => {
            remove_contents(folder.open_folder(name).map_err(wrap)?, shown)?;
            folder.remove_folder(name).map_err(wrap)
        }
        Ok(_) => folder.remove_file(name).map_err(wrap),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(wrap(error)),
    }
}

/// Copies entries with their permission bits and times.
struct Copier<'a> {
    meter: &'a mut Meter,
    shown: &'a str,
}

/// A folder that is being copied.
struct Copying {
    from: Folder,
    to: Folder,
    /// Its name in the folder above, and what it shall look like at the end.
    name: OsString,
    metadata: Metadata,
    ahead: Vec<OsString>,
}

impl Copier<'_> {
    fn copy(&mut self, from: &Folder, name: &OsStr, to: &Folder, to_name: &OsStr) -> Result<(), SandboxError> {
        let metadata = from.metadata(name).map_err(|error| self.wrap(&error))?;
        if metadata.kind != Kind::Folder {
            return self.copy_leaf(from, name, metadata, to, to_name);
        }
        let mut levels = vec![self.begin(from, name, metadata, to, to_name)?];
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.ahead.pop() else {
                let done = levels.pop().expect("there is a level");
                let above = levels.last().map_or(to, |level| &level.to);
                done.to.sync().map_err(|error| self.wrap(&error))?;
                let folder = done.to.as_file().map_err(|error| self.wrap(&error))?;
                self.finish(&folder, above, &done.name, &done.metadata)?;
                continue;
            };
            let metadata = level.from.metadata(&name).map_err(|error| self.wrap(&error))?;
            if metadata.kind == Kind::Folder {
                let inner = self.begin(&level.from, &name, metadata, &level.to, &name)?;
                levels.push(inner);
            } else {
                self.copy_leaf(&level.from, &name, metadata, &level.to, &name)?;
            }
        }
        Ok(())
    }

    fn begin(
        &self,
        from: &Folder,
        name: &OsStr,
        metadata: Metadata,
        to: &Folder,
        to_name: &OsStr,
    ) -> Result<Copying, SandboxError> {
        let wrap = |error: io::Error| self.wrap(&error);
        to.create_folder(to_name, 0o700).map_err(wrap)?;
        let from = from.open_folder(name).map_err(wrap)?;
        let ahead = from.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect();
        let to = to.open_folder(to_name).map_err(wrap)?;
        Ok(Copying { from, to, name: to_name.to_owned(), metadata, ahead })
    }

    fn copy_leaf(
        &mut self,
        from: &Folder,
        name: &OsStr,
        metadata: Metadata,
        to: &Folder,
        to_name: &OsStr,
    ) -> Result<(), SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(self.shown, &error);
        match metadata.kind {
            Kind::Link => {
                let target = from.read_link(name).map_err(wrap)?;
                to.create_link(&target, to_name).map_err(wrap)?;
                metadata.modified.map_or(Ok(()), |time| to.set_modified(to_name, time)).map_err(wrap)
            }
            Kind::File => {
                let copy = self.copy_content(from, name, to, to_name)?;
                self.finish(&copy, to, to_name, &metadata)
            }
            Kind::Special | Kind::Folder => Err(SandboxError::Special(name.to_string_lossy().into_owned())),
        }
    }

    fn copy_content(
        &mut self,
        from: &Folder,
        name: &OsStr,
        to: &Folder,
        to_name: &OsStr,
    ) -> Result<File, SandboxError> {
        let source = from.open_file(name).map_err(|error| self.wrap(&error))?;
        let metadata = super::folder::file_metadata(&source).map_err(|error| self.wrap(&error))?;
        if metadata.kind != Kind::File {
            return Err(SandboxError::Special(name.to_string_lossy().into_owned()));
        }
        self.meter.write_bytes(metadata.size)?;
        self.meter.poll()?;
        let mut target = to.create_file(to_name, PRIVATE_MODE).map_err(|error| self.wrap(&error))?;
        // No more than it had: somebody may go on writing to it.
        io::copy(&mut source.take(metadata.size), &mut target).map_err(|error| self.wrap(&error))?;
        target.sync_all().map_err(|error| self.wrap(&error))?;
        Ok(target)
    }

    /// Gives a copy the owner, the permission bits and the time of its original.
    fn finish(&self, copy: &File, folder: &Folder, name: &OsStr, metadata: &Metadata) -> Result<(), SandboxError> {
        let set = set_access(copy, metadata);
        let dated = set.and_then(|()| metadata.modified.map_or(Ok(()), |time| folder.set_modified(name, time)));
        dated.map_err(|error| self.wrap(&error))
    }

    fn wrap(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(self.shown, error)
    }
}
