//! An error of a run: what happened, where, and on which way the run came there.

use std::rc::Rc;

use crate::limits::{Limit, LimitHit};
use crate::text::{Code, Diagnostic, FindingCode, Sources, Span, ToolCode};
use crate::toolkit::ToolError;
use crate::value::{Map, Value, ValueError};

/// Calls that a fault remembers, innermost first.
const MAX_TRACE: usize = 6;

/// An error on its way out of a run.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What it is called in findings.
    pub code: FindingCode,
    /// One sentence.
    pub message: String,
    /// What to do, imperative.
    pub hint: Option<String>,
    /// Where it happened.
    pub span: Option<Span>,
    /// The tool that failed.
    pub tool: Option<&'static str>,
    /// The argument at fault.
    pub argument: Option<&'static str>,
    /// The path at fault.
    pub path: Option<String>,
    /// A limit, which nothing can catch.
    pub limit: Option<Limit>,
    /// What the tool answered all the same.
    pub answer: Option<Value>,
    /// The calls through which it passed, innermost first.
    pub trace: Vec<Span>,
    /// Sandbox or policy refused, or the error follows from that.
    pub refused: bool,
    /// The handler of the running procedure has seen it and let it go on.
    pub(super) passed: bool,
    /// Nobody reads the output any more: the end of the run, and no error to anybody.
    pub(super) unread: bool,
}

impl Fault {
    /// A fault with a code and a sentence.
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
            passed: false,
            unread: false,
        }
    }

    /// Says what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
        self
    }

    /// Whether ON ERROR can handle it.
    pub fn is_catchable(&self) -> bool {
        self.limit.is_none()
    }

    /// Whether it only says that nobody reads the output any more.
    pub fn is_unread(&self) -> bool {
        self.unread
    }

    /// Notes a call through which it passes.
    pub fn pass_call(&mut self, call: Span) {
        if self.trace.len() < MAX_TRACE {
            self.trace.push(call);
        }
        self.passed = false;
    }

    /// The code as scripts and machines see it.
    pub fn wire_code(&self) -> &'static str {
        match self.limit {
            Some(Limit::Interrupt) => ToolCode::Cancelled.id(),
            Some(_) => ToolCode::LimitExceeded.id(),
            None => self.code.id(),
        }
    }

    /// The map that ON ERROR and `LAST_ERROR` give: of an error in a module also with its `file`.
    pub fn to_value(&self, sources: &Sources) -> Value {
        let source = self.span.and_then(|span| sources.of(span));
        let line = self.span.zip(source).map(|(span, source)| source.position(span).line as i64);
        let file = source.filter(|source| source.is_module()).map(|source| source.name());
        let text = |text: Option<&str>| text.map_or(Value::Nil, Value::text);
        let map = Map::with_capacity(7)
            .with("code", self.wire_code())
            .with("message", self.message.as_str())
            .with("tool", text(self.tool))
            .with("argument", text(self.argument))
            .with("path", text(self.path.as_deref()))
            .with("hint", text(self.hint.as_deref()))
            .with("line", line);
        let map = file.into_iter().fold(map, |map, file| map.with("file", file));
        let map = self.answer.iter().fold(map, |map, answer| map.with("answer", answer.clone()));
        Value::Map(Rc::new(map))
    }

    /// The fault as a finding, with its place and the calls on the way.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut finding = match self.span {
            Some(span) => Diagnostic::error(self.code, span, self.message.clone()),
            None => Diagnostic::placeless(self.code, self.message.clone()),
        };
        for call in &self.trace {
            finding = finding.related(*call, "called here");
        }
        finding.help = self.hint.clone();
        finding
    }
}

impl From<Box<ValueError>> for Fault {
    fn from(error: Box<ValueError>) -> Fault {
        if let ValueError::Limit(hit) = *error {
            return hit.into();
        }
        Fault { hint: error.help(), ..Fault::new(error.code(), error.to_string()) }
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
            ..Fault::new(code, error.message)
        }
    }
}

impl Fault {
    /// The fault of a variable that is read before it is set.
    pub fn unset(name: &str) -> Fault {
        Fault::new(Code::UnsetName, format!("`{name}` is not set yet on this path"))
            .hint(format!("set it before the branch or loop: `SET {name} = nil`"))
    }
}
