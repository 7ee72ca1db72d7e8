//! The open documents, with the engine that checks each.
//!
//! A document is analyzed once for each of its versions, when somebody asks. The numbers and sizes of documents are
//! bounded: a text that is too large is not held, and the client is told so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use crate::engine::{Analysis, Engine, KnownTexts, Script};

use super::text::{Encoding, Text};
use super::uri::{path_of, uri_of};

/// Maximum number of open documents.
pub const MAX_DOCUMENTS: usize = 1_000;
/// Maximum size of a document that is held, in bytes.
pub const MAX_BYTES: usize = 16 << 20;
/// Number of changed bytes up to which an older analysis is good enough for completion.
const TYPED_BYTES: usize = 1_000;
/// Maximum number of documents whose analyses are kept.
const MAX_ANALYSES: usize = 16;

/// A folder of the workspace, with the engine whose sandbox it is.
pub struct Workspace {
    /// The engine.
    pub engine: Engine,
    /// The path as the client names it, which may lead through symbolic links.
    pub named: PathBuf,
}

impl Workspace {
    /// Returns the URI of a script, as the client would name it; `None` for a path that is not UTF-8.
    pub fn uri_of(&self, address: &str) -> Option<Uri> {
        uri_of(&self.named.join(address))
    }

    /// Returns the length of the folder's path if it contains a path.
    fn holds(&self, path: &Path) -> Option<usize> {
        let folders = [self.named.as_path(), self.engine.gate().root().path()];
        let holder = folders.into_iter().find(|folder| path.starts_with(folder))?;
        Some(holder.as_os_str().len())
    }
}

/// An open document.
pub struct Document {
    /// The URI as the client writes it.
    pub uri: Uri,
    /// The version of the client.
    pub version: i32,
    /// The text; empty if it is too large.
    pub text: Text,
    /// Whether the text is too large to be held.
    pub is_too_large: bool,
    /// The path, for a file.
    pub path: Option<PathBuf>,
    /// The address in the sandbox of its folder, if it has one there.
    pub address: Option<String>,
    /// The name in messages.
    pub name: String,
    is_markdown: bool,
    /// The number of the folder.
    workspace: usize,
    analysis: Option<Rc<Analysis>>,
    /// The parts of earlier versions that are known.
    known: KnownTexts,
    /// The analysis of an earlier version.
    older: Option<Rc<Analysis>>,
    /// Number of bytes that were inserted or removed since that version.
    changed_bytes: usize,
}

impl Document {
    /// Returns the document as a script.
    pub fn script(&self) -> Script {
        if self.is_markdown {
            Script::markdown(self.name.as_str(), self.text.as_str())
        } else {
            Script::new(self.name.as_str(), self.text.as_str())
        }
    }

    /// Whether the scripts in the document are blocks of Markdown.
    pub fn is_markdown(&self) -> bool {
        self.is_markdown
    }

    fn apply(&mut self, change: TextDocumentContentChangeEvent, encoding: Encoding) {
        let before = self.text.as_str().len();
        match change.range {
            None => {
                self.changed_bytes = usize::MAX;
                self.is_too_large = change.text.len() > MAX_BYTES;
                self.text = Text::new(if self.is_too_large { String::new() } else { change.text });
            }
            // The text that the range is about is not known.
            Some(_) if self.is_too_large => {}
            Some(range) => {
                self.text.replace(range, &change.text, encoding);
                let removed = (before + change.text.len()).saturating_sub(self.text.as_str().len());
                self.changed_bytes = self.changed_bytes.saturating_add(change.text.len() + removed);
            }
        }
        if self.text.as_str().len() > MAX_BYTES {
            (self.is_too_large, self.text) = (true, Text::new(String::new()));
        }
        if self.is_too_large {
            self.known = KnownTexts::default();
        }
    }

    /// Whether what is typed at an offset is code: prose of Markdown is none.
    pub fn is_code(&self, at: usize) -> bool {
        if !self.is_markdown {
            return true;
        }
        let (before, behind) = self.text.as_str().split_at(at);
        let typed = Script::markdown(self.name.as_str(), format!("{before}x{behind}"));
        typed.code().as_bytes().get(at) == Some(&b'x')
    }

    /// Returns the code of the document; positions are those of the document.
    pub fn code(&self) -> String {
        if self.is_markdown { self.script().code() } else { self.text.as_str().to_owned() }
    }
}

/// The open documents and the folders of the workspace.
pub struct Documents {
    /// The folders; at least one.
    pub workspaces: Vec<Workspace>,
    open: BTreeMap<String, Document>,
    /// The keys of the documents with an analysis, the newest last.
    analyzed: Vec<String>,
}

/// Returns the key of a document: its path, or its URI if it is no file.
pub fn key_of(uri: &Uri) -> String {
    path_of(uri).map_or_else(|_| uri.as_str().to_owned(), |path| path.to_string_lossy().into_owned())
}

/// A document as the client opens it.
pub struct Opened {
    /// The URI.
    pub uri: Uri,
    /// The version.
    pub version: i32,
    /// The language.
    pub language: String,
    /// The text.
    pub text: String,
}

impl Documents {
    /// Creates the documents of a workspace, none of which is open.
    pub fn new(workspaces: Vec<Workspace>) -> Documents {
        Documents { workspaces, open: BTreeMap::new(), analyzed: Vec::new() }
    }

