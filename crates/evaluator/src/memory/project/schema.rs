//! The tables of project memory, created by numbered migrations.
//!
//! `PRAGMA user_version` is the number of migrations applied to a file. A migration is never changed after it was
//! released. A new file is built completely in memory, so that no process ever sees a partial one.

use rusqlite::{Connection, MAIN_DB, TransactionBehavior};

use crate::memory::error::MemoryError;

/// `NSme`: marks a database as ours (`PRAGMA application_id`).
pub const APPLICATION_ID: i32 = 0x4e53_6d65;
/// The schema version that this program reads and writes.
pub const VERSION: i32 = MIGRATIONS.len() as i32;

/// More statements than a file of ours has.
const MAX_STATEMENTS: i64 = 64;

/// The statements that upgrade a file from one version to the next.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE memory (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,                     -- 1 to 256 bytes, no control characters
        value TEXT NOT NULL CHECK (json_valid(value)),
        type TEXT NOT NULL,                           -- nil, bool, int, float, string, list or map
        bytes INTEGER NOT NULL,                       -- length of `value`
        updated TEXT NOT NULL,                        -- RFC 3339, UTC
        writer TEXT NOT NULL                          -- the program that wrote it
    ) STRICT;
"];

/// Upgrades one of our files to the newest version. Returns false if it was up to date.
pub fn migrate(connection: &mut Connection) -> Result<bool, MemoryError> {
    migrate_by(connection, &MIGRATIONS)
}

fn migrate_by(connection: &mut Connection, migrations: &[&str]) -> Result<bool, MemoryError> {
    if version(connection)? == migrations.len() as i32 {
        return Ok(false);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have upgraded it in the meantime.
    let from = version(&transaction)?;
    if from < 0 || from as usize > migrations.len() {
        return Err(MemoryError::Newer { found: from, newest: migrations.len() as i32 });
    }
    for migration in &migrations[from as usize..] {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", migrations.len() as i32)?;
    transaction.commit()?;
    Ok(true)
}

/// Refuses a file whose tables are not literally ours. Constraints and generated columns of others would run with each
/// statement, without a bound on their memory.
pub fn check(connection: &Connection) -> Result<(), MemoryError> {
    let mut reference = Connection::open_in_memory()?;
    let count = usize::try_from(version(connection)?).unwrap_or(0).min(MIGRATIONS.len());
    migrate_by(&mut reference, &MIGRATIONS[..count])?;
    if statements(connection)? == statements(&reference)? {
        Ok(())
    } else {
        Err(MemoryError::Damaged("its tables are not those of this program".to_owned()))
    }
}

/// A row of the schema: type, name, table and statement.
type Statement = (String, String, String, Option<String>);

/// Returns the statements that created a file's tables, at most [`MAX_STATEMENTS`].
fn statements(connection: &Connection) -> Result<Vec<Statement>, MemoryError> {
    let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name, type LIMIT ?1";
    let mut look = connection.prepare(sql)?;
    let found = look.query_map([MAX_STATEMENTS], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Returns the schema version recorded in a file.
pub fn version(connection: &Connection) -> Result<i32, MemoryError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Returns the application id recorded in a file.
pub fn application(connection: &Connection) -> Result<i32, MemoryError> {
    Ok(connection.pragma_query_value(None, "application_id", |row| row.get(0))?)
}

/// Returns the bytes of a new, empty project memory in WAL mode.
pub fn new_image() -> Result<Vec<u8>, MemoryError> {
    let mut connection = Connection::open_in_memory()?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    migrate(&mut connection)?;
    let mut image = connection.serialize(MAIN_DB)?.to_vec();
    set_format(&mut image, Format::Wal);
    Ok(image)
}

/// The journal mode of a database, in bytes 18 and 19 of its header (sqlite.org/fileformat2.html).
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// A rollback journal; the only mode possible for a database in memory.
    Journal = 1,
    /// A write-ahead log.
    Wal = 2,
}

/// Sets the journal mode of a database image.
pub fn set_format(image: &mut [u8], format: Format) {
    if let Some(bytes) = image.get_mut(18..20) {
        bytes.fill(format as u8);
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{MIGRATIONS, migrate_by, version};
    use crate::memory::MemoryError;

    #[test]
    fn migrations_are_applied_once_and_in_order() {
        let mut connection = Connection::open_in_memory().expect("a database in memory");
        migrate_by(&mut connection, &MIGRATIONS).expect("the first version");
        connection.execute_batch("INSERT INTO memory VALUES (1, 'k', '1', 'int', 1, '', '')").expect("a row");
        let longer = [MIGRATIONS[0], "ALTER TABLE memory ADD COLUMN a TEXT", "ALTER TABLE memory RENAME a TO b"];
        assert!(migrate_by(&mut connection, &longer).expect("two more"));
        assert!(!migrate_by(&mut connection, &longer).expect("nothing is left"));
        assert_eq!(version(&connection).expect("a version"), 3);
        let row = connection.query_row("SELECT key, b FROM memory", [], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?))
        });
        assert_eq!(row.expect("the row"), ("k".to_owned(), None));
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let mut connection = Connection::open_in_memory().expect("a database in memory");
        migrate_by(&mut connection, &MIGRATIONS).expect("the first version");
        let longer = [MIGRATIONS[0], "CREATE TABLE other (x)", "nonsense"];
        migrate_by(&mut connection, &longer).expect_err("the third is no SQL");
        assert_eq!(version(&connection).expect("a version"), 1);
        assert!(connection.prepare("SELECT x FROM other").is_err());
    }

    #[test]
    fn a_newer_version_is_not_touched() {
        let mut connection = Connection::open_in_memory().expect("a database in memory");
        connection.pragma_update(None, "user_version", 7).expect("a version");
        assert!(matches!(migrate_by(&mut connection, &MIGRATIONS), Err(MemoryError::Newer { found: 7, .. })));
    }
}
