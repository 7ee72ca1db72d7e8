//! A document with all that a request needs, and the refusal of a request.

use std::rc::Rc;

use lsp_types::Position;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::engine::{Analysis, Engine};

use super::client::Client;
use super::documents::{Document, Documents};
use super::places::Places;
use super::settings::Settings;

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

/// Reads the parameters of a message.
///
/// If their form is wrong, they are read again without the members that are null, since some clients write null for
/// everything that they leave out, and with the characters escaped that no URI may have.
///
/// # Errors
/// Parameters of another form.
pub fn read<T: DeserializeOwned>(mut params: Json) -> Result<T, Refusal> {
    if let Ok(known) = T::deserialize(&params) {
        return Ok(known);
    }
    mend(&mut params);
    serde_json::from_value(params).map_err(|error| Refusal::new(RefusalCode::InvalidParams, error.to_string()))
}

/// Removes members that are null, and escapes characters in URIs. The depth is that of the JSON, which its reader
/// bounds.
fn mend(json: &mut Json) {
    match json {
        Json::Object(members) => {
            members.retain(|_, member| !member.is_null());
            for (key, member) in members {
                match member {
                    Json::String(uri) if matches!(key.as_str(), "uri" | "rootUri") => *uri = escaped(uri),
                    member => mend(member),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(mend),
        _ => {}
    }
}

/// Escapes the characters of a URI that none may have (RFC 3986).
fn escaped(uri: &str) -> String {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    let mut escaped = String::with_capacity(uri.len());
    for byte in uri.bytes() {
        if is_allowed(byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
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
    /// The settings of the user.
    pub settings: Settings,
}

impl Target<'_> {
    /// Returns the offset of a position.
    pub fn offset(&self, position: Position) -> usize {
        self.document.text.offset(position, self.client.encoding)
    }

    /// Returns the places of the analysis.
    pub fn places(&self) -> Places<'_> {
        Places::of(self.documents, self.document, &self.analysis, self.client.encoding)
    }
}
