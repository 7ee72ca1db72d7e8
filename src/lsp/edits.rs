//! Edits of documents: the smallest ones between two texts, and their form in the protocol.

use std::time::{Duration, Instant};

use lsp_types::{Range, TextEdit, Uri};
use serde_json::{Value as Json, json};
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::client::Client;
use super::text::{Encoding, Text};

/// Time after which differences are no longer the smallest ones.
const PATIENCE: Duration = Duration::from_millis(300);

/// Returns the edits that turn a text into another, by whole lines.
pub fn edits_between(old: &Text, new: &str, encoding: Encoding) -> Vec<TextEdit> {
    let before: Vec<&str> = old.as_str().split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let ends = |lines: &[&str]| -> Vec<usize> {
        let sums = lines.iter().scan(0, |sum, line| {
            *sum += line.len();
            Some(*sum)
        });
        [0].into_iter().chain(sums).collect()
    };
    let (old_ends, new_ends) = (ends(&before), ends(&after));
    let deadline = Some(Instant::now() + PATIENCE);
    let positions = old.positions(encoding);
    let mut edits = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, &before, &after, deadline) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let (from, to) = (op.old_range(), op.new_range());
        let range = positions.range(old_ends[from.start], old_ends[from.end]);
        let new_text = new[new_ends[to.start]..new_ends[to.end]].to_owned();
        edits.push(TextEdit { range, new_text });
    }
    edits
}

/// Edits of one document.
pub struct DocumentEdits {
    /// The document.
    pub uri: Uri,
    /// Its version, if it is open.
    pub version: Option<i32>,
    /// The edits, in the order of the text.
    pub edits: Vec<TextEdit>,
}

/// Returns edits of documents in a form that the client takes.
pub fn workspace_edit(documents: &[DocumentEdits], client: &Client) -> Json {
    if client.takes_versions {
        let change = |document: &DocumentEdits| {
            json!({
                "textDocument": { "uri": document.uri, "version": document.version },
                "edits": document.edits,
            })
        };
        return json!({ "documentChanges": documents.iter().map(change).collect::<Vec<_>>() });
    }
    let changes = documents.iter().map(|document| (document.uri.as_str().to_owned(), json!(document.edits)));
    json!({ "changes": changes.collect::<serde_json::Map<_, _>>() })
}

/// Whether two ranges have a position in common.
pub fn touch(one: &Range, other: &Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
