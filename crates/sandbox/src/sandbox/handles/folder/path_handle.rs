//! A held file or directory ([`HeldEntry`]) as a run sees it: on the disk, or under an overlay.

use std::ffi::OsStr;
use std::io;

use super::super::metadata::{Metadata, Timestamp};
use super::Folder;
use super::held::HeldEntry;
use super::overlay::Cover;

/// A held file or directory, independent of its current name.
#[derive(Debug)]
pub struct PathHandle {
    held: HeldEntry,
    /// The overlay above it.
    cover: Option<Cover>,
}

impl Folder {
    /// Holds the entry `name`. A link is held itself, not its target, or is an error if the system cannot do that.
    pub fn hold(&self, name: &OsStr) -> io::Result<PathHandle> {
        match self {
            Folder::Overlaid(folder) => folder.hold(name).map(|(held, cover)| PathHandle { held, cover: Some(cover) }),
            _ => Ok(PathHandle { held: self.hold_below_overlays(name)?, cover: None }),
        }
    }
}

impl PathHandle {
    /// Returns its metadata.
    pub fn metadata(&self) -> io::Result<Metadata> {
        let metadata = self.held.metadata()?;
        Ok(self.cover.as_ref().map_or(metadata, |cover| cover.seen(metadata)))
    }

    /// Sets its permission bits. `folder` and `name` are where it was found.
    pub fn set_mode(&self, folder: &Folder, name: &OsStr, mode: u32) -> io::Result<()> {
        match &self.cover {
            Some(cover) if cover.set_mode(&self.held.metadata()?, mode)? => Ok(()),
            _ => self.held.set_mode(folder, name, mode),
        }
    }

    /// Sets its modification time. `folder` and `name` are where it was found.
    pub fn set_modified(&self, folder: &Folder, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        match &self.cover {
            Some(cover) if cover.set_modified(&self.held.metadata()?, modified)? => Ok(()),
            Some(_) => folder.set_modified(name, modified),
            None => self.held.set_modified(folder, name, modified),
        }
    }
}
