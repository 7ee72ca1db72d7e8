//! Opening `.ns/memory.db` with SQLite.
//!
//! Why no link and no exchanged folder can lead it astray, although SQLite takes only a path and
//! follows the links in it itself, `/proc/self/fd/N` included:
//! - The database is made by us, whole, through the handle of `.ns`; SQLite is never allowed to make one.
//! - Before SQLite opens it, all of its files are regular files of this user with one name each.
//! - SQLite gets the path at which the system says the handle is, and refuses every link in it
//!   (`SQLITE_OPEN_NOFOLLOW`); it opens log and index with `O_NOFOLLOW` too.
//! - A folder above that is exchanged between these steps is noticed before anything is read or
//!   written: [`Witness`] compares the files that the process now has open with those in the handle's
//!   folder, once for the database and once for its log and index. From then on SQLite reads and writes
//!   only what it has open; `NO_CKPT_ON_CLOSE` keeps it from removing the log by its path. What it still
//!   does by path is to sync the folder after making the log, which changes nothing in a wrong one.
//!
//! Where the system does not tell what is open (not Linux, or no `/proc`), the path must lead to the
//! folder of the handle before and after each step; an exchange back and forth in between goes unseen.

use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::limits::Watch;
use crate::sandbox::{Identity, Metadata, OwnFolder, Root, SandboxError, Witness};

use super::error::MemoryError;
use super::schema::{self, APPLICATION_ID, NAME, NAMES, VERSION};

/// Seconds for which a lock is waited for.
pub const PATIENCE_S: u64 = 60;
/// The fewest bytes of a database: one page of the smallest size.
const MIN_SIZE: u64 = 512;
/// Bytes of a database that is looked through each time it is opened.
const MAX_LOOKED_THROUGH: u64 = 64 << 20;
/// The most bytes of a text that SQLite gives.
const MAX_TEXT: i32 = 256 << 20;

/// The database, open, and what it was when it was opened.
#[derive(Debug)]
pub struct Opened {
    /// To be used only after [`Opened::is_current`].
    pub connection: Connection,
    folder: OwnFolder,
    database: Identity,
}

impl Opened {
    /// Opens the database of a folder; none when there is none.
    pub fn open(folder: OwnFolder, watch: &Watch) -> Result<Option<Opened>, MemoryError> {
        let Some(metadata) = check_files(&folder)? else { return Ok(None) };
        check_size(metadata.size)?;
        let path = folder.path()?;
        let witness = Witness::begin(&folder, &path, &NAMES);
        let flags =
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let mut connection = Connection::open_with_flags(path.join(NAME), flags)?;
        witness.check()?;
        configure(&connection)?;
        wait_with(&mut connection, watch)?;
        // The first look opens log and index.
        let application = schema::application(&connection)?;
        witness.check()?;
        admit(application, schema::version(&connection)?)?;
        check_end(&connection, &folder)?;
        if metadata.size <= MAX_LOOKED_THROUGH {
            check_sound(&connection)?;
        }
        schema::migrate(&mut connection)?;
        use_log(&connection)?;
        witness.check()?;
        drop(witness);
        Ok(Some(Opened { connection, folder, database: metadata.identity }))
    }

    /// Whether the files are still those of the root: nobody moved or replaced them.
    pub fn is_current(&self, root: &Root) -> bool {
        self.folder.is_current(root)
            && self.folder.metadata(NAME).is_ok_and(|there| there.is_some_and(|file| file.identity == self.database))
    }
}

/// Looks at every file that SQLite may open; gives what is known of the database, if there is one.
fn check_files(folder: &OwnFolder) -> Result<Option<Metadata>, SandboxError> {
    for name in &NAMES[1..] {
        folder.metadata(name)?;
    }
    folder.metadata(NAME)
}

/// Whether a file is ours and of a version that we know.
pub fn admit(application: i32, version: i32) -> Result<(), MemoryError> {
    match (application, version) {
        (APPLICATION_ID, 1..=VERSION) => Ok(()),
        (APPLICATION_ID, version) if version > VERSION => Err(MemoryError::Newer(version)),
        (APPLICATION_ID, version) => Err(MemoryError::Damaged(format!("its version is {version}"))),
        (application, _) => Err(MemoryError::Foreign(application)),
    }
}

/// A file that is too short to hold anything; SQLite takes it for a new one.
pub fn check_size(size: u64) -> Result<(), MemoryError> {
    match size < MIN_SIZE {
        true => Err(MemoryError::Damaged(format!("it has only {size} bytes"))),
        false => Ok(()),
    }
}

/// Refuses a database whose pages contradict each other, before anything is written to it.
///
/// SQLite itself notices damage only where it happens to look.
fn check_sound(connection: &Connection) -> Result<(), MemoryError> {
    let mut look = connection.prepare("PRAGMA quick_check(100)")?;
    let found = look.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    // A row that breaks a rule is an error where it is read, and harms no other.
    let harmless = |text: &&String| *text == "ok" || text.starts_with("CHECK constraint failed");
    match found.iter().find(|text| !harmless(text)) {
        None => Ok(()),
        Some(text) => Err(MemoryError::Damaged(text.clone())),
    }
}

/// A file that was cut in the middle of a page; SQLite reads zeros for what is missing.
///
/// While there is a log, the last page may be on its way into the database.
fn check_end(connection: &Connection, folder: &OwnFolder) -> Result<(), MemoryError> {
    if folder.metadata(schema::WAL)?.is_some_and(|log| log.size > 0) {
        return Ok(());
    }
    let size = folder.metadata(NAME)?.map_or(0, |file| file.size);
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    check_pages(size, page)
}

/// Whether a database consists of whole pages.
pub fn check_pages(size: u64, page: u32) -> Result<(), MemoryError> {
    match size.is_multiple_of(page.into()) {
        true => Ok(()),
        false => Err(MemoryError::Damaged("it ends in the middle of a page".to_owned())),
    }
}

/// A file that another program may have written can run nothing, and costs no more than it must.
fn configure(connection: &Connection) -> Result<(), MemoryError> {
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_TEXT)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    // A change is on the disk when its call returns, also after a power cut.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(())
}

/// Waits for locks until the patience or the time of the run is over, or the run is interrupted.
pub fn wait_with(connection: &mut Connection, watch: &Watch) -> Result<(), MemoryError> {
    let watch = watch.clone();
    let mut since = None;
    let handler = move |tries: i32| {
        let since: &mut Instant = match tries {
            0 => since.insert(Instant::now()),
            _ => since.get_or_insert_with(Instant::now),
        };
        // Longer from try to try, and another length in every process, so that they do not march in step.
        let base = 1 << tries.clamp(0, 4);
        std::thread::sleep(Duration::from_micros(500 * base + u64::from(std::process::id() % 1000)));
        watch.poll().is_ok() && since.elapsed() < Duration::from_secs(PATIENCE_S)
    };
    Ok(connection.busy_handler(Some(handler))?)
}

/// Sees to it that readers and writers do not wait for each other.
fn use_log(connection: &Connection) -> Result<(), MemoryError> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" {
        // It stays as somebody set it where it cannot be changed now.
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    }
    Ok(())
}
