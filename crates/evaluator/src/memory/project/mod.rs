//! Project memory: one SQLite file in `.ns`, shared by all processes that work in the root.
//!
//! Every change is one immediate transaction, so it waits for its turn and is atomic. Reading creates nothing: a
//! missing file reads as empty.

mod files;
mod lock;
mod open;
mod query;
mod salvage;
mod schema;
mod snapshot;
mod sql_error;
mod wal;

use std::cell::RefCell;

use rusqlite::{Connection, TransactionBehavior, params};

use crate::sandbox::InternalChange;

use super::error::MemoryError;
use super::key::Key;
use super::record::{Record, Row, Stored};
use super::rows::{Rows, Salvaged};
use super::site::{Access, Site};
use files::NAME;
use lock::wait_with;
use open::Opened;
use salvage::salvage;
use snapshot::Snapshot;

/// The project memory of one engine. The database stays open after its first use.
#[derive(Debug, Default)]
pub struct Project {
    opened: RefCell<Option<Opened>>,
    copied: RefCell<Option<Snapshot>>,
    planned: RefCell<Option<Connection>>,
}

impl Project {
    /// Whether there are planned changes ([`Access::Planned`]).
    pub fn has_planned_changes(&self) -> bool {
        self.planned.borrow().as_ref().is_some_and(|connection| connection.total_changes() > 0)
    }

    /// Returns the stored value of a key.
    pub fn get(&self, site: &Site<'_>, key: &Key) -> Result<Option<Stored>, MemoryError> {
        self.read(site, |connection| query::value(connection, key)).map(Option::flatten)
    }

    /// Returns the keys that begin with `prefix`, in byte order.
    pub fn keys(&self, site: &Site<'_>, prefix: &str) -> Result<Rows<String>, MemoryError> {
        self.read(site, |connection| query::keys(connection, prefix)).map(Option::unwrap_or_default)
    }

    /// Returns the rows of all keys that begin with `prefix`, in byte order.
    pub fn rows(&self, site: &Site<'_>, prefix: &str) -> Result<Rows<Row>, MemoryError> {
        self.read(site, |connection| query::rows(connection, prefix)).map(Option::unwrap_or_default)
    }

    /// Returns all records in the order of their keys, as of one moment.
    pub fn records(&self, site: &Site<'_>) -> Result<Rows<Record>, MemoryError> {
        self.read(site, query::records).map(Option::unwrap_or_default)
    }

    /// Returns everything that can be read of a file, however damaged it is.
    pub fn salvage(&self, site: &Site<'_>) -> Result<Salvaged, MemoryError> {
        self.close();
        let image = match site.root.own_folder()? {
            Some(folder) => snapshot::image(&folder)?,
            None => None,
        };
        image
            .map_or_else(|| Ok(Salvaged::default()), |image| salvage(&image, &site.watch))
            .map_err(|error| patient(site, error))
    }

    /// Stores values atomically.
    pub fn set(&self, site: &Site<'_>, records: &[Record], change: &InternalChange) -> Result<(), MemoryError> {
        self.write(site, change, |connection| {
            let sql = "INSERT INTO memory (key, value, type, bytes, updated, writer) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value, type = excluded.type, \
                 bytes = excluded.bytes, updated = excluded.updated, writer = excluded.writer";
            let mut statement = connection.prepare(sql)?;
            for record in records {
                site.watch.poll()?;
                let Record { key, stored, updated, writer } = record;
                let bytes = stored.json.len() as i64;
                statement.execute(params![key.as_str(), stored.json, stored.type_name, bytes, updated, writer])?;
            }
            Ok(())
        })
    }

    /// Deletes a key. Returns whether it existed.
    pub fn delete(&self, site: &Site<'_>, key: &Key, change: &InternalChange) -> Result<bool, MemoryError> {
        if self.get(site, key)?.is_none() {
            return Ok(false);
        }
        self.write(site, change, |connection| {
            Ok(connection.prepare("DELETE FROM memory WHERE key = ?1")?.execute([key.as_str()])? > 0)
        })
    }

