//! Code actions: the repairs of `ns check --fix`, one by one and all at once, and the suggestions of messages.

use lsp_types::{CodeActionKind, CodeActionParams, TextEdit};
use serde_json::{Value as Json, json};

use crate::text::Diagnostic;

use super::diagnostics::placed;
use super::edits::{DocumentEdits, edits_between, touch, workspace_edit};
use super::request::Target;

/// Maximum number of characters of a title.
const LONGEST_TITLE: usize = 120;

/// Returns the actions for findings that touch a range.
pub fn code_actions(target: &Target<'_>, params: &CodeActionParams) -> Vec<Json> {
    let only = params.context.only.as_deref();
    let mut actions = Vec::new();
    if is_wanted(only, &CodeActionKind::QUICKFIX) {
        actions.extend(edits_of_findings(target, params));
    }
    // Repairing all checks the result, which takes time, so it is offered where a repair is, or when it is asked for.
    let is_asked = only.is_some() && is_wanted(only, &CodeActionKind::SOURCE_FIX_ALL);
    let has_repair = actions.iter().any(|action| action["isPreferred"] == true);
    if is_asked || only.is_none() && has_repair {
        actions.extend(repair_all(target));
    }
    actions
}

/// Whether the client wants actions of a kind: a kind includes those below it.
fn is_wanted(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    let includes = |wanted: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(wanted.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || wanted.as_str().is_empty())
    };
    only.is_none_or(|only| only.iter().any(includes))
}

/// Returns the repairs of findings, and the edits that their help suggests. A suggestion is a guess, so it is not the
/// preferred action.
fn edits_of_findings(target: &Target<'_>, params: &CodeActionParams) -> Vec<Json> {
    let places = target.places();
    let action = |finding: &Diagnostic| {
        let (edit, is_repair) = match (&finding.fix, &finding.suggestion) {
            (Some(fix), _) => (fix, true),
            (None, Some(suggestion)) => (suggestion, false),
            (None, None) => return None,
        };
        let shown = placed(target.document, finding, &places, target.client);
        // A repair of a module belongs to the document of the module.
        let range = places.range(edit.span)?;
        let is_here = shown.location.uri == target.document.uri && touch(&shown.location.range, &params.range);
        let edits = vec![TextEdit { range, new_text: edit.text.clone() }];
        let old = places.slice(edit.span);
        is_here.then(|| {
            json!({
                "title": title(old, &edit.text),
                "kind": CodeActionKind::QUICKFIX,
                "diagnostics": [shown.shown],
                "isPreferred": is_repair,
                "edit": changes(target, edits),
            })
        })
    };
    target.analysis.checked.findings.iter().filter_map(action).collect()
}

/// Returns the action that repairs everything, as `ns check --fix` does.
fn repair_all(target: &Target<'_>) -> Option<Json> {
    let fixed = target.engine.fix(&target.document.script());
    let edits = edits_between(&target.document.text, &fixed.text?, target.client.encoding);
    let title = match fixed.repaired {
        1 => "Repair 1 finding".to_owned(),
        count => format!("Repair {count} findings"),
    };
    Some(json!({ "title": title, "kind": CodeActionKind::SOURCE_FIX_ALL, "edit": changes(target, edits) }))
}

fn changes(target: &Target<'_>, edits: Vec<TextEdit>) -> Json {
    let (uri, version) = (target.document.uri.clone(), Some(target.document.version));
    workspace_edit(&[DocumentEdits { uri, version, edits }], target.client)
}

/// Returns the title of the edit that replaces a text by another.
fn title(old: &str, new: &str) -> String {
    if new.trim().is_empty() {
        format!("Remove `{}`", shortened(old.trim()))
    } else if old.is_empty() {
        format!("Insert `{}`", shortened(new.trim()))
    } else {
        format!("Replace with `{}`", shortened(new.trim()))
    }
}

/// Returns the first line of a text, cut to the length of a title.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut title: String = line.chars().take(LONGEST_TITLE).collect();
    if title.len() < line.len() {
        title.push('…');
    }
    title
}
