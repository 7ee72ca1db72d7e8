//! Room below `.ns` for one thing that is taken away: an open folder of ours and a new name in it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use crate::limits::Meter;

use super::super::copy::copy_aside;
use super::super::draft::random_name;
use super::super::error::SandboxError;
use super::super::folder::{Folder, Replace};
use super::super::own::{FOLDER_MODE, OwnFolder, open_ours};
use super::super::parents::MadeFolders;
use super::super::remove::discard;
use super::super::root::{SandboxPath, parts_of};
use super::super::seal::RootSeal;
use super::{Drawer, shown_below, stamp};

/// Room for one thing. Folders that were made for it vanish again when nothing comes into it.
pub struct Slot {
    drawer: Drawer,
    folder: Folder,
    name: OsString,
    /// The names from `.ns` to the folder.
    names: Vec<OsString>,
    made: MadeFolders,
    content: Content,
}

/// What is in the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Nothing,
    /// A copy, which vanishes again unless it is confirmed.
    Copy,
    /// The thing itself, or a copy that is all there is of it.
    Kept,
}

impl Slot {
    /// Makes room in a drawer for what has a resolved path, under a name with this stamp.
    pub(super) fn make(
        own: &OwnFolder,
        seal: &RootSeal,
        drawer: Drawer,
        resolved: &OsStr,
        stamp: &str,
    ) -> Result<Slot, SandboxError> {
        let folder = own.folder().duplicate().map_err(|error| SandboxError::io(shown_below::<&str>(&[]), &error))?;
        let (names, made) = (Vec::new(), MadeFolders::default());
        let mut slot = Slot { drawer, folder, name: OsString::new(), names, made, content: Content::Nothing };
        slot.descend(OsString::from(drawer.name()))?;
        for part in parts_of(Path::new(resolved)) {
            slot.descend(stamp::folder_of(&part))?;
        }
        slot.name = stamp::kept_name(stamp, &slot.names, seal);
        Ok(slot)
    }

    /// Opens the folder of a name, and makes it first when there is none.
    fn descend(&mut self, name: OsString) -> Result<(), SandboxError> {
        self.names.push(name);
        let name = self.names.last().expect("a name was just put there");
        let wrap = |error: io::Error| SandboxError::io(shown_below(&self.names), &error);
        self.made.make(&self.folder, name, FOLDER_MODE).map_err(wrap)?;
        self.folder = open_ours(&self.folder, name, || shown_below(&self.names))?
            .ok_or_else(|| SandboxError::NotFound(shown_below(&self.names)))?;
        Ok(())
    }

    /// The path of what is kept, from the root.
    pub fn shown(&self) -> String {
        format!("{}/{}", shown_below(&self.names), self.name.to_string_lossy())
    }

    /// The drawer that it is in.
    pub(super) fn drawer(&self) -> Drawer {
        self.drawer
    }

    /// The names from `.ns` to the folder.
    pub(super) fn names(&self) -> &[OsString] {
        &self.names
    }

    /// The folder, in which everything is of one place.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The name in that folder.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The bytes of the file that is here; what is in a folder is not counted.
    pub(super) fn size(&self) -> u64 {
        self.folder.metadata(&self.name).map_or(0, |metadata| metadata.size)
    }

    /// Whether something of a folder can come here without being copied, as far as can be told before.
    pub fn is_near(&self, folder: &Folder) -> bool {
        let device = |folder: &Folder| folder.own_metadata().ok().map(|metadata| metadata.identity.device);
        device(&self.folder) == device(folder)
    }

    /// Moves something here.
    pub fn take(&mut self, folder: &Folder, name: &OsStr) -> io::Result<()> {
        // The name is new and nobody can guess it, so that nothing is replaced.
        folder.rename(name, &self.folder, &self.name, Replace::Yes)?;
        self.content = Content::Kept;
        Ok(())
    }

    /// Gives back what was moved here, unless its name is taken.
    pub fn give_back(&mut self, folder: &Folder, name: &OsStr) -> io::Result<()> {
        self.folder.rename(&self.name, folder, name, Replace::No)?;
        self.content = Content::Nothing;
        Ok(())
    }

    /// Copies something here, whole and synced, or not at all. It vanishes again unless it is confirmed.
    pub fn copy(&mut self, folder: &Folder, name: &OsStr, shown: &str, meter: &mut Meter) -> Result<(), SandboxError> {
        let aside = random_name();
        copy_aside((folder, name), (&self.folder, &aside), shown, meter)?;
        if let Err(error) = self.folder.rename(&aside, &self.folder, &self.name, Replace::Yes) {
            let _ = discard(&self.folder, &aside, shown);
            return Err(SandboxError::io(self.shown(), &error));
        }
        self.content = Content::Copy;
        Ok(())
    }

    /// Whether a copy is here that is not confirmed.
    pub fn is_copy(&self) -> bool {
        self.content == Content::Copy
    }

    /// The copy here stays.
    pub fn confirm(&mut self) {
        self.content = Content::Kept;
    }

    /// The same as [`Slot::sync`], when the thing came from a place whose folder was just synced.
    pub fn sync_after(&self, folder: &Folder, place: &SandboxPath) -> Result<(), SandboxError> {
        // Its log already has the move, and the folders that were made before it.
        if folder.has_one_log() && self.is_near(folder) {
            return Ok(());
        }
        self.sync_all().map_err(|error| place.undurable(&error))
    }

    /// Makes sure that what came here outlives a power cut.
    pub fn sync(&self) -> Result<(), SandboxError> {
        self.sync_all().map_err(|error| SandboxError::io(self.shown(), &error))
    }

    fn sync_all(&self) -> io::Result<()> {
        self.folder.sync().and_then(|()| self.made.sync())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.content == Content::Kept {
            return self.made.keep();
        }
        // Best effort: the error that matters is the one that brought us here.
        let _ = discard(&self.folder, &self.name, "");
    }
}
