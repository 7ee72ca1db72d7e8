//! Changes permission bits, race-free.
//!
//! The file is held by a handle that does not open it. No pipe blocks, and neither a link nor another file that gets
//! the name in the meantime is changed.

use super::super::handles::error::SandboxError;
use super::super::handles::folder::PathHandle;
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::root::SandboxPath;
use super::super::handles::state::State;
use super::journal::{Change, Step};

/// The setuid, setgid and sticky bits.
pub(in crate::sandbox) const SPECIAL_BITS: u32 = 0o7000;

impl SandboxPath {
    /// Sets the permission bits (0 to 0o777) of a file or directory. Returns the bits before and after.
    ///
    /// `bits` computes them from the metadata. A directory keeps its setgid and sticky bits. A file loses its setuid,
    /// setgid and sticky bits, because a setuid program must not become accessible to more users.
    pub fn set_permissions(
        &self,
        bits: impl FnOnce(&Metadata) -> u32,
        change: &Change<'_>,
    ) -> Result<(u32, u32), SandboxError> {
        if self.is_root() {
            return Err(SandboxError::RootItself("given other permissions"));
        }
        let (held, metadata) = self.hold_for_mode()?;
        let kept = if metadata.kind == Kind::Folder { metadata.mode & SPECIAL_BITS } else { 0 };
        let mode = kept | bits(&metadata) & 0o777;
        // Setting the bits that are there already is no change.
        if mode != metadata.mode {
            self.change_mode(&held, &metadata, mode, change)?;
        }
        Ok((metadata.mode, mode))
    }

    /// Restores the permission bits of a file or directory.
    pub(in crate::sandbox) fn restore_permissions(&self, mode: u32, change: &Change<'_>) -> Result<(), SandboxError> {
        let (held, metadata) = self.hold_for_mode()?;
        self.change_mode(&held, &metadata, mode, change)
    }

    /// Holds an entry whose permission bits may be set, and returns its metadata.
    fn hold_for_mode(&self) -> Result<(PathHandle, Metadata), SandboxError> {
        let (folder, name) = self.entry()?;
        let held = folder.hold(name).map_err(|error| self.error(&error))?;
        let metadata = held.metadata().map_err(|error| self.error(&error))?;
        self.require_own_attributes(&metadata, "permissions")?;
        Ok((held, metadata))
    }

    fn change_mode(
        &self,
        held: &PathHandle,
        metadata: &Metadata,
        mode: u32,
        change: &Change<'_>,
    ) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        let step = Step::SetMode { path: self.full_address(), old: State::of(metadata), mode };
        let pending = change.begin(step, &[])?;
        held.set_mode(folder, name, mode).map_err(|error| self.error(&error))?;
        let synced = pending.sync_entry(folder, name, metadata);
        pending.done(held.metadata().ok().as_ref(), false, &[]);
        synced.map_err(|error| self.undurable(&error))
    }

    /// Errors: if the entry has no permission bits and times of its own. `attribute` names what would be set.
    pub(super) fn require_own_attributes(&self, metadata: &Metadata, attribute: &str) -> Result<(), SandboxError> {
        let shown = self.display().to_owned();
        match metadata.kind {
            Kind::Folder => Ok(()),
            // The other links could be anywhere, even outside the sandbox, and share the attributes.
            Kind::File if metadata.links > 1 => Err(SandboxError::Refused(format!(
                "`{shown}` has {} names (hard links), and its {attribute} {} of all of them",
                metadata.links,
                if attribute.ends_with('s') { "are those" } else { "is that" }
            ))),
            Kind::File => Ok(()),
            // The entry was replaced in the meantime: links in the path itself have been followed.
            Kind::Link | Kind::Special => Err(SandboxError::Special(shown)),
        }
    }
}
