//! Reads project memory through handles alone, into an image in memory.
//!
//! It creates, locks and changes nothing, so it serves runs that must not change anything and files that SQLite
//! refuses. The image contains everything that was committed when the copy was made.

use rusqlite::{Connection, MAIN_DB};

use crate::limits::space;
use crate::memory::error::MemoryError;
use crate::sandbox::{Identity, SandboxError, StateDir, Timestamp};

use super::files::{JOURNAL, JOURNAL_MAGIC, NAME, WAL};
use super::open::{admit, check_pages, check_size, harden};
use super::schema::{self, Format, set_format};
use super::wal;

/// Maximum size in bytes of a database that is copied into memory.
const MAX_IMAGE: u64 = 1 << 30;
/// Number of attempts when the WAL is restarted during the copy.
const ATTEMPTS: usize = 20;

/// A readable copy, with the state of the files when it was made.
#[derive(Debug)]
pub struct Snapshot {
    /// A read-only connection to the copy.
    pub connection: Connection,
    stamp: Stamp,
}

/// The identity, size and modification time of the database and of its WAL.
type Stamp = [Option<(Identity, u64, Option<Timestamp>)>; 2];

impl Snapshot {
    /// Copies the database. Returns `None` if it does not exist. Errors: if the file is not ours.
    pub fn take(folder: &StateDir) -> Result<Option<Snapshot>, MemoryError> {
        let stamp = stamp(folder)?;
        let Some(image) = image(folder)? else { return Ok(None) };
        check_size(image.len() as u64)?;
        let connection = open(&image)?;
        admit(schema::application(&connection)?, schema::version(&connection)?)?;
        schema::check(&connection)?;
        check_pages(image.len() as u64, connection.pragma_query_value(None, "page_size", |row| row.get(0))?)?;
        Ok(Some(Snapshot { connection, stamp }))
    }

    /// Whether the files are unchanged since the copy was started.
    pub fn is_fresh(&self, folder: &StateDir) -> bool {
        stamp(folder).is_ok_and(|stamp| stamp == self.stamp)
    }
}

fn stamp(folder: &StateDir) -> Result<Stamp, SandboxError> {
    let mut stamp = Stamp::default();
    for (name, place) in [NAME, WAL].into_iter().zip(&mut stamp) {
        *place = folder.metadata(name)?.map(|file| (file.identity, file.size, file.modified));
    }
    Ok(stamp)
}

/// Returns the committed state of the database as one image, or `None` if there is no file.
///
/// Closing a file that this process also has open in SQLite would release SQLite's locks on it (fcntl(2)), so the
/// caller must close its connection first.
pub fn image(folder: &StateDir) -> Result<Option<Vec<u8>>, MemoryError> {
    for _ in 0..ATTEMPTS {
        if has_hot_journal(folder)? {
            // Another program is changing the file in place: its contents may be uncommitted.
            continue;
        }
        let before = log_header(folder)?;
        check_room(folder)?;
        let Some(mut image) = folder.read(NAME, MAX_IMAGE)? else { return Ok(None) };
        let log = folder.read(WAL, MAX_IMAGE)?.unwrap_or_default();
        // As long as the WAL is not restarted, it contains everything that a concurrent checkpoint may have moved.
        if before == log[..log.len().min(wal::HEADER)] && !has_hot_journal(folder)? {
            wal::apply(&mut image, &log);
            set_format(&mut image, Format::Journal);
            return Ok(Some(image));
        }
    }
    Err(MemoryError::Busy(0))
}

/// Whether a rollback journal holds pages to be restored, as it does while a change is not committed.
fn has_hot_journal(folder: &StateDir) -> Result<bool, MemoryError> {
    let Some(metadata) = folder.metadata(JOURNAL)? else { return Ok(false) };
    // A journal that persists after its transaction begins with zeros.
    let start = if metadata.size > 0 { folder.read_start(JOURNAL, JOURNAL_MAGIC.len())? } else { None };
    Ok(start.is_some_and(|bytes| bytes == JOURNAL_MAGIC))
}

/// Errors: if the copy would exceed the memory limit of the run: the image, SQLite's copy of it, and the log.
fn check_room(folder: &StateDir) -> Result<(), MemoryError> {
    let size = |name| Ok::<_, SandboxError>(folder.metadata(name)?.map_or(0, |file| file.size.min(MAX_IMAGE)));
    // The pages of the log may lie beyond the end of the database.
    let bytes = 2 * size(NAME)? + 3 * size(WAL)?;
    Ok(space::check(usize::try_from(bytes).unwrap_or(usize::MAX))?)
}

fn log_header(folder: &StateDir) -> Result<Vec<u8>, MemoryError> {
    Ok(folder.read_start(WAL, wal::HEADER)?.unwrap_or_default())
}

/// Opens a read-only connection to a copy of an image.
pub fn open(image: &[u8]) -> Result<Connection, MemoryError> {
    open_copy(image, true)
}

/// Opens a connection to a copy of an image that may be written; its changes are not saved.
pub fn open_to_write(image: &[u8]) -> Result<Connection, MemoryError> {
    check_size(image.len() as u64)?;
    let connection = open_copy(image, false)?;
    admit(schema::application(&connection)?, schema::version(&connection)?)?;
    schema::check(&connection)?;
    Ok(connection)
}

fn open_copy(image: &[u8], read_only: bool) -> Result<Connection, MemoryError> {
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact(MAIN_DB, image, image.len(), read_only)?;
    harden(&connection)?;
    Ok(connection)
}
