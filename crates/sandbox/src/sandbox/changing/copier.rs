//! Copies files, links and directories, with their permission bits and times, to a temporary name.
//!
//! The caller journals the copy and gives it its final name. The copy is synced when all of it is there, before it gets
//! that name: a few files one by one, many with their whole file system, which is far faster.

use std::ffi::{OsStr, OsString};
use std::io;

use crate::limits::Meter;

use super::super::handles::discard::discard;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::File;
use super::super::handles::folder::{Folder, MtimeGuard, set_access};
use super::super::handles::metadata::{Identity, Kind, Metadata};
use super::super::handles::reserved::is_reserved;
use super::super::handles::staging::PRIVATE_MODE;
use super::content::copy_content;

/// Maximum number of files and directories that are synced one by one.
const HELD: usize = 16;

/// The part of a directory that is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyScope {
    /// Everything, reserved entries too.
    Whole,
    /// Everything except reserved entries, which no tool may write.
    WithoutReserved,
}

/// Copies a whole file, directory or link to an unused temporary name. Returns the change that this made to the
/// modification time of the directory.
pub(in crate::sandbox) fn copy_aside(
    from: &Folder,
    name: &OsStr,
    to: &Folder,
    aside: &OsStr,
    shown: &str,
    meter: &mut Meter,
) -> Result<MtimeGuard, SandboxError> {
    Copier::new(CopyScope::Whole, shown, meter).copy_aside(from, name, to, aside)
}

/// A copy in progress: copies entries with their permission bits and times.
pub(in crate::sandbox) struct Copier<'a> {
    extent: CopyScope,
    shown: &'a str,
    meter: &'a mut Meter,
    /// The change that creating the first entry, the copy itself, made to the modification time of its directory.
    trace: Option<MtimeGuard>,
    /// The directory that the copy itself is. The source may contain it where a name has several spellings.
    top: Option<Identity>,
    unsynced: Unsynced,
    /// Number of reserved entries left out so far.
    pub(in crate::sandbox) left_out: u64,
}

/// Files and directories of copies that are not synced yet.
#[derive(Debug, Default)]
pub(in crate::sandbox) struct Unsynced {
    files: Vec<File>,
    /// Whether there are more of them than are held.
    has_many: bool,
}

/// A directory being copied.
struct Level {
    from: Folder,
    to: Folder,
    /// Its name in its parent, and the metadata that it gets at the end.
    name: OsString,
    metadata: Metadata,
    ahead: Vec<OsString>,
}

