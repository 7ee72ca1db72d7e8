//! Completion, and the signature of the call around the cursor.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Documentation, InsertTextFormat,
    MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, Position, SignatureHelp, SignatureInformation,
    TextEdit,
};

use crate::completion::{
    At, Candidate, CandidateKind, Candidates, CursorContext, Surroundings, built_in, candidates, parameters,
};
use crate::manual::entry_of;
use crate::toolkit::{Param, WhenAbsent};

use super::names::DocumentNames;
use super::outline::Outline;
use super::request::Target;

/// Maximum number of candidates of an answer.
const MOST: usize = 100;

/// Returns the candidates at a position.
pub fn complete(target: &Target<'_>, position: Position) -> CompletionList {
    let code = target.document.code();
    let at = target.offset(position);
    if !target.document.is_code(at) {
        return CompletionList::default();
    }
    let (before, behind) = code.split_at(at);
    let line = behind.split(['\n', '\r']).next().unwrap_or_default();
    let names = names(target, &code, at);
    let Candidates { replaced, owner, mut found } = candidates(&names, before, line);
    found.sort_by_key(|candidate| rank(candidate.kind));
    let is_incomplete = found.len() > MOST;
    found.truncate(MOST);
    let range = target.document.text.positions(target.client.encoding).range(at - replaced, at);
    let items = found.into_iter().enumerate().map(|(place, candidate)| {
        let subject = Subject { names: &names, owner: owner.as_deref(), is_called: line.starts_with('(') };
        let written = subject.written(&candidate, target.client.takes_snippets);
        let edit = TextEdit { range, new_text: written.text };
        CompletionItem {
            kind: Some(kind(candidate.kind)),
            detail: subject.detail(&candidate),
            filter_text: Some(candidate.replacement.clone()),
            // Editors sort by the label otherwise, and the answer may have the first of many only.
            sort_text: Some(format!("{place:03}")),
            insert_text_format: written.is_snippet.then_some(InsertTextFormat::SNIPPET),
            text_edit: Some(CompletionTextEdit::Edit(edit)),
            label: candidate.display,
            ..CompletionItem::default()
        }
    });
    CompletionList { is_incomplete, items: items.collect() }
}

fn names<'a>(target: &'a Target<'_>, code: &'a str, at: usize) -> DocumentNames<'a> {
    DocumentNames { engine: target.engine, analysis: Some(&target.analysis), outline: Outline::of(code), at }
}

/// Returns the place of a kind among the candidates: what the script itself names comes first.
fn rank(kind: CandidateKind) -> u8 {
    match kind {
        CandidateKind::Argument | CandidateKind::Key => 0,
        CandidateKind::Variable => 1,
        CandidateKind::Procedure => 2,
        CandidateKind::Keyword => 3,
        CandidateKind::Module | CandidateKind::BuiltIn => 4,
        CandidateKind::Tool | CandidateKind::Folder | CandidateKind::File => 5,
    }
}

fn kind(kind: CandidateKind) -> CompletionItemKind {
    match kind {
        CandidateKind::Keyword => CompletionItemKind::KEYWORD,
        CandidateKind::Variable => CompletionItemKind::VARIABLE,
        CandidateKind::Procedure => CompletionItemKind::FUNCTION,
        CandidateKind::Tool => CompletionItemKind::METHOD,
        CandidateKind::BuiltIn => CompletionItemKind::FUNCTION,
        CandidateKind::Module => CompletionItemKind::MODULE,
        CandidateKind::Argument => CompletionItemKind::PROPERTY,
        CandidateKind::Key => CompletionItemKind::FIELD,
        CandidateKind::Folder => CompletionItemKind::FOLDER,
        CandidateKind::File => CompletionItemKind::FILE,
    }
}

/// The surroundings in which a candidate is written.
struct Subject<'a> {
    names: &'a DocumentNames<'a>,
    /// The name before the dot.
    owner: Option<&'a str>,
    /// Whether a bracket follows.
    is_called: bool,
}

/// An argument that a call needs.
struct Required {
    name: String,
    /// Whether it is written with its name, since parameters before it are left out.
    is_named: bool,
}

