//! The uses of a name in all scripts of the workspace.
//!
//! A procedure, or one of its parameters, may be used by every script that uses its file as a module. Scripts are
//! searched by text first, and analyzed only if they have the name.

use std::path::PathBuf;

use lsp_types::{Location, Position, Uri};

use crate::engine::{AnalyzedText, Engine, ModuleId, Occurrence, OccurrenceRole, Occurrences, Script, Symbol};
use crate::text::Diagnostic;

use super::edits::replaced;
use super::request::Target;
use super::symbols::{MOST, symbol_at};
use super::text::{Encoding, Text};

/// Maximum number of scripts that one search analyzes.
const MOST_ANALYZED: usize = 200;

/// The uses of a name in one file.
pub struct FileUses {
    /// The file or document.
    pub uri: Uri,
    /// The version, if it is open.
    pub version: Option<i32>,
    /// The path, if it is a file.
    pub path: Option<PathBuf>,
    /// The text as a script.
    pub script: Script,
    /// The whole text.
    pub text: Text,
    /// The uses.
    pub found: FoundUses,
}

/// The uses of a name in one text.
pub struct FoundUses {
    /// Where they are.
    pub places: Vec<NamedRange>,
    /// Whether the text may use variables by names that are known in a run only.
    pub reads_unknown_names: bool,
}

/// A use: a range of offsets in the text.
#[derive(Clone, Copy, Debug)]
pub struct NamedRange {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
    /// The role of the use.
    pub role: OccurrenceRole,
}

/// A name, and its uses.
pub struct Uses {
    /// Whether it is a variable or a parameter.
    pub is_variable: bool,
    /// The files, that of the request first.
    pub files: Vec<FileUses>,
    /// Whether there are more scripts than were searched.
    pub is_cut: bool,
    /// The other scripts that may use the name, but have errors, so that not every use is known.
    pub unreadable: Vec<String>,
}

/// Returns the uses of the name at a position.
pub fn uses(target: &Target<'_>, position: Position) -> Option<Uses> {
    let found = symbol_at(target, target.offset(position))?;
    let script = target.analysis.script()?;
    let own = target.document.address.clone();
    let subject = Subject::of(&script, found.symbol, own.clone());
    let document = target.document;
    let here = FileUses {
        uri: document.uri.clone(),
        version: Some(document.version),
        path: document.path.clone(),
        script: document.script(),
        text: document.text.clone(),
        found: subject.uses_in(&script, own.as_deref(), target.engine),
    };
    let is_variable = matches!(subject.symbol, Symbol::Variable { .. });
    let mut uses = Uses { is_variable, files: vec![here], is_cut: false, unreadable: Vec::new() };
    if subject.is_shared(&script) {
        add_other_files(target, &subject, own.as_deref(), &mut uses);
    }
    Some(uses)
}

/// Returns the locations of the uses of the name at a position.
pub fn references(target: &Target<'_>, position: Position, with_definition: bool) -> Option<Vec<Location>> {
    let uses = uses(target, position)?;
    let mut locations = Vec::new();
    for file in &uses.files {
        let positions = file.text.positions(target.client.encoding);
        let shown =
            file.found.places.iter().filter(|place| with_definition || place.role != OccurrenceRole::Definition);
        locations.extend(
            shown.map(|place| Location { uri: file.uri.clone(), range: positions.range(place.start, place.end) }),
        );
    }
    locations.truncate(MOST);
    Some(locations)
}

/// Adds the uses in the other scripts of the workspace.
fn add_other_files(target: &Target<'_>, subject: &Subject, own: Option<&str>, uses: &mut Uses) {
    let root = target.engine.gate().root().path().to_path_buf();
    let mut analyzed = 0;
    for found in target.engine.scripts() {
        if Some(found.address.as_str()) == own || !found.text.contains(subject.name()) {
            continue;
        }
        if analyzed == MOST_ANALYZED {
            uses.is_cut = true;
            return;
        }
        analyzed += 1;
        let open = target.documents.open_at(target.document, &found.address);
        let Some(uri) = target.documents.uri_of(target.document, &found.address) else { continue };
        let script = Script::new(found.address.as_str(), found.text.as_str());
        let analysis = target.engine.analyze(&script);
        let Some(text) = analysis.script() else { continue };
        let has_errors = analysis.checked.findings.iter().any(Diagnostic::is_error);
        if has_errors && subject.may_be_used_in(&found.text) {
            uses.unreadable.push(found.address.clone());
        }
        let found_there = subject.uses_in(&text, Some(&found.address), target.engine);
        if found_there.places.is_empty() {
            continue;
        }
        let path = Some(root.join(&found.address));
        let version = open.map(|document| document.version);
        let text = Text::new(found.text);
        uses.files.push(FileUses { uri, version, path, script, text, found: found_there });
    }
}

