//! Opens files for reading, within the policy, on any thread.
//!
//! A [`Context`](super::Context) belongs to the thread of its call; an [`Opener`] is the part of it that helpers of the
//! call share. It only reads, and records nothing: a refusal reaches the audit log with the error of the call.

use crate::sandbox::{OpenFile, PathRule, SandboxPath};
use crate::toolkit::{Access, BareError};

use super::locator::Locator;

/// Opens files for reading, as the policy allows.
#[derive(Clone, Copy, Debug)]
pub struct Opener<'a> {
    pub(super) locator: Locator<'a>,
}

impl Opener<'_> {
    /// Opens a regular file for reading, if the policy allows it.
    pub fn open(&self, place: &SandboxPath) -> Result<OpenFile, BareError> {
        let open = place.open_file()?;
        self.locator.policy.admit_content(place.display(), &open.metadata)?;
        Ok(open)
    }

    /// Resolves a path that the tool found itself, and opens it.
    pub fn open_path(&self, path: &str, rule: PathRule) -> Result<OpenFile, BareError> {
        self.open(&self.locator.place(path, rule, Access::Read, |_| {})?)
    }
}
