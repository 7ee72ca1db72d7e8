//! The failure of a tool. It has no source position: the evaluator knows that.

use std::ops::Range;

use crate::limits::{Limit, LimitHit};
use crate::sandbox::SandboxError;
use crate::text::ToolCode;
use crate::value::Value;

/// A failed tool call.
#[derive(Clone, Debug)]
pub struct ToolError {
    /// The kind of failure.
    pub code: ToolCode,
    /// One sentence.
    pub message: String,
    /// The tool's name, filled in by the gate.
    pub tool: Option<&'static str>,
    /// The argument at fault.
    pub argument: Option<&'static str>,
    /// The bytes of the argument, a text, that are at fault.
    pub part: Option<Range<usize>>,
    /// The path at fault, relative to the root.
    pub path: Option<String>,
    /// The suggested fix, in the imperative.
    pub hint: Option<String>,
    /// The limit that was reached; a script cannot catch it.
    pub limit: Option<LimitHit>,
    /// How the failure reaches the caller.
    pub manner: FailureMode,
    /// Whether the argument at fault is nil.
    pub is_of_nil: bool,
    /// A result despite the failure: what was done for some of several items. The gate adds the message to it as
    /// `error`.
    pub answer: Option<Value>,
}

/// How a failure reaches the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureMode {
    /// As the tool declares.
    Declared,
    /// As an error, whatever the tool declares: the call itself is wrong.
    Raised,
    /// As the tool declares, but without a warning; on the wire the answer is `null`.
    Quiet,
    /// Some of several items succeeded: the caller gets the answer, and `LAST_ERROR` has the failure.
    Partly,
}

impl ToolError {
    /// Creates a failure.
    pub fn new(code: ToolCode, message: impl Into<String>) -> ToolError {
        ToolError {
            code,
            message: message.into(),
            tool: None,
            argument: None,
            part: None,
            path: None,
            hint: None,
            limit: None,
            manner: FailureMode::Declared,
            is_of_nil: false,
            answer: None,
        }
    }

    /// Creates the failure for an argument that the tool refuses; in scripts it is always an error.
    pub fn bad_argument(argument: &'static str, message: impl Into<String>) -> ToolError {
        ToolError {
            argument: Some(argument),
            manner: FailureMode::Raised,
            ..ToolError::new(ToolCode::BadArgs, message)
        }
    }

    /// Sets the suggested fix.
    pub fn hint(mut self, hint: impl Into<String>) -> ToolError {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the argument at fault.
    pub fn argument(mut self, argument: &'static str) -> ToolError {
        self.argument = Some(argument);
        self
    }

    /// Sets the bytes of the argument that are at fault.
    pub fn part(mut self, part: Range<usize>) -> ToolError {
        self.part = Some(part);
        self
    }

    /// Sets the path at fault.
    pub fn path(mut self, path: impl Into<String>) -> ToolError {
        self.path = Some(path.into());
        self
    }

    /// Sets a result that is returned despite the failure.
    pub fn answering(mut self, answer: Value) -> ToolError {
        self.answer = Some(answer);
        self
    }

    /// Returns the failure as JSON, the form that every program receives.
    pub fn shape(&self) -> serde_json::Value {
        serde_json::json!({
            "code": self.code.id(),
            "message": self.message,
            "tool": self.tool,
            "argument": self.argument,
            "path": self.path,
            "hint": self.hint,
        })
    }

    /// Prepends text to the message.
    pub fn preceded_by(mut self, before: &str) -> ToolError {
        self.message.insert_str(0, before);
        self
    }

    /// Appends text to the message.
    pub fn followed_by(mut self, after: &str) -> ToolError {
        self.message.push_str(after);
        self
    }

    /// Marks the failure as expected: no warning, and `null` on the wire.
    pub fn quiet(mut self) -> ToolError {
        self.manner = FailureMode::Quiet;
        self
    }
}

impl From<SandboxError> for ToolError {
    fn from(error: SandboxError) -> ToolError {
        if let SandboxError::Limit(hit) = error {
            return hit.into();
        }
        let (path, hint) = (error.path().map(str::to_owned), error.help().map(str::to_owned));
        ToolError { path, hint, ..ToolError::new(error.code(), error.to_string()) }
    }
}

impl From<LimitHit> for Box<ToolError> {
    fn from(hit: LimitHit) -> Box<ToolError> {
        Box::new(hit.into())
    }
}

impl From<LimitHit> for ToolError {
    fn from(hit: LimitHit) -> ToolError {
        let code = if hit.limit == Limit::Interrupt { ToolCode::Cancelled } else { ToolCode::LimitExceeded };
        ToolError {
            limit: Some(hit),
            hint: hit.limit.help().map(str::to_owned),
            manner: FailureMode::Raised,
            ..ToolError::new(code, hit.to_string())
        }
    }
}

/// A failure without any value, which helper threads report to the thread of the call.
#[derive(Clone, Debug)]
pub struct BareError {
    code: ToolCode,
    message: String,
    path: Option<String>,
    hint: Option<String>,
    limit: Option<LimitHit>,
    manner: FailureMode,
}

impl BareError {
    /// Returns the kind of failure.
    pub fn code(&self) -> ToolCode {
        self.code
    }
}

impl From<ToolError> for BareError {
    fn from(error: ToolError) -> BareError {
        let ToolError { code, message, path, hint, limit, manner, .. } = error;
        BareError { code, message, path, hint, limit, manner }
    }
}

impl From<BareError> for ToolError {
    fn from(error: BareError) -> ToolError {
        let BareError { code, message, path, hint, limit, manner } = error;
        ToolError { path, hint, limit, manner, ..ToolError::new(code, message) }
    }
}

impl From<SandboxError> for BareError {
    fn from(error: SandboxError) -> BareError {
        ToolError::from(error).into()
    }
}

impl From<LimitHit> for BareError {
    fn from(hit: LimitHit) -> BareError {
        ToolError::from(hit).into()
    }
}
