//! Formatting, as `ns fmt` formats: the smallest edits by whole lines.

use lsp_types::{Range, TextEdit};

use crate::engine::{Script, format_script};
use crate::text::Diagnostic;

use super::client::Client;
use super::documents::Document;
use super::edits::{changes_between, replaced, touch};
use super::request::Refusal;

/// Returns the edits that format a document, or the part of it that a range touches.
///
/// # Errors
/// A document with errors, and a part that cannot be formatted without the rest.
pub fn format(document: &Document, range: Option<Range>, client: &Client) -> Result<Vec<TextEdit>, Refusal> {
    let script = document.script();
    let formatted = formatted(&script)?;
    let old = document.text.as_str();
    let positions = document.text.positions(client.encoding);
    let mut changes = changes_between(old, &formatted);
    if let Some(range) = range {
        changes.retain(|change| touch(&change.edit(&positions).range, &range));
        // A part is right if formatting the rest gives the same text as formatting everything at once.
        let parts = changes.iter().map(|change| (change.range.clone(), change.new_text.as_str()));
        if self::formatted(&script.with_text(&replaced(old, parts)))? != formatted {
            return Err(Refusal::failed("this part cannot be formatted without the rest of the document"));
        }
    }
    Ok(changes.iter().map(|change| change.edit(&positions)).collect())
}

fn formatted(script: &Script) -> Result<String, Refusal> {
    format_script(script, None).result.map_err(|findings: Vec<Diagnostic>| {
        let first = findings.first().map_or("", |finding| &finding.message);
        Refusal::failed(format!("a document with errors is not formatted: {first}"))
    })
}
