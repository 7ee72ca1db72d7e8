//! Writes files atomically.

use std::io::{self, Write};

use super::super::handles::folder::File;
use super::super::handles::staging::{PRIVATE_MODE, StagingFile};
use crate::limits::Meter;

use super::super::handles::error::SandboxError;
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::root::SandboxPath;
use super::journal::Change;
use super::overwrite::Overwrite;
use super::parents::Parents;
use super::replace::{InheritedMetadata, Placement, StagedEntry};

/// Number of bytes written between two checks of the deadline.
const PIECE: usize = 4 << 20;
/// The permission bits of new files, before the umask.
const FILE_MODE: u32 = 0o666;

/// A file being written that does not have its final name yet. It is removed on drop unless it is finished.
#[derive(Debug)]
pub struct NewFile<'a> {
    place: &'a SandboxPath,
    overwrite: Overwrite<'a>,
    change: &'a Change<'a>,
    /// Declared before `parents`: the staging file is removed before the directories created for it.
    draft: StagingFile,
    parents: Parents<'a>,
    placement: Placement<'a>,
    /// The metadata of the file that this one replaces.
    old: Option<Metadata>,
    /// The file to write to.
    pub file: File,
}

impl NewFile<'_> {
    /// Syncs the file and gives it its final name. Returns the path below `.ns` of the backup of the replaced entry, if
    /// there is one.
    ///
    /// The file takes over the permission bits of a replaced file and, if the user is allowed to set it, its owner.
    pub fn finish(self, meter: &mut Meter) -> Result<Option<String>, SandboxError> {
        self.file.sync_all().map_err(|error| self.place.error(&error))?;
        let dress = InheritedMetadata { file: &self.file, old: self.old };
        let staged = StagedEntry { draft: self.draft, dress: Some(dress), placement: self.placement };
        let taken = staged.take_place(self.place, self.parents.folder(), &self.overwrite, meter, self.change);
        if taken.as_ref().map_or_else(SandboxError::is_done, |_| true) {
            self.parents.keep();
        }
        taken
    }
}

impl SandboxPath {
    /// Writes a file atomically. Returns the path below `.ns` of the backup of the replaced entry, if there
    /// is one.
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

    /// Starts writing a file that gets this path when it is finished. Creates missing parent directories.
    pub fn begin_file<'a>(
        &'a self,
        overwrite: Overwrite<'a>,
        change: &'a Change<'a>,
    ) -> Result<NewFile<'a>, SandboxError> {
        let wrap = |error: io::Error| self.error(&error);
        let name = self.name()?;
        let parents = self.make_parents(change)?;
        let folder = parents.folder();
        let old = self.replaceable(folder, name, overwrite.replace)?;
        let placement = Placement::begin(self, folder, old, None, overwrite.store, change)?;
        let old = old.filter(|old| old.kind == Kind::File);
        // The new content of a private file is private from the start.
        let mode = if old.is_some() { PRIVATE_MODE } else { FILE_MODE };
        let (draft, file) = StagingFile::create(folder, placement.draft.clone(), mode).map_err(wrap)?;
        placement.drafted(&draft);
        Ok(NewFile { place: self, overwrite, change, draft, parents, placement, old, file })
    }
}
