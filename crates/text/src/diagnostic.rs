//! Findings: a problem in a script, its position, and how to fix it.
//!
//! Diagnostics are plain data; [`super::render`] displays them.

use super::code::{Code, ToolCode};
use super::span::Span;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The script runs, but something in it is probably a mistake.
    Warning,
    /// The script does not run, or its run ended here.
    Error,
}

/// The stable code of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingCode {
    /// A code of the language.
    Script(Code),
    /// A code reported by a tool.
    Tool(ToolCode),
}

impl FindingCode {
    /// Returns the text of the code, as `ns explain` accepts it.
    pub fn id(self) -> &'static str {
        match self {
            FindingCode::Script(code) => code.id(),
            FindingCode::Tool(code) => code.id(),
        }
    }

    /// Returns a short description of the problem.
    pub fn title(self) -> &'static str {
        match self {
            FindingCode::Script(code) => code.title(),
            FindingCode::Tool(code) => code.title(),
        }
    }

    /// Returns the meaning and the fix.
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

/// A position with a note; an empty text only marks the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The position.
    pub span: Span,
    /// A short note.
    pub text: String,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code.
    pub code: FindingCode,
    /// The severity.
    pub severity: Severity,
    /// One sentence: lower case, no full stop, names in backticks, expected before found.
    pub message: String,
    /// The position of the problem; `None` if it has no position in a text.
    pub primary: Option<Label>,
    /// Other positions that explain the problem.
    pub related: Vec<Label>,
    /// The suggested fix, in the imperative.
    pub help: Option<String>,
    /// An edit that fixes the problem without changing what the script does.
    pub fix: Option<Edit>,
    /// An edit that the help suggests, and that may change what the script does.
    pub suggestion: Option<Edit>,
}

/// An edit of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The range to replace.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

impl Diagnostic {
    /// Creates an error at a position.
    pub fn error(code: impl Into<FindingCode>, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code.into(), Some(span), message.into())
    }

    /// Creates a warning at a position.
    pub fn warning(code: impl Into<FindingCode>, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code.into(), Some(span), message.into())
    }

    /// Creates an error that has no position in a text.
    pub fn placeless(code: impl Into<FindingCode>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code.into(), None, message.into())
    }

    fn new(severity: Severity, code: FindingCode, span: Option<Span>, message: String) -> Diagnostic {
        let primary = span.map(|span| Label { span, text: String::new() });
        let message = bounded(message);
        Diagnostic { code, severity, message, primary, related: Vec::new(), help: None, fix: None, suggestion: None }
    }

    /// Adds a note at the position of the problem.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Adds another position.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Sets the suggested fix.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(bounded(text.into()));
        self
    }

    /// Sets the help to the suggestion of another spelling for the position of the problem.
    pub fn did_you_mean(self, near: &str) -> Diagnostic {
        self.help(format!("did you mean `{near}`?")).instead(near)
    }

    /// Sets the text that the help suggests for the position of the problem.
    pub fn instead(mut self, text: &str) -> Diagnostic {
        self.suggestion = self.span().map(|span| Edit { span, text: text.to_owned() });
        self
    }

    /// Sets the help to a text to write for the position of the problem.
    pub fn write(self, text: &str) -> Diagnostic {
        self.help(format!("write `{text}`")).instead(text)
    }

    /// Sets the edit that the help suggests, if there is one.
    pub fn suggest(mut self, edit: Option<Edit>) -> Diagnostic {
        self.suggestion = edit;
        self
    }

    /// Sets an edit that fixes the problem, if there is a safe one.
    pub fn fix(mut self, edit: Option<Edit>) -> Diagnostic {
        self.fix = edit;
        self
    }

    /// Returns the position of the problem, if it has one.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }

    /// Whether the finding prevents the script from running, or ended its run.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Maximum number of bytes of a message that is shown as it is.
const MAX_MESSAGE: usize = 4_000;
/// Maximum number of characters of a quotation in a longer message.
const MAX_QUOTED: usize = 100;

/// Cuts the quotations in a long message, and then the message: a script may have names and lines of any length.
fn bounded(message: String) -> String {
    if message.len() <= MAX_MESSAGE {
        return message;
    }
    let cut = |text: &str, most: usize| match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    let parts = message.split('`').enumerate();
    let parts: Vec<String> =
        parts.map(|(number, part)| cut(part, if number % 2 == 1 { MAX_QUOTED } else { MAX_MESSAGE })).collect();
    cut(&parts.join("`"), MAX_MESSAGE)
}

#[cfg(test)]
mod tests {
    use super::{MAX_MESSAGE, bounded};

    #[test]
    fn a_long_quotation_is_cut_and_the_rest_stays() {
        let name = "é".repeat(1_000_000);
        let message = bounded(format!("expected a statement, found `{name}`; write `SET x = 1`"));
        assert_eq!(message, format!("expected a statement, found `{}…`; write `SET x = 1`", "é".repeat(100)));
        assert_eq!(bounded("a".repeat(1_000_000)).chars().count(), MAX_MESSAGE + 1);
        assert_eq!(bounded("`a` ".repeat(100)), "`a` ".repeat(100));
    }
}
