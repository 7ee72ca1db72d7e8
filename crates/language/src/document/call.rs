//! Parses `{{invoke_tool: NAME …}}`: a tool and its arguments, each `name: value`.
//!
//! Arguments are separated by line breaks or commas.

use crate::syntax::keyword::{dotted_word, first_word, is_word};
use crate::text::{Code, Diagnostic, Span};
use crate::value::Value;

use super::scanner::Scanner;

/// A call in a document.
#[derive(Debug)]
pub struct Call {
    /// The tool's name as written.
    pub tool: String,
    /// The position of the name.
    pub tool_span: Span,
    /// The arguments, in the order written.
    pub args: Vec<Arg>,
    /// The place where the result goes.
    pub position: CallPosition,
}

/// An argument; variables in its texts are expanded.
#[derive(Debug)]
pub struct Arg {
    /// The name.
    pub name: String,
    /// The position of the name.
    pub name_span: Span,
    /// The value; `None` if it has an error, which is among the findings.
    pub value: Option<Value>,
    /// The position of the value.
    pub span: Span,
}

/// The place of a call in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallPosition {
    /// Alone on its lines.
    Alone {
        /// The blanks before the call.
        indent: String,
        /// The line end that the document uses there.
        line_end: &'static str,
    },
    /// In a line with other text.
    InLine,
}

const FORM: &str = "write `{{invoke_tool: NAME`, each argument as `name: value` on a line of its own, and `}}`";

impl Scanner<'_, '_> {
    /// Parses a call whose opening braces are at `start`; the scanner is after `invoke_tool`.
    pub fn call(&mut self, start: usize) -> Option<Call> {
        self.blanks();
        if !self.take(":") {
            self.fault(Code::UnexpectedText, "expected `:` after `invoke_tool`", FORM);
            return None;
        }
        self.space();
        let (tool, tool_span) = self.tool_name()?;
        let mut args = Vec::new();
        loop {
            let apart = self.separator();
            if self.take("}}") {
                return Some(Call { tool, tool_span, args, position: CallPosition::InLine });
            }
            if self.is_unclosed() {
                let message = "the call that begins here is never closed";
                let finding = Diagnostic::error(Code::UnclosedBracket, self.span_of(start, 2), message);
                self.report(finding.help("close it with `}}`"));
                return None;
            }
            if !apart && !args.is_empty() {
                let message = "expected a comma or a line break after the argument";
                self.fault(Code::UnexpectedText, message, FORM);
                return None;
            }
            args.push(self.arg()?);
        }
    }

    fn tool_name(&mut self) -> Option<(String, Span)> {
        let name = dotted_word(self.rest());
        if name.is_empty() {
            self.fault(Code::UnexpectedText, "expected the name of a tool", FORM);
            return None;
        }
        let span = self.span_of(self.at, name.len());
        self.at += name.len();
        Some((name.to_owned(), span))
    }

    fn arg(&mut self) -> Option<Arg> {
        let name = first_word(self.rest());
        if !is_word(name) {
            self.fault(Code::UnexpectedText, "expected the name of an argument, or `}}`", FORM);
            return None;
        }
        let name_span = self.span_of(self.at, name.len());
        self.at += name.len();
        self.blanks();
        if !self.take(":") {
            let message =
                format!("expected `:` after the argument's name `{}`", crate::value::print::shortened(name, 60));
            self.fault(Code::UnexpectedText, message, FORM);
            return None;
        }
        self.space();
        let start = self.at;
        let faults = self.findings.len();
        let value = Some(self.value(self.reading.nesting)?).filter(|_| self.findings.len() == faults);
        Some(Arg { name: name.to_owned(), name_span, value, span: self.span_of(start, self.at - start) })
    }

    /// Whether the text ends, or another `{{` opens, before this call is closed. Called where an argument should
    /// begin.
    fn is_unclosed(&self) -> bool {
        let rest = self.rest();
        if rest[first_word(rest).len()..].trim_start_matches([' ', '\t']).starts_with(':') {
            return false;
        }
        !rest[..rest.find("{{").unwrap_or(rest.len())].contains("}}")
    }

    /// Skips what may separate two arguments. Returns whether it does: a comma or a line break.
    fn separator(&mut self) -> bool {
        let start = self.at;
        self.space();
        let comma = self.take(",");
        let apart = comma || self.text[start..self.at].contains('\n');
        self.space();
        apart
    }
}