    /// Reads from the database. Returns `None` if it does not exist.
    fn read<T>(
        &self,
        site: &Site<'_>,
        work: impl FnOnce(&Connection) -> Result<T, MemoryError>,
    ) -> Result<Option<T>, MemoryError> {
        match site.access {
            Access::Copy => return self.read_copy(site, work),
            Access::Planned => return self.with_planned(site, |connection| work(connection)).map(Some),
            Access::Shared => {}
        }
        self.forget_if_moved(site);
        let mut opened = self.opened.borrow_mut();
        if opened.is_none() {
            let Some(folder) = site.root.own_folder()? else { return Ok(None) };
            *opened = Opened::open(folder, &site.watch).map_err(|error| patient(site, error))?;
        }
        let Some(opened) = &mut *opened else { return Ok(None) };
        wait_with(&mut opened.connection, &site.watch)?;
        work(&opened.connection).map(Some).map_err(|error| patient(site, error))
    }

    /// Reads from a copy, which is refreshed if the files have changed.
    fn read_copy<T>(
        &self,
        site: &Site<'_>,
        work: impl FnOnce(&Connection) -> Result<T, MemoryError>,
    ) -> Result<Option<T>, MemoryError> {
        self.close();
        let Some(folder) = site.root.own_folder()? else { return Ok(None) };
        let mut copied = self.copied.borrow_mut();
        if !copied.as_ref().is_some_and(|copy| copy.is_fresh(&folder)) {
            *copied = Snapshot::take(&folder)?;
        }
        let Some(copy) = &mut *copied else { return Ok(None) };
        wait_with(&mut copy.connection, &site.watch)?;
        work(&copy.connection).map(Some).map_err(|error| patient(site, error))
    }

    /// Changes the database in one transaction, creating `.ns` and the file if necessary.
    fn write<T>(
        &self,
        site: &Site<'_>,
        change: &InternalChange,
        work: impl FnOnce(&Connection) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        if site.access == Access::Planned {
            return self.with_planned(site, |connection| whole(connection, work));
        }
        self.forget_if_moved(site);
        let mut opened = self.opened.borrow_mut();
        if opened.is_none() {
            *opened = Some(open_or_make(site, change).map_err(|error| patient(site, error))?);
        }
        let connection = &mut opened.as_mut().expect("it was opened just now").connection;
        wait_with(connection, &site.watch)?;
        whole(connection, work).map_err(|error| patient(site, error))
    }

    /// Works with the copy for planned changes, creating it when first needed.
    fn with_planned<T>(
        &self,
        site: &Site<'_>,
        work: impl FnOnce(&mut Connection) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let mut planned = self.planned.borrow_mut();
        if planned.is_none() {
            let kept = site.root.own_folder()?.map(|folder| snapshot::image(&folder)).transpose()?.flatten();
            let mut image = kept.map_or_else(schema::new_image, Ok)?;
            // A copy in memory has no WAL.
            schema::set_format(&mut image, schema::Format::Journal);
            *planned = Some(snapshot::open_to_write(&image)?);
        }
        let connection = planned.as_mut().expect("it was made just now");
        wait_with(connection, &site.watch)?;
        work(connection).map_err(|error| patient(site, error))
    }

    /// Closes the database if it is no longer the memory file of the root.
    fn forget_if_moved(&self, site: &Site<'_>) {
        let mut opened = self.opened.borrow_mut();
        if opened.as_ref().is_some_and(|opened| !opened.is_current(site.root)) {
            *opened = None;
        }
    }

    fn close(&self) {
        *self.opened.borrow_mut() = None;
    }
}

/// Performs work in one transaction.
fn whole<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Connection) -> Result<T, MemoryError>,
) -> Result<T, MemoryError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = work(&transaction)?;
    transaction.commit()?;
    Ok(result)
}

/// Replaces a lock timeout or the end of a statement by the limit that caused it, if the run is over.
fn patient(site: &Site<'_>, error: MemoryError) -> MemoryError {
    match error {
        MemoryError::Busy(_) | MemoryError::Stopped => site.watch.poll().map_or_else(MemoryError::Limit, |()| error),
        error => error,
    }
}

fn open_or_make(site: &Site<'_>, change: &InternalChange) -> Result<Opened, MemoryError> {
    loop {
        let folder = site.root.make_own_folder(change)?;
        if folder.metadata(NAME)?.is_none() {
            // If another process was faster, its file is used.
            folder.put_new(NAME, &schema::new_image()?, change)?;
        }
        if let Some(opened) = Opened::open(folder, &site.watch)? {
            return Ok(opened);
        }
        site.watch.poll()?;
    }
}
