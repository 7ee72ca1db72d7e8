//! A script as a front end hands it over: a name and bytes that are perhaps text.

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

    /// The name without the folders before it.
    pub(super) fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The text; or why it is none: it is over `limit` bytes, or not UTF-8.
    pub(super) fn decode(&self, limit: usize) -> (String, Option<Diagnostic>) {
        if self.bytes.len() > limit {
            let message = format!("the script has {} bytes, more than the {limit} of `script_bytes`", self.bytes.len());
            let finding = Diagnostic::placeless(Code::TextTooLong, message);
            return (String::new(), Some(finding.help("split it, or raise `script_bytes` in `[limits]`")));
        }
        match str::from_utf8(&self.bytes) {
            Ok(text) => (text.to_owned(), None),
            Err(error) => {
                let at = error.valid_up_to();
                let message = format!("the byte 0x{:02X} is not UTF-8", self.bytes[at]);
                let finding = Diagnostic::error(Code::NotUtf8, Span::new(at, at + '\u{fffd}'.len_utf8()), message);
                let finding = finding.help("save the script as UTF-8, or write the character as an escape");
                (String::from_utf8_lossy(&self.bytes).into_owned(), Some(finding))
            }
        }
    }
}
