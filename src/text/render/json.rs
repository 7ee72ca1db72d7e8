//! Findings as JSON: one object each, stable keys.

use serde::Serialize;

use super::super::diagnostic::{Diagnostic, Edit, Label, Severity};
use super::super::source::Sources;
use super::super::span::Span;

/// A finding as programs read it.
#[derive(Serialize)]
pub struct JsonFinding<'a> {
    /// Stable code, for `ns explain`.
    pub code: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// One sentence.
    pub message: &'a str,
    /// Where; null when the finding has no place.
    pub place: Option<JsonPlace<'a>>,
    /// Other places that explain it.
    pub related: Vec<JsonPlace<'a>>,
    /// What to do.
    pub help: Option<&'a str>,
    /// What `ns check --fix` does; null where a repair might change what the script does.
    pub fix: Option<JsonFix<'a>>,
}

/// A change of a text.
#[derive(Serialize)]
pub struct JsonFix<'a> {
    /// What goes.
    pub place: JsonPlace<'a>,
    /// What comes in its place.
    pub text: &'a str,
}

/// A place: lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Serialize)]
pub struct JsonPlace<'a> {
    /// The source's name.
    pub file: &'a str,
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line of the end.
    pub end_line: usize,
    /// Column after the last character.
    pub end_column: usize,
    /// What stands there.
    pub text: &'a str,
}

/// The finding in its JSON shape.
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
