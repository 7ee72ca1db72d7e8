//! Errors of session and project memory. Files are named relative to the root.

use crate::limits::LimitHit;
use crate::sandbox::SandboxError;
use crate::text::ToolCode;
use crate::value::json::Unwritable;

/// The file of project memory as messages name it.
pub const FILE: &str = ".ns/memory.db";

/// The reason why memory could not store or return a value.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The key is malformed.
    #[error("{0}")]
    BadKey(String),
    /// Project memory cannot store the value.
    #[error("{0}")]
    BadValue(String),
    /// The value holds a float that JSON does not have.
    #[error("{0}")]
    Unwritable(Unwritable),
    /// The value is larger than the limit.
    #[error("the value takes more than {allowed} bytes as JSON")]
    TooLarge {
        /// The limit in bytes.
        allowed: u64,
    },
    /// The session memory of a connection has no space left for the value.
    #[error("the session memory of a connection takes {allowed} bytes as JSON, and has no room for the value")]
    Full {
        /// The limit in bytes.
        allowed: u64,
    },
    /// A line of an import is malformed.
    #[error("line {line}: {reason}")]
    BadLine {
        /// The line number, counted from 1.
        line: usize,
        /// The problem with the line.
        reason: String,
    },
    /// The crate was built without the feature `project-memory`.
    #[error("this program was built without project memory")]
    Absent,
    /// The file belongs to another program.
    #[error("`{FILE}` is a database of another program: its application id is {0:#010x}")]
    Foreign(i32),
    /// The file has a newer version.
    #[error("`{FILE}` has version {found}, and this program knows versions up to {newest}")]
    Newer {
        /// The version of the file.
        found: i32,
        /// The newest version that this program knows.
        newest: i32,
    },
    /// The file is damaged or is not a database.
    #[error("`{FILE}` is damaged: {0}")]
    Damaged(String),
    /// Other processes hold the lock.
    #[error("`{FILE}` stayed locked by another process for {0} s")]
    Busy(u64),
    /// The deadline or an interrupt ended a statement.
    #[error("`{FILE}`: the statement was stopped")]
    Stopped,
    /// The disk or quota is full.
    #[error("`{FILE}`: no space left")]
    NoSpace,
    /// The file or its directory may not be written.
    #[error("`{FILE}`: permission denied")]
    Denied,
    /// Any other error that SQLite reports.
    #[error("`{FILE}`: {0}")]
    Other(String),
    /// The sandbox refused the access.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A limit of the run was reached.
    #[error(transparent)]
    Limit(#[from] LimitHit),
}

/// The remedy for a file that cannot be used.
const EXPORT: &str = "save what can be read with `ns memory export --salvage > memory.jsonl`, move `.ns/memory.db` \
     and what is called `.ns/memory.db-*` away, then `ns memory import memory.jsonl`";

impl MemoryError {
    /// Returns the error code for programs.
    pub fn code(&self) -> ToolCode {
        match self {
            MemoryError::BadKey(_)
            | MemoryError::BadValue(_)
            | MemoryError::Unwritable(_)
            | MemoryError::BadLine { .. } => ToolCode::BadArgs,
            MemoryError::TooLarge { .. } | MemoryError::Absent => ToolCode::BadArgs,
            MemoryError::Foreign(_) | MemoryError::Newer { .. } | MemoryError::Busy(_) => ToolCode::Conflict,
            MemoryError::Damaged(_) | MemoryError::Stopped | MemoryError::Other(_) => ToolCode::IoError,
            MemoryError::NoSpace => ToolCode::NoSpace,
            MemoryError::Denied => ToolCode::PermissionDenied,
            MemoryError::Sandbox(error) => error.code(),
            MemoryError::Full { .. } | MemoryError::Limit(_) => ToolCode::LimitExceeded,
        }
    }

    /// Returns the remedy, in the imperative.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            MemoryError::BadKey(_) => "give a key of 1 to 256 bytes without control characters",
            MemoryError::Unwritable(_) => Unwritable::HELP,
            MemoryError::BadValue(_) => "store the parts under keys of their own, or convert them to texts",
            MemoryError::TooLarge { .. } => {
                "store less, or raise `max_value_bytes` in `[tools.memory]` of your own policy file or `--policy`"
            }
            MemoryError::Full { .. } => "delete keys that are no longer needed, or keep it in `project` memory",
            MemoryError::Absent => "use `session` memory",
            MemoryError::BadLine { .. } => "nothing was taken in; mend the line and import again",
            MemoryError::Foreign(_) | MemoryError::Newer { .. } | MemoryError::Damaged(_) => EXPORT,
            MemoryError::Busy(_) => "try again when the other process is done",
            MemoryError::Sandbox(error) => return error.help(),
            MemoryError::Stopped
            | MemoryError::NoSpace
            | MemoryError::Denied
            | MemoryError::Other(_)
            | MemoryError::Limit(_) => return None,
        })
    }
}
