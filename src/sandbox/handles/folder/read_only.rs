//! Moving directories that their owner may not write.

use std::ffi::OsStr;
use std::io;

use super::super::metadata::Kind;
use super::{Folder, Replace};

/// Permission bit of the owner to change a directory.
const OWNER_WRITES: u32 = 0o200;

impl Folder {
    /// Moves a directory to another one although its owner may not write it, which the system refuses because the move
    /// changes its `..`. The directory is writable for the moment of the move. Errors: `denied` for every other entry.
    pub(super) fn rename_read_only(
        &self,
        from: &OsStr,
        to_folder: &Folder,
        to: &OsStr,
        replace: Replace,
        denied: io::Error,
    ) -> io::Result<()> {
        let is_read_only = |folder: &Folder| {
            let metadata = folder.metadata(from).ok()?;
            (metadata.kind == Kind::Folder && metadata.mode & OWNER_WRITES == 0).then_some(metadata.mode)
        };
        let Some(mode) = is_read_only(self) else { return Err(denied) };
        let held = self.hold(from)?;
        if held.set_mode(self, from, mode | OWNER_WRITES).is_err() {
            return Err(denied);
        }
        let renamed = self.rename_once(from, to_folder, to, replace);
        let restored = match &renamed {
            Ok(()) => held.set_mode(to_folder, to, mode),
            Err(_) => held.set_mode(self, from, mode),
        };
        renamed.and(restored)
    }
}
