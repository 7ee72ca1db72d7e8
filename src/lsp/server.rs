//! The state of a server, and the answers to its messages.
//!
//! Everything happens in one thread, in the order of the messages. A request answers from the newest text; diagnostics
//! are sent when no message waits, so that changes that come together are checked once.

use std::collections::{BTreeMap, BTreeSet};

use lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, Diagnostic as Shown, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DocumentDiagnosticParams, DocumentFormattingParams,
    DocumentHighlightParams, DocumentOnTypeFormattingParams, DocumentRangeFormattingParams, DocumentSymbolParams,
    FoldingRangeParams, GotoDefinitionParams, HoverParams, InlayHintParams, ReferenceParams, RenameParams,
    SelectionRangeParams, SemanticTokensParams, SemanticTokensRangeParams, SignatureHelpParams, TextDocumentIdentifier,
    TextDocumentPositionParams, Uri, WorkspaceSymbolParams,
};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::actions::code_actions;
use super::client::Client;
use super::completion::{complete, signature_help};
use super::diagnostics::{Placed, diagnostics, too_large};
use super::documents::{Documents, MAX_BYTES, MAX_DOCUMENTS, Opened, key_of};
use super::explanations::content;
use super::formatting::format;
use super::hover::hover;
use super::indentation::on_type;
use super::inlay_hints::inlay_hints;
use super::lenses::lenses;
use super::places::Places;
use super::references::references;
use super::rename::{prepare, rename};
use super::request::{Refusal, RefusalCode, Target, read};
use super::semantic::semantic_tokens;
use super::settings::Settings;
use super::structure::{folding_ranges, selection_ranges};
use super::symbols::{definition, document_symbols, highlights, workspace_symbols};
use super::uri::{UriFault, path_of};

/// The result of a request.
pub type Answer = Result<Json, Refusal>;

/// A server after `initialize`.
pub struct Server {
    client: Client,
    settings: Settings,
    documents: Documents,
    /// Keys of the documents whose diagnostics are not sent yet.
    pending: BTreeSet<String>,
    /// Diagnostics in files of modules: by file, and by the document that uses it.
    in_modules: BTreeMap<String, BTreeMap<String, Vec<Shown>>>,
}

/// A notification to the client, or a request whose response is ignored.
pub struct Notice {
    /// The method.
    pub method: &'static str,
    /// The parameters.
    pub params: Json,
    /// Whether it is a request.
    pub is_request: bool,
}

impl Notice {
    fn notification(method: &'static str, params: Json) -> Notice {
        Notice { method, params, is_request: false }
    }

    fn request(method: &'static str, params: Json) -> Notice {
        Notice { method, params, is_request: true }
    }
}

impl Server {
    /// Creates a server for a client.
    pub fn new(client: Client, settings: Settings, documents: Documents) -> Server {
        Server { client, settings, documents, pending: BTreeSet::new(), in_modules: BTreeMap::new() }
    }

    /// Whether diagnostics wait to be sent.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns the diagnostics of one document that waits for them.
    pub fn publish_next(&mut self) -> Vec<Notice> {
        let Some(key) = self.pending.pop_first() else { return Vec::new() };
        if self.client.pulls_diagnostics {
            return Vec::new();
        }
        let Some(placed) = self.check(&key) else { return Vec::new() };
        let Some(document) = self.documents.get(&key) else { return Vec::new() };
        let (uri, version) = (document.uri.clone(), document.version);
        let (own, elsewhere): (Vec<Placed>, Vec<Placed>) =
            placed.into_iter().partition(|placed| placed.location.uri == uri);
        let own = own.into_iter().map(|placed| placed.shown).collect();
        let mut notices = vec![published(&uri, Some(version), own)];
        notices.extend(self.publish_in_modules(&key, elsewhere));
        notices
    }

    /// Returns the diagnostics of a document with their places; `None` if it is not open.
    fn check(&mut self, key: &str) -> Option<Vec<Placed>> {
        let document = self.documents.get(key)?;
        if document.is_too_large {
            let location = lsp_types::Location { uri: document.uri.clone(), range: lsp_types::Range::default() };
            return Some(vec![Placed { location, shown: too_large(MAX_BYTES) }]);
        }
        let analysis = self.documents.analysis(key)?;
        let document = self.documents.get(key)?;
        let places = Places::of(&self.documents, document, &analysis, self.client.encoding);
        Some(diagnostics(document, &analysis, &places, &self.client))
    }

