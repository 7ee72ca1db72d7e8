//! A document with all that a request needs, and the refusal of a request.

use std::rc::Rc;

use lsp_types::Position;

use crate::engine::{Analysis, Engine};

use super::client::Client;
use super::documents::{Document, Documents};
use super::places::Places;

/// Codes of the protocol for refused requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalCode {
    /// The message is no JSON.
    ParseError = -32700,
    /// The request may not be made now, or is no request.
    InvalidRequest = -32600,
    /// Nothing has this name.
    MethodNotFound = -32601,
    /// The parameters are wrong.
    InvalidParams = -32602,
    /// A fault of the server.
    InternalError = -32603,
    /// The first request was not `initialize`.
    NotInitialized = -32002,
    /// The client took the request back.
    Cancelled = -32800,
    /// The request is right and cannot be carried out.
    Failed = -32803,
}

/// The reason why a request is refused.
#[derive(Debug)]
pub struct Refusal {
    /// The code.
    pub code: RefusalCode,
    /// A sentence for the user.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal.
    pub fn new(code: RefusalCode, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }

    /// Creates a refusal of a right request.
    pub fn failed(message: impl Into<String>) -> Refusal {
        Refusal::new(RefusalCode::Failed, message)
    }
}

/// A document with its newest analysis.
pub struct Target<'a> {
    /// All documents.
    pub documents: &'a Documents,
    /// The document.
    pub document: &'a Document,
    /// The engine of its folder.
    pub engine: &'a Engine,
    /// The analysis.
    pub analysis: Rc<Analysis>,
    /// The client.
    pub client: &'a Client,
}

impl Target<'_> {
    /// Returns the offset of a position.
    pub fn offset(&self, position: Position) -> usize {
        self.document.text.offset(position, self.client.encoding)
    }

    /// Returns the places of the analysis.
    pub fn places(&self) -> Places<'_> {
        Places::of(self.document, &self.analysis, self.engine.gate().root().path(), self.client.encoding)
    }
}
