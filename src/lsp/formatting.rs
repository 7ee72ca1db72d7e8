//! Formatting, as `ns fmt` formats: the smallest edits by whole lines.

use lsp_types::{Range, TextEdit};

use crate::engine::format_script;
use crate::text::Diagnostic;

use super::client::Client;
use super::documents::Document;
use super::edits::{edits_between, touch};
use super::request::Refusal;

/// Returns the edits that format a document, or the part of it that a range touches.
///
/// # Errors
/// A document with errors, which is not formatted.
pub fn format(document: &Document, range: Option<Range>, client: &Client) -> Result<Vec<TextEdit>, Refusal> {
    let formatted = format_script(&document.script(), None).result.map_err(|findings| refused(&findings))?;
    let mut edits = edits_between(&document.text, &formatted, client.encoding);
    if let Some(range) = range {
        edits.retain(|edit| touch(&edit.range, &range));
    }
    Ok(edits)
}

fn refused(findings: &[Diagnostic]) -> Refusal {
    let first = findings.first().map_or("", |finding| &finding.message);
    Refusal::failed(format!("a document with errors is not formatted: {first}"))
}
