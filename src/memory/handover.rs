//! Session memory on its way from one process to another: an entry that is kept, or was forgotten.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::value::Value;

use super::error::MemoryError;
use super::key::Key;
use super::record::Stored;

/// An entry as another process is told of it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Entry {
    key: String,
    kept: Option<Kept>,
}

/// The value, in the form in which project memory keeps one.
#[derive(Debug, Deserialize, Serialize)]
struct Kept {
    r#type: String,
    value: Box<RawValue>,
}

impl Entry {
    /// One that is kept.
    pub(super) fn kept(key: &Key, value: &Value) -> Entry {
        let kept = to_raw_value(value).ok().map(|json| Kept { r#type: value.type_name().to_owned(), value: json });
        Entry { key: key.as_str().to_owned(), kept }
    }

    /// One that is there no more.
    pub(super) fn forgotten(key: &Key) -> Entry {
        Entry { key: key.as_str().to_owned(), kept: None }
    }

    /// The key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The key and, where it is kept, the value.
    pub(super) fn into_parts(self) -> Result<(Key, Option<Value>), MemoryError> {
        let key = Key::parse(&self.key)?;
        let Some(Kept { r#type, value }) = self.kept else { return Ok((key, None)) };
        let stored = Stored { json: value.get().to_owned(), type_name: r#type };
        Ok((key, Some(stored.to_value().map_err(MemoryError::BadValue)?)))
    }
}
