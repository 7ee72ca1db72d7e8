//! Replaces a file of the user in one step: what is new is written beside it, synced, and takes its name.
//!
//! Whoever reads meanwhile finds the old content or the new; owner, group and mode stay. It is for files
//! that the user names to a command, never for what a script changes: that goes through the sandbox.

#![allow(clippy::disallowed_types, reason = "the file is the user's, who names it to a command")]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// A file as it was before it was read.
pub struct Original {
    /// Where it lies; links are followed.
    place: PathBuf,
    metadata: Metadata,
}

impl Original {
    /// Looks at a file, before it is read.
    pub fn of(file: &Path) -> Result<Original> {
        let place = file.canonicalize()?;
        let metadata = place.metadata()?;
        Ok(Original { place, metadata })
    }

    /// Whether it is still the file that was looked at.
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

/// Gives a file new content. On an error it is as it was, and nothing is left beside it.
pub fn replace(original: &Original, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    if !original.metadata.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    if original.metadata.permissions().readonly() {
        return Err(Error::new(ErrorKind::PermissionDenied, "it is read-only"));
    }
    let (beside, mut file) = make_beside(&original.place)?;
    let written =
        write(&mut file).and_then(|()| finish(&file, original)).and_then(|()| match original.is_unchanged() {
            true => std::fs::rename(&beside, &original.place),
            false => Err(Error::other("somebody has changed it meanwhile")),
        });
    if written.is_err() {
        // It is ours alone; that it cannot be removed is told by the error that comes out.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// A new file in the folder of another, which nobody else can read yet.
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

/// Gives the new file what the old one has besides its content, and brings it to the disk.
fn finish(file: &File, original: &Original) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (old, new) = (&original.metadata, file.metadata()?);
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()))?;
        }
    }
    file.set_permissions(original.metadata.permissions())?;
    file.sync_all()
}
