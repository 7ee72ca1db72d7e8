//! Roots under an overlay, and the tree below them as it is on the disk.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use super::super::handles::address::Address;
use super::super::handles::folder::Overlay;
use super::super::handles::metadata::Metadata;
use super::super::handles::root::{Root, SandboxPath};

impl Root {
    /// Creates an empty overlay for this root.
    ///
    /// Errors: from the operating system.
    pub fn new_overlay(&self) -> io::Result<Arc<Overlay>> {
        Overlay::over(self.folder())
    }

    /// Returns this root under an overlay: changes below it do not reach the disk.
    ///
    /// Errors: from the operating system, or if the overlay's own directory is below the root.
    pub fn covered(&self, overlay: &Arc<Overlay>) -> io::Result<Root> {
        if overlay.place().is_some_and(|place| self.part_below(place).is_some()) {
            return Err(io::Error::other("the directory for temporary files lies below it"));
        }
        overlay.cover(self.folder.duplicate()?, self.base()).map(|folder| self.with_handle(folder))
    }
}

impl Overlay {
    /// Returns the metadata of the entry at a path of the tree, without the changes of the run.
    pub fn on_disk(&self, address: &Address) -> io::Result<Metadata> {
        self.place_on_disk(address)?.metadata().map_err(io::Error::other)
    }

    /// Locates a path of the tree, without the changes of the run.
    pub fn place_on_disk(&self, address: &Address) -> io::Result<SandboxPath> {
        let last = Path::new(&address.0).file_name().ok_or(ErrorKind::NotFound)?;
        Ok(SandboxPath::own(self.tree(&address.parent())?, last, address.display().into_owned()))
    }
}
