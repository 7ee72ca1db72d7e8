//! Writes files atomically.

use std::io::{self, Write};

use super::super::handles::folder::{File, Replace};
use super::super::handles::staging::{PRIVATE_MODE, StagingFile};
use crate::limits::Meter;

use super::super::handles::error::SandboxError;
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::root::SandboxPath;
use super::journal::Change;
use super::overwrite::Overwrite;
use super::parents::Parents;
use super::replace::{InheritedMetadata, Placed, Placement, StagedEntry};

/// Number of bytes written between two checks of the deadline.
const PIECE: usize = 4 << 20;
/// Maximum number of files that are written at the same time.
const TOGETHER: usize = 64;
/// Number of files that a process has open anyway.
const OTHER_FILES: u64 = 64;
/// The permission bits of new files, before the umask.
const FILE_MODE: u32 = 0o666;

/// Returns how many files the steps of a group may keep open. As many again are left for the rest of the process.
pub(in crate::sandbox) fn spare_files() -> u64 {
    #[cfg(unix)]
    let open_files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let open_files: Option<u64> = None;
    open_files.map_or(u64::MAX, |limit| limit.saturating_sub(OTHER_FILES)) / 2
}

/// A file to be written, and what its name depends on.
#[derive(Clone, Copy, Debug)]
pub struct Writing<'a> {
    /// The path.
    pub place: &'a SandboxPath,
    /// How an existing entry is replaced.
    pub overwrite: Overwrite<'a>,
    /// The metadata of the existing entry, if it was just read.
    pub known: Option<Metadata>,
}

/// A file that was written.
#[derive(Debug)]
pub struct Written {
    /// The path below `.ns` of the backup of the replaced entry, if the caller is to receive it.
    pub backup: Option<String>,
    /// The metadata of the file that was there when writing began.
    pub old: Option<Metadata>,
    /// The metadata of the new file.
    pub now: Metadata,
}

/// A file to be written that is in the journal.
#[derive(Debug)]
pub struct PendingFile<'a> {
    writing: Writing<'a>,
    change: &'a Change<'a>,
    parents: Parents<'a>,
    placement: Placement<'a>,
    /// The metadata of the file that this one replaces.
    old: Option<Metadata>,
}

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
    /// The result of a sync of the content, if the caller made one.
    synced: Option<io::Result<()>>,
}

impl<'a> Writing<'a> {
    /// Creates missing parent directories and journals the file.
    pub fn begin(self, change: &'a Change<'a>) -> Result<PendingFile<'a>, SandboxError> {
        let Writing { place, overwrite, known } = self;
        let name = place.name()?;
        let parents = place.make_parents(change)?;
        let folder = parents.folder();
        let is_replaceable = |known: &Metadata| known.kind == Kind::File && overwrite.replace == Replace::Yes;
        let old = match known.filter(is_replaceable) {
            Some(known) => Some(known),
            None => place.replaceable(folder, name, overwrite.replace)?,
        };
        let placement = Placement::begin(place, folder, old, None, overwrite.store, change)?;
        let old = old.filter(|old| old.kind == Kind::File);
        Ok(PendingFile { writing: self, change, parents, placement, old })
    }

    /// Returns how many files may be written at the same time: each keeps two files open.
    pub fn most_together() -> usize {
        usize::try_from(spare_files() / 2).unwrap_or(usize::MAX).clamp(1, TOGETHER)
    }

    /// Journals several files together, so that their records are synced once. Their directories must exist.
    pub fn begin_all(writings: Vec<Writing<'a>>, change: &'a Change<'a>) -> Result<Vec<PendingFile<'a>>, SandboxError> {
        change.begin_together(|| writings.into_iter().map(|writing| writing.begin(change)).collect())
    }
}

impl<'a> PendingFile<'a> {
    /// Returns the number of the step.
    pub fn number(&self) -> u32 {
        self.placement.number()
    }

    /// Creates the file under a temporary name.
    pub fn create(self) -> Result<NewFile<'a>, SandboxError> {
        let PendingFile { writing: Writing { place, overwrite, .. }, change, parents, placement, old } = self;
        // The new content of a private file is private from the start.
        let mode = if old.is_some() { PRIVATE_MODE } else { FILE_MODE };
        let created = StagingFile::create(parents.folder(), placement.draft.clone(), mode);
        let (draft, file) = created.map_err(|error| place.error(&error))?;
        placement.drafted(&draft);
        Ok(NewFile { place, overwrite, change, draft, parents, placement, old, file, synced: None })
    }
}

impl NewFile<'_> {
    /// Appends to the file.
    pub fn write(&mut self, content: &[u8], meter: &mut Meter) -> Result<(), SandboxError> {
        for piece in content.chunks(PIECE) {
            meter.poll()?;
            self.file.write_all(piece).map_err(|error| self.place.error(&error))?;
        }
        Ok(())
    }

    /// Leaves the file under its temporary name while others get theirs: its directory has the modification time from
    /// before its creation, and keeps that of the changes meanwhile if the file is removed.
    pub fn conceal(&mut self) {
        self.draft.conceal();
    }

    /// Sets the result of a sync of the complete content, which [`NewFile::finish`] then reports and does not repeat.
    pub fn set_synced(&mut self, synced: io::Result<()>) {
        self.synced = Some(synced);
    }

    /// Syncs the file and gives it its final name.
    ///
    /// The file takes over the permission bits of a replaced file and, if the user is allowed to set it, its owner.
    pub fn finish(self, meter: &mut Meter) -> Result<Written, SandboxError> {
        let synced = self.synced.unwrap_or_else(|| self.file.sync_data());
        synced.map_err(|error| self.place.error(&error))?;
        let dress = InheritedMetadata { file: &self.file, old: self.old };
        let staged = StagedEntry { draft: self.draft, dress: Some(dress), placement: self.placement };
        let taken = staged.take_place(self.place, self.parents.folder(), &self.overwrite, meter, self.change);
        self.parents.keep_if_done(&taken);
        taken.map(|Placed { backup, now }| Written { backup, old: self.old, now })
    }
}

impl Writing<'_> {
    /// Writes the file atomically.
    pub fn write(self, content: &[u8], meter: &mut Meter, change: &Change<'_>) -> Result<Written, SandboxError> {
        let mut new = self.begin(change)?.create()?;
        new.write(content, meter)?;
        new.finish(meter)
    }
}

impl SandboxPath {
    /// Writes a file atomically.
    pub fn write_file(
        &self,
        content: &[u8],
        overwrite: &Overwrite<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<Written, SandboxError> {
        Writing { place: self, overwrite: *overwrite, known: None }.write(content, meter, change)
    }

    /// Starts writing a file that gets this path when it is finished. Creates missing parent directories.
    pub fn begin_file<'a>(
        &'a self,
        overwrite: Overwrite<'a>,
        change: &'a Change<'a>,
    ) -> Result<NewFile<'a>, SandboxError> {
        Writing { place: self, overwrite, known: None }.begin(change)?.create()
    }
}
