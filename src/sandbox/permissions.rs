//! Permission bits, given to the very file that was looked at.
//!
//! The file is held by a handle that opens nothing, so no pipe is ever waited for, and neither a
//! link nor another file that takes its name meanwhile gets the bits.

use std::ffi::OsStr;

use super::error::SandboxError;
use super::folder::{Folder, Held};
use super::journal::{Change, State, Step};
use super::metadata::{Kind, Metadata};
use super::root::SandboxPath;

/// The bits that make a program act as its owner or group, or guard a shared folder.
const SPECIAL_BITS: u32 = 0o7000;

impl SandboxPath {
    /// Gives a file or folder other permission bits (0 to 0o777), and tells the bits before and after.
    ///
    /// `bits` says which, from what is known of it. A folder keeps its set-group-id and sticky bits;
    /// a file loses such bits, since a program that acts as its owner must not come to more hands.
    pub fn set_permissions(
        &self,
        bits: impl FnOnce(&Metadata) -> u32,
        change: &Change<'_>,
    ) -> Result<(u32, u32), SandboxError> {
        if self.is_root() {
            return Err(SandboxError::RootItself("given other permissions"));
        }
        let (folder, name) = self.entry()?;
        let held = folder.hold(name).map_err(|error| self.error(&error))?;
        let metadata = held.metadata().map_err(|error| self.error(&error))?;
        self.require_own_mode(&metadata)?;
        let kept = if metadata.kind == Kind::Folder { metadata.mode & SPECIAL_BITS } else { 0 };
        let mode = kept | bits(&metadata) & 0o777;
        self.change_mode((folder, name), &held, (&metadata, mode), change)?;
        Ok((metadata.mode, mode))
    }

    /// Gives a file or folder the permission bits that it had before.
    pub(super) fn restore_permissions(&self, mode: u32, change: &Change<'_>) -> Result<(), SandboxError> {
        let (folder, name) = self.entry()?;
        let held = folder.hold(name).map_err(|error| self.error(&error))?;
        let metadata = held.metadata().map_err(|error| self.error(&error))?;
        self.require_own_mode(&metadata)?;
        self.change_mode((folder, name), &held, (&metadata, mode), change)
    }

    fn change_mode(
        &self,
        (folder, name): (&Folder, &OsStr),
        held: &Held,
        (metadata, mode): (&Metadata, u32),
        change: &Change<'_>,
    ) -> Result<(), SandboxError> {
        let step = Step::SetMode { path: self.full_address(), old: State::of(metadata), mode };
        let under_way = change.begin(step, &[])?;
        held.set_mode(folder, name, mode).map_err(|error| self.error(&error))?;
        under_way.done(held.metadata().ok().as_ref(), false, &[]);
        Ok(())
    }

    /// Refuses what has no permission bits of its own.
    fn require_own_mode(&self, metadata: &Metadata) -> Result<(), SandboxError> {
        let shown = self.shown().to_owned();
        match metadata.kind {
            Kind::Folder => Ok(()),
            // The other names may lie anywhere, outside too, and share the bits.
            Kind::File if metadata.links > 1 => Err(SandboxError::Refused(format!(
                "`{shown}` has {} names (hard links), and its permissions are those of all of them",
                metadata.links
            ))),
            Kind::File => Ok(()),
            // It came in between: the path itself was followed.
            Kind::Link | Kind::Special => Err(SandboxError::Special(shown)),
        }
    }
}
