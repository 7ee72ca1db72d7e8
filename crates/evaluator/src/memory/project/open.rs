//! Opens `.ns/memory.db` with SQLite.
//!
//! SQLite takes only a path and follows the links in it itself, including `/proc/self/fd/N`. Links and exchanged
//! directories cannot redirect it nevertheless:
//! - We create the complete database through the handle of `.ns`; SQLite is never allowed to create one.
//! - Before SQLite opens the database, all of its files must be regular files of this user with a single hard link
//!   each.
//! - SQLite gets the path that the system reports for the handle, and refuses every link in it
//!   (`SQLITE_OPEN_NOFOLLOW`); it opens the WAL and its index with `O_NOFOLLOW` too.
//! - If a directory above is exchanged between these steps, this is detected before anything is read or written:
//!   [`Witness`] compares the files that the process now has open with those in the handle's directory, once for the
//!   database and once for its WAL and index. From then on SQLite reads and writes only open files; `NO_CKPT_ON_CLOSE`
//!   keeps it from removing the WAL by its path. The only remaining operation by path is the sync of the directory
//!   after creating the WAL, which is harmless in a wrong directory.
//!
//! If the system does not list open files (not Linux, or no `/proc`), the path must lead to the handle's directory
//! before and after each step; an exchange back and forth in between is not detected.

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::limits::Watch;
use crate::memory::error::MemoryError;
use crate::sandbox::{Identity, Metadata, Root, SandboxError, StateDir, Witness};

use super::files::{NAME, NAMES, WAL};
use super::lock::wait_with;
use super::schema::{self, APPLICATION_ID, VERSION};

/// Minimum size of a database in bytes: one page of the smallest size.
const MIN_SIZE: u64 = 512;
/// Maximum size in bytes of a database that is checked each time it is opened.
const MAX_LOOKED_THROUGH: u64 = 64 << 20;
/// Maximum number of attempts to open a database, while other threads seem to move its directory.
const MAX_ATTEMPTS: usize = 64;
/// Maximum length in bytes of a statement, those of the tables in the file too.
const MAX_SQL: i32 = 64 << 10;
/// Maximum length in bytes of a text that SQLite returns.
const MAX_TEXT: i32 = 256 << 20;

/// The open database, with its identity at that time.
#[derive(Debug)]
pub struct Opened {
    /// The connection; call [`Opened::is_current`] before using it.
    pub connection: Connection,
    folder: StateDir,
    database: Identity,
}

impl Opened {
    /// Opens the database of a state directory. Returns `None` if there is none.
    pub fn open(folder: StateDir, watch: &Watch) -> Result<Option<Opened>, MemoryError> {
        let connected = connect_undisturbed(&folder, watch)?;
        Ok(connected.map(|(connection, database)| Opened { connection, folder, database }))
    }

    /// Whether the files are still those of the root and have not been moved or replaced.
    pub fn is_current(&self, root: &Root) -> bool {
        self.folder.is_current(root)
            && self.folder.metadata(NAME).is_ok_and(|there| there.is_some_and(|file| file.identity == self.database))
    }
}

/// Connects to the database, again if somebody seems to have moved the directory meanwhile.
///
/// [`Witness`] sees the open files of the whole process. If another thread opens a file with the name of one of ours
/// in the meantime, that looks as if SQLite had been redirected. Every attempt is verified, so trying again is safe.
fn connect_undisturbed(folder: &StateDir, watch: &Watch) -> Result<Option<(Connection, Identity)>, MemoryError> {
    for _ in 1..MAX_ATTEMPTS {
        match connect(folder, watch) {
            Err(MemoryError::Sandbox(error)) if error.is_moved() => watch.poll()?,
            ended => return ended,
        }
    }
    connect(folder, watch)
}

