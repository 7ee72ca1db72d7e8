//! The position in a document while it is parsed: what comes next, what to skip, and what to report.

use crate::limits::LimitHit;
use crate::text::{Code, Diagnostic, Span};
use crate::value::Map;

/// Maximum number of findings in one document; parsing stops there.
pub const MAX_FINDINGS: usize = 100;

/// The context for parsing a document.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The values of the variables.
    pub variables: &'a Map,
    /// Maximum nesting of lists and maps.
    pub nesting: usize,
}

/// The position in a document, and the findings so far.
pub(super) struct Scanner<'a, 'r> {
    /// The text of the document.
    pub text: &'a str,
    /// The offset of the next byte.
    pub at: usize,
    /// The position of the document among all sources.
    pub base: usize,
    /// The context.
    pub reading: Reading<'r>,
    /// The findings so far.
    pub findings: &'r mut Vec<Diagnostic>,
}

impl<'a> Scanner<'a, '_> {
    /// Whether the document has as many findings as it may have.
    pub fn is_full(&self) -> bool {
        self.findings.len() >= MAX_FINDINGS
    }

    /// Adds a finding, unless there are too many.
    pub fn report(&mut self, finding: Diagnostic) {
        if !self.is_full() {
            self.findings.push(finding);
        }
    }

    /// Returns the text from here on.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the span of `length` bytes at an offset.
    pub fn span_of(&self, at: usize, length: usize) -> Span {
        Span::new(self.base + at, self.base + at + length)
    }

    /// Reports an error at the next character, or at the end.
    pub fn fault(&mut self, code: Code, message: impl Into<String>, help: &str) {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        let span = self.span_of(self.at, length);
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    /// Reports a limit that a value exceeds.
    pub fn limit(&mut self, hit: LimitHit, span: Span) {
        let finding = Diagnostic::error(hit.limit.code(), span, hit.to_string());
        self.report(match hit.limit.help() {
            Some(help) => finding.help(help),
            None => finding,
        });
    }

    /// Reports that the rest of the document is not parsed.
    pub fn too_many_faults(&mut self) {
        let message = format!("the text has {MAX_FINDINGS} faults; it was not read from here on");
        let span = self.span_of(self.at, 0);
        self.findings.push(Diagnostic::error(Code::TooManyFaults, span, message).help("repair the faults above first"));
    }

    /// Skips blanks.
    pub fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    /// Skips blanks and line breaks.
    pub fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Skips a text if it is here. Returns whether it was.
    pub fn take(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        self.at += if here { text.len() } else { 0 };
        here
    }
}