    /// Replaces what a document knows of the files of its modules, and returns the notices about them. A module that is
    /// open has diagnostics of its own.
    fn publish_in_modules(&mut self, user: &str, elsewhere: Vec<Placed>) -> Vec<Notice> {
        let mut changed: BTreeMap<String, Uri> = BTreeMap::new();
        for (file, by_user) in &mut self.in_modules {
            if by_user.remove(user).is_some() {
                changed.extend(file.parse().ok().map(|uri| (file.clone(), uri)));
            }
        }
        for placed in elsewhere {
            let file = placed.location.uri.as_str().to_owned();
            self.in_modules.entry(file.clone()).or_default().entry(user.to_owned()).or_default().push(placed.shown);
            changed.insert(file, placed.location.uri);
        }
        let notices = changed.iter().filter(|(_, uri)| self.documents.get(&key_of(uri)).is_none());
        let notices = notices.map(|(file, uri)| published(uri, None, self.all_in_module(file))).collect();
        self.in_modules.retain(|_, by_user| !by_user.is_empty());
        notices
    }

    /// Returns the diagnostics in the file of a module, each once.
    fn all_in_module(&self, file: &str) -> Vec<Shown> {
        let mut all: Vec<Shown> = Vec::new();
        for shown in self.in_modules.get(file).into_iter().flat_map(|by_user| by_user.values().flatten()) {
            if !all.contains(shown) {
                all.push(shown.clone());
            }
        }
        all
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The reason for which it is refused.
    pub fn request(&mut self, method: &str, params: Json) -> Answer {
        match method {
            "textDocument/completion" => {
                let params: CompletionParams = read(params)?;
                self.recent(&params.text_document_position, complete)
            }
            "textDocument/signatureHelp" => {
                let params: SignatureHelpParams = read(params)?;
                self.recent(&params.text_document_position_params, signature_help)
            }
            "textDocument/hover" => {
                let params: HoverParams = read(params)?;
                self.at(&params.text_document_position_params, hover)
            }
            "textDocument/definition" => {
                let params: GotoDefinitionParams = read(params)?;
                self.at(&params.text_document_position_params, definition)
            }
            "textDocument/references" => {
                let params: ReferenceParams = read(params)?;
                let with_definition = params.context.include_declaration;
                self.at(&params.text_document_position, |target, at| references(target, at, with_definition))
            }
            "textDocument/documentHighlight" => {
                let params: DocumentHighlightParams = read(params)?;
                self.at(&params.text_document_position_params, highlights)
            }
            "textDocument/prepareRename" => {
                let params: TextDocumentPositionParams = read(params)?;
                self.at(&params, prepare)
            }
            "textDocument/rename" => {
                let params: RenameParams = read(params)?;
                let target = self.target(&params.text_document_position.text_document)?;
                rename(&target, params.text_document_position.position, &params.new_name)
            }
            _ => self.request_about_document(method, params),
        }
    }

    /// Answers a request about a document as a whole, or about the workspace.
    fn request_about_document(&mut self, method: &str, params: Json) -> Answer {
        match method {
            "textDocument/codeAction" => {
                let params: CodeActionParams = read(params)?;
                answer(code_actions(&self.target(&params.text_document)?, &params))
            }
            "textDocument/documentSymbol" => {
                let params: DocumentSymbolParams = read(params)?;
                answer(document_symbols(&self.target(&params.text_document)?))
            }
            "textDocument/foldingRange" => {
                let params: FoldingRangeParams = read(params)?;
                answer(folding_ranges(&self.target(&params.text_document)?))
            }
            "textDocument/selectionRange" => {
                let params: SelectionRangeParams = read(params)?;
                answer(selection_ranges(&self.target(&params.text_document)?, &params.positions))
            }
            "textDocument/formatting" => {
                let params: DocumentFormattingParams = read(params)?;
                answer(format(self.document(&params.text_document)?, None, &self.client)?)
            }
            "textDocument/rangeFormatting" => {
                let params: DocumentRangeFormattingParams = read(params)?;
                answer(format(self.document(&params.text_document)?, Some(params.range), &self.client)?)
            }
            "textDocument/semanticTokens/full" => {
                let params: SemanticTokensParams = read(params)?;
                answer(semantic_tokens(self.document(&params.text_document)?, None, &self.client))
            }
            "textDocument/semanticTokens/range" => {
                let params: SemanticTokensRangeParams = read(params)?;
                answer(semantic_tokens(self.document(&params.text_document)?, Some(params.range), &self.client))
            }
            "textDocument/onTypeFormatting" => {
                let params: DocumentOnTypeFormattingParams = read(params)?;
                let place = params.text_document_position;
                answer(on_type(self.document(&place.text_document)?, place.position, &params.ch, &self.client))
            }
            "textDocument/codeLens" => {
                let params: CodeLensParams = read(params)?;
                answer(lenses(&self.target(&params.text_document)?))
            }
            "textDocument/inlayHint" => {
                let params: InlayHintParams = read(params)?;
                answer(inlay_hints(&self.target(&params.text_document)?, params.range))
            }
            "textDocument/diagnostic" => {
                let params: DocumentDiagnosticParams = read(params)?;
                self.pulled(&params.text_document)
            }
            "workspace/symbol" => {
                let params: WorkspaceSymbolParams = read(params)?;
                answer(workspace_symbols(&self.documents.workspaces, &params.query, &self.client))
            }
            "workspace/textDocumentContent" => {
                let params: TextDocumentIdentifier = read(params)?;
                content(&params.uri)
            }
            _ => Err(Refusal::new(RefusalCode::MethodNotFound, format!("there is no request `{method}`"))),
        }
    }

    /// Answers `textDocument/diagnostic`.
    fn pulled(&mut self, document: &TextDocumentIdentifier) -> Answer {
        let key = key_of(&document.uri);
        let placed = self.check(&key).ok_or_else(|| not_open(&document.uri))?;
        let uri = self.document(document)?.uri.clone();
        let own = placed.into_iter().filter(|placed| placed.location.uri == uri).map(|placed| placed.shown);
        Ok(json!({ "kind": "full", "items": own.collect::<Vec<_>>() }))
    }

    /// Handles a notification. An unknown one, or one that is wrong, is ignored, as the protocol demands.
    pub fn notification(&mut self, method: &str, params: Json) -> Vec<Notice> {
        match method {
            "textDocument/didOpen" => read(params).map_or_else(|_| Vec::new(), |params| self.open(params)),
            "textDocument/didChange" => read(params).map_or_else(|_| Vec::new(), |params| self.change(params)),
            "textDocument/didClose" => read(params).map_or_else(|_| Vec::new(), |params| self.close(&params)),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.users_changed("");
                Vec::new()
            }
            "workspace/didChangeConfiguration" => self.configure(&params),
            _ => Vec::new(),
        }
    }

