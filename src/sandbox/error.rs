//! What the sandbox reports. Paths in messages are relative to the root.

use std::io::{self, ErrorKind};

use crate::limits::LimitHit;
use crate::text::ToolCode;

use super::path::PathError;

/// Why an operation in the sandbox did not happen.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The path text itself is refused.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A link on the way leaves the root.
    #[error("`{path}` leads outside the sandbox by the link `{link}`")]
    Escapes {
        /// The path asked for.
        path: String,
        /// The link, relative to the root.
        link: String,
    },
    /// The root itself where a name below it is needed.
    #[error("the sandbox root itself cannot be {0}")]
    RootItself(&'static str),
    /// Nothing there.
    #[error("`{0}` does not exist")]
    NotFound(String),
    /// A file where a folder is needed.
    #[error("`{0}`: path is not a directory")]
    NotAFolder(String),
    /// A folder where a file is needed.
    #[error("`{0}` is a directory, not a file")]
    IsAFolder(String),
    /// Neither file nor folder: a FIFO, socket or device.
    #[error("`{0}` is no regular file, but a pipe, socket or device")]
    Special(String),
    /// Something is there already.
    #[error("`{0}` already exists")]
    Exists(String),
    /// A folder that holds something.
    #[error("the directory `{0}` is not empty")]
    NotEmpty(String),
    /// A folder that looks empty to tools.
    #[error(
        "the directory `{path}` is not empty: it holds `{name}`, which belongs to NeuroScript itself and is never shown"
    )]
    HoldsReserved {
        /// The path.
        path: String,
        /// The name in it.
        name: String,
    },
    /// A folder in which another file system is mounted.
    #[error("another file system is mounted in `{0}`")]
    Mounted(String),
    /// The operating system refuses.
    #[error("`{0}`: permission denied")]
    Denied(String),
    /// The disk or quota is full.
    #[error("`{0}`: no space left")]
    NoSpace(String),
    /// Anything else that the operating system reports.
    #[error("`{path}`: {reason}")]
    Io {
        /// The path.
        path: String,
        /// The system's words.
        reason: String,
    },
    /// It was done, and the operating system failed to bring it to the disk for good, or to do what follows.
    #[error("`{path}` is changed, but that may not outlive a power cut: {reason}")]
    Undurable {
        /// The path.
        path: String,
        /// The system's words.
        reason: String,
    },
    /// Something that is not ours stands where one of our own files belongs.
    #[error("`{path}` is not NeuroScript's own: {reason}")]
    NotOurs {
        /// The path.
        path: String,
        /// What it is.
        reason: &'static str,
    },
    /// Something below `.ns` that this user's key did not seal for this root.
    #[error("`{0}` is foreign: your key did not seal it for this directory")]
    Foreign(String),
    /// What is there is not what the caller has seen.
    #[error("`{0}` is not what was expected: it was changed or removed meanwhile")]
    Changed(String),
    /// A failure after which something stays that cannot be taken back: it is no longer ours.
    #[error("{reason}; what was made before is taken back, but not {stays}: somebody has changed it meanwhile")]
    Stays {
        /// Why it failed.
        reason: Box<SandboxError>,
        /// What stays.
        stays: String,
    },
    /// Another run keeps the lock.
    #[error("another run has been changing files here for more than {0} seconds")]
    Busy(u64),
    /// The policy in force, or `--read-only`.
    #[error("{0}")]
    Refused(String),
    /// A limit of the run.
    #[error(transparent)]
    Limit(#[from] LimitHit),
}

impl SandboxError {
    /// The error for what the operating system said of a path.
    pub fn io(path: impl Into<String>, error: &io::Error) -> SandboxError {
        let path = path.into();
        match error.kind() {
            ErrorKind::NotFound => SandboxError::NotFound(path),
            ErrorKind::NotADirectory => SandboxError::NotAFolder(path),
            ErrorKind::IsADirectory => SandboxError::IsAFolder(path),
            ErrorKind::AlreadyExists => SandboxError::Exists(path),
            ErrorKind::DirectoryNotEmpty => SandboxError::NotEmpty(path),
            ErrorKind::PermissionDenied => SandboxError::Denied(path),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => SandboxError::NoSpace(path),
            ErrorKind::ReadOnlyFilesystem => {
                SandboxError::Io { path, reason: "the file system is read-only".to_owned() }
            }
            _ => SandboxError::Io { path, reason: system_words(error) },
        }
    }

