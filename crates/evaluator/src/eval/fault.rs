//! Run-time errors: what happened, where, and through which calls.

use std::rc::Rc;

use crate::gate::Policy;
use crate::limits::{Limit, LimitHit};
use crate::text::{Code, Diagnostic, FindingCode, Sources, Span, ToolCode};
use crate::toolkit::ToolError;
use crate::value::print::shortened;
use crate::value::{FAILURE_CHARS, Map, Str, Value, ValueError};

/// Maximum number of calls in a fault's trace, innermost first.
const MAX_TRACE: usize = 6;

/// The debugger's knowledge of an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Raised {
    /// Nothing.
    #[default]
    Untold,
    /// That it was raised, and that a handler seemed to be in force.
    AsHandled,
    /// That it ends the run.
    AsUnhandled,
}

/// An error that ends a run unless it is handled.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The error code.
    pub code: FindingCode,
    /// The message: one sentence.
    pub message: String,
    /// The help, in the imperative.
    pub hint: Option<String>,
    /// Where the error occurred.
    pub span: Option<Span>,
    /// The tool that failed.
    pub tool: Option<&'static str>,
    /// The argument that caused it.
    pub argument: Option<&'static str>,
    /// The path that caused it.
    pub path: Option<String>,
    /// The limit that was hit; such an error cannot be caught.
    pub limit: Option<Limit>,
    /// The result that the tool returned despite the failure.
    pub answer: Option<Value>,
    /// The calls through which the error passed, innermost first.
    pub trace: Vec<Span>,
    /// Whether sandbox or policy refused an operation, or the error follows from a refusal.
    pub refused: bool,
    /// Whether the error is that a value is nil.
    pub is_of_nil: bool,
    /// The error text of the failed call whose result lacks a key.
    pub(super) failed_call: Option<String>,
    /// Whether the handler of the running procedure has already passed the error on.
    pub(super) passed: bool,
    /// Whether the fault only means that the reader of the output is gone: it ends the run and is not reported.
    pub(super) unread: bool,
    /// How much a debugger knows of it.
    pub(super) raised: Raised,
}

impl Fault {
    /// Creates a fault with a code and a message.
    pub fn new(code: impl Into<FindingCode>, message: impl Into<String>) -> Fault {
        Fault {
            code: code.into(),
            message: message.into(),
            hint: None,
            span: None,
            tool: None,
            argument: None,
            path: None,
            limit: None,
            answer: None,
            trace: Vec::new(),
            refused: false,
            is_of_nil: false,
            failed_call: None,
            passed: false,
            unread: false,
            raised: Raised::Untold,
        }
    }

