//! The stored form of values in project memory, and the lines of an export.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::sandbox::Timestamp;
use crate::text::{JsonFault, parse_json_object};
use crate::value::{Value, json, parts, time::rfc3339};

use super::MAX_DEPTH;
use super::error::MemoryError;
use super::key::Key;

/// The stored form of a value: its JSON and the name of its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The value as JSON without whitespace.
    pub json: String,
    /// The type, as `TYPEOF` names it.
    pub type_name: String,
}

/// The metadata of a key, without its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The key.
    pub key: String,
    /// The type of its value, as `TYPEOF` names it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The length of the value as JSON in bytes.
    pub bytes: u64,
    /// The time at which it was written, RFC 3339, UTC.
    pub updated: String,
    /// The program that wrote it.
    pub writer: String,
}

/// One line of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The key.
    pub key: Key,
    /// The value.
    pub stored: Stored,
    /// The time at which it was written, RFC 3339, UTC.
    pub updated: String,
    /// The program that wrote it.
    pub writer: String,
}

/// The JSON of a line being imported.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'t> {
    key: String,
    #[serde(rename = "type")]
    type_name: Option<String>,
    #[serde(borrow)]
    value: &'t RawValue,
    updated: Option<String>,
    writer: Option<String>,
}

/// Maximum length in bytes of `updated` and `writer` in a line.
const MAX_NOTE: usize = 256;

impl Stored {
    /// Converts a value into its stored form. Errors: if project memory cannot store it, or if its JSON has more than
    /// `allowed` bytes.
    pub fn from_value(value: &Value, allowed: u64) -> Result<Stored, MemoryError> {
        check_depth(value)?;
        if let Some(found) = json::Unwritable::find_in(value)? {
            return Err(MemoryError::Unwritable(found));
        }
        match json::to_text_of_at_most(value, allowed)? {
            Some(json) => Ok(Stored { json, type_name: value.type_name().to_owned() }),
            None => Err(MemoryError::TooLarge { allowed }),
        }
    }

    /// Converts back into a value.
    ///
    /// Other programs may have written the file, so the text is not trusted. The error is the problem found.
    pub fn to_value(&self) -> Result<Value, String> {
        let value = json::from_text(&self.json).map_err(|error| error.to_string())?;
        typed(value, &self.type_name)
    }
}

/// Checks that a value has the stated type.
fn typed(value: Value, type_name: &str) -> Result<Value, String> {
    match (type_name, value) {
        // A program with only one kind of number may have written `1` for `1.0`.
        ("float", Value::Int(number)) => Ok(Value::from(number as f64)),
        (name, value) if name == value.type_name() => Ok(value),
        (name, value) => {
            let name = crate::value::print::shortened(name, 40);
            Err(format!("the value is of type `{}`, and `type` says `{name}`", value.type_name()))
        }
    }
}

fn check_depth(value: &Value) -> Result<(), MemoryError> {
    // `Value::depth` is an upper bound, so only deep values are traversed.
    if value.depth() > MAX_DEPTH && parts::depth(value)? > MAX_DEPTH {
        return Err(MemoryError::BadValue(format!("the value is nested more than {MAX_DEPTH} deep")));
    }
    Ok(())
}

impl Record {
    /// Returns the memory that the record uses, in bytes.
    pub fn bytes(&self) -> usize {
        let texts = [self.key.as_str(), &self.stored.json, &self.stored.type_name, &self.updated, &self.writer];
        size_of::<Record>() + texts.iter().map(|text| text.len() + 2 * size_of::<usize>()).sum::<usize>()
    }

    /// Creates a record with the current time.
    pub fn now(key: Key, stored: Stored, writer: &str) -> Record {
        Record { key, stored, updated: now(), writer: writer.to_owned() }
    }

    /// Returns the line of an export, without its line feed.
    pub fn to_line(&self) -> String {
        let quoted = |text: &str| serde_json::to_string(text).expect("a text has a JSON form");
        format!(
            "{{\"key\":{},\"type\":{},\"value\":{},\"updated\":{},\"writer\":{}}}",
            quoted(self.key.as_str()),
            quoted(&self.stored.type_name),
            self.stored.json,
            quoted(&self.updated),
            quoted(&self.writer)
        )
    }

    /// Parses a line of an export; `type`, `updated` and `writer` are optional.
    pub fn from_line(text: &str, writer: &str, allowed: u64) -> Result<Record, String> {
        let line: Line<'_> = parse_json_object(text.as_bytes()).map_err(|error| without_line(&error))?;
        let key = Key::parse(&line.key).map_err(|error| error.to_string())?;
        let value = json::from_text(line.value.get()).map_err(|error| format!("`value` is not kept: {error}"))?;
        let value = match &line.type_name {
            Some(type_name) => typed(value, type_name)?,
            None => value,
        };
        let stored = Stored::from_value(&value, allowed).map_err(|error| error.to_string())?;
        let note = |text: Option<String>, name: &str, absent: &dyn Fn() -> String| match text {
            None => Ok(absent()),
            Some(text) if !is_note(&text) => Err(format!("`{name}` is no text of at most {MAX_NOTE} bytes")),
            Some(text) => Ok(text),
        };
        let updated = note(line.updated, "updated", &now)?;
        let writer = note(line.writer, "writer", &|| writer.to_owned())?;
        Ok(Record { key, stored, updated, writer })
    }
}

/// Whether a text is valid as `updated` or `writer`.
pub fn is_note(text: &str) -> bool {
    text.len() <= MAX_NOTE && !text.contains(char::is_control)
}

/// Returns the message of an error without the line number, which is always 1.
fn without_line(error: &serde_json::Error) -> String {
    let JsonFault { words, line, column } = JsonFault::of(error);
    if line == 0 { words } else { format!("{words}, at column {column}") }
}

/// Returns the current time, to the second.
pub fn now() -> String {
    rfc3339(Timestamp::now().seconds).into()
}
