//! Resolves the text of a backup path, such as `.ns/backups/src/main.rs/20261122T050102.123456Z-1a2b3c4d-…`, to the
//! backup and to its original path. No other text leads into `.ns`.

use std::ffi::OsStr;

use crate::text::ToolCode;

use super::super::super::handles::address::Address;
use super::super::super::handles::error::{PathError, SandboxError};
use super::super::super::handles::metadata::Kind;
use super::super::super::handles::path::{check_characters, check_part_length, check_text};
use super::super::super::handles::private::open_ours;
use super::super::super::handles::root::{Root, SandboxPath};
use super::super::super::handles::stamp;
use super::{BackupKind, shown_below};

/// The text of a backup path, checked for its form.
#[derive(Clone, Debug)]
pub struct BackupPathText {
    /// The part of the backup store.
    pub kind: BackupKind,
    /// The names of the directories below that part, and of the backup.
    names: Vec<String>,
    /// An error in the text, reported if no backup has this path.
    fault: Option<PathError>,
}

/// A backup and its original path.
#[derive(Debug)]
pub struct BackupPath {
    /// The part of the backup store.
    pub kind: BackupKind,
    /// The backup.
    pub entry: SandboxPath,
    /// The path of the backup, as journals record it.
    pub(in crate::sandbox) address: Address,
    /// The original path.
    pub origin: SandboxPath,
}

impl BackupPathText {
    /// Parses a backup path.
    pub fn parse(text: &str) -> Result<BackupPathText, SandboxError> {
        check_text(text)?;
        let fault = check_characters(text).err();
        match BackupPathText::parse_names(text) {
            Ok(kept) => Ok(BackupPathText { fault, ..kept }),
            Err(error) => Err(fault.map_or(error, SandboxError::from)),
        }
    }

    fn parse_names(text: &str) -> Result<BackupPathText, SandboxError> {
        let below = |kind: BackupKind| Some((kind, text.strip_prefix(".ns/")?.strip_prefix(kind.name())?));
        let kinds = BackupKind::ALL.into_iter().filter_map(below);
        let mut inside = kinds.filter_map(|(kind, rest)| Some((kind, rest.strip_prefix('/')?)));
        let (kind, rest) = inside.next().ok_or_else(|| strange(text))?;
        let names: Vec<String> = rest.split('/').map(str::to_owned).collect();
        for name in &names {
            check_part_length(name)?;
            match name.as_str() {
                ".." => return Err(strange(text)),
                "" | "." => return Err(malformed()),
                _ => {}
            }
        }
        match &names[..] {
            [_, .., last] if stamp::is_kept_shape(OsStr::new(last)) => Ok(BackupPathText { kind, names, fault: None }),
            _ => Err(SandboxError::NotFound(text.to_owned())),
        }
    }

    /// Returns the original path.
    pub fn origin(&self) -> String {
        let (_, folders) = self.names.split_last().expect("the form has at least two names");
        let parts = folders.iter().map(|folder| stamp::part_of(folder.as_ref()).to_string_lossy().into_owned());
        parts.collect::<Vec<_>>().join("/")
    }
}

fn strange(text: &str) -> SandboxError {
    let message = if text.is_empty() {
        "expected the path of a backup, found an empty text".to_owned()
    } else {
        "the path leads to nothing that was kept".to_owned()
    };
    let code = if text.is_empty() { ToolCode::BadArgs } else { ToolCode::SandboxViolation };
    PathError { code, message, help: HELP }.into()
}

fn malformed() -> SandboxError {
    let message = "the path of a backup has an empty name or `.` in it".to_owned();
    PathError { code: ToolCode::BadArgs, message, help: HELP }.into()
}

const HELP: &str = "give `backupPath` as a result had it: `.ns/backups/…` or `.ns/trash/…`";

impl Root {
    /// Locates a backup that is to be restored to `origin`.
    pub fn locate_kept(&self, text: &BackupPathText, origin: SandboxPath) -> Result<BackupPath, SandboxError> {
        match (self.find_kept(text, origin), &text.fault) {
            (Err(SandboxError::NotFound(_)), Some(fault)) => Err(fault.clone().into()),
            (found, _) => found,
        }
    }

    fn find_kept(&self, text: &BackupPathText, origin: SandboxPath) -> Result<BackupPath, SandboxError> {
        let names = [text.kind.name()].into_iter().chain(text.names.iter().map(String::as_str));
        let names: Vec<&OsStr> = names.map(OsStr::new).collect();
        let missing = || SandboxError::NotFound(shown_below(&names));
        let (name, folders) = names.split_last().expect("the part of the store has a name");
        let own = self.own_folder()?.ok_or_else(missing)?;
        let mut folder = own.into_folder();
        for (before, name) in folders.iter().enumerate() {
            folder = open_ours(&folder, name, || shown_below(&names[..=before]))?.ok_or_else(missing)?;
        }
        let entry = SandboxPath::own(folder, name, shown_below(&names));
        let address = Address::from(&*self.address_of(&shown_below(&names)));
        let found = entry.metadata()?.kind;
        if !stamp::is_kept(name, folders, &self.seal) {
            return Err(SandboxError::Foreign(shown_below(&names)));
        }
        match (found, text.kind) {
            (Kind::File | Kind::Link, _) | (Kind::Folder, BackupKind::Trash) => {
                Ok(BackupPath { kind: text.kind, address, entry, origin })
            }
            (found, _) => {
                let reason = if found == Kind::Folder { "it is a directory" } else { "it is a pipe, socket or device" };
                Err(SandboxError::NotOurs { path: shown_below(&names), reason })
            }
        }
    }
}