    /// The error for what the operating system said after a path was changed.
    pub(super) fn undurable(path: &str, error: &io::Error) -> SandboxError {
        SandboxError::Undurable { path: path.to_owned(), reason: system_words(error) }
    }

    /// Whether it was done all the same.
    pub(super) fn is_done(&self) -> bool {
        matches!(self, SandboxError::Undurable { .. })
    }

    /// The code by which machines know it.
    pub fn code(&self) -> ToolCode {
        match self {
            SandboxError::Path(error) => error.code,
            SandboxError::Escapes { .. } | SandboxError::RootItself(_) => ToolCode::SandboxViolation,
            SandboxError::NotFound(_) => ToolCode::NotFound,
            SandboxError::NotAFolder(_) => ToolCode::NotADirectory,
            SandboxError::IsAFolder(_) => ToolCode::IsADirectory,
            SandboxError::Exists(_) => ToolCode::AlreadyExists,
            SandboxError::Denied(_) => ToolCode::PermissionDenied,
            SandboxError::NoSpace(_) => ToolCode::NoSpace,
            SandboxError::NotEmpty(_)
            | SandboxError::HoldsReserved { .. }
            | SandboxError::NotOurs { .. }
            | SandboxError::Foreign(_)
            | SandboxError::Mounted(_)
            | SandboxError::Changed(_)
            | SandboxError::Stays { .. }
            | SandboxError::Busy(_) => ToolCode::Conflict,
            SandboxError::Special(_) | SandboxError::Io { .. } | SandboxError::Undurable { .. } => ToolCode::IoError,
            SandboxError::Refused(_) => ToolCode::PolicyDenied,
            SandboxError::Limit(hit) if hit.limit == crate::limits::Limit::Interrupt => ToolCode::Cancelled,
            SandboxError::Limit(_) => ToolCode::LimitExceeded,
        }
    }

    /// The path at fault, as the message shows it.
    pub fn path(&self) -> Option<&str> {
        match self {
            SandboxError::Escapes { path, .. }
            | SandboxError::Io { path, .. }
            | SandboxError::Undurable { path, .. }
            | SandboxError::HoldsReserved { path, .. }
            | SandboxError::NotOurs { path, .. } => Some(path),
            SandboxError::NotFound(path)
            | SandboxError::NotAFolder(path)
            | SandboxError::IsAFolder(path)
            | SandboxError::Special(path)
            | SandboxError::Exists(path)
            | SandboxError::NotEmpty(path)
            | SandboxError::Mounted(path)
            | SandboxError::Denied(path)
            | SandboxError::NoSpace(path)
            | SandboxError::Foreign(path)
            | SandboxError::Changed(path) => Some(path),
            SandboxError::Stays { reason, .. } => reason.path(),
            SandboxError::RootItself(_) => Some("."),
            SandboxError::Path(_) | SandboxError::Busy(_) | SandboxError::Refused(_) | SandboxError::Limit(_) => None,
        }
    }

    /// What to do, imperative.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            SandboxError::Path(error) => error.help,
            SandboxError::Escapes { .. } => "links that leave the root are never followed",
            SandboxError::RootItself(_) => "name something below it",
            SandboxError::NotEmpty(_) => "give `recursive: true` to include what is in it",
            SandboxError::HoldsReserved { .. } => "give `recursive: true`, which moves all of it to the trash",
            SandboxError::NotOurs { .. } => "move it away; it was neither followed nor changed",
            SandboxError::Foreign(_) => "`ns adopt` shows what is foreign in `.ns`, and takes it over if you say so",
            SandboxError::Changed(_) => "look at it again; `if_match` takes the checksum that it has now",
            SandboxError::Stays { .. } => "look at what stays before you try again",
            SandboxError::Busy(_) => "try again when it has ended",
            SandboxError::Mounted(_) => "unmount it first",
            SandboxError::NoSpace(_) => "make room: `ns gc` gives up what is kept of old runs",
            SandboxError::Undurable { .. } => "look at the disk; `ns undo` takes the change back",
            SandboxError::Special(_) => "such files are never opened",
            SandboxError::Limit(hit) => return hit.limit.help(),
            _ => return None,
        })
    }
}

/// The system's words for an error, without its number.
fn system_words(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = words.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