impl<'a> Copier<'a> {
    /// Begins a copy. `shown` is its source, as messages show it.
    pub(in crate::sandbox) fn new(extent: CopyScope, shown: &'a str, meter: &'a mut Meter) -> Copier<'a> {
        Copier { extent, shown, meter, trace: None, top: None, unsynced: Unsynced::default(), left_out: 0 }
    }

    /// Copies to an unused temporary name.
    pub(in crate::sandbox) fn copy_aside(
        &mut self,
        from: &Folder,
        name: &OsStr,
        to: &Folder,
        aside: &OsStr,
    ) -> Result<MtimeGuard, SandboxError> {
        self.copy_then(from, name, to, aside, |copier| {
            let unsynced = std::mem::take(&mut copier.unsynced);
            unsynced.sync(&[to], copier.meter).map_err(|error| copier.wrap(&error))
        })
    }

    /// Copies to an unused temporary name. Adds to `unsynced` what has to be synced before it gets its name.
    pub(in crate::sandbox) fn copy_aside_unsynced(
        &mut self,
        from: &Folder,
        name: &OsStr,
        to: &Folder,
        aside: &OsStr,
        unsynced: &mut Unsynced,
    ) -> Result<MtimeGuard, SandboxError> {
        self.copy_then(from, name, to, aside, |copier| {
            unsynced.append(std::mem::take(&mut copier.unsynced));
            Ok(())
        })
    }

    /// Copies to an unused temporary name, and calls `then`. Leaves nothing behind if one of them fails.
    fn copy_then(
        &mut self,
        from: &Folder,
        name: &OsStr,
        to: &Folder,
        aside: &OsStr,
        then: impl FnOnce(&mut Self) -> Result<(), SandboxError>,
    ) -> Result<MtimeGuard, SandboxError> {
        let copied = self.copy(from, name, to, aside).and_then(|()| then(self));
        let trace = self.trace.take().unwrap_or_default();
        match copied {
            Ok(()) => Ok(trace),
            Err(error) => {
                // Best effort: the source is unchanged, and the first error is the one that matters.
                let _ = trace.erase(to, || discard(to, aside, self.shown));
                Err(error)
            }
        }
    }

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
                let folder = done.to.as_file().map_err(|error| self.wrap(&error))?;
                self.finish(&folder, above, &done.name, &done.metadata)?;
                self.sync_later(folder)?;
                continue;
            };
            self.meter.poll()?;
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

    /// Creates an entry of the copy.
    fn make<T>(&mut self, folder: &Folder, make: impl FnOnce() -> io::Result<T>) -> Result<T, SandboxError> {
        if self.trace.is_some() {
            return make().map_err(|error| self.wrap(&error));
        }
        let (made, trace) = MtimeGuard::of(folder, make).map_err(|error| self.wrap(&error))?;
        self.trace = Some(trace);
        Ok(made)
    }

    fn begin(
        &mut self,
        from: &Folder,
        name: &OsStr,
        metadata: Metadata,
        to: &Folder,
        to_name: &OsStr,
    ) -> Result<Level, SandboxError> {
        if self.top == Some(metadata.identity) {
            return Err(SandboxError::HoldsItsCopy(self.shown.to_owned()));
        }
        self.make(to, || to.create_folder(to_name, 0o700))?;
        self.meter.reach_next();
        let wrap = |error: io::Error| SandboxError::io(self.shown, &error);
        let from = from.open_folder(name).map_err(wrap)?;
        let mut ahead: Vec<OsString> = from.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect();
        let to = to.open_folder(to_name).map_err(wrap)?;
        if self.top.is_none() {
            self.top = Some(to.own_metadata().map_err(wrap)?.identity);
        }
        if self.extent == CopyScope::WithoutReserved {
            let all = ahead.len();
            ahead.retain(|name| !is_reserved(name));
            self.left_out += (all - ahead.len()) as u64;
        }
        Ok(Level { from, to, name: to_name.to_owned(), metadata, ahead })
    }

    fn copy_leaf(
        &mut self,
        from: &Folder,
        name: &OsStr,
        metadata: Metadata,
        to: &Folder,
        to_name: &OsStr,
    ) -> Result<(), SandboxError> {
        let shown = self.shown;
        let wrap = |error: io::Error| SandboxError::io(shown, &error);
        self.meter.reach_next();
        match metadata.kind {
            Kind::Link => {
                let target = from.read_link(name).map_err(wrap)?;
                self.make(to, || to.create_link(&target, to_name))?;
                metadata.modified.map_or(Ok(()), |time| to.set_modified(to_name, time)).map_err(wrap)
            }
            Kind::File => {
                let copy = self.copy_content(from, name, to, to_name)?;
                self.finish(&copy, to, to_name, &metadata)?;
                self.sync_later(copy)
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
        let metadata = from.file_metadata(&source).map_err(|error| self.wrap(&error))?;
        if metadata.kind != Kind::File {
            return Err(SandboxError::Special(name.to_string_lossy().into_owned()));
        }
        self.meter.write_bytes(metadata.size)?;
        let target = self.make(to, || to.create_file(to_name, PRIVATE_MODE))?;
        copy_content(&source, &target, metadata.size, self.meter, |error| self.wrap(error))?;
        Ok(target)
    }

    /// Adds a file or directory to those that are synced at the end, where a whole file system can be synced then.
    fn sync_later(&mut self, copy: File) -> Result<(), SandboxError> {
        if !cfg!(target_os = "linux") {
            return copy.sync_all().map_err(|error| self.wrap(&error));
        }
        self.unsynced.add(copy);
        Ok(())
    }

    /// Sets the owner, permission bits and modification time of a copy to those of its original. The sync comes after
    /// it, since not every file system writes metadata in the order in which it was changed.
    fn finish(&self, copy: &File, folder: &Folder, name: &OsStr, metadata: &Metadata) -> Result<(), SandboxError> {
        let set = set_access(copy, metadata);
        let dated = set.and_then(|()| metadata.modified.map_or(Ok(()), |time| folder.set_modified(name, time)));
        dated.map_err(|error| self.wrap(&error))
    }

    fn wrap(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(self.shown, error)
    }
}

impl Unsynced {
    fn add(&mut self, file: File) {
        self.has_many |= self.files.len() >= HELD;
        if self.has_many {
            self.files.clear();
        } else {
            self.files.push(file);
        }
    }

    fn append(&mut self, other: Unsynced) {
        self.has_many |= other.has_many;
        other.files.into_iter().for_each(|file| self.add(file));
    }

    /// Syncs the copies. `folders` has one of their directories on each file system.
    pub(in crate::sandbox) fn sync(self, folders: &[&Folder], meter: &Meter) -> io::Result<()> {
        meter.tell_syncing(true);
        let synced = if self.has_many {
            folders.iter().try_for_each(|folder| folder.sync_all_below())
        } else {
            self.files.iter().try_for_each(File::sync_all)
        };
        meter.tell_syncing(false);
        synced
    }
}
