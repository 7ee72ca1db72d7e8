//! User state: files that NeuroScript keeps for a user outside every root.
//!
//! `neuroscript/key` is the secret key of the user's seals, `neuroscript/ledger` ([`ledger`]) records which runs are
//! over, and `neuroscript/audit` contains the audit logs of runs that may not change any files. Only the user has
//! access to the directory, and no tool can reach it (`engine/setup` keeps it out of every policy). It is opened
//! before the kernel restricts the process.

mod ledger;

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::text::hex;

use super::error::SandboxError;
use super::folder::{Folder, Replace};
use super::private::{FILE_MODE, FOLDER_MODE, check_regular, open_ours};
use super::seal::{KEY_BYTES, UserKey, read_key};
use super::staging::{StagingFile, random_name};

pub use ledger::{AuditEnd, Ledger};

/// The subdirectory of the user's state directory.
const NAME: &str = "neuroscript";
const KEY: &str = "key";
/// The name of the directory in messages.
const SHOWN: &str = "the user's state folder";
/// Permission bits that a key must not have: those of the group and of others.
const OTHERS: u32 = 0o077;
/// Why there is no key before the first run that may change files.
pub const NO_KEY_YET: &str = "no key has been made yet";

/// The user state, as far as it is available.
#[derive(Debug)]
pub struct UserState {
    /// The key of the user's seals.
    pub key: UserKey,
    /// The ledger of finished runs, or `None` if none can be kept.
    pub ledger: Option<Ledger>,
}

impl UserState {
    /// Opens the user state below a state directory; `makes` tells whether to create missing parts.
    ///
    /// If there is no usable key, an ephemeral key takes its place, with the reason.
    pub fn open(base: Option<&Path>, makes: bool) -> UserState {
        let Some(base) = base else { return UserState::none("there is no home folder and no `XDG_STATE_HOME`") };
        match StateFolder::open(base, makes) {
            Ok(Some(folder)) => folder.user_state(makes),
            Ok(None) => UserState::none(NO_KEY_YET),
            Err(error) => UserState::none(error.to_string()),
        }
    }

    /// Creates a user state that does not outlive this process, with the reason.
    pub fn none(reason: impl Into<String>) -> UserState {
        UserState { key: UserKey::ephemeral(reason), ledger: None }
    }

    /// Opens the user state of a process that got the key from another process of the same user.
    pub fn handed(key: UserKey, base: Option<&Path>) -> UserState {
        let folder = base.and_then(|base| StateFolder::open(base, false).ok().flatten());
        UserState { key, ledger: folder.and_then(|folder| Ledger::open(&folder.0, false).ok()) }
    }
}

/// A handle of our subdirectory of the user's state directory.
pub(in crate::sandbox) struct StateFolder(Folder);

impl StateFolder {
    /// Opens the directory, creating it first if `makes`. Returns `None` if it does not exist.
    pub(in crate::sandbox) fn open(base: &Path, makes: bool) -> Result<Option<StateFolder>, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(SHOWN, &error);
        if makes {
            make_folders(base).map_err(wrap)?;
        }
        let folder = match Folder::open_root(base) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(wrap)?,
        };
        Ok(inner_folder(&folder, NAME, makes)?.map(StateFolder))
    }

    /// Opens a subdirectory, creating it first if `makes`. Returns `None` if it does not exist.
    pub(in crate::sandbox) fn inner(&self, name: &str, makes: bool) -> Result<Option<Folder>, SandboxError> {
        inner_folder(&self.0, name, makes)
    }

    fn user_state(&self, makes: bool) -> UserState {
        let key = match self.key(makes) {
            Ok(Some(bytes)) => UserKey::kept(bytes),
            Ok(None) => UserKey::ephemeral(NO_KEY_YET),
            Err(error) => UserKey::ephemeral(error.to_string()),
        };
        UserState { key, ledger: Ledger::open(&self.0, makes).ok() }
    }

    fn key(&self, makes: bool) -> Result<Option<[u8; KEY_BYTES]>, SandboxError> {
        if let Some(key) = self.read_key()? {
            return Ok(Some(key));
        }
        if !makes {
            return Ok(None);
        }
        let made = self.make_key().map_err(|error| SandboxError::io(display(KEY), &error));
        // Another process may just have created one.
        made.and_then(|()| self.read_key())
    }

    fn read_key(&self) -> Result<Option<[u8; KEY_BYTES]>, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(KEY), &error);
        let name = OsStr::new(KEY);
        match self.0.metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => check_regular(display(KEY), &other.map_err(wrap)?)?,
        }
        let file = self.0.open_file(name).map_err(wrap)?;
        let metadata = self.0.file_metadata(&file).map_err(wrap)?;
        check_regular(display(KEY), &metadata)?;
        // On other systems the access control of the home folder decides; it has no permission bits.
        if cfg!(unix) && metadata.mode & OTHERS != 0 {
            let reason = "others may read it; `chmod 600` it where they have not, else remove it".to_owned();
            return Err(SandboxError::Io { path: display(KEY), reason });
        }
        let mut text = Vec::new();
        file.take(4 * KEY_BYTES as u64).read_to_end(&mut text).map_err(wrap)?;
        let key = read_key(text.trim_ascii_end());
        let reason = "it is not a key: remove it, and a new one is made".to_owned();
        key.map(Some).ok_or(SandboxError::Io { path: display(KEY), reason })
    }

    fn make_key(&self) -> io::Result<()> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        let (mut draft, mut file) = StagingFile::create(&self.0, random_name(), FILE_MODE)?;
        file.write_all(format!("{}\n", hex(&key)).as_bytes()).and_then(|()| file.sync_all())?;
        match draft.rename(&self.0, OsStr::new(KEY), Replace::No) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            other => other.and_then(|()| self.0.sync()),
        }
    }
}

/// Returns the path of our directory, for messages and the policy.
pub fn state_folder_of(base: &Path) -> PathBuf {
    base.join(NAME)
}

/// Formats a name in the directory for messages.
pub(in crate::sandbox) fn display(name: &str) -> String {
    format!("{SHOWN}: {NAME}/{name}")
}

fn inner_folder(folder: &Folder, name: &str, makes: bool) -> Result<Option<Folder>, SandboxError> {
    let os_name = OsStr::new(name);
    // An existing directory needs no space on the disk.
    if makes && open_ours(folder, os_name, || SHOWN.to_owned())?.is_none() {
        match folder.create_folder(os_name, FOLDER_MODE) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(SandboxError::io(SHOWN, &error)),
            _ => {}
        }
    }
    open_ours(folder, os_name, || SHOWN.to_owned())
}

/// Creates a directory and its missing ancestors with access only for the user.
fn make_folders(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, FOLDER_MODE);
    builder.create(path)
}
