//! What a line says of an argument: the value itself where it is short and no content, else its size
//! and hash.

use std::io;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::text::hex;
use crate::value::{Value, json};

/// Bytes of a text that is shown as it is.
const MAX_TEXT: usize = 256;
/// Bytes of a list of paths that is shown as it is.
const MAX_PATHS: usize = 64 << 10;

/// An argument as a line shows it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Argument {
    /// As it was given.
    Plain(Value),
    /// A text, or the JSON of another value, by its size and hash.
    Hashed {
        /// Elements, where it is a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        items: Option<usize>,
        /// Bytes of the text or the JSON.
        bytes: u64,
        /// SHA-256 of the same, hexadecimal.
        sha256: String,
    },
}

impl Argument {
    /// An argument that says what to do: shown as it is unless it is long.
    pub fn plain(value: &Value) -> Argument {
        let is_short = match value {
            Value::List(_) | Value::Map(_) => false,
            value => value.as_text().is_none_or(|text| text.len() <= MAX_TEXT),
        };
        if is_short { Argument::Plain(value.clone()) } else { Argument::content(value) }
    }

    /// A path or a list of paths: shown as it is unless it is very long.
    pub fn path(value: &Value) -> Argument {
        let bytes = match value {
            Value::List(list) => list.iter().map(|item| item.as_text().map_or(0, |text| text.len())).sum(),
            value => value.as_text().map_or(0, |text| text.len()),
        };
        if bytes <= MAX_PATHS { Argument::Plain(value.clone()) } else { Argument::content(value) }
    }

    /// An argument that is content: never shown.
    pub fn content(value: &Value) -> Argument {
        let mut hashing = Hashing { hasher: Sha256::new(), bytes: 0 };
        match value.as_text() {
            Some(text) => hashing.take(text.as_bytes()),
            None => json::write(value, &mut hashing).expect("hashing takes every byte"),
        }
        let items = match value {
            Value::List(list) => Some(list.len()),
            _ => None,
        };
        Argument::Hashed { items, bytes: hashing.bytes, sha256: hex(&hashing.hasher.finalize()) }
    }
}

/// Counts and hashes what is written to it.
struct Hashing {
    hasher: Sha256,
    bytes: u64,
}

impl Hashing {
    fn take(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.take(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
