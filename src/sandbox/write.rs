//! Writing files, whole or not at all.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Write};

use crate::limits::Meter;

use super::draft::Draft;
use super::error::SandboxError;
use super::folder::{Folder, Replace};
use super::journal::Change;
use super::metadata::{Kind, Metadata};
use super::parents::Parents;
use super::root::SandboxPath;
use super::take::{Dress, Overwrite, Putting, refuse_kind, take_place};

/// Bytes that are written between two looks at the clock.
const PIECE: usize = 4 << 20;
/// The permission bits of new files, before the user's mask.
const FILE_MODE: u32 = 0o666;
/// The permission bits of a file until it gets those of another.
pub(super) const PRIVATE_MODE: u32 = 0o600;

/// A file that is being written and has no name yet. It vanishes unless it is finished.
#[derive(Debug)]
pub struct NewFile<'a> {
    place: &'a SandboxPath,
    overwrite: Overwrite<'a>,
    change: &'a Change<'a>,
    /// Goes before the folders that were made for it.
    draft: Draft,
    parents: Parents<'a>,
    putting: Putting<'a>,
    /// What a file leaves that this one replaces.
    old: Option<Metadata>,
    /// To be written to.
    pub file: File,
}

impl NewFile<'_> {
    /// Gives it its name, once it is synced; durable when this returns. Gives the path below `.ns` of
    /// what was replaced, if that is kept.
    ///
    /// A file that is replaced leaves its permission bits and, where this user may, its owner.
    pub fn finish(self, meter: &mut Meter) -> Result<Option<String>, SandboxError> {
        self.file.sync_all().map_err(|error| self.place.error(&error))?;
        let dress = Dress { file: &self.file, old: self.old };
        let new = (self.draft, Some(dress), self.putting);
        let taken = take_place(self.place, self.parents.folder(), new, &self.overwrite, meter, self.change);
        if taken.as_ref().map_or_else(SandboxError::is_done, |_| true) {
            self.parents.keep();
        }
        taken
    }
}

impl SandboxPath {
    /// Writes a file: all of it or nothing, and durable when this returns. Gives the path below `.ns`
    /// of what was replaced, if that is kept.
    pub fn write_file(
        &self,
        content: &[u8],
        overwrite: &Overwrite<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<Option<String>, SandboxError> {
        let mut new = self.begin_file(*overwrite, change)?;
        for piece in content.chunks(PIECE) {
            meter.poll()?;
            new.file.write_all(piece).map_err(|error| self.error(&error))?;
        }
        new.finish(meter)
    }

    /// Begins to write a file that takes this place when it is finished. Missing folders are made.
    pub fn begin_file<'a>(
        &'a self,
        overwrite: Overwrite<'a>,
        change: &'a Change<'a>,
    ) -> Result<NewFile<'a>, SandboxError> {
        let wrap = |error: io::Error| self.error(&error);
        let name = self.name()?;
        let parents = self.make_parents(change)?;
        let folder = parents.folder();
        let old = self.replaceable(folder, name, overwrite.replace)?.filter(|old| old.kind == Kind::File);
        let putting = Putting::begin((self, folder), None, overwrite.keeper, change)?;
        // The new content of a private file is private from the start.
        let mode = if old.is_some() { PRIVATE_MODE } else { FILE_MODE };
        let (draft, file) = Draft::create(folder, putting.draft.clone(), mode).map_err(wrap)?;
        putting.drafted(&draft);
        Ok(NewFile { place: self, overwrite, change, draft, parents, putting, old, file })
    }

    /// Says whether a file can be written to the place; an error where that would replace what must
    /// not be replaced.
    pub fn check_replaceable(&self, replace: Replace) -> Result<(), SandboxError> {
        match self.missing_folders() {
            (folder, []) => self.replaceable(folder, self.name()?, replace).map(drop),
            _ => Ok(()),
        }
    }

    /// What is known of what something would replace; an error when it may not be replaced.
    pub(super) fn replaceable(
        &self,
        folder: &Folder,
        name: &OsStr,
        replace: Replace,
    ) -> Result<Option<Metadata>, SandboxError> {
        let metadata = match folder.metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| self.error(&error))?,
        };
        refuse_kind(self, metadata.kind)?;
        match replace {
            Replace::No => Err(SandboxError::Exists(self.shown().to_owned())),
            Replace::Yes => Ok(Some(metadata)),
        }
    }
}
