//! Session memory: a map in the process that ends with the run, the session or the connection.
//!
//! The memory of a connection is sent to the processes that run its scripts, and their changes are sent back
//! ([`Entry`]). It therefore accepts only values with a JSON form, up to a limited size.

use std::cell::{Cell, RefCell};
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher};

use crate::limits::{LimitHit, space, work};
use crate::sandbox::process_id;
use crate::value::Value;

use super::MAX_SHARED;
use super::error::MemoryError;
use super::handover::Entry;
use super::key::Key;
use super::record::Stored;
use super::rows::Rows;

/// The memory of one run, session or connection, with the name that identifies it as a writer.
#[derive(Debug)]
pub struct Session {
    command: String,
    writer: String,
    run: String,
    entries: RefCell<BTreeMap<Key, Kept>>,
    shared: Option<Shared>,
}

/// A stored value.
#[derive(Debug)]
struct Kept {
    value: Value,
    /// Number of bytes that the entry counts if several processes share the memory.
    shared_bytes: u64,
}

/// The state of a memory that several processes share.
#[derive(Debug, Default)]
struct Shared {
    /// Size in bytes of its keys and of its values as JSON.
    bytes: Cell<u64>,
    /// The keys changed in this process; `None` if changes are not sent back.
    changed: Option<RefCell<BTreeSet<Key>>>,
}

/// Number of bytes that an entry uses in addition to the text of its key and the value itself.
const ENTRY: usize = size_of::<(Key, Kept)>() + 2 * size_of::<usize>();

impl Session {
    /// Creates an empty memory. `command` is recorded by project memory and the audit log for changes made from here.
    pub fn new(command: impl Into<String>) -> Session {
        let command = command.into();
        let writer = format!("{command}, process {}", process_id());
        let run = format!("{:016x}", RandomState::new().build_hasher().finish());
        Session { command, writer, run, entries: RefCell::default(), shared: None }
    }

    /// Creates the memory of a connection, whose scripts run in other processes.
    pub fn of_connection(command: impl Into<String>) -> Session {
        let mut session = Session::new(command);
        session.shared = Some(Shared::default());
        session
    }

    /// Creates the memory received by the process of a script from a connection; its changes are recorded.
    ///
    /// Errors: if an entry is malformed.
    pub fn handed(command: impl Into<String>, entries: Vec<Entry>) -> Result<Session, MemoryError> {
        let mut session = Session::of_connection(command);
        entries.into_iter().try_for_each(|entry| session.take_in(entry))?;
        session.shared.iter_mut().for_each(|shared| shared.changed = Some(RefCell::default()));
        Ok(session)
    }

    /// Returns the command that the user started, such as `ns run x.ns`.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Returns the id of this run, session or connection.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns the text that project memory records as the writer.
    pub fn writer(&self) -> &str {
        &self.writer
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &Key) -> Option<Value> {
        self.entries.borrow().get(key).map(|kept| kept.value.clone())
    }

    /// Stores a value; the entry itself counts as live memory of the run.
    ///
    /// Errors: if the memory limit of the run is reached; if several processes share the memory, also if the value has
    /// no JSON form or does not fit.
    pub fn set(&self, key: Key, value: Value) -> Result<(), MemoryError> {
        let (mut shared_bytes, mut shared_total) = (0, 0);
        if let Some(shared) = &self.shared {
            let form = Stored::from_value(&value, MAX_SHARED)?;
            shared_bytes = (key.as_str().len() + form.json.len()) as u64;
            let bytes = shared.bytes.get() - self.shared_bytes(&key) + shared_bytes;
            if bytes > MAX_SHARED {
                return Err(MemoryError::Full { allowed: MAX_SHARED });
            }
            shared_total = bytes;
        }
        let mut entries = self.entries.borrow_mut();
        if !entries.contains_key(&key) {
            space::take(bytes_of(&key))?;
        }
        // Nothing fails from here on.
        if let Some(shared) = &self.shared {
            shared.bytes.set(shared_total);
            shared.note(&key);
        }
        entries.insert(key, Kept { value, shared_bytes });
        Ok(())
    }

    /// Deletes a key. Returns whether it existed.
    pub fn delete(&self, key: &Key) -> bool {
        if let Some(shared) = &self.shared {
            shared.bytes.set(shared.bytes.get() - self.shared_bytes(key));
            shared.note(key);
        }
        let removed = self.entries.borrow_mut().remove_entry(key);
        removed.inspect(|(key, _)| space::give_back(bytes_of(key))).is_some()
    }

    /// Returns the number of bytes that an entry counts if several processes share the memory.
    fn shared_bytes(&self, key: &Key) -> u64 {
        self.entries.borrow().get(key).map_or(0, |kept| kept.shared_bytes)
    }

    /// Returns all entries, for another process.
    pub fn entries(&self) -> Vec<Entry> {
        self.entries.borrow().iter().map(|(key, kept)| Entry::kept(key, &kept.value)).collect()
    }

    /// Returns the changes since the memory was received.
    pub fn changes(&self) -> Vec<Entry> {
        let Some(changed) = self.shared.as_ref().and_then(|shared| shared.changed.as_ref()) else { return Vec::new() };
        let entries = self.entries.borrow();
        let entry =
            |key: &Key| entries.get(key).map_or_else(|| Entry::forgotten(key), |kept| Entry::kept(key, &kept.value));
        changed.borrow().iter().map(entry).collect()
    }

    /// Applies an entry or change received from another process.
    pub fn take_in(&self, entry: Entry) -> Result<(), MemoryError> {
        match entry.into_parts()? {
            (key, Some(value)) => self.set(key, value),
            (key, None) => {
                self.delete(&key);
                Ok(())
            }
        }
    }

    /// Returns the keys that begin with `prefix`, in byte order.
    pub fn keys(&self, prefix: &str) -> Result<Rows<String>, LimitHit> {
        let mut keys = Rows::default();
        for key in self.entries.borrow().keys().map(Key::as_str) {
            work::charge(1)?;
            if key.starts_with(prefix) {
                keys.push(key.to_owned(), key.len())?;
            }
        }
        Ok(keys)
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

#[cfg(test)]
mod tests {
    use super::{Key, Session};
    use crate::limits::{Limits, space};
    use crate::value::Value;

    #[test]
    fn a_refused_value_counts_nowhere() {
        let _space = space::enter(&Limits { memory_bytes: 8, ..Limits::default() });
        let session = Session::handed("test", Vec::new()).expect("it is empty");
        let key = Key::parse("k").expect("a key");
        session.set(key, Value::Int(1)).expect_err("an entry takes more than that");
        assert_eq!(session.shared.as_ref().map(|shared| shared.bytes.get()), Some(0));
        assert!(session.changes().is_empty() && session.entries().is_empty());
    }
}