    /// Takes new settings. The client asks again for what depends on them, if it can be told to.
    fn configure(&mut self, params: &Json) -> Vec<Notice> {
        let settings = self.settings.changed(params.get("settings").unwrap_or(&Json::Null));
        let is_new = settings != self.settings;
        self.settings = settings;
        let refresh = Notice::request("workspace/inlayHint/refresh", Json::Null);
        if is_new && self.client.refreshes_hints { vec![refresh] } else { Vec::new() }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) -> Vec<Notice> {
        let item = params.text_document;
        let uri = item.uri.clone();
        let opened = Opened { uri: item.uri, version: item.version, language: item.language_id, text: item.text };
        match self.documents.open(opened) {
            Some(key) => {
                self.users_changed(&key);
                self.pending.insert(key);
                match path_of(&uri) {
                    Ok(_) | Err(UriFault::Scheme) => Vec::new(),
                    Err(fault) => vec![warning(format!(
                        "`{}` {}, so the document is checked as if it were in no folder",
                        uri.as_str(),
                        fault.reason()
                    ))],
                }
            }
            None => vec![warning(format!(
                "more than {MAX_DOCUMENTS} documents are open, so `{}` is not checked; close some",
                uri.as_str()
            ))],
        }
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) -> Vec<Notice> {
        let DidChangeTextDocumentParams { text_document, content_changes } = params;
        let (uri, version) = (&text_document.uri, text_document.version);
        if let Some(key) = self.documents.change(uri, version, content_changes, self.client.encoding) {
            self.users_changed(&key);
            self.pending.insert(key);
        }
        Vec::new()
    }

