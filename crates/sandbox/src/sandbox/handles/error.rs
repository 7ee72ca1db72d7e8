//! Errors of the sandbox. Paths in messages are relative to the root.

use std::io::{self, ErrorKind};

use crate::limits::LimitHit;
use crate::text::ToolCode;

use super::reserved::STATE_DIR;

/// The reason why a directory of another user is not used.
pub(in crate::sandbox) const OF_ANOTHER_USER: &str = "it is a directory of another user";
/// The reason why a directory that is no longer where it was opened is not ours.
pub(in crate::sandbox) const MOVED: &str = "it was moved or exchanged while it was opened";

/// The reason why a path text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathError {
    /// The error code: `bad_args` or `sandbox_violation`.
    pub code: ToolCode,
    /// The problem.
    pub message: String,
    /// The remedy.
    pub help: &'static str,
}

/// The reason why an operation in the sandbox failed.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The path text itself is malformed or not accepted.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A link in the path leads out of the root.
    #[error("`{path}` leads outside the sandbox by the link `{link}`")]
    Escapes {
        /// The path as given.
        path: String,
        /// The link, relative to the root.
        link: String,
    },
    /// The root itself, where an entry below it is required.
    #[error("the sandbox root itself cannot be {0}")]
    RootItself(&'static str),
    /// The entry does not exist.
    #[error("`{0}` does not exist")]
    NotFound(String),
    /// The entry is not a directory, but must be one.
    #[error("`{0}`: path is not a directory")]
    NotAFolder(String),
    /// The entry is a directory, but must be a file.
    #[error("`{0}` is a directory, not a file")]
    IsAFolder(String),
    /// The entry is a FIFO, socket or device.
    #[error("`{0}` is no regular file, but a pipe, socket or device")]
    Special(String),
    /// The entry already exists.
    #[error("`{0}` already exists")]
    Exists(String),
    /// The directory is not empty.
    #[error("the directory `{0}` is not empty")]
    NotEmpty(String),
    /// The directory is not empty, but tools see it as empty.
    #[error(
        "the directory `{path}` is not empty: it holds `{name}`, which belongs to NeuroScript itself and is never shown"
    )]
    HoldsReserved {
        /// The path.
        path: String,
        /// The reserved name in it.
        name: String,
    },
    /// Another file system is mounted in the directory.
    #[error("another file system is mounted in `{0}`")]
    Mounted(String),
    /// The directory contains the copy of it that is being made.
    #[error("`{0}` cannot be copied into itself")]
    HoldsItsCopy(String),
    /// The operating system denies permission.
    #[error("`{0}`: permission denied")]
    Denied(String),
    /// The disk or quota is full.
    #[error("`{0}`: no space left")]
    NoSpace(String),
    /// Any other error of the operating system.
    #[error("`{path}`: {reason}")]
    Io {
        /// The path.
        path: String,
        /// The system's error text.
        reason: String,
    },
    /// The change was made, but making it durable, or a later part of the operation, failed.
    #[error("`{path}` is changed, but that may not outlive a power cut: {reason}")]
    Undurable {
        /// The path.
        path: String,
        /// The system's error text.
        reason: String,
    },
    /// The entry was copied and is gone from its path, but a part of the original could not be removed.
    #[error("`{path}` is gone from there, but a part of it is left as `{left}`: {reason}")]
    Leftover {
        /// The path.
        path: String,
        /// The path of what is left.
        left: String,
        /// Why it could not be removed.
        reason: Box<SandboxError>,
    },
    /// An entry that is not ours has the name of one of our own files.
    #[error("`{path}` is not NeuroScript's own: {reason}")]
    NotOurs {
        /// The path.
        path: String,
        /// The reason why it is not ours.
        reason: &'static str,
    },
    /// A file below `.ns` that was not sealed with this user's key for this root.
    #[error("`{0}` is foreign: your key did not seal it for this directory")]
    Foreign(String),
    /// A directory disappeared while its tree was searched.
    #[error("`{0}` disappeared while its tree was searched")]
    Vanished(String),
    /// A path that no tool accepts.
    #[error("no tool takes the path `{path}`: it {reason}")]
    Unnameable {
        /// The path, with unprintable parts replaced.
        path: String,
        /// The problem with the path.
        reason: &'static str,
    },
    /// A path that no tool accepts because a name in it is not UTF-8.
    #[error("no tool takes the path `{escaped}`: it is not UTF-8")]
    NotText {
        /// The path, with U+FFFD for what is not UTF-8.
        path: String,
        /// The path as a shell takes it in `$'…'`.
        escaped: String,
    },
    /// The entry differs from what the caller has seen.
    #[error("`{0}` is not what was expected: it was changed or removed meanwhile")]
    Changed(String),
    /// An operation failed, and something it created cannot be removed because somebody else has changed it.
    #[error("{reason}; what was made before is taken back, but not {stays}: somebody has changed it meanwhile")]
    Stays {
        /// The reason for the failure.
        reason: Box<SandboxError>,
        /// The entries that remain.
        stays: String,
    },
    /// Another run holds the lock.
    #[error("another run has been changing files here for more than {0} seconds")]
    Busy(u64),
    /// The policy in force or `--read-only` refuses the operation.
    #[error("{0}")]
    Refused(String),
    /// A limit of the run was reached.
    #[error(transparent)]
    Limit(#[from] LimitHit),
}

impl SandboxError {
    /// Returns the error for a failed system call on a path.
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

