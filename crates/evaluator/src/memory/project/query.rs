//! The queries of project memory.
//!
//! A file may hold any number of rows of any size, whoever wrote it: each row is charged before it is copied, and what
//! was read counts as live until the caller drops it.

use rusqlite::{Connection, OptionalExtension, Row as SqlRow};

use crate::limits::{space, work};
use crate::memory::error::MemoryError;
use crate::memory::key::Key;
use crate::memory::record::{Record, Row, Stored};
use crate::memory::rows::Rows;

impl<T> Rows<T> {
    /// Charges the next row, which has the texts of these columns.
    pub fn admit(&mut self, row: &SqlRow<'_>, texts: &[&str]) -> Result<(), MemoryError> {
        let mut bytes = size_of::<T>();
        for name in texts {
            // A column with another type has no text; the conversion reports it.
            let Ok(column) = row.get_ref(*name) else { continue };
            bytes += column.as_bytes_or_null().ok().flatten().map_or(0, <[u8]>::len);
        }
        work::charge_bytes(bytes)?;
        Ok(self.held.grow(bytes)?)
    }
}

/// Returns the stored value of a key.
pub fn value(connection: &Connection, key: &Key) -> Result<Option<Stored>, MemoryError> {
    // SQLite knows the length of a text without reading it.
    let mut statement = connection.prepare("SELECT octet_length(value) FROM memory WHERE key = ?1")?;
    let Some(length) = statement.query_row([key.as_str()], |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(None);
    };
    // SQLite's text and ours.
    space::check(usize::try_from(length).unwrap_or(0).saturating_mul(2))?;
    let sql = "SELECT value, type FROM memory WHERE key = ?1 AND octet_length(value) <= ?2";
    let mut statement = connection.prepare(sql)?;
    let stored = |row: &SqlRow<'_>| Ok(Stored { json: row.get(0)?, type_name: row.get(1)? });
    Ok(statement.query_row((key.as_str(), length), stored).optional()?)
}

/// Returns the keys that begin with `prefix`, in byte order.
pub fn keys(connection: &Connection, prefix: &str) -> Result<Rows<String>, MemoryError> {
    let mut statement = connection.prepare("SELECT key FROM memory WHERE key >= ?1 ORDER BY key")?;
    let mut found = statement.query([prefix])?;
    let mut keys = Rows::default();
    while let Some(row) = found.next()?.filter(|row| begins_with(row, prefix)) {
        keys.admit(row, &["key"])?;
        keys.items.push(row.get("key")?);
    }
    Ok(keys)
}

/// Returns the rows of all keys that begin with `prefix`, in byte order.
pub fn rows(connection: &Connection, prefix: &str) -> Result<Rows<Row>, MemoryError> {
    let sql = "SELECT key, type, bytes, updated, writer FROM memory WHERE key >= ?1 ORDER BY key";
    let mut statement = connection.prepare(sql)?;
    let mut found = statement.query([prefix])?;
    let mut rows = Rows::default();
    while let Some(row) = found.next()?.filter(|row| begins_with(row, prefix)) {
        rows.admit(row, &["key", "type", "updated", "writer"])?;
        rows.items.push(Row {
            key: row.get("key")?,
            type_name: row.get("type")?,
            bytes: row.get::<_, i64>("bytes")?.unsigned_abs(),
            updated: row.get("updated")?,
            writer: row.get("writer")?,
        });
    }
    Ok(rows)
}

/// Returns all records in the order of their keys, as of one moment.
pub fn records(connection: &Connection) -> Result<Rows<Record>, MemoryError> {
    let mut statement = connection.prepare("SELECT key, value, type, updated, writer FROM memory ORDER BY key")?;
    let mut found = statement.query([])?;
    let mut records = Rows::default();
    while let Some(row) = found.next()? {
        records.admit(row, &["key", "value", "type", "updated", "writer"])?;
        records.items.push(whole_record(&row.get::<_, String>("key")?, row)?);
    }
    Ok(records)
}

fn begins_with(row: &SqlRow<'_>, prefix: &str) -> bool {
    // A key that is no text is reported when it is converted.
    row.get_ref("key").is_ok_and(|key| key.as_bytes().map_or(true, |key| key.starts_with(prefix.as_bytes())))
}

/// Converts a row into a record. Errors: if the row violates our rules, which means that the file is damaged.
fn whole_record(key: &str, row: &SqlRow<'_>) -> Result<Record, MemoryError> {
    let stored = Stored { json: row.get("value")?, type_name: row.get("type")? };
    let damaged = |reason: String| MemoryError::Damaged(format!("under `{}`: {reason}", key.escape_debug()));
    stored.to_value().map_err(damaged)?;
    let key = Key::parse(key).map_err(|error| damaged(error.to_string()))?;
    Ok(Record { key, stored, updated: row.get("updated")?, writer: row.get("writer")? })
}