/// Returns the arguments that a call of a tool needs. A parameter before a required one is given too, unless it has a
/// default: `FS.CopyFile(source, destination)`.
fn required_of(params: &[Param]) -> Vec<Required> {
    let is_required = |param: &Param| param.absent == WhenAbsent::Required;
    let last = params.iter().rposition(is_required).map_or(0, |at| at + 1);
    let mut required: Vec<Required> = Vec::new();
    for (at, param) in params[..last].iter().enumerate() {
        if is_required(param) || param.absent == WhenAbsent::Absent {
            required.push(Required { name: param.name.to_owned(), is_named: required.len() < at });
        }
    }
    required
}

/// The text of a candidate.
struct Written {
    text: String,
    is_snippet: bool,
}

impl Subject<'_> {
    /// Returns the name that a candidate calls, with its group or module.
    fn callee(&self, candidate: &Candidate) -> Option<String> {
        let name = candidate.replacement.strip_suffix('(')?;
        Some(self.owner.map_or_else(|| name.to_owned(), |owner| format!("{owner}.{name}")))
    }

    /// Returns the text to insert: a call gets placeholders for its required arguments.
    fn written(&self, candidate: &Candidate, takes_snippets: bool) -> Written {
        let plain = || Written { text: candidate.replacement.clone(), is_snippet: false };
        let Some(name) = candidate.replacement.strip_suffix('(') else { return plain() };
        if self.is_called {
            return Written { text: name.to_owned(), is_snippet: false };
        }
        let required = self.callee(candidate).and_then(|callee| self.required(&callee));
        let Some(required) = required.filter(|_| takes_snippets) else { return plain() };
        let place = |(at, required): (usize, &Required)| {
            let name = &required.name;
            let before = if required.is_named { format!("{name}: ") } else { String::new() };
            format!("{before}${{{}:{name}}}", at + 1)
        };
        let places: Vec<String> = required.iter().enumerate().map(place).collect();
        let places = if places.is_empty() { "$1".to_owned() } else { places.join(", ") };
        Written { text: format!("{name}({places})$0"), is_snippet: true }
    }

    /// Returns the arguments that a call needs.
    fn required(&self, callee: &str) -> Option<Vec<Required>> {
        if let Some(procedure) = self.names.procedure(callee) {
            let names = procedure.parameters.into_iter().take(procedure.required);
            return Some(names.map(|name| Required { name, is_named: false }).collect());
        }
        let entry = entry_of(self.names.registry(), callee).filter(|_| built_in(callee).is_none())?;
        Some(required_of(entry.params))
    }

    fn detail(&self, candidate: &Candidate) -> Option<String> {
        let callee = self.callee(candidate)?;
        if let Some(procedure) = self.names.procedure(&callee) {
            return Some(procedure.signature());
        }
        match built_in(&callee) {
            Some(page) => Some(page.summary.to_owned()),
            None => Some(entry_of(self.names.registry(), &callee)?.spec.summary.to_owned()),
        }
    }
}

/// Returns the signature of the call around a position.
pub fn signature_help(target: &Target<'_>, position: Position) -> Option<SignatureHelp> {
    let code = target.document.code();
    let at = target.offset(position);
    let context = CursorContext::of(&code[..at]);
    let call = context.call().filter(|_| context.at != At::Comment)?;
    let names = names(target, &code, at);
    let parameters = parameters(&call.callee, &names)?;
    let current = current_argument(&code[..at]);
    let active = match current.and_then(|name| parameters.iter().position(|(known, _)| known == name)) {
        Some(named) => named,
        None => call.arguments,
    };
    let shown: Vec<String> = parameters.into_iter().map(|(_, shown)| shown).collect();
    let label = format!("{}({})", call.callee, shown.join(", "));
    let documentation = documentation(&names, &call.callee);
    let parameters = shown
        .into_iter()
        .map(|shown| ParameterInformation { label: ParameterLabel::Simple(shown), documentation: None });
    let active = Some(active as u32);
    let signature = SignatureInformation {
        label,
        documentation: documentation
            .map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::PlainText, value })),
        parameters: Some(parameters.collect()),
        active_parameter: active,
    };
    Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active })
}

/// Returns the name of the named argument that a text ends in.
fn current_argument(text: &str) -> Option<&str> {
    let from = text.rfind(['(', ','])? + 1;
    let (name, _) = text[from..].split_once(':')?;
    Some(name.trim())
}

fn documentation(names: &DocumentNames<'_>, callee: &str) -> Option<String> {
    if let Some(procedure) = names.procedure(callee) {
        return procedure.documentation;
    }
    match built_in(callee) {
        Some(page) => Some(page.summary.to_owned()),
        None => Some(entry_of(names.registry(), callee)?.spec.summary.to_owned()),
    }
}