/// A symbol, whatever text names it.
struct Subject {
    symbol: Symbol,
    /// The address of the file that defines it.
    home: Option<String>,
}

impl Subject {
    fn of(script: &AnalyzedText<'_>, symbol: Symbol, own: Option<String>) -> Subject {
        let home = match module_of(&symbol) {
            Some(module) => script.address_of(module).map(str::to_owned),
            None => own,
        };
        Subject { symbol, home }
    }

    fn name(&self) -> &str {
        match &self.symbol {
            Symbol::Variable { name, .. } | Symbol::Procedure { name, .. } | Symbol::Module(name) => name,
        }
    }

    /// Whether other scripts may name it: a procedure, or a parameter.
    fn is_shared(&self, script: &AnalyzedText<'_>) -> bool {
        match &self.symbol {
            Symbol::Procedure { .. } => true,
            Symbol::Variable { module: None, procedure: Some(number), name } => {
                let procedure = script.tree.procedures().nth(*number);
                procedure.is_some_and(|procedure| procedure.params.iter().any(|param| param.name.text == *name))
            }
            Symbol::Variable { module, .. } => module.is_some(),
            Symbol::Module(_) => false,
        }
    }

    /// Whether an occurrence in a text with this address stands for it.
    fn is(&self, occurrence: &Occurrence, text: &AnalyzedText<'_>, address: Option<&str>) -> bool {
        let home = match module_of(&occurrence.symbol) {
            Some(module) => text.address_of(module),
            None => address,
        };
        let is_same = match (&occurrence.symbol, &self.symbol) {
            (Symbol::Procedure { name, .. }, Symbol::Procedure { name: other, .. }) => name == other,
            (
                Symbol::Variable { procedure, name, .. },
                Symbol::Variable { procedure: other_procedure, name: other, .. },
            ) => procedure == other_procedure && name == other,
            (Symbol::Module(name), Symbol::Module(other)) => name == other,
            _ => false,
        };
        is_same && home == self.home.as_deref()
    }

    /// Whether a script that has the name may use the module that defines it. Its text decides, since the line that
    /// uses the module may be wrong.
    fn may_be_used_in(&self, text: &str) -> bool {
        let file = self.home.as_deref().map(|home| home.rsplit('/').next().unwrap_or(home));
        file.is_some_and(|file| text.contains(file))
    }

    fn uses_in(&self, text: &AnalyzedText<'_>, address: Option<&str>, engine: &Engine) -> FoundUses {
        let Occurrences { all, reads_unknown_names } = text.occurrences(engine);
        let same = all.iter().filter(|occurrence| self.is(occurrence, text, address));
        let place = |occurrence: &Occurrence| {
            let (start, end) = text.source.local(occurrence.span);
            NamedRange { start, end, role: occurrence.role }
        };
        FoundUses { places: same.map(place).collect(), reads_unknown_names }
    }
}

fn module_of(symbol: &Symbol) -> Option<ModuleId> {
    match symbol {
        Symbol::Variable { module, .. } | Symbol::Procedure { module, .. } => *module,
        Symbol::Module(_) => None,
    }
}

/// Returns the text of a file with the uses replaced by a new name.
pub fn renamed(file: &FileUses, name: &str) -> String {
    replaced(file.text.as_str(), file.found.places.iter().map(|place| (place.start..place.end, name)))
}

/// Returns the edits that replace the uses in a file.
pub fn edits(file: &FileUses, name: &str, encoding: Encoding) -> Vec<lsp_types::TextEdit> {
    let positions = file.text.positions(encoding);
    let edit = |place: &NamedRange| lsp_types::TextEdit {
        range: positions.range(place.start, place.end),
        new_text: name.to_owned(),
    };
    file.found.places.iter().map(edit).collect()
}
