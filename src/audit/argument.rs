//! What a line says of an argument: the value itself where it is short and no content, else its size
//! and hash.

use std::io;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::limits::{Meter, work};
use crate::text::hex;
use crate::value::{Value, json};

/// Bytes of a text that is shown as it is.
const MAX_TEXT: usize = 256;
/// Bytes of a list of paths that is shown as it is.
const MAX_PATHS: usize = 64 << 10;
/// Bytes of the JSON of a value that are hashed. Values share parts, so a small one can have a JSON without end.
const MAX_HASHED: u64 = 4 << 20;

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
    /// A value whose JSON is too long to be hashed for a line.
    Long {
        /// Elements, where it is a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        items: Option<usize>,
        /// Its JSON takes more bytes than these.
        more_than_bytes: u64,
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
        let items = match value {
            Value::List(list) => Some(list.len()),
            _ => None,
        };
        // The line of a call is written whatever the run may still spend, so the bytes alone bound the hashing.
        let _work = work::enter(Meter::unlimited().watch());
        let hashed = match value.as_text() {
            Some(text) => {
                hashing.take(text.as_bytes());
                Ok(())
            }
            None => json::write(value, &mut hashing),
        };
        match hashed {
            Ok(()) => Argument::Hashed { items, bytes: hashing.bytes, sha256: hex(&hashing.hasher.finalize()) },
            Err(_) => Argument::Long { items, more_than_bytes: MAX_HASHED },
        }
    }
}

/// Counts and hashes what is written to it, up to a bound.
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
        if self.bytes > MAX_HASHED { Err(io::Error::other("the value is too long")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
