//! Findings as JSON: one object per finding, with stable keys.

use serde::Serialize;

use super::super::diagnostic::{Diagnostic, Edit, Label, Severity};
use super::super::source::Sources;
use super::super::span::Span;

/// A finding for programs.
#[derive(Serialize)]
pub struct JsonFinding<'a> {
    /// The stable code, for `ns explain`.
    pub code: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// One sentence.
    pub message: &'a str,
    /// The position; null if the finding has none.
    pub place: Option<JsonPlace<'a>>,
    /// Other positions that explain the problem.
    pub related: Vec<JsonPlace<'a>>,
    /// The suggested fix.
    pub help: Option<&'a str>,
    /// The edit of `ns check --fix`; null if a fix might change what the script does.
    pub fix: Option<JsonFix<'a>>,
}

/// An edit of a text.
#[derive(Serialize)]
pub struct JsonFix<'a> {
    /// The range to replace.
    pub place: JsonPlace<'a>,
    /// The replacement.
    pub text: &'a str,
}

/// A range in a text. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Serialize)]
pub struct JsonPlace<'a> {
    /// The name of the source.
    pub file: &'a str,
    /// The line of the first character.
    pub line: usize,
    /// The column of the first character.
    pub column: usize,
    /// The line of the end.
    pub end_line: usize,
    /// The column after the last character.
    pub end_column: usize,
    /// A short note.
    pub text: &'a str,
}

/// Converts a finding to its JSON form.
pub fn to_json<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> JsonFinding<'a> {
    JsonFinding {
        code: diagnostic.code.id(),
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &diagnostic.message,
        place: diagnostic.primary.as_ref().and_then(|label| place(label, sources)),
        related: diagnostic.related.iter().filter_map(|label| place(label, sources)).collect(),
        help: diagnostic.help.as_deref(),
        fix: diagnostic.fix.as_ref().and_then(|edit| fix(edit, sources)),
    }
}

fn fix<'a>(edit: &'a Edit, sources: &'a Sources) -> Option<JsonFix<'a>> {
    Some(JsonFix { place: place_of(edit.span, "", sources)?, text: &edit.text })
}

fn place<'a>(label: &'a Label, sources: &'a Sources) -> Option<JsonPlace<'a>> {
    place_of(label.span, &label.text, sources)
}

fn place_of<'a>(span: Span, text: &'a str, sources: &'a Sources) -> Option<JsonPlace<'a>> {
    let source = sources.of(span)?;
    let (start, end) = (source.position(span), source.end_position(span));
    Some(JsonPlace {
        file: source.name(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        text,
    })
}
