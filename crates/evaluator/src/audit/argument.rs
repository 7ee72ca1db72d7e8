//! The form of arguments in the log: a short value that is not content is written as it is, any other by its size and
//! hash.

use std::io;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::limits::{Meter, work};
use crate::text::{hex, safe_json_length};
use crate::value::{Value, json};

/// Maximum length in bytes of a text written as it is.
const MAX_TEXT: usize = 256;
/// Maximum length in bytes of the JSON of a list of paths written as it is.
const MAX_PATHS: usize = 64 << 10;
/// Maximum length in bytes of the JSON of a value that is hashed. Values share parts, so a small value can have an
/// enormous JSON form.
const MAX_HASHED: u64 = 4 << 20;

/// Returns the number of bytes that a text or a list of texts takes in a line, with a comma after each text, if the value
/// is short enough to be written as it is; some number above `MAX_PATHS` otherwise. Other values count as nothing, since
/// only paths are measured.
pub fn json_bytes(value: &Value) -> usize {
    // No character takes less in JSON than in the text.
    let escaped =
        |text: &str| if text.len() > MAX_PATHS { text.len() } else { text.chars().map(safe_json_length).sum() };
    let of_text = |value: &Value| value.as_text().map_or(0, |text| escaped(&text) + "\"\",".len());
    let Value::List(list) = value else { return of_text(value) };
    let mut bytes = "[]".len();
    for item in list.iter() {
        bytes += of_text(&item);
        if bytes > MAX_PATHS {
            break;
        }
    }
    bytes
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
    /// A value that is too long to be hashed.
    Long {
        /// Number of elements of a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        items: Option<usize>,
        /// A lower bound of the length of the text or the JSON in bytes.
        more_than_bytes: u64,
    },
}

/// How much of a text is hashed. The JSON of other values is hashed up to `MAX_HASHED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashExtent {
    /// All of it: the call may have written it.
    Whole,
    /// Nothing if it is longer than `MAX_HASHED`: the call has failed, and may not go on long after an interrupt.
    Bounded,
}

impl Argument {
    /// Records an argument that controls the call: as it is, unless it is long.
    pub fn plain(value: &Value, extent: HashExtent) -> Argument {
        let is_short = match value {
            Value::List(_) | Value::Map(_) => false,
            value => value.as_text().is_none_or(|text| text.len() <= MAX_TEXT),
        };
        if is_short { Argument::Plain(value.clone()) } else { Argument::content(value, extent) }
    }

    /// Records a path or a list of paths: as it is, unless it is very long.
    pub fn path(value: &Value, extent: HashExtent) -> Argument {
        if json_bytes(value) <= MAX_PATHS { Argument::Plain(value.clone()) } else { Argument::content(value, extent) }
    }

    /// Records an argument that is content: never as it is.
    ///
    /// The line is written even if the run's budget is used up, so nothing but `extent` bounds the hashing.
    pub fn content(value: &Value, extent: HashExtent) -> Argument {
        let mut hashing = Hashing { hasher: Sha256::new(), bytes: 0 };
        let items = match value {
            Value::List(list) => Some(list.len()),
            _ => None,
        };
        let _work = work::enter(Meter::unlimited().watch());
        let hashed = match value.as_text() {
            Some(text) if extent == HashExtent::Bounded && text.len() as u64 > MAX_HASHED => {
                return Argument::Long { items, more_than_bytes: MAX_HASHED };
            }
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
    use super::{Argument, HashExtent, MAX_HASHED, MAX_PATHS, json_bytes};
    use crate::text::safe;
    use crate::value::Value;

    /// Returns the length of an argument in a line.
    fn written(argument: &Argument) -> usize {
        safe::json(&serde_json::to_string(argument).expect("an argument is JSON")).len()
    }

    #[test]
    fn bytes_are_those_of_the_line() {
        let texts = ["", "a/b", "\u{0}\u{1f}\t\n", "\u{7f}", "\"\\", "👨\u{200d}👩", "\u{2028}", "\u{e0001}🦀"];
        for text in texts {
            let value = Value::text(text);
            assert_eq!(json_bytes(&value), written(&Argument::Plain(value)) + 1, "{text:?}");
        }
        let list = Value::list(texts.map(Value::text).to_vec()).expect("no limit is near");
        assert_eq!(json_bytes(&list), written(&Argument::Plain(list)) + 1);
    }

    #[test]
    fn paths_that_are_written_as_they_are_have_a_short_json() {
        for (text, count) in [
            ("", 360_000),
            ("", 100),
            ("\u{1}", 60_000),
            ("\u{7f}", 10_000),
            ("\u{e0001}", 5_000),
            ("\"", 60_000),
            ("a", 16_000),
            ("a", 17_000),
        ] {
            let list = Value::list(vec![Value::text(text); count]).expect("no limit is near");
            let bytes = written(&Argument::path(&list, HashExtent::Whole));
            assert!(bytes <= MAX_PATHS, "{count} times {text:?}: {bytes} bytes");
        }
    }

    #[test]
    fn a_failed_call_hashes_no_long_text() {
        let recorded = |bytes, extent| {
            let value = Value::text(&"a".repeat(bytes));
            let argument = Argument::content(&value, extent);
            serde_json::to_string(&argument).expect("an argument is JSON")
        };
        let (fits, longer) = (MAX_HASHED as usize, MAX_HASHED as usize + 1);
        for (bytes, extent) in [(fits, HashExtent::Bounded), (fits, HashExtent::Whole), (longer, HashExtent::Whole)] {
            let line = recorded(bytes, extent);
            assert!(line.starts_with(&format!("{{\"bytes\":{bytes},\"sha256\":\"")), "{line}");
        }
        assert_eq!(recorded(longer, HashExtent::Bounded), "{\"more_than_bytes\":4194304}");
    }
}
