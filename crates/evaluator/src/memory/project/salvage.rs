//! Reads the readable rows of a damaged, foreign or newer file.
//!
//! Works on an image in memory and changes nothing on the disk. Rows that cannot be read or that violate the rules of
//! project memory are counted and left out.

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, Row};

use crate::limits::Watch;
use crate::memory::error::MemoryError;
use crate::memory::key::Key;
use crate::memory::record::{Record, Stored, is_note, now};
use crate::memory::rows::Salvaged;

use super::lock::wait_with;
use super::schema::{Format, new_image, set_format};
use super::snapshot;

/// Bounds of the maximum length in bytes of a text that is read.
const MIN_TEXT: i32 = 64 << 10;
const MAX_TEXT: i32 = 256 << 20;
/// Maximum number of ids between two readable rows that are queried one by one.
const MAX_PROBES: i64 = 1_000_000;

/// Reads the readable rows of an image. Errors: only if a limit of the run is reached.
pub fn salvage(image: &[u8], watch: &Watch) -> Result<Salvaged, MemoryError> {
    match unless_stopped(tolerant(image, watch).and_then(|connection| read(&connection)))? {
        Ok(salvaged) if !(salvaged.records.items.is_empty() && salvaged.cut) => {
            Ok(Salvaged { cut: salvaged.cut || has_half_page(image), ..salvaged })
        }
        // The first page, which locates the others, is lost: the first page of a new file may fit the rest.
        _ => match unless_stopped(grafted(image, watch).and_then(|connection| read(&connection)))? {
            Ok(salvaged) => Ok(Salvaged { cut: true, ..salvaged }),
            Err(_) => Ok(Salvaged { cut: !image.is_empty(), ..Salvaged::default() }),
        },
    }
}

/// Separates the errors that end the run from those of the file.
fn unless_stopped<T>(result: Result<T, MemoryError>) -> Result<Result<T, MemoryError>, MemoryError> {
    match result {
        Err(error @ (MemoryError::Stopped | MemoryError::Limit(_))) => Err(error),
        other => Ok(other),
    }
}

/// Whether a file ends in the middle of a page, whose missing part reads as zeros.
fn has_half_page(image: &[u8]) -> bool {
    let size = image.get(16..18).map_or(1, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
    // 1 means 65536 (sqlite.org/fileformat2.html).
    let size = if size == 1 { 65_536 } else { usize::from(size) };
    size == 0 || !image.len().is_multiple_of(size)
}

/// Opens a connection that accepts a file even if it is shorter than its header says.
fn tolerant(image: &[u8], watch: &Watch) -> Result<Connection, MemoryError> {
    let mut connection = snapshot::open(image)?;
    wait_with(&mut connection, watch)?;
    // A longer text is not in the file: the tables of others compute it.
    let longest = i32::try_from(image.len()).unwrap_or(i32::MAX).clamp(MIN_TEXT, MAX_TEXT);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// Opens the image with its first page replaced by that of a new file, which says where the tables begin.
fn grafted(image: &[u8], watch: &Watch) -> Result<Connection, MemoryError> {
    let mut first = new_image()?;
    set_format(&mut first, Format::Journal);
    let page = usize::from(u16::from_be_bytes([first[16], first[17]]));
    first.truncate(page);
    let mut whole = image.to_vec();
    whole.resize(whole.len().next_multiple_of(page).max(page), 0);
    let pages = (whole.len() / page) as u32;
    // The size in the header counts only if bytes 24 and 92 agree; in a new file they do.
    first[28..32].copy_from_slice(&pages.to_be_bytes());
    whole[..page].copy_from_slice(&first);
    tolerant(&whole, watch)
}

/// Scans the table from the start, then from the end, then queries single rows in between.
fn read(connection: &Connection) -> Result<Salvaged, MemoryError> {
    let mut salvaged = Salvaged::default();
    let up = scan(connection, "SELECT * FROM memory ORDER BY id", &mut salvaged)?;
    if let Some(last) = up {
        salvaged.cut = true;
        let mut from_end = Salvaged::default();
        let sql = format!("SELECT * FROM memory WHERE id > {last} ORDER BY id DESC");
        let down = scan(connection, &sql, &mut from_end)?;
        if let Some(first) = down.filter(|first| *first > last) {
            for id in last.saturating_add(1)..first.min(last.saturating_add(MAX_PROBES)) {
                scan(connection, &format!("SELECT * FROM memory WHERE id = {id}"), &mut salvaged)?;
            }
        }
        salvaged.records.append_reversed(from_end.records);
        salvaged.lost += from_end.lost;
    }
    Ok(salvaged)
}

/// Adds the rows of a query. If the query ends early, returns the id of the last row read.
fn scan(connection: &Connection, sql: &str, salvaged: &mut Salvaged) -> Result<Option<i64>, MemoryError> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut last = 0;
    loop {
        match rows.next() {
            Ok(Some(row)) => {
                last = row.get("id").unwrap_or(last);
                salvaged.records.admit(row, &["key", "value", "type"])?;
                match record(row) {
                    Some(record) => salvaged.records.items.push(record),
                    None => salvaged.lost += 1,
                }
            }
            Ok(None) => return Ok(None),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                return Err(error.into());
            }
            Err(_) => return Ok(Some(last)),
        }
    }
}

/// Converts a row into a record if it is valid; `updated` and `writer` may be missing.
fn record(row: &Row<'_>) -> Option<Record> {
    let key = Key::parse(&row.get::<_, String>("key").ok()?).ok()?;
    let stored = Stored { json: row.get("value").ok()?, type_name: row.get("type").ok()? };
    stored.to_value().ok()?;
    let note = |name| row.get(name).ok().filter(|note: &String| is_note(note));
    let updated = note("updated").unwrap_or_else(now);
    Some(Record { key, stored, updated, writer: note("writer").unwrap_or_default() })
}
