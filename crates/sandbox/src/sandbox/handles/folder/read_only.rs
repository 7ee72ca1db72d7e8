//! Moving directories that their owner may not write.

use std::ffi::OsStr;
use std::io;

use super::super::metadata::Kind;
use super::{Folder, Replace};

/// Permission bit of the owner to change a directory.
const OWNER_WRITES: u32 = 0o200;

impl Folder {
    /// Renames an entry like [`Folder::rename`], replacing nothing, even if it is a directory that its owner may not
    /// write. The system refuses to move such a directory because the move changes its `..`; it is writable for the
    /// moment of the move.
    pub fn rename_even_read_only(&self, from: &OsStr, to_folder: &Folder, to: &OsStr) -> io::Result<()> {
        let denied = match self.rename(from, to_folder, to, Replace::No) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => error,
            other => return other,
        };
        let metadata = self.metadata(from)?;
        if metadata.kind != Kind::Folder || metadata.mode & OWNER_WRITES != 0 {
            return Err(denied);
        }
        let held = self.hold(from)?;
        if held.set_mode(self, from, metadata.mode | OWNER_WRITES).is_err() {
            return Err(denied);
        }
        let renamed = self.rename(from, to_folder, to, Replace::No);
        let restored = match &renamed {
            Ok(()) => held.set_mode(to_folder, to, metadata.mode),
            Err(_) => held.set_mode(self, from, metadata.mode),
        };
        renamed.and(restored)
    }
}
