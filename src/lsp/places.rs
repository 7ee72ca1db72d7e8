//! Spans of an analysis as locations of the protocol.

use std::cell::OnceCell;

use lsp_types::{Location, Range, Uri};

use crate::engine::{Analysis, AnalyzedText};
use crate::text::{Source, Span};

use super::documents::{Document, Documents};
use super::text::{Encoding, Text};

/// The texts of an analysis with their URIs.
pub struct Places<'a> {
    encoding: Encoding,
    document: &'a Document,
    own: Option<&'a Source>,
    modules: Vec<ModulePlace<'a>>,
}

/// The text of a module.
struct ModulePlace<'a> {
    source: &'a Source,
    uri: Uri,
    text: OnceCell<Text>,
}

impl<'a> Places<'a> {
    /// Returns the places of a document's analysis.
    pub fn of(documents: &Documents, document: &'a Document, analysis: &'a Analysis, encoding: Encoding) -> Places<'a> {
        let place = |module: AnalyzedText<'a>| {
            let uri = documents.uri_of(document, module.address?)?;
            Some(ModulePlace { source: module.source, uri, text: OnceCell::new() })
        };
        let modules = analysis.modules().filter_map(place).collect();
        let own = analysis.script().map(|script| script.source);
        Places { encoding, document, own, modules }
    }

    /// Returns the range of a span in the document; `None` if it is in another text.
    pub fn range(&self, span: Span) -> Option<Range> {
        let own = self.own.filter(|own| holds(own, span))?;
        let (start, end) = own.local(span);
        Some(self.document.text.positions(self.encoding).range(start, end))
    }

    /// Returns the text of a span; none if it is in another text.
    pub fn slice(&self, span: Span) -> &'a str {
        self.own.filter(|own| holds(own, span)).map_or("", |own| own.slice(span))
    }

    /// Returns the location of a span.
    pub fn location(&self, span: Span) -> Option<Location> {
        if let Some(range) = self.range(span) {
            return Some(Location { uri: self.document.uri.clone(), range });
        }
        let module = self.modules.iter().find(|module| holds(module.source, span))?;
        let text = module.text.get_or_init(|| Text::new(module.source.text().to_owned()));
        let (start, end) = module.source.local(span);
        Some(Location { uri: module.uri.clone(), range: text.positions(self.encoding).range(start, end) })
    }
}

/// Whether a source contains a span.
fn holds(source: &Source, span: Span) -> bool {
    let whole = source.span();
    whole.start <= span.start && span.end <= whole.end
}
