//! Errors of the audit log.

use crate::limits::LimitHit;
use crate::sandbox::SandboxError;
use crate::text::ToolCode;

/// The remedy if `.ns` cannot be created or written.
const CANNOT_WRITE: &str = "work in a copy of the sandbox, or give yourself the right to write in its root: every change is first noted in `.ns` there";

/// The reason why the audit log could not be written or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AuditError {
    /// The system reported an error, or something else has the name of the log.
    #[error("{message}")]
    Place {
        /// The error code.
        code: ToolCode,
        /// The message, one sentence.
        message: String,
        /// The remedy, in the imperative.
        help: Option<&'static str>,
        /// Whether `.ns` itself cannot be used, so that nothing can be changed even without a log.
        stops_changes: bool,
    },
    /// Other processes hold the lock.
    #[error("`{path}` stayed locked by another process for {seconds} s")]
    Busy {
        /// The path of the log.
        path: String,
        /// Seconds waited.
        seconds: u64,
    },
    /// The log does not end with a line of ours, so no line can follow.
    #[error("`{path}` does not end in a line of the audit log")]
    Damaged {
        /// The path of the log.
        path: String,
    },
    /// There is no directory to keep the log in.
    #[error("there is no state folder: neither `XDG_STATE_HOME` nor a home folder is there")]
    NoState,
    /// An earlier line of this run could not be written.
    #[error("an earlier line was lost: {0}")]
    Lost(String),
    /// A limit of the run was reached.
    #[error(transparent)]
    Limit(#[from] LimitHit),
}

impl AuditError {
    /// Returns the error code for programs.
    pub fn code(&self) -> ToolCode {
        match self {
            AuditError::Place { code, .. } => *code,
            AuditError::Damaged { .. } => ToolCode::Conflict,
            AuditError::Busy { .. } | AuditError::NoState | AuditError::Lost(_) => ToolCode::IoError,
            AuditError::Limit(hit) => SandboxError::Limit(*hit).code(),
        }
    }

    /// Returns the remedy, in the imperative.
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
            error => {
                let stops_changes = error.is_of_state_dir();
                let help = error.help().or(Some(CANNOT_WRITE).filter(|_| stops_changes));
                AuditError::Place { code: error.code(), message: error.to_string(), help, stops_changes }
            }
        }
    }
}
