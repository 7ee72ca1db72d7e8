//! Handles of directories that many paths share.
//!
//! Every path holds a handle of its directory. A list of thousands of paths would need as many handles as it has paths,
//! and a process may have only so many.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::folder::Folder;
use super::super::metadata::Identity;
use super::SandboxPath;

/// The handles that the paths of a list hold, by directory.
#[derive(Debug, Default)]
pub struct SharedFolders(HashMap<Identity, Arc<Folder>>);

impl SharedFolders {
    /// Lets a path use the handle of a path before it in the same directory, if there is one.
    pub fn share(&mut self, place: &mut SandboxPath) {
        if matches!(*place.folder, Folder::Overlaid(_)) {
            return;
        }
        // A directory that cannot be examined keeps its own handle.
        let Ok(metadata) = place.folder.own_metadata() else { return };
        let folder = self.0.entry(metadata.identity).or_insert_with(|| Arc::clone(&place.folder));
        place.folder = Arc::clone(folder);
    }
}
