//! Renaming. The result is checked before it is offered: it has the findings that there were before, and the new name
//! stands for the same thing in the same places. Otherwise the request is refused.

use std::collections::BTreeMap;

use lsp_types::{Position, Range};
use serde_json::{Value as Json, json};

use crate::engine::{AnalyzedText, Engine, OccurrenceRole, Symbol, TokenKind, tokens};
use crate::text::Diagnostic;

use super::edits::{DocumentEdits, workspace_edit};
use super::references::{FileUses, Uses, edits, renamed, uses};
use super::request::{Refusal, RefusalCode, Target};
use super::symbols::symbol_at;

/// Returns the range of the name at a position, if it can be renamed.
pub fn prepare(target: &Target<'_>, position: Position) -> Option<Json> {
    let span = symbol_at(target, target.offset(position))?.span;
    let (start, end) = (span.start as usize, span.end as usize);
    let range: Range = target.document.text.positions(target.client.encoding).range(start, end);
    let placeholder = target.document.text.as_str().get(start..end)?;
    Some(json!({ "range": range, "placeholder": placeholder }))
}

/// Renames the name at a position in all scripts of the workspace.
///
/// # Errors
/// A name that is none, and a result that would not mean the same.
pub fn rename(target: &Target<'_>, position: Position, name: &str) -> Result<Json, Refusal> {
    let is_name = matches!(tokens(name)[..], [token] if token.kind == TokenKind::Name && token.end == name.len());
    if !is_name {
        let message = format!("`{name}` is no name: a name is letters, digits and `_`, and no keyword");
        return Err(Refusal::new(RefusalCode::InvalidParams, message));
    }
    let Some(uses) = uses(target, position) else {
        return Err(Refusal::failed("nothing that can be renamed stands here: variables, procedures and modules can"));
    };
    admit(target, &uses)?;
    verify(target.engine, &uses, name)?;
    let changed = uses.files.iter().map(|file| DocumentEdits {
        uri: file.uri.clone(),
        version: file.version,
        edits: edits(file, name, target.client.encoding),
    });
    Ok(workspace_edit(&changed.collect::<Vec<_>>(), target.client))
}

/// Refuses names whose uses are not all known.
fn admit(target: &Target<'_>, uses: &Uses) -> Result<(), Refusal> {
    if target.analysis.checked.findings.iter().any(Diagnostic::is_error) {
        return Err(Refusal::failed(
            "the document has errors, so not every use of the name is known; repair them first",
        ));
    }
    if uses.is_variable && uses.files.iter().any(|file| file.found.reads_unknown_names) {
        return Err(Refusal::failed("`EVAL` may read the variable by a name that is known in a run only"));
    }
    if uses.is_cut {
        return Err(Refusal::failed("too many scripts of the workspace have the name"));
    }
    if let Some(file) = uses.unreadable.first() {
        return Err(Refusal::failed(format!(
            "`{file}` has errors, so not every use of the name is known; repair them first"
        )));
    }
    let is_defined = |file: &FileUses| file.found.places.iter().any(|place| place.role != OccurrenceRole::Read);
    if !uses.files.iter().any(is_defined) {
        return Err(Refusal::failed("the name is defined outside the workspace folder"));
    }
    Ok(())
}

/// Checks the renamed texts together.
fn verify(engine: &Engine, uses: &Uses, name: &str) -> Result<(), Refusal> {
    let texts: Vec<String> = uses.files.iter().map(|file| renamed(file, name)).collect();
    let before: Vec<Tally> =
        uses.files.iter().map(|file| tally(&engine.analyze(&file.script).checked.findings)).collect();
    let open = |texts: &dyn Fn(usize) -> Option<String>| {
        for (number, file) in uses.files.iter().enumerate() {
            if let Some(path) = &file.path {
                engine.set_open_text(path, texts(number).as_deref());
            }
        }
    };
    open(&|number| Some(texts[number].clone()));
    let mut result = Ok(());
    for ((file, text), before) in uses.files.iter().zip(&texts).zip(&before) {
        let script = file.script.with_text(text);
        let analysis = engine.analyze(&script);
        let after = tally(&analysis.checked.findings);
        let is_new = |finding: &&Diagnostic| after.get(finding.code.id()) > before.get(finding.code.id());
        if let Some(finding) = analysis.checked.findings.iter().find(is_new) {
            result = Err(Refusal::failed(format!("with the name `{name}`, {}", finding.message)));
            break;
        }
        let is_same = analysis.script().is_some_and(|text| is_one_symbol(&text, engine, file, name));
        if after != *before || !is_same {
            let file = file.script.name();
            result = Err(Refusal::failed(format!("`{name}` already stands for something else in `{file}`")));
            break;
        }
    }
    // The texts of open documents stay those of the editor.
    open(&|number| uses.files[number].version.map(|_| uses.files[number].text.as_str().to_owned()));
    result
}

/// Whether the renamed places, and no others, stand for one symbol.
fn is_one_symbol(text: &AnalyzedText<'_>, engine: &Engine, file: &FileUses, name: &str) -> bool {
    let all = text.occurrences(engine).all;
    let mut before = 0;
    let starts = file.found.places.iter().map(|place| {
        // The new name is longer or shorter at each place before this one.
        let start = place.start - before * (place.end - place.start) + before * name.len();
        before += 1;
        start
    });
    let symbol_at = |start: usize| {
        all.iter().find(|occurrence| text.source.local(occurrence.span).0 == start).map(|occurrence| &occurrence.symbol)
    };
    let symbols: Vec<Option<&Symbol>> = starts.map(symbol_at).collect();
    let Some(Some(first)) = symbols.first() else { return symbols.is_empty() };
    let same = all.iter().filter(|occurrence| occurrence.symbol == **first).count();
    symbols.iter().all(|symbol| *symbol == Some(*first)) && same == symbols.len()
}

/// Number of findings by code.
type Tally = BTreeMap<&'static str, usize>;

fn tally(findings: &[Diagnostic]) -> Tally {
    let mut tally = Tally::new();
    findings.iter().for_each(|finding| *tally.entry(finding.code.id()).or_default() += 1);
    tally
}