    /// Returns the error for a path that is not UTF-8.
    pub(in crate::sandbox) fn not_text(path: &[u8]) -> SandboxError {
        SandboxError::NotText {
            path: String::from_utf8_lossy(path).into_owned(),
            escaped: crate::text::safe::raw_name(path),
        }
    }

    /// Returns the error for a failure after a path was changed.
    pub(in crate::sandbox) fn undurable(path: &str, error: &io::Error) -> SandboxError {
        SandboxError::Undurable { path: path.to_owned(), reason: system_words(error) }
    }

    /// Whether the change was made despite the error.
    pub(in crate::sandbox) fn is_done(&self) -> bool {
        matches!(self, SandboxError::Undurable { .. } | SandboxError::Leftover { .. })
    }

    /// Returns the error code for programs.
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
            | SandboxError::HoldsItsCopy(_)
            | SandboxError::Changed(_)
            | SandboxError::Vanished(_)
            | SandboxError::Stays { .. }
            | SandboxError::Busy(_) => ToolCode::Conflict,
            SandboxError::Special(_)
            | SandboxError::Io { .. }
            | SandboxError::Undurable { .. }
            | SandboxError::Leftover { .. } => ToolCode::IoError,
            SandboxError::Unnameable { .. } | SandboxError::NotText { .. } => ToolCode::Encoding,
            SandboxError::Refused(_) => ToolCode::PolicyDenied,
            SandboxError::Limit(hit) if hit.limit == crate::limits::Limit::Interrupt => ToolCode::Cancelled,
            SandboxError::Limit(_) => ToolCode::LimitExceeded,
        }
    }

    /// Returns the path that the message names.
    pub fn path(&self) -> Option<&str> {
        match self {
            SandboxError::Escapes { path, .. }
            | SandboxError::Io { path, .. }
            | SandboxError::Undurable { path, .. }
            | SandboxError::Leftover { path, .. }
            | SandboxError::HoldsReserved { path, .. }
            | SandboxError::Unnameable { path, .. }
            | SandboxError::NotText { path, .. }
            | SandboxError::NotOurs { path, .. } => Some(path),
            SandboxError::NotFound(path)
            | SandboxError::NotAFolder(path)
            | SandboxError::IsAFolder(path)
            | SandboxError::Special(path)
            | SandboxError::Exists(path)
            | SandboxError::NotEmpty(path)
            | SandboxError::Mounted(path)
            | SandboxError::HoldsItsCopy(path)
            | SandboxError::Denied(path)
            | SandboxError::NoSpace(path)
            | SandboxError::Foreign(path)
            | SandboxError::Vanished(path)
            | SandboxError::Changed(path) => Some(path),
            SandboxError::Stays { reason, .. } => reason.path(),
            SandboxError::RootItself(_) => Some("."),
            SandboxError::Path(_) | SandboxError::Busy(_) | SandboxError::Refused(_) | SandboxError::Limit(_) => None,
        }
    }

    /// Whether `.ns` itself is the path.
    pub fn is_of_state_dir(&self) -> bool {
        self.path() == Some(STATE_DIR)
    }

    /// Whether our own directory belongs to another user.
    pub fn is_of_another_user(&self) -> bool {
        matches!(self, SandboxError::NotOurs { reason, .. } if *reason == OF_ANOTHER_USER)
    }

    /// Whether our own directory is no longer where it was opened.
    pub fn is_moved(&self) -> bool {
        matches!(self, SandboxError::NotOurs { reason, .. } if *reason == MOVED)
    }

    /// Returns the remedy, in the imperative.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            SandboxError::Path(error) => error.help,
            SandboxError::Escapes { .. } => "links that leave the root are never followed",
            SandboxError::RootItself(_) => "name something below it",
            SandboxError::NotEmpty(_) => "give `recursive: true` to include what is in it",
            SandboxError::HoldsReserved { .. } => "give `recursive: true`, which moves all of it to the trash",
            error if error.is_of_another_user() => {
                "run `ns` as that user, or give it to yours with `chown -R`, after which `ns adopt` takes it over"
            }
            SandboxError::NotOurs { .. } => "move it away; it was neither followed nor changed",
            SandboxError::Foreign(_) => "`ns adopt` shows what is foreign in `.ns`, and takes it over if you say so",
            SandboxError::Vanished(_) => "call again",
            SandboxError::Unnameable { .. } => "rename it",
            SandboxError::NotText { .. } => "rename it in a shell, with this path in `$'…'`",
            SandboxError::Changed(_) => "look at it again; `if_match` takes the checksum that it has now",
            SandboxError::Stays { .. } => "look at what stays before you try again",
            SandboxError::Busy(_) => "try again when it has ended",
            SandboxError::Mounted(_) => "unmount it first",
            SandboxError::NoSpace(_) => "make room: `ns gc` gives up what is kept of old runs",
            SandboxError::Undurable { .. } => "look at the disk; `ns undo` takes the change back",
            SandboxError::Leftover { .. } => "all of it was copied before: remove what is left yourself",
            SandboxError::Special(_) => "such files are never opened",
            SandboxError::Limit(hit) => return hit.limit.help(),
            _ => return None,
        })
    }
}

/// The reason why a rename failed.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// The two paths are on different file systems.
    #[error("the places are on different file systems")]
    OtherDevice,
    /// Any other error.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// Returns the system's text of an error without the error number.
fn system_words(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = words.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
