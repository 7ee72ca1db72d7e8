//! Edits of documents: the smallest ones between two texts, and their form in the protocol.

use std::ops::Range;
use std::time::{Duration, Instant};

use lsp_types::{Range as PositionRange, TextEdit, Uri};
use serde_json::{Value as Json, json};
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::client::Client;
use super::text::{Encoding, Positions, Text};

/// Time after which differences are no longer the smallest ones.
const PATIENCE: Duration = Duration::from_millis(300);

/// A replacement of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The offsets of the lines.
    pub range: Range<usize>,
    /// The new lines.
    pub new_text: String,
}

impl Change {
    /// Returns the change as an edit of a text.
    pub fn edit(&self, old: &Positions<'_>) -> TextEdit {
        TextEdit { range: old.range(self.range.start, self.range.end), new_text: self.new_text.clone() }
    }
}

/// Returns the changes that turn a text into another, in the order of the text. Lines that differ in blanks and letter
/// case only are changes of their own.
pub fn changes_between(old: &str, new: &str) -> Vec<Change> {
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let starts = |lines: &[&str]| -> Vec<usize> {
        let sums = lines.iter().scan(0, |sum, line| {
            *sum += line.len();
            Some(*sum)
        });
        [0].into_iter().chain(sums).collect()
    };
    let (old_starts, new_starts) = (starts(&before), starts(&after));
    let change = |from: Range<usize>, to: Range<usize>| Change {
        range: old_starts[from.start]..old_starts[from.end],
        new_text: new[new_starts[to.start]..new_starts[to.end]].to_owned(),
    };
    let deadline = Some(Instant::now() + PATIENCE);
    let mut changes = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, &before, &after, deadline) {
        let (from, to) = (op.old_range(), op.new_range());
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let pairs = || from.clone().zip(to.clone());
        if from.len() == to.len() && pairs().all(|(one, other)| is_same_code(before[one], after[other])) {
            changes.extend(pairs().map(|(one, other)| change(one..one + 1, other..other + 1)));
        } else {
            changes.push(change(from, to));
        }
    }
    changes
}

/// Whether two lines differ in blanks and letter case only.
fn is_same_code(one: &str, other: &str) -> bool {
    let code = |line: &str| line.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    code(one).eq_ignore_ascii_case(&code(other))
}

/// Returns a text with ranges replaced, which are in order and do not overlap.
pub fn replaced<'a>(old: &str, changes: impl Iterator<Item = (Range<usize>, &'a str)>) -> String {
    let (mut text, mut done) = (String::with_capacity(old.len()), 0);
    for (range, new) in changes {
        text.push_str(&old[done..range.start]);
        text.push_str(new);
        done = range.end;
    }
    text + &old[done..]
}

/// Returns the edits that turn a text into another, by whole lines.
pub fn edits_between(old: &Text, new: &str, encoding: Encoding) -> Vec<TextEdit> {
    let positions = old.positions(encoding);
    changes_between(old.as_str(), new).iter().map(|change| change.edit(&positions)).collect()
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
pub fn touch(one: &PositionRange, other: &PositionRange) -> bool {
    one.start <= other.end && other.start <= one.end
}