    /// Opens a document, or replaces an open one. Returns its key; `None` if too many are open.
    pub fn open(&mut self, opened: Opened) -> Option<String> {
        let Opened { uri, version, language, text } = opened;
        let key = key_of(&uri);
        if self.open.len() >= MAX_DOCUMENTS && !self.open.contains_key(&key) {
            return None;
        }
        let path = path_of(&uri).ok();
        let workspace = path.as_deref().map_or(0, |path| self.number_of(path));
        let address = path.as_deref().and_then(|path| self.workspaces[workspace].engine.address_of(path));
        let name = match (&address, path.as_deref()) {
            (Some(address), _) => address.clone(),
            (None, Some(path)) => path.display().to_string(),
            (None, None) => uri.as_str().to_owned(),
        };
        let ends_with = |ending: &str| name.to_ascii_lowercase().ends_with(ending);
        let is_markdown = language == "markdown" || ends_with(".md") || ends_with(".markdown");
        let is_too_large = text.len() > MAX_BYTES;
        let text = Text::new(if is_too_large { String::new() } else { text });
        let document = Document {
            uri,
            version,
            text,
            is_too_large,
            path,
            address,
            name,
            is_markdown,
            workspace,
            analysis: None,
            known: KnownTexts::default(),
            older: None,
            changed_bytes: 0,
        };
        self.open.insert(key.clone(), document);
        self.text_changed(&key);
        Some(key)
    }

    /// Applies changes in order. Returns the key of the document; `None` if it is not open.
    pub fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<String> {
        let key = key_of(uri);
        let document = self.open.get_mut(&key)?;
        document.version = version;
        if let Some(analysis) = document.analysis.take() {
            (document.older, document.changed_bytes) = (Some(analysis), 0);
        }
        changes.into_iter().for_each(|change| document.apply(change, encoding));
        if document.changed_bytes > TYPED_BYTES {
            document.older = None;
        }
        self.text_changed(&key);
        Some(key)
    }

    /// Closes a document. Returns its key; `None` if it is not open.
    pub fn close(&mut self, uri: &Uri) -> Option<String> {
        let key = key_of(uri);
        let document = self.open.remove(&key)?;
        self.analyzed.retain(|known| *known != key);
        if let Some(path) = &document.path {
            self.workspaces[document.workspace].engine.set_open_text(path, None);
        }
        Some(key)
    }

    /// Gives the text of a document to the engine, whose other scripts may use it as a module.
    fn text_changed(&self, key: &str) {
        let document = &self.open[key];
        if let Some(path) = document.path.as_deref() {
            let text = Some(document.text.as_str()).filter(|_| !document.is_too_large);
            self.workspaces[document.workspace].engine.set_open_text(path, text);
        }
    }

    /// Forgets what is known of documents that may use a changed file, and returns their keys.
    pub fn forget_users(&mut self, changed: &str) -> Vec<String> {
        let mut users = Vec::new();
        for (key, document) in &mut self.open {
            let uses_modules =
                |analysis: &Rc<Analysis>| analysis.script().is_some_and(|script| script.tree.uses().next().is_some());
            if key != changed && document.analysis.as_ref().is_some_and(uses_modules) {
                (document.older, document.changed_bytes) = (document.analysis.take(), 0);
                users.push(key.clone());
            }
        }
        users
    }

    /// Returns a document.
    pub fn get(&self, key: &str) -> Option<&Document> {
        self.open.get(key)
    }

    /// Returns the engine of a document.
    pub fn engine_of(&self, document: &Document) -> &Engine {
        &self.workspaces[document.workspace].engine
    }

    /// Returns the analysis of a document's newest version.
    pub fn analysis(&mut self, key: &str) -> Option<Rc<Analysis>> {
        let document = self.open.get_mut(key).filter(|document| !document.is_too_large)?;
        if let Some(analysis) = &document.analysis {
            return Some(analysis.clone());
        }
        let engine = &self.workspaces[document.workspace].engine;
        let analysis = Rc::new(engine.analyze_again(&document.script(), &document.known));
        (document.analysis, document.older) = (Some(analysis.clone()), None);
        self.analyzed.retain(|known| known != key);
        self.analyzed.push(key.to_owned());
        if self.analyzed.len() > MAX_ANALYSES {
            let oldest = self.analyzed.remove(0);
            if let Some(document) = self.open.get_mut(&oldest) {
                (document.analysis, document.older) = (None, None);
                document.known = KnownTexts::default();
            }
        }
        Some(analysis)
    }

    /// Returns an analysis of a document without waiting: that of the newest version if there is one, or an older one.
    /// Only if there is none, the document is analyzed.
    pub fn recent_analysis(&mut self, key: &str) -> Option<Rc<Analysis>> {
        let document = self.open.get(key)?;
        let known = document.analysis.clone().or_else(|| document.older.clone());
        known.or_else(|| self.analysis(key))
    }

    /// Returns the folder of a document.
    pub fn workspace_of(&self, document: &Document) -> &Workspace {
        &self.workspaces[document.workspace]
    }

    /// Returns the open document of a script in the folder of another document.
    pub fn open_at(&self, beside: &Document, address: &str) -> Option<&Document> {
        self.open
            .values()
            .find(|document| document.workspace == beside.workspace && document.address.as_deref() == Some(address))
    }

    /// Returns the URI of a script in the folder of a document; `None` for a path that is not UTF-8.
    pub fn uri_of(&self, beside: &Document, address: &str) -> Option<Uri> {
        let open = self.open_at(beside, address).map(|document| document.uri.clone());
        open.or_else(|| self.workspace_of(beside).uri_of(address))
    }

    /// Returns the number of the folder that contains a path: the innermost one, or the first if none does.
    fn number_of(&self, path: &Path) -> usize {
        let holders = self.workspaces.iter().enumerate();
        let holders = holders.filter_map(|(number, workspace)| Some((workspace.holds(path)?, number)));
        holders.max_by_key(|(length, _)| *length).map_or(0, |(_, number)| number)
    }
}
