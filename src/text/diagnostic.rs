//! A finding about a script: what, where, and what to do.
//!
//! Diagnostics are plain data; [`super::render`] shows them.

use super::code::{Code, ToolCode};
use super::span::Span;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The script runs; something in it is probably not meant.
    Warning,
    /// The script does not run, or its run ended here.
    Error,
}

/// The stable identity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingCode {
    /// A code of the language.
    Script(Code),
    /// A code that a tool reported.
    Tool(ToolCode),
}

impl FindingCode {
    /// The text by which `ns explain` finds it.
    pub fn id(self) -> &'static str {
        match self {
            FindingCode::Script(code) => code.id(),
            FindingCode::Tool(code) => code.id(),
        }
    }

    /// What went wrong, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            FindingCode::Script(code) => code.title(),
            FindingCode::Tool(code) => code.title(),
        }
    }

    /// What it means and what to do.
    pub fn explanation(self) -> &'static str {
        match self {
            FindingCode::Script(code) => code.explanation(),
            FindingCode::Tool(code) => code.explanation(),
        }
    }
}

impl From<Code> for FindingCode {
    fn from(code: Code) -> FindingCode {
        FindingCode::Script(code)
    }
}

impl From<ToolCode> for FindingCode {
    fn from(code: ToolCode) -> FindingCode {
        FindingCode::Tool(code)
    }
}

/// A place and what is to be said of it; an empty text only marks the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What stands there, in a few words.
    pub text: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its identity.
    pub code: FindingCode,
    /// Its gravity.
    pub severity: Severity,
    /// One sentence: lower case, no full stop, names in backticks, expected before found.
    pub message: String,
    /// The place at fault; none when the fault has no place in a text.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub related: Vec<Label>,
    /// What to do, imperative.
    pub help: Option<String>,
    /// A change of the text that repairs it and alters nothing that the script does.
    pub fix: Option<Edit>,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes.
    pub span: Span,
    /// What comes in its place.
    pub text: String,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: impl Into<FindingCode>, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code.into(), Some(span), message.into())
    }

    /// A warning at a place.
    pub fn warning(code: impl Into<FindingCode>, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code.into(), Some(span), message.into())
    }

    /// An error that has no place in a text.
    pub fn placeless(code: impl Into<FindingCode>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code.into(), None, message.into())
    }

    fn new(severity: Severity, code: FindingCode, span: Option<Span>, message: String) -> Diagnostic {
        let primary = span.map(|span| Label { span, text: String::new() });
        Diagnostic { code, severity, message, primary, related: Vec::new(), help: None, fix: None }
    }

    /// Says something about the place at fault.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Adds another place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Adds a change that repairs it, where there is a safe one.
    pub fn fix(mut self, edit: Option<Edit>) -> Diagnostic {
        self.fix = edit;
        self
    }

    /// The place at fault, if it has one.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }

    /// Whether the finding keeps the script from running.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
