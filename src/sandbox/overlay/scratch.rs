//! A folder outside the roots for what is not to be in the tree; it goes with its owner.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::folder::Folder;

/// The folder, private to the user.
#[derive(Debug)]
pub struct Scratch {
    place: tempfile::TempDir,
    folder: Folder,
    device: u64,
    next: AtomicU64,
}

impl Scratch {
    /// Makes one in the folder of the system for such things (`TMPDIR`).
    pub fn new() -> io::Result<Scratch> {
        let place = tempfile::Builder::new().prefix("ns-plan-").tempdir()?;
        let folder = Folder::open_root(place.path())?;
        let device = folder.own_metadata()?.identity.device;
        Ok(Scratch { place, folder, device, next: AtomicU64::new(0) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Its handle.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(super) fn device(&self) -> u64 {
        self.device
    }

    /// A name that nothing in it has.
    pub fn new_name(&self) -> OsString {
        self.next.fetch_add(1, Ordering::Relaxed).to_string().into()
    }
}
