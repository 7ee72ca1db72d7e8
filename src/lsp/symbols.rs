//! Names of documents: their definitions, uses, and lists of them.

use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentSymbol, Location, Position, Range, SymbolInformation, SymbolKind,
};
use serde_json::{Value as Json, json};

use crate::engine::{Occurrence, OccurrenceRole, Symbol};
use crate::text::Span;

use super::documents::Workspace;
use super::outline::Outline;
use super::request::Target;
use super::text::Text;

/// Maximum number of places or symbols of an answer.
pub const MOST: usize = 10_000;
/// Maximum number of symbols of the workspace in an answer.
const MOST_OF_WORKSPACE: usize = 200;

/// Returns the occurrence that contains an offset, or ends there.
pub fn symbol_at(target: &Target<'_>, offset: usize) -> Option<Occurrence> {
    let script = target.analysis.script()?;
    let occurrences = script.occurrences(target.engine).all;
    let holds = |occurrence: &&Occurrence| (occurrence.span.start..=occurrence.span.end).contains(&(offset as u32));
    occurrences.iter().find(holds).cloned()
}

/// Returns the location of the definition of the name at a position: its procedure, its parameter, its first
/// assignment, or the file of its module.
pub fn definition(target: &Target<'_>, position: Position) -> Option<Location> {
    let offset = target.offset(position);
    let places = target.places();
    let script = target.analysis.script()?;
    let used = script.tree.uses().find(|used| (used.path_span.start..=used.path_span.end).contains(&(offset as u32)));
    if let Some(used) = used {
        return places.location(Span::at(script.module_named(&used.name.text)?.span().start as usize));
    }
    let found = symbol_at(target, offset)?;
    match &found.symbol {
        Symbol::Module(name) => {
            let module = script.module_named(name)?;
            places.location(Span::at(module.span().start as usize))
        }
        Symbol::Procedure { module: Some(module), name } => {
            let module = target.analysis.module(*module)?;
            let procedure = module.tree.procedures().find(|procedure| procedure.name.text == *name)?;
            places.location(procedure.name.span)
        }
        Symbol::Variable { module: Some(module), procedure: Some(number), name } => {
            let module = target.analysis.module(*module)?;
            let procedure = module.tree.procedures().nth(*number)?;
            places.location(procedure.params.iter().find(|param| param.name.text == *name)?.name.span)
        }
        symbol => {
            let all = script.occurrences(target.engine).all;
            let mut same = all.iter().filter(|occurrence| occurrence.symbol == *symbol);
            let is_definition = |occurrence: &&Occurrence| occurrence.role != OccurrenceRole::Read;
            places.location(same.find(is_definition)?.span)
        }
    }
}

/// Returns the uses of the name at a position in the document.
pub fn highlights(target: &Target<'_>, position: Position) -> Option<Vec<DocumentHighlight>> {
    let found = symbol_at(target, target.offset(position))?;
    let all = target.analysis.script()?.occurrences(target.engine).all;
    let positions = target.document.text.positions(target.client.encoding);
    let same = all.iter().filter(|occurrence| occurrence.symbol == found.symbol).take(MOST);
    let highlight = |occurrence: &Occurrence| DocumentHighlight {
        range: positions.range(occurrence.span.start as usize, occurrence.span.end as usize),
        kind: Some(match occurrence.role {
            OccurrenceRole::Read => DocumentHighlightKind::READ,
            OccurrenceRole::Definition | OccurrenceRole::Write => DocumentHighlightKind::WRITE,
        }),
    };
    Some(same.map(highlight).collect())
}

/// Returns the procedures, modules and top-level variables of a document, nested if the client takes them so.
pub fn document_symbols(target: &Target<'_>) -> Json {
    let symbols = symbols(target);
    if target.client.nests_symbols {
        return json!(symbols);
    }
    let flat = symbols.into_iter().map(|symbol| {
        json!({
            "name": symbol.name,
            "kind": symbol.kind,
            "location": { "uri": target.document.uri, "range": symbol.range },
        })
    });
    flat.collect()
}

fn symbols(target: &Target<'_>) -> Vec<DocumentSymbol> {
    let Some(script) = target.analysis.script() else { return Vec::new() };
    let code = target.document.code();
    let outline = Outline::of(&code);
    let positions = target.document.text.positions(target.client.encoding);
    let mut found: Vec<DocumentSymbol> = Vec::new();
    let range = |span: Span| positions.range(span.start as usize, span.end as usize);
    for used in script.tree.uses() {
        let place = SymbolPlace { range: range(used.path_span.to(used.name.span)), name: range(used.name.span) };
        found.push(symbol(&used.name.text, Some(used.path.clone()), SymbolKind::MODULE, place));
    }
    for (procedure, info) in script.tree.procedures().zip(script.procedures()) {
        let name = procedure.name.span;
        let block = outline.procedure_at(name.start as usize).map(|block| positions.range(block.start, block.end));
        let place = SymbolPlace { range: block.unwrap_or_else(|| range(name)), name: range(name) };
        found.push(symbol(&info.name, Some(info.shown_parameters.join(", ")), SymbolKind::FUNCTION, place));
    }
    let occurrences = script.occurrences(target.engine).all;
    let mut seen = std::collections::HashSet::new();
    for occurrence in &occurrences {
        if let Symbol::Variable { procedure: None, name, .. } = &occurrence.symbol
            && occurrence.role == OccurrenceRole::Write
            && seen.insert(name)
        {
            let place = SymbolPlace { range: range(occurrence.span), name: range(occurrence.span) };
            found.push(symbol(name, None, SymbolKind::VARIABLE, place));
        }
    }
    found.sort_by_key(|symbol| symbol.range.start);
    found.truncate(MOST);
    found
}

/// The place of a symbol.
struct SymbolPlace {
    range: Range,
    name: Range,
}

#[expect(deprecated, reason = "the structure has a field that nobody uses any more")]
fn symbol(name: &str, detail: Option<String>, kind: SymbolKind, place: SymbolPlace) -> DocumentSymbol {
    DocumentSymbol {
        name: name.to_owned(),
        detail,
        kind,
        tags: None,
        deprecated: None,
        range: place.range,
        selection_range: place.name,
        children: None,
    }
}

/// Returns the procedures of all scripts of the workspace whose names contain a text, ignoring case.
#[expect(deprecated, reason = "the structure has a field that nobody uses any more")]
pub fn workspace_symbols(
    workspaces: &[Workspace],
    query: &str,
    client: &super::client::Client,
) -> Vec<SymbolInformation> {
    let query = query.to_lowercase();
    let mut found = Vec::new();
    for workspace in workspaces {
        for script in workspace.engine.scripts() {
            let Some(uri) = workspace.uri_of(&script.address) else { continue };
            let outline = Outline::of(&script.text);
            let names =
                outline.procedure_names().filter(|range| script.text[range.clone()].to_lowercase().contains(&query));
            let ranges: Vec<_> = names.collect();
            let text = Text::new(script.text.clone());
            let positions = text.positions(client.encoding);
            for range in ranges {
                if found.len() >= MOST_OF_WORKSPACE {
                    return found;
                }
                found.push(SymbolInformation {
                    name: script.text[range.clone()].to_owned(),
                    kind: SymbolKind::FUNCTION,
                    tags: None,
                    deprecated: None,
                    location: Location { uri: uri.clone(), range: positions.range(range.start, range.end) },
                    container_name: Some(script.address.clone()),
                });
            }
        }
    }
    found
}
