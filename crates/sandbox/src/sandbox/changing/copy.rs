//! Copies files, links and directories with their permission bits and times.

use std::collections::BTreeMap;
use std::io;

use super::copier::{Copier, CopyScope, Unsynced};
use crate::limits::Meter;

use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::Folder;
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::StagingFile;
use super::super::handles::state::State;
use super::journal::Change;
use super::overwrite::Overwrite;
use super::parents::Parents;
use super::replace::{Placement, StagedEntry};

/// Options of a copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyOptions<'a> {
    /// The part that is copied.
    pub extent: CopyScope,
    /// Options for replacing an existing entry.
    pub overwrite: Overwrite<'a>,
}

/// The result of a copy.
#[derive(Debug)]
pub struct Copied {
    /// The path of the backup below `.ns`, if the caller is to receive it.
    pub backup: Option<String>,
    /// Number of reserved entries left out.
    pub left_out: u64,
}

impl<'a> CopyOptions<'a> {
    /// Returns the options for copying everything.
    pub fn whole(overwrite: Overwrite<'a>) -> CopyOptions<'a> {
        CopyOptions { extent: CopyScope::Whole, overwrite }
    }
}

impl SandboxPath {
    /// Copies a file, directory or link. The copy gets its final name only when it is complete and synced.
    pub fn copy_to(
        &self,
        target: &SandboxPath,
        copying: &CopyOptions<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<Copied, SandboxError> {
        Source { place: self, kept: None }.copy_to(target, copying, meter, change)
    }
}

/// The source of a copy.
#[derive(Clone, Copy)]
pub(in crate::sandbox) struct Source<'a> {
    /// The path of the source.
    pub place: &'a SandboxPath,
    /// The address of the source in the backup store, if it is removed after copying, so that undo moves it back there.
    pub kept: Option<&'a Address>,
}

/// A copy to be made.
#[derive(Clone, Copy)]
pub(in crate::sandbox) struct Copying<'a> {
    /// The source.
    pub source: Source<'a>,
    /// The path of the copy.
    pub target: &'a SandboxPath,
    /// Its options.
    pub options: CopyOptions<'a>,
}

/// A copy that is in the journal.
struct PendingCopy<'a> {
    copying: Copying<'a>,
    change: &'a Change<'a>,
    parents: Parents<'a>,
    placement: Placement<'a>,
}

/// A complete copy under a temporary name.
struct StagedCopy<'a> {
    /// Declared first: the staging file is removed before the directories created for it.
    draft: StagingFile,
    pending: PendingCopy<'a>,
    left_out: u64,
}

impl Source<'_> {
    /// Copies the source, like [`SandboxPath::copy_to`].
    pub(in crate::sandbox) fn copy_to(
        &self,
        target: &SandboxPath,
        copying: &CopyOptions<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<Copied, SandboxError> {
        let mut unsynced = Unsynced::default();
        let staged = Copying { source: *self, target, options: *copying }.begin(change)?.stage(&mut unsynced, meter)?;
        unsynced.sync(&[staged.pending.parents.folder()], meter).map_err(|error| staged.error(&error))?;
        staged.finish(meter)
    }
}

impl<'a> Copying<'a> {
    /// Makes several copies together: their records are synced once, and so are their contents. Their directories must
    /// exist. Errors: those of the first that fails. Copies before it may have their names.
    pub fn make_all(copies: Vec<Copying<'a>>, meter: &mut Meter, change: &'a Change<'a>) -> Result<(), SandboxError> {
        let begin = |copying: Copying<'a>| copying.begin(change);
        let pending = change.begin_together(|| copies.into_iter().map(begin).collect::<Result<Vec<_>, _>>())?;
        let (mut staged, mut unsynced) = (Vec::with_capacity(pending.len()), Unsynced::default());
        for pending in pending {
            meter.poll()?;
            let mut copy = pending.stage(&mut unsynced, meter)?;
            copy.draft.conceal();
            staged.push(copy);
        }
        let folders: BTreeMap<u64, &Folder> = staged.iter().map(StagedCopy::file_system).collect();
        let folders: Vec<&Folder> = folders.into_values().collect();
        if let Some(first) = staged.first() {
            unsynced.sync(&folders, meter).map_err(|error| first.error(&error))?;
        }
        for copy in staged {
            meter.poll()?;
            copy.finish(meter)?;
        }
        Ok(())
    }

    fn begin(self, change: &'a Change<'a>) -> Result<PendingCopy<'a>, SandboxError> {
        let Copying { source, target, options: CopyOptions { overwrite, .. } } = self;
        let old = target.check_replaceable(overwrite.replace)?;
        let parents = target.make_parents(change)?;
        let folder = parents.folder();
        let from = match source.kept {
            Some(kept) => Some((kept.clone(), State::of(&source.place.metadata()?))),
            None => None,
        };
        let placement = Placement::begin(target, folder, old, from, overwrite.store, change)?;
        Ok(PendingCopy { copying: self, change, parents, placement })
    }
}

impl<'a> PendingCopy<'a> {
    /// Copies the source to a temporary name. Adds to `unsynced` what has to be synced before it gets its name.
    fn stage(self, unsynced: &mut Unsynced, meter: &mut Meter) -> Result<StagedCopy<'a>, SandboxError> {
        let Copying { source, target, options } = self.copying;
        let folder = self.parents.folder();
        let mut copier = Copier::new(options.extent, source.place.display(), meter);
        let (from, name) = source.place.entry()?;
        let trace = copier.copy_aside_unsynced(from, name, folder, &self.placement.draft, unsynced)?;
        let left_out = copier.left_out;
        let draft = StagingFile::adopt(folder, self.placement.draft.clone(), trace);
        let draft = draft.map_err(|error| target.error(&error))?;
        self.placement.drafted(&draft);
        Ok(StagedCopy { draft, pending: self, left_out })
    }
}

impl StagedCopy<'_> {
    fn error(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(self.pending.copying.source.place.display(), error)
    }

    /// Returns the device of the copy, and its directory.
    fn file_system(&self) -> (u64, &Folder) {
        (self.draft.device(), self.pending.parents.folder())
    }

    /// Gives the copy its final name. Its content must be synced.
    fn finish(self, meter: &mut Meter) -> Result<Copied, SandboxError> {
        let StagedCopy { draft, pending: PendingCopy { copying, change, parents, placement }, left_out } = self;
        let Copying { source, target, options: CopyOptions { overwrite, .. } } = copying;
        let folder = parents.folder();
        let staged = StagedEntry { draft, dress: None, placement };
        let taken = staged.take_place(target, folder, &overwrite, meter, change);
        // A source in the backup store is discarded by the caller, so the copy must have its name before.
        let synced = if source.kept.is_some() && taken.is_ok() { folder.sync() } else { Ok(()) };
        parents.keep_if_done(&taken);
        let backup = taken?.backup;
        synced.map_err(|error| target.undurable(&error))?;
        Ok(Copied { backup, left_out })
    }
}
