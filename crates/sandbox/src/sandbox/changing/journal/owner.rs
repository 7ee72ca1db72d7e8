//! Ownership of the journals of a root, proved by a seal of this user's key in a file next to them.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::Replace;
use super::super::super::handles::private::{FILE_MODE, check_regular};
use super::super::super::handles::root::Root;
use super::super::super::handles::staging::{StagingFile, random_name};
use super::super::super::internal::state_dir::display;
use super::folders::Folders;
use super::{JOURNAL, Journal};

/// The file with the seal, in the directory of journals.
pub const OWNER_FILE: &str = "owner";
/// The purpose for which the seal is made.
const PURPOSE: &str = "owner";
/// Maximum number of bytes read from that file; a seal is shorter.
const OWNER_BYTES: u64 = 256;

/// The owner of the journals of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// This user's key sealed the directory for this root, when it was created or adopted.
    Ours,
    /// Somebody else created it, or it belongs to another root.
    Foreign,
}

impl Journal {
    /// Returns the owner of the journals of a root, or `None` if there are none.
    ///
    /// # Errors
    /// Returns errors of the operating system, and `NotOurs` if `.ns` belongs to another user, or another kind of entry
    /// is in its place.
    pub fn ownership(root: &Root) -> Result<Option<Ownership>, SandboxError> {
        if root.own_folder()?.is_none() {
            return Ok(None);
        }
        let Some(folders) = Folders::find(root)? else { return Ok(None) };
        if folders.is_owned()? {
            return Ok(Some(Ownership::Ours));
        }
        let is_empty = folders.runs().map_err(|error| wrap(&error))?.is_empty();
        Ok(Some(Ownership::Foreign).filter(|_| !is_empty))
    }
}

impl Folders {
    /// Whether this user's key sealed the directories for this root.
    pub fn is_owned(&self) -> Result<bool, SandboxError> {
        let name = OsStr::new(OWNER_FILE);
        match self.ended.metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            other => check_regular(place(), &other.map_err(|error| wrap(&error))?)?,
        }
        let mut text = String::new();
        let file = self.ended.open_file(name).map_err(|error| wrap(&error))?;
        // A seal is ASCII, so other bytes are not one.
        let is_text = file.take(OWNER_BYTES).read_to_string(&mut text).is_ok();
        Ok(is_text && self.seal.has_sealed(PURPOSE, b"", text.trim_end()))
    }

    /// Seals the directories with this user's key.
    pub fn claim(&self, root: &Root) -> Result<(), SandboxError> {
        // A key that does not outlive the process proves nothing later.
        if root.user.key.lost_because().is_some() || self.is_owned()? {
            return Ok(());
        }
        let seal = format!("{}\n", self.seal.of_text(PURPOSE, b""));
        let (mut draft, mut file) =
            StagingFile::create(&self.ended, random_name(), FILE_MODE).map_err(|error| wrap(&error))?;
        let written = file.write_all(seal.as_bytes()).and_then(|()| file.sync_all());
        let renamed = written.and_then(|()| draft.rename(&self.ended, OsStr::new(OWNER_FILE), Replace::Yes));
        renamed.and_then(|()| self.ended.sync()).map_err(|error| wrap(&error))
    }
}

fn place() -> String {
    format!("{}/{OWNER_FILE}", display(JOURNAL))
}

fn wrap(error: &io::Error) -> SandboxError {
    SandboxError::io(place(), error)
}