/// Opens the database with SQLite, verifies which files it opened, and checks their contents.
fn connect(folder: &StateDir, watch: &Watch) -> Result<Option<(Connection, Identity)>, MemoryError> {
    let Some(metadata) = check_files(folder)? else { return Ok(None) };
    check_size(metadata.size)?;
    let path = folder.path()?;
    let witness = Witness::begin(folder, &path, &NAMES);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(path.join(NAME), flags)?;
    witness.check()?;
    harden(&connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    wait_with(&mut connection, watch)?;
    configure(&connection)?;
    // The first query opens the WAL and its index.
    let application = schema::application(&connection)?;
    witness.check()?;
    admit(application, schema::version(&connection)?)?;
    schema::check(&connection)?;
    check_end(&connection, folder)?;
    if metadata.size <= MAX_LOOKED_THROUGH {
        check_sound(&connection)?;
    }
    schema::migrate(&mut connection)?;
    use_log(&connection)?;
    witness.check()?;
    Ok(Some((connection, metadata.identity)))
}

/// Checks every file that SQLite may open. Returns the metadata of the database, if there is one.
fn check_files(folder: &StateDir) -> Result<Option<Metadata>, SandboxError> {
    for name in &NAMES[1..] {
        folder.metadata(name)?;
    }
    folder.metadata(NAME)
}

/// Checks that a database is ours and of a known version.
pub fn admit(application: i32, version: i32) -> Result<(), MemoryError> {
    match (application, version) {
        (APPLICATION_ID, 1..=VERSION) => Ok(()),
        (APPLICATION_ID, version) if version > VERSION => Err(MemoryError::Newer { found: version, newest: VERSION }),
        (APPLICATION_ID, version) => Err(MemoryError::Damaged(format!("its version is {version}"))),
        (application, _) => Err(MemoryError::Foreign(application)),
    }
}

/// Refuses a file that is too short for a database; SQLite would treat it as a new one.
pub fn check_size(size: u64) -> Result<(), MemoryError> {
    if size < MIN_SIZE { Err(MemoryError::Damaged(format!("it has only {size} bytes"))) } else { Ok(()) }
}

/// Refuses a database with inconsistent pages before anything is written to it.
///
/// SQLite itself detects damage only in the pages that it reads.
fn check_sound(connection: &Connection) -> Result<(), MemoryError> {
    let mut look = connection.prepare("PRAGMA quick_check(100)")?;
    let found = look.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    // A row that violates a constraint gives an error when it is read, and does not affect other rows.
    let harmless = |text: &&String| *text == "ok" || text.starts_with("CHECK constraint failed");
    match found.iter().find(|text| !harmless(text)) {
        None => Ok(()),
        Some(text) => Err(MemoryError::Damaged(text.clone())),
    }
}

/// Refuses a file that was truncated in the middle of a page; SQLite would read zeros for the missing bytes.
///
/// While the WAL has contents, the last page may still be missing from the database.
fn check_end(connection: &Connection, folder: &StateDir) -> Result<(), MemoryError> {
    if folder.metadata(WAL)?.is_some_and(|log| log.size > 0) {
        return Ok(());
    }
    let size = folder.metadata(NAME)?.map_or(0, |file| file.size);
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    check_pages(size, page)
}

/// Checks that a database consists of whole pages.
pub fn check_pages(size: u64, page: u32) -> Result<(), MemoryError> {
    if size.is_multiple_of(page.into()) {
        Ok(())
    } else {
        Err(MemoryError::Damaged("it ends in the middle of a page".to_owned()))
    }
}

/// Configures a connection so that a file written by another program cannot run code or use unbounded resources.
pub fn harden(connection: &Connection) -> Result<(), MemoryError> {
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_TEXT)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_SQL)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    Ok(())
}

/// Configures how a connection to the file itself reads and writes.
fn configure(connection: &Connection) -> Result<(), MemoryError> {
    // A change is on the disk when the call returns, even after a power failure.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(())
}

/// Enables the WAL, so that readers and writers do not wait for each other.
fn use_log(connection: &Connection) -> Result<(), MemoryError> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" {
        // If the mode cannot be changed now, it stays as it is.
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    }
    Ok(())
}
