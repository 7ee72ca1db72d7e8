//! `{{invoke_tool: NAME …}}`: a tool and its arguments, `name: value` each.
//!
//! Arguments are separated by line breaks or commas.

use crate::syntax::keyword::{first_word, is_word, is_word_char};
use crate::text::{Code, Diagnostic, Span};
use crate::value::Value;

use super::scan::Scanner;

/// A call in a document.
#[derive(Debug)]
pub struct Call {
    /// The tool, by the name that is written.
    pub tool: String,
    /// Where that stands.
    pub tool_span: Span,
    /// Its arguments, in the order they are written.
    pub args: Vec<Arg>,
    /// Where its result comes.
    pub place: Place,
}

/// An argument, names in its texts expanded.
#[derive(Debug)]
pub struct Arg {
    /// Its name.
    pub name: String,
    /// Where that stands.
    pub name_span: Span,
    /// Its value; none where there is a finding about it.
    pub value: Option<Value>,
    /// Where that stands.
    pub span: Span,
}

/// Where a call stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Alone on its lines, with these blanks before it.
    Alone {
        /// The blanks.
        indent: String,
        /// How the document's lines end there.
        line_end: &'static str,
    },
    /// In a line with other text.
    InLine,
}

const FORM: &str = "write `{{invoke_tool: NAME`, each argument as `name: value` on a line of its own, and `}}`";

impl Scanner<'_, '_> {
    /// The call whose opening braces stand at `start`; the reader is behind `invoke_tool`.
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
                return Some(Call { tool, tool_span, args, place: Place::InLine });
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
        let rest = self.rest();
        let name = &rest[..rest.find(|c| !(is_word_char(c) || c == '.')).unwrap_or(rest.len())];
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

    /// Whether the text ends, or another pair of braces opens, before this call is closed; asked where
    /// an argument should begin.
    fn is_unclosed(&self) -> bool {
        let rest = self.rest();
        if rest[first_word(rest).len()..].trim_start_matches([' ', '\t']).starts_with(':') {
            return false;
        }
        !rest[..rest.find("{{").unwrap_or(rest.len())].contains("}}")
    }

    /// Passes what may stand between two arguments; whether it separates them.
    fn separator(&mut self) -> bool {
        let start = self.at;
        self.space();
        let comma = self.take(",");
        let apart = comma || self.text[start..self.at].contains('\n');
        self.space();
        apart
    }

    pub fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    /// Passes blanks and line breaks.
    pub fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    pub fn take(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        self.at += if here { text.len() } else { 0 };
        here
    }
}
