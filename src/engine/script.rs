//! A script as a front end hands it over: a name and bytes that are perhaps text.

use std::borrow::Cow;

use crate::text::{Code, Diagnostic, Span};

/// A script that was not looked at yet.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    bytes: Vec<u8>,
}

impl Script {
    /// A script from its bytes; the name is shown in messages.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Script {
        Script { name: name.into(), bytes: bytes.into() }
    }

    /// The name shown in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text, and the finding about the first byte that is no UTF-8.
    ///
    /// Of a text over `limit` only as much is taken as shows that it is over it.
    pub(super) fn decode(&self, limit: usize) -> (String, Option<Diagnostic>) {
        let bytes = &self.bytes[..self.bytes.len().min(limit.saturating_add(4))];
        match str::from_utf8(bytes) {
            Ok(text) => (text.to_owned(), None),
            Err(_) if self.bytes.len() > limit => (String::from_utf8_lossy(bytes).into_owned(), None),
            Err(error) => {
                let at = error.valid_up_to();
                let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
                let message = format!("the byte 0x{:02X} is not UTF-8", bytes[at]);
                let finding = Diagnostic::error(Code::NotUtf8, Span::new(at, at + '\u{fffd}'.len_utf8()), message);
                (text.into_owned(), Some(finding.help("save the script as UTF-8, or write the character as an escape")))
            }
        }
    }
}
