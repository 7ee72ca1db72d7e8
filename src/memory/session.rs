//! Session memory: a map in the process, gone with the run, the session or the connection.
//!
//! That of a connection is handed to the processes that run its scripts, and what they changed comes back
//! ([`Entry`]), so it takes only what has a JSON form, and so many bytes of it.

use std::cell::{Cell, RefCell};
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher};

use crate::limits::space;
use crate::value::Value;

use super::MAX_SHARED;
use super::error::MemoryError;
use super::handover::Entry;
use super::key::Key;
use super::record::Stored;

/// What one run, session or connection remembers, and the name under which it writes.
#[derive(Debug)]
pub struct Session {
    command: String,
    writer: String,
    run: String,
    entries: RefCell<BTreeMap<Key, Kept>>,
    shared: Option<Shared>,
}

/// A value that is kept under a key.
#[derive(Debug)]
struct Kept {
    value: Value,
    /// Bytes that the entry counts where several processes share it.
    shared_bytes: u64,
}

/// What is known of a memory that several processes use.
#[derive(Debug, Default)]
struct Shared {
    /// Bytes of its keys and of its values as JSON.
    bytes: Cell<u64>,
    /// What was changed here, where that is to be told.
    changed: Option<RefCell<BTreeSet<Key>>>,
}

/// Bytes that an entry takes besides the text of its key and what its value counts itself.
const ENTRY: usize = size_of::<(Key, Kept)>() + 2 * size_of::<usize>();

impl Session {
    /// An empty memory; `command` is what project memory and the audit log note of changes made from here.
    pub fn new(command: impl Into<String>) -> Session {
        let command = command.into();
        let writer = format!("{command}, process {}", std::process::id());
        let run = format!("{:016x}", RandomState::new().build_hasher().finish());
        Session { command, writer, run, entries: RefCell::default(), shared: None }
    }

    /// That of a connection, whose scripts run in other processes.
    pub fn of_connection(command: impl Into<String>) -> Session {
        let mut session = Session::new(command);
        session.shared = Some(Shared::default());
        session
    }

    /// What a connection handed to the process of a script; its changes are noted.
    ///
    /// # Errors
    /// An entry that is none.
    pub fn handed(command: impl Into<String>, entries: Vec<Entry>) -> Result<Session, MemoryError> {
        let mut session = Session::of_connection(command);
        entries.into_iter().try_for_each(|entry| session.take_in(entry))?;
        session.shared.iter_mut().for_each(|shared| shared.changed = Some(RefCell::default()));
        Ok(session)
    }

    /// What the user began: `ns run x.ns`.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// What tells this run, session or connection from all others.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// What project memory notes as the writer.
    pub fn writer(&self) -> &str {
        &self.writer
    }

    /// The value of a key.
    pub fn get(&self, key: &Key) -> Option<Value> {
        self.entries.borrow().get(key).map(|kept| kept.value.clone())
    }

    /// Keeps a value; the entry itself counts as live memory of the run.
    ///
    /// # Errors
    /// The memory limit of the run; where several processes share it also a value without a JSON form, and one
    /// for which there is no room.
    pub fn set(&self, key: Key, value: Value) -> Result<(), MemoryError> {
        let mut shared_bytes = 0;
        if let Some(shared) = &self.shared {
            let form = Stored::from_value(&value, MAX_SHARED)?;
            shared_bytes = (key.as_str().len() + form.json.len()) as u64;
            let bytes = shared.bytes.get() - self.shared_bytes(&key) + shared_bytes;
            if bytes > MAX_SHARED {
                return Err(MemoryError::Full { allowed: MAX_SHARED });
            }
            shared.bytes.set(bytes);
            shared.note(&key);
        }
        let mut entries = self.entries.borrow_mut();
        if !entries.contains_key(&key) {
            space::take(bytes_of(&key))?;
        }
        entries.insert(key, Kept { value, shared_bytes });
        Ok(())
    }

    /// Forgets a key; whether there was one.
    pub fn delete(&self, key: &Key) -> bool {
        if let Some(shared) = &self.shared {
            shared.bytes.set(shared.bytes.get() - self.shared_bytes(key));
            shared.note(key);
        }
        let removed = self.entries.borrow_mut().remove_entry(key);
        removed.inspect(|(key, _)| space::give_back(bytes_of(key))).is_some()
    }

    /// Bytes that an entry counts where several processes share it.
    fn shared_bytes(&self, key: &Key) -> u64 {
        self.entries.borrow().get(key).map_or(0, |kept| kept.shared_bytes)
    }

    /// All that is kept, for another process.
    pub fn entries(&self) -> Vec<Entry> {
        self.entries.borrow().iter().map(|(key, kept)| Entry::kept(key, &kept.value)).collect()
    }

    /// What was changed since it was handed over.
    pub fn changes(&self) -> Vec<Entry> {
        let Some(changed) = self.shared.as_ref().and_then(|shared| shared.changed.as_ref()) else { return Vec::new() };
        let entries = self.entries.borrow();
        let entry =
            |key: &Key| entries.get(key).map_or_else(|| Entry::forgotten(key), |kept| Entry::kept(key, &kept.value));
        changed.borrow().iter().map(entry).collect()
    }

    /// Takes in what another process keeps, or has changed.
    pub fn take_in(&self, entry: Entry) -> Result<(), MemoryError> {
        match entry.into_parts()? {
            (key, Some(value)) => self.set(key, value),
            (key, None) => {
                self.delete(&key);
                Ok(())
            }
        }
    }

    /// The keys that begin with a text, in the order of their bytes.
    pub fn keys(&self, prefix: &str) -> Vec<String> {
        let entries = self.entries.borrow();
        entries.keys().map(Key::as_str).filter(|key| key.starts_with(prefix)).map(str::to_owned).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.entries.get_mut().keys().for_each(|key| space::give_back(bytes_of(key)));
    }
}

impl Shared {
    fn note(&self, key: &Key) {
        if let Some(changed) = &self.changed {
            changed.borrow_mut().insert(key.clone());
        }
    }
}

fn bytes_of(key: &Key) -> usize {
    ENTRY + key.as_str().len()
}
