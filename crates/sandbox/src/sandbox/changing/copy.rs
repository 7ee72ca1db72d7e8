//! Copies files, links and directories with their permission bits and times.

use super::copier::{Copier, CopyScope};
use crate::limits::Meter;

use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::StagingFile;
use super::super::handles::state::State;
use super::journal::Change;
use super::overwrite::Overwrite;
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
pub(in crate::sandbox) struct Source<'a> {
    /// The path of the source.
    pub place: &'a SandboxPath,
    /// The address of the source in the backup store, if it is removed after copying, so that undo moves it back there.
    pub kept: Option<&'a Address>,
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
        let overwrite = &copying.overwrite;
        target.check_replaceable(overwrite.replace)?;
        let parents = target.make_parents(change)?;
        let folder = parents.folder();
        let from = match self.kept {
            Some(kept) => Some((kept.clone(), State::of(&self.place.metadata()?))),
            None => None,
        };
        let old = folder.metadata(target.name()?).ok();
        let placement = Placement::begin(target, folder, old, from, overwrite.store, change)?;
        let mut copier = Copier::new(copying.extent, self.place.display(), meter);
        let (from_folder, name) = self.place.entry()?;
        let trace = copier.copy_aside(from_folder, name, folder, &placement.draft)?;
        let left_out = copier.left_out;
        let draft = StagingFile::adopt(folder, placement.draft.clone(), trace).map_err(|error| target.error(&error))?;
        placement.drafted(&draft);
        let staged = StagedEntry { draft, dress: None, placement };
        let taken = staged.take_place(target, folder, overwrite, meter, change);
        // A source in the backup store is discarded by the caller, so the copy must have its name before.
        let synced = if self.kept.is_some() && taken.is_ok() { folder.sync() } else { Ok(()) };
        parents.keep_if_done(&taken);
        let backup = taken?;
        synced.map_err(|error| target.undurable(&error))?;
        Ok(Copied { backup, left_out })
    }
}
