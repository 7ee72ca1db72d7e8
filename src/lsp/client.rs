//! The abilities of a client, as it states them in `initialize`.

use lsp_types::{ClientCapabilities, DiagnosticTag, MarkupKind};
use serde_json::Value as Json;

use super::text::Encoding;

/// The abilities of a client that change an answer.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// The unit of columns.
    pub encoding: Encoding,
    /// Whether completions may have placeholders.
    pub takes_snippets: bool,
    /// Whether diagnostics may have other places.
    pub shows_related: bool,
    /// Whether diagnostics may have tags.
    pub shows_tags: bool,
    /// Whether a diagnostic may link to a document whose text the client asks the server for.
    pub opens_explanations: bool,
    /// Whether edits may name the version of a document.
    pub takes_versions: bool,
    /// Whether symbols may hold others.
    pub nests_symbols: bool,
    /// Whether hovers may be Markdown.
    pub shows_markdown: bool,
    /// Whether the client receives diagnostics only by asking for them.
    pub pulls_diagnostics: bool,
    /// Whether the client watches files when it is asked to.
    pub watches_files: bool,
    /// Whether the client supports `workspace/inlayHint/refresh`.
    pub refreshes_hints: bool,
    /// The commands that the client carries out itself.
    pub commands: Commands,
}

/// Commands of code lenses that the client implements. It lists them in `experimental.commands.commands`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Commands {
    /// `neuroscript.run`
    pub run: bool,
    /// `neuroscript.plan`
    pub plan: bool,
    /// `neuroscript.test`
    pub test: bool,
    /// `neuroscript.debug`
    pub debug: bool,
}

impl Commands {
    fn of(capabilities: &ClientCapabilities) -> Commands {
        let listed = capabilities.experimental.as_ref().and_then(|own| own.pointer("/commands/commands")?.as_array());
        let has = |name: &str| listed.is_some_and(|listed| listed.iter().any(|known| known.as_str() == Some(name)));
        Commands {
            run: has("neuroscript.run"),
            plan: has("neuroscript.plan"),
            test: has("neuroscript.test"),
            debug: has("neuroscript.debug"),
        }
    }

    /// Returns whether the client has at least one command.
    pub fn any(self) -> bool {
        self.run || self.plan || self.test || self.debug
    }
}

impl Client {
    /// Reads the capabilities of a client. `stated` is what it sent, since `lsp-types` knows protocol 3.17 only.
    pub fn of(capabilities: &ClientCapabilities, stated: &Json) -> Client {
        let text = capabilities.text_document.clone().unwrap_or_default();
        let workspace = capabilities.workspace.clone().unwrap_or_default();
        let published = text.publish_diagnostics.clone();
        let shown = published.clone().unwrap_or_default();
        let item = text.completion.and_then(|completion| completion.completion_item).unwrap_or_default();
        let tags = shown.tag_support.map(|tags| tags.value_set).unwrap_or_default();
        let hover = text.hover.and_then(|hover| hover.content_format);
        let symbols = text.document_symbol.unwrap_or_default();
        Client {
            encoding: encoding(capabilities),
            takes_snippets: item.snippet_support.unwrap_or(false),
            shows_related: shown.related_information.unwrap_or(false),
            shows_tags: tags.contains(&DiagnosticTag::UNNECESSARY),
            opens_explanations: shown.code_description_support.unwrap_or(false)
                && stated.pointer("/workspace/textDocumentContent").is_some_and(Json::is_object),
            takes_versions: workspace.workspace_edit.and_then(|edit| edit.document_changes).unwrap_or(false),
            nests_symbols: symbols.hierarchical_document_symbol_support.unwrap_or(false),
            shows_markdown: hover.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            pulls_diagnostics: text.diagnostic.is_some() && published.is_none(),
            watches_files: workspace
                .did_change_watched_files
                .and_then(|watched| watched.dynamic_registration)
                .unwrap_or(false),
            refreshes_hints: workspace.inlay_hint.and_then(|hint| hint.refresh_support).unwrap_or(false),
            commands: Commands::of(capabilities),
        }
    }
}

/// Returns the first of the client's encodings that the server knows, UTF-8 before others since texts are UTF-8.
fn encoding(capabilities: &ClientCapabilities) -> Encoding {
    let offered = capabilities.general.as_ref().and_then(|general| general.position_encodings.clone());
    let offered: Vec<Encoding> = offered.iter().flatten().filter_map(Encoding::named).collect();
    let known = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];
    known.into_iter().find(|encoding| offered.contains(encoding)).unwrap_or(Encoding::Utf16)
}