    fn close(&mut self, params: &DidCloseTextDocumentParams) -> Vec<Notice> {
        let uri = &params.text_document.uri;
        let Some(key) = self.documents.close(uri) else { return Vec::new() };
        self.pending.remove(&key);
        self.users_changed(&key);
        let mut notices = self.publish_in_modules(&key, Vec::new());
        // From now on the file has the diagnostics that its users find in it.
        notices.push(published(uri, None, self.all_in_module(uri.as_str())));
        if self.client.pulls_diagnostics { Vec::new() } else { notices }
    }

    /// Checks again the documents that may use a changed file.
    fn users_changed(&mut self, key: &str) {
        self.pending.extend(self.documents.forget_users(key));
    }

    fn document(&self, named: &TextDocumentIdentifier) -> Result<&super::documents::Document, Refusal> {
        self.documents.get(&key_of(&named.uri)).ok_or_else(|| not_open(&named.uri))
    }

    /// Returns a document with the analysis of its newest version.
    fn target(&mut self, named: &TextDocumentIdentifier) -> Result<Target<'_>, Refusal> {
        let key = key_of(&named.uri);
        self.document(named)?;
        let analysis = self.documents.analysis(&key).ok_or_else(|| Refusal::failed("the document is too large"))?;
        self.target_with(named, analysis)
    }

    fn target_with(
        &self,
        named: &TextDocumentIdentifier,
        analysis: std::rc::Rc<crate::engine::Analysis>,
    ) -> Result<Target<'_>, Refusal> {
        let document = self.document(named)?;
        let engine = self.documents.engine_of(document);
        Ok(Target {
            documents: &self.documents,
            document,
            engine,
            analysis,
            client: &self.client,
            settings: self.settings,
        })
    }

    /// Answers a request at a position from the newest analysis.
    fn at<T: Serialize>(
        &mut self,
        place: &TextDocumentPositionParams,
        work: impl FnOnce(&Target<'_>, lsp_types::Position) -> T,
    ) -> Answer {
        answer(work(&self.target(&place.text_document)?, place.position))
    }

    /// Answers a request at a position from an analysis that may be older than the text, without waiting for a new one.
    fn recent<T: Serialize>(
        &mut self,
        place: &TextDocumentPositionParams,
        work: impl FnOnce(&Target<'_>, lsp_types::Position) -> T,
    ) -> Answer {
        self.document(&place.text_document)?;
        let key = key_of(&place.text_document.uri);
        let analysis =
            self.documents.recent_analysis(&key).ok_or_else(|| Refusal::failed("the document is too large"))?;
        answer(work(&self.target_with(&place.text_document, analysis)?, place.position))
    }
}

fn not_open(uri: &Uri) -> Refusal {
    Refusal::new(RefusalCode::InvalidParams, format!("`{}` is not open", uri.as_str()))
}

fn answer(result: impl Serialize) -> Answer {
    serde_json::to_value(result).map_err(|error| Refusal::new(RefusalCode::InternalError, error.to_string()))
}

/// Returns a message that the client shows.
pub fn warning(message: String) -> Notice {
    Notice::notification("window/showMessage", json!({ "type": 2, "message": message }))
}

/// Returns the notice of a document's diagnostics.
fn published(uri: &Uri, version: Option<i32>, diagnostics: Vec<Shown>) -> Notice {
    let mut params = json!({ "uri": uri, "diagnostics": diagnostics });
    if let Some(version) = version {
        params["version"] = json!(version);
    }
    Notice::notification("textDocument/publishDiagnostics", params)
}
