//! Creates symbolic links. The link is made under a temporary name, like every new entry, so that after a kill nobody
//! else's entry is taken for it.

use std::ffi::{OsStr, OsString};
use std::io;

use crate::limits::Meter;

use super::super::handles::error::SandboxError;
use super::super::handles::folder::MtimeGuard;
use super::super::handles::path::parts_of;
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::StagingFile;
use super::backups::BackupStore;
use super::journal::Change;
use super::overwrite::Overwrite;
use super::replace::{Placement, StagedEntry};

impl SandboxPath {
    /// Returns the text of a link at this path that leads to `target`, a path without links: relative, so that a directory
    /// that holds both can be moved. `None` if they are below different roots.
    pub fn link_text(&self, target: &SandboxPath) -> Option<OsString> {
        if !self.has_root_of(target) {
            return None;
        }
        let names = |place: &SandboxPath| parts_of(place.resolved_raw().as_ref()).collect::<Vec<_>>();
        let (mut folder, target) = (names(self), names(target));
        folder.pop()?;
        let shared = folder.iter().zip(&target).take_while(|(one, other)| one == other).count();
        let up = (shared..folder.len()).map(|_| OsStr::new(".."));
        let parts: Vec<&OsStr> = up.chain(target[shared..].iter().map(OsString::as_os_str)).collect();
        if parts.is_empty() { Some(OsString::from(".")) } else { Some(parts.join(OsStr::new("/"))) }
    }

    /// Creates a symbolic link with this text, and the missing directories above it. Fails if an entry exists.
    pub fn create_link(
        &self,
        text: &OsStr,
        store: BackupStore<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<(), SandboxError> {
        let overwrite = Overwrite::never(store);
        self.check_replaceable(overwrite.replace)?;
        let parents = self.make_parents(change)?;
        let folder = parents.folder();
        let wrap = |error: io::Error| self.error(&error);
        let placement = Placement::begin(self, folder, None, None, store, change)?;
        let ((), trace) = MtimeGuard::of(folder, || folder.create_link(text, &placement.draft)).map_err(wrap)?;
        let draft = StagingFile::adopt(folder, placement.draft.clone(), trace).map_err(wrap)?;
        placement.drafted(&draft);
        let staged = StagedEntry { draft, dress: None, placement };
        let done = staged.take_place(self, folder, &overwrite, meter, change).map(drop);
        parents.keep_if_done(&done);
        done
    }
}
