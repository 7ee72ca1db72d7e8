//! Transfer of session memory between processes: an entry with its value, or a deleted one.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::value::Value;

use super::error::MemoryError;
use super::key::Key;
use super::record::Stored;

/// An entry as sent to another process.
#[derive(Debug, Deserialize, Serialize)]
pub struct Entry {
    key: String,
    kept: Option<Kept>,
}

/// A value, in the form in which project memory stores it.
#[derive(Debug, Deserialize, Serialize)]
struct Kept {
    r#type: String,
    value: Box<RawValue>,
}

impl Entry {
    /// Creates an entry with a value.
    pub(super) fn kept(key: &Key, value: &Value) -> Entry {
        let kept = to_raw_value(value).ok().map(|json| Kept { r#type: value.type_name().to_owned(), value: json });
        Entry { key: key.as_str().to_owned(), kept }
    }

    /// Creates an entry for a deleted key.
    pub(super) fn forgotten(key: &Key) -> Entry {
        Entry { key: key.as_str().to_owned(), kept: None }
    }

    /// Returns the key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the key and, unless it was deleted, the value.
    pub(super) fn into_parts(self) -> Result<(Key, Option<Value>), MemoryError> {
        let key = Key::parse(&self.key)?;
        let Some(Kept { r#type, value }) = self.kept else { return Ok((key, None)) };
        let stored = Stored { json: value.get().to_owned(), type_name: r#type };
        Ok((key, Some(stored.to_value().map_err(MemoryError::BadValue)?)))
    }
}
