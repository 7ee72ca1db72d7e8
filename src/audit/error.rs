//! Why the audit log could not be kept or read.

use crate::limits::LimitHit;
use crate::sandbox::SandboxError;
use crate::text::ToolCode;

/// Why the audit log could not be kept or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AuditError {
    /// The system, or what stands in place of the log.
    #[error("{message}")]
    Place {
        /// What kind of failure.
        code: ToolCode,
        /// One sentence.
        message: String,
        /// What to do, imperative.
        help: Option<&'static str>,
    },
    /// Others hold it.
    #[error("`{path}` stayed locked by another process for {seconds} s")]
    Busy {
        /// The log.
        path: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// Its end is no line of ours, so that none can follow it.
    #[error("`{path}` does not end in a line of the audit log")]
    Damaged {
        /// The log.
        path: String,
    },
    /// There is nowhere to keep it.
    #[error("there is no state folder: neither `XDG_STATE_HOME` nor a home folder is there")]
    NoState,
    /// A line failed to be written earlier in this run.
    #[error("an earlier line was lost: {0}")]
    Lost(String),
    /// A limit of the run.
    #[error(transparent)]
    Limit(#[from] LimitHit),
}

impl AuditError {
    /// The code by which machines know it.
    pub fn code(&self) -> ToolCode {
        match self {
            AuditError::Place { code, .. } => *code,
            AuditError::Damaged { .. } => ToolCode::Conflict,
            AuditError::Busy { .. } | AuditError::NoState | AuditError::Lost(_) => ToolCode::IoError,
            AuditError::Limit(hit) => SandboxError::Limit(*hit).code(),
        }
    }

    /// What to do, imperative.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            AuditError::Place { help, .. } => *help,
            AuditError::Damaged { .. } => {
                Some("look at it with `ns audit verify`, then move it away: a new one begins")
            }
            _ => None,
        }
    }
}

impl From<SandboxError> for AuditError {
    fn from(error: SandboxError) -> AuditError {
        match error {
            SandboxError::Limit(hit) => AuditError::Limit(hit),
            error => AuditError::Place { code: error.code(), message: error.to_string(), help: error.help() },
        }
    }
}
