//! Repairs of what a check found: edits that change nothing that a script does.
//!
//! It gives a text and writes nothing. What comes out was checked again: it has no errors, and what was
//! repaired is gone; otherwise the text stays as it was.

use std::collections::HashMap;

use crate::text::{Diagnostic, Edit, Source};

use super::{Checked, Engine, Script};

/// Repairs may make others possible; there is an end to that.
const MAX_ROUNDS: usize = 10;

/// What becomes of a script that is repaired.
pub struct Fixed {
    /// The text with its repairs; none where there was nothing to repair.
    pub text: Option<String>,
    /// Findings that were repaired.
    pub repaired: usize,
    /// What is left, about the text as it is then.
    pub checked: Checked,
}

impl Engine {
    /// Repairs a script where a finding says how; the modules that it uses stay as they are.
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

/// How often what was found: findings that only differ in their place are alike.
type Tally = HashMap<(&'static str, String), usize>;

fn tally<'a>(findings: impl Iterator<Item = &'a Diagnostic>) -> Tally {
    let mut tally = Tally::new();
    for finding in findings {
        *tally.entry((finding.code.id(), finding.message.clone())).or_default() += 1;
    }
    tally
}

/// The text with as many repairs as do not touch each other, and what they repair; none where there is none.
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

/// Whether a text has no errors, and what was repaired is gone from it.
fn is_better(before: &Checked, after: &Checked, repaired: &Tally) -> bool {
    let (before, now) = (tally(before.findings.iter()), tally(after.findings.iter()));
    let count = |tally: &Tally, key| tally.get(key).copied().unwrap_or(0);
    let is_gone = |(key, times): (_, &usize)| count(&now, key) + times <= count(&before, key);
    !after.findings.iter().any(Diagnostic::is_error) && repaired.iter().all(is_gone)
}
