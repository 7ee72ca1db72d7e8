//! Automatic fixes for findings: edits that do not change what a script does.
//!
//! The result is a text; nothing is written. The fixed text is checked again: if it has errors, or a fixed finding is
//! still there, the text stays as it was.

use std::collections::HashMap;

use crate::text::{Diagnostic, Edit, Source};

use super::{Checked, Engine, Script};

/// Maximum number of rounds, since fixes may enable other fixes.
const MAX_ROUNDS: usize = 10;

/// The result of fixing a script.
pub struct Fixed {
    /// The fixed text; `None` if there was nothing to fix.
    pub text: Option<String>,
    /// Number of fixed findings.
    pub repaired: usize,
    /// The remaining findings, about the fixed text.
    pub checked: Checked,
}

impl Engine {
    /// Fixes every finding that has an edit; the modules that the script uses stay as they are.
    pub fn fix(&self, script: &Script) -> Fixed {
        let mut script = script.clone();
        let mut fixed = Fixed { text: None, repaired: 0, checked: self.check(&script) };
        for _ in 0..MAX_ROUNDS {
            let Some((text, repaired)) = repaired_text(&script, &fixed.checked) else { break };
            let next = script.with_text(&text);
            let checked = self.check(&next);
            if !is_better(&fixed.checked, &checked, &repaired) {
                break;
            }
            let repaired = fixed.repaired + repaired.values().sum::<usize>();
            fixed = Fixed { text: Some(text), repaired, checked };
            script = next;
        }
        fixed
    }
}

/// Number of findings by code and message; their positions are ignored.
type Tally = HashMap<(&'static str, String), usize>;

fn tally<'a>(findings: impl Iterator<Item = &'a Diagnostic>) -> Tally {
    let mut tally = Tally::new();
    for finding in findings {
        *tally.entry((finding.code.id(), finding.message.clone())).or_default() += 1;
    }
    tally
}

/// Applies as many edits as do not overlap. Returns the text and the findings that they fix; `None` if there are no
/// edits.
fn repaired_text(script: &Script, checked: &Checked) -> Option<(String, Tally)> {
    let source = checked.sources.iter().find(|source| !source.is_module())?;
    let mut edits: Vec<(&Edit, &Diagnostic)> = edits(source, &checked.findings).collect();
    edits.sort_by_key(|(edit, _)| edit.span);
    let written = script.text()?;
    let (mut text, mut done, mut repaired) = (String::with_capacity(written.len()), 0, Vec::new());
    for (edit, finding) in edits {
        let (start, end) = source.local(edit.span);
        if start >= done {
            text.push_str(&written[done..start]);
            text.push_str(&edit.text);
            done = end;
            repaired.push(finding);
        }
    }
    text.push_str(&written[done..]);
    (!repaired.is_empty()).then(|| (text, tally(repaired.into_iter())))
}

fn edits<'a>(source: &Source, findings: &'a [Diagnostic]) -> impl Iterator<Item = (&'a Edit, &'a Diagnostic)> {
    let here = source.span();
    let with_edits = findings.iter().filter_map(|finding| Some((finding.fix.as_ref()?, finding)));
    with_edits.filter(move |(edit, _)| here.start <= edit.span.start && edit.span.end <= here.end)
}

/// Whether a text has no errors, and the fixed findings are gone.
fn is_better(before: &Checked, after: &Checked, repaired: &Tally) -> bool {
    let (before, now) = (tally(before.findings.iter()), tally(after.findings.iter()));
    let count = |tally: &Tally, key| tally.get(key).copied().unwrap_or(0);
    let is_gone = |(key, times): (_, &usize)| count(&now, key) + times <= count(&before, key);
    !after.findings.iter().any(Diagnostic::is_error) && repaired.iter().all(is_gone)
}
