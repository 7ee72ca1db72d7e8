//! The form of arguments in the log: a short value that is not content is written as it is, any other by its size and
//! hash.

use std::io;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::limits::{Meter, work};
use crate::text::hex;
use crate::value::{Value, json};

/// Maximum length in bytes of a text written as it is.
const MAX_TEXT: usize = 256;
/// Maximum length in bytes of the JSON of a list of paths written as it is.
const MAX_PATHS: usize = 64 << 10;
/// Maximum length in bytes of the JSON of a value that is hashed. Values share parts, so a small value can have an
/// enormous JSON form.
const MAX_HASHED: u64 = 4 << 20;

/// Returns the maximum length of the JSON of a text or a list of texts in bytes. Other values count as nothing, since only
/// paths are measured.
pub fn json_bytes(value: &Value) -> usize {
    let of_text = |text: &str| {
        text.bytes()
            .map(|byte| if byte < 0x20 { 6 } else { 1 + usize::from(b"\"\\\x7f".contains(&byte)) })
            .sum::<usize>()
            + 3
    };
    match value {
        Value::List(list) => list.iter().map(|item| item.as_text().map_or(0, |text| of_text(&text))).sum::<usize>() + 2,
        value => value.as_text().map_or(0, |text| of_text(&text)),
    }
}

/// An argument as a line records it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Argument {
    /// The value as given.
    Plain(Value),
    /// The size and hash of a text, or of the JSON of another value.
    Hashed {
        /// Number of elements of a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        items: Option<usize>,
        /// The length of the text or the JSON in bytes.
        bytes: u64,
        /// The SHA-256 of the same bytes, in hexadecimal.
        sha256: String,
    },
    /// A value whose JSON is too long to be hashed.
    Long {
        /// Number of elements of a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        items: Option<usize>,
        /// A lower bound of the length of its JSON in bytes.
        more_than_bytes: u64,
    },
}

impl Argument {
    /// Records an argument that controls the call: as it is, unless it is long.
    pub fn plain(value: &Value) -> Argument {
        let is_short = match value {
            Value::List(_) | Value::Map(_) => false,
            value => value.as_text().is_none_or(|text| text.len() <= MAX_TEXT),
        };
        if is_short { Argument::Plain(value.clone()) } else { Argument::content(value) }
    }

    /// Records a path or a list of paths: as it is, unless it is very long.
    pub fn path(value: &Value) -> Argument {
        if json_bytes(value) <= MAX_PATHS { Argument::Plain(value.clone()) } else { Argument::content(value) }
    }

    /// Records an argument that is content: never as it is.
    pub fn content(value: &Value) -> Argument {
        let mut hashing = Hashing { hasher: Sha256::new(), bytes: 0 };
        let items = match value {
            Value::List(list) => Some(list.len()),
            _ => None,
        };
        // The line of a call is written even if the run's budget is used up, so only `MAX_HASHED` bounds the hashing.
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

/// A writer that counts and hashes bytes, up to a limit.
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

#[cfg(test)]
mod tests {
    use super::{Argument, MAX_PATHS};
    use crate::value::Value;

    #[test]
    fn paths_that_are_written_as_they_are_have_a_short_json() {
        for (text, count) in [("", 360_000), ("", 100), ("\u{1}", 60_000), ("\"", 60_000), ("a", 16_000), ("a", 17_000)]
        {
            let list = Value::list(vec![Value::text(text); count]).expect("no limit is near");
            let written = serde_json::to_string(&Argument::path(&list)).expect("an argument is JSON");
            assert!(written.len() <= MAX_PATHS, "{count} times {text:?}: {} bytes", written.len());
        }
    }
}
