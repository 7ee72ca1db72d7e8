//! A scratch directory outside the roots, removed together with its owner. It is in memory if the root is, otherwise on
//! the disk ([`disk`](super::disk)). All entries are directly in it and have numbers as names.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::Folder;
#[cfg(not(target_family = "wasm"))]
use super::disk::{ScratchPlace, new_place};

/// A scratch directory, private to the user.
#[derive(Debug)]
pub struct Scratch {
    folder: Folder,
    device: u64,
    next: AtomicU64,
    /// Where it is on the disk; `None` in memory.
    #[cfg(not(target_family = "wasm"))]
    place: Option<ScratchPlace>,
}

impl Scratch {
    /// Creates a scratch directory in memory, for as many bytes as `capacity`.
    pub fn in_memory(capacity: u64) -> io::Result<Scratch> {
        let folder = Folder::in_memory(capacity);
        Scratch::of(
            folder,
            #[cfg(not(target_family = "wasm"))]
            None,
        )
    }

    /// Creates a scratch directory in `parent`, after removing leftovers of killed processes.
    #[cfg(not(target_family = "wasm"))]
    pub fn new_in(parent: &Path) -> io::Result<Scratch> {
        let (folder, place) = new_place(parent)?;
        Scratch::of(folder, Some(place))
    }

    fn of(folder: Folder, #[cfg(not(target_family = "wasm"))] place: Option<ScratchPlace>) -> io::Result<Scratch> {
        let device = folder.own_metadata()?.identity.device;
        Ok(Scratch {
            folder,
            device,
            next: AtomicU64::new(0),
            #[cfg(not(target_family = "wasm"))]
            place,
        })
    }

    /// Returns the path of the directory; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        #[cfg(not(target_family = "wasm"))]
        return self.place.as_ref().map(ScratchPlace::path);
        #[cfg(target_family = "wasm")]
        None
    }

    /// Returns the handle of the directory.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(super) fn device(&self) -> u64 {
        self.device
    }

    /// Returns a new unique name.
    pub fn new_name(&self) -> OsString {
        self.next.fetch_add(1, Ordering::Relaxed).to_string().into()
    }
}
