//! Replaces a user file atomically: writes the new content to a temporary file beside it, syncs it and renames it.
//!
//! Concurrent readers see either the old or the new content; owner, group and mode are preserved. This is for files
//! that the user passes to a command, never for changes by scripts, which go through the sandbox.

#![allow(clippy::disallowed_types, reason = "the file is the user's, who names it to a command")]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

use crate::watch::Replacement;

/// The state of a file before it was read.
pub struct Original {
    /// The real path, with links resolved.
    place: PathBuf,
    metadata: Metadata,
}

impl Original {
    /// Records the state of a file. Call it before reading the file.
    pub fn of(file: &Path) -> Result<Original> {
        let place = file.canonicalize()?;
        let metadata = place.metadata()?;
        Ok(Original { place, metadata })
    }

    /// Whether the file has not changed since.
    fn is_unchanged(&self) -> bool {
        let same = |now: Metadata| {
            now.len() == self.metadata.len() && now.modified().ok() == self.metadata.modified().ok() && self.is_it(&now)
        };
        self.place.metadata().is_ok_and(same)
    }

    #[cfg(unix)]
    fn is_it(&self, now: &Metadata) -> bool {
        use std::os::unix::fs::MetadataExt;
        (now.dev(), now.ino()) == (self.metadata.dev(), self.metadata.ino())
    }

    #[cfg(not(unix))]
    fn is_it(&self, _: &Metadata) -> bool {
        true
    }
}

/// Replaces the content of a file. On an error the file is unchanged, and the temporary file is removed.
pub fn replace(original: Original, write: impl FnOnce(&mut File) -> Result<()>) -> Result<Replacement> {
    if !original.metadata.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    if original.metadata.permissions().readonly() {
        return Err(Error::new(ErrorKind::PermissionDenied, "it is read-only"));
    }
    let (beside, mut file) = make_beside(&original.place)?;
    let written = write(&mut file).and_then(|()| finish(&file, &original)).and_then(|new| {
        if original.is_unchanged() {
            std::fs::rename(&beside, &original.place).map(|()| new)
        } else {
            Err(Error::other("somebody has changed it meanwhile"))
        }
    });
    if written.is_err() {
        // It is our own temporary file; the caller gets the original error.
        let _ = std::fs::remove_file(&beside);
    }
    written.map(|new| Replacement::new(original.place, &original.metadata, &new))
}

/// Creates a temporary file beside another, with mode 0600.
fn make_beside(place: &Path) -> Result<(PathBuf, File)> {
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| Error::other(error.to_string()))?;
    let beside = place.with_file_name(format!(".{name}.{:016x}", u64::from_le_bytes(random)));
    let file = options.open(&beside)?;
    Ok((beside, file))
}

/// Copies owner, group and mode to the new file, and syncs it. Returns its metadata.
fn finish(file: &File, original: &Original) -> Result<Metadata> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (old, new) = (&original.metadata, file.metadata()?);
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()))?;
        }
    }
    file.set_permissions(original.metadata.permissions())?;
    file.sync_all()?;
    file.metadata()
}