    /// Sets the hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
        self
    }

    /// Returns whether ON ERROR can handle the fault.
    pub fn is_catchable(&self) -> bool {
        self.limit.is_none()
    }

    /// Returns whether the fault only means that the reader of the output is gone.
    pub fn is_unread(&self) -> bool {
        self.unread
    }

    /// Adds path and hint of the newest failed call, given its `last_error`, if the fault is that the result of that
    /// call lacks a key.
    pub(super) fn explain_failed_call(&mut self, last_error: &Value) {
        let (Some(failed), Value::Map(error)) = (&self.failed_call, last_error) else { return };
        let text = |key: &str| error.get_str(key).and_then(|value| value.as_str());
        let is_newest = text("message").is_some_and(|message| shortened(&message.as_text(), FAILURE_CHARS) == *failed);
        let Some(hint) = text("hint").filter(|_| is_newest) else { return };
        let path = text("path").filter(|path| !failed.contains(&*path.as_text()));
        let of_path =
            path.map(|path| format!("of `{}`: ", shortened(&path.as_text(), FAILURE_CHARS))).unwrap_or_default();
        let own = self.hint.take().unwrap_or_default();
        self.hint = Some(format!("{own}; {of_path}{}", hint.as_text()));
    }

    /// Records a call through which the fault passes.
    pub fn pass_call(&mut self, call: Span) {
        if self.trace.len() < MAX_TRACE {
            self.trace.push(call);
        }
        self.passed = false;
    }

    /// Returns the code as scripts and clients see it.
    pub fn wire_code(&self) -> &'static str {
        match self.limit {
            Some(Limit::Interrupt) => ToolCode::Cancelled.id(),
            Some(_) => ToolCode::LimitExceeded.id(),
            None => self.code.id(),
        }
    }

    /// Returns the map that ON ERROR and `LAST_ERROR` provide; for an error in a module it includes `file`.
    pub fn to_value(&self, sources: &Sources) -> Value {
        let source = self.span.and_then(|span| sources.of(span));
        let line = self.span.zip(source).map(|(span, source)| source.position(span).line as i64);
        let file = source.filter(|source| source.is_module()).map(|source| source.name());
        let text = |text: Option<&str>| text.map_or(Value::Nil, Value::text);
        let map = Map::with_capacity(7)
            .with("code", self.wire_code())
            .with("message", self.message_text())
            .with("tool", text(self.tool))
            .with("argument", text(self.argument))
            .with("path", text(self.path.as_deref()))
            .with("hint", text(self.hint.as_deref()))
            .with("line", line);
        let map = file.into_iter().fold(map, |map, file| map.with("file", file));
        let map = self.answer.iter().fold(map, |map, answer| map.with("answer", answer.clone()));
        Value::Map(Rc::new(map))
    }

    /// Returns the message as a text for scripts, which is marked if the fault is or follows from a refusal.
    pub fn message_text(&self) -> Str {
        let text = Str::new(&self.message);
        if self.refused {
            text.mark_refusal();
        }
        text
    }

    /// Converts the fault to a diagnostic with its location and call trace. `policy` tells which file set a limit.
    pub fn to_diagnostic(&self, policy: &Policy) -> Diagnostic {
        let mut finding = match self.span {
            Some(span) => Diagnostic::error(self.code, span, self.message.clone()),
            None => Diagnostic::placeless(self.code, self.message.clone()),
        };
        for call in &self.trace {
            finding = finding.related(*call, "called here");
        }
        finding.help = self.hint.clone();
        if let Some(limit) = self.limit {
            policy.provenance.correct_limit_help(limit, &mut finding.help);
        }
        finding
    }
}

impl From<Box<ValueError>> for Fault {
    fn from(error: Box<ValueError>) -> Fault {
        if let ValueError::Limit(hit) = *error {
            return hit.into();
        }
        let refused = matches!(*error, ValueError::MissingKey { refused: true, .. });
        let is_of_nil = error.is_of_nil();
        let fault = Fault { hint: error.help(), refused, is_of_nil, ..Fault::new(error.code(), error.to_string()) };
        match *error {
            ValueError::MissingKey { failed, .. } => Fault { failed_call: failed, ..fault },
            _ => fault,
        }
    }
}

impl From<LimitHit> for Fault {
    fn from(hit: LimitHit) -> Fault {
        Fault {
            hint: hit.limit.help().map(str::to_owned),
            limit: Some(hit.limit),
            ..Fault::new(hit.limit.code(), hit.to_string())
        }
    }
}

impl From<ToolError> for Fault {
    fn from(error: ToolError) -> Fault {
        let code = match error.limit {
            Some(hit) => FindingCode::Script(hit.limit.code()),
            None => FindingCode::Tool(error.code),
        };
        Fault {
            hint: error.hint,
            tool: error.tool,
            argument: error.argument,
            path: error.path,
            limit: error.limit.map(|hit| hit.limit),
            answer: error.answer,
            is_of_nil: error.is_of_nil,
            ..Fault::new(code, error.message)
        }
    }
}

impl Fault {
    /// Creates the fault of reading a variable that is not set.
    pub fn unset(name: &str) -> Fault {
        Fault::new(Code::UnsetName, format!("`{name}` is not set yet on this path"))
            .hint(format!("set it before the branch or loop: `SET {name} = nil`"))
    }
}
