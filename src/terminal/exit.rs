//! Exit codes of the process.

use std::process::ExitStatus;

use crate::engine::Ending;
use crate::text::ToolCode;

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success, also if nobody reads the output any more.
    Done,
    /// The script failed.
    Failed,
    /// The command line or the arguments of a tool are invalid.
    Usage,
    /// A check found something.
    Difference,
    /// The policy or the sandbox refused.
    Refused,
    /// A case of `ns test` failed.
    TestsFailed,
    /// A time or step limit was hit.
    OutOfTime,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    const ALL: [Exit; 8] = [
        Exit::Done,
        Exit::Failed,
        Exit::Usage,
        Exit::Difference,
        Exit::Refused,
        Exit::TestsFailed,
        Exit::OutOfTime,
        Exit::Interrupted,
    ];

    /// Returns the outcome of a process that has ended. A process without one of these exit codes has failed.
    pub fn of_status(status: ExitStatus) -> Exit {
        Exit::ALL.into_iter().find(|exit| Some(exit.code()) == status.code()).unwrap_or(Exit::Failed)
    }

    /// Returns the exit code.
    pub fn code(self) -> i32 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Difference => 3,
            Exit::Refused => 4,
            Exit::TestsFailed => 5,
            Exit::OutOfTime => 124,
            Exit::Interrupted => 130,
        }
    }
}

/// The outcome of a failed call of a single tool.
impl From<ToolCode> for Exit {
    fn from(code: ToolCode) -> Exit {
        match code {
            ToolCode::BadArgs | ToolCode::UnknownTool => Exit::Usage,
            ToolCode::SandboxViolation | ToolCode::PolicyDenied => Exit::Refused,
            ToolCode::Cancelled => Exit::Interrupted,
            _ => Exit::Failed,
        }
    }
}

impl From<Ending> for Exit {
    fn from(ending: Ending) -> Exit {
        match ending {
            Ending::Done | Ending::Unread => Exit::Done,
            Ending::Failed => Exit::Failed,
            Ending::Refused => Exit::Refused,
            Ending::OutOfTime => Exit::OutOfTime,
            Ending::Interrupted => Exit::Interrupted,
            Ending::Misused => Exit::Usage,
        }
    }
}
