//! Session memory: a map in the process, gone with the run, the session or the connection.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use crate::limits::{LimitHit, space};
use crate::value::Value;

use super::key::Key;

/// What one run, session or connection remembers, and the name under which it writes.
#[derive(Debug)]
pub struct Session {
    command: String,
    writer: String,
    run: String,
    entries: RefCell<BTreeMap<Key, Value>>,
}

/// Bytes that an entry takes besides the text of its key and what its value counts itself.
const ENTRY: usize = size_of::<(Key, Value)>() + 2 * size_of::<usize>();

impl Session {
    /// An empty memory; `command` is what project memory and the audit log note of changes made from here.
    pub fn new(command: impl Into<String>) -> Session {
        let command = command.into();
        let writer = format!("{command}, process {}", std::process::id());
        let run = format!("{:016x}", RandomState::new().build_hasher().finish());
        Session { command, writer, run, entries: RefCell::default() }
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
        self.entries.borrow().get(key).cloned()
    }

    /// Keeps a value; the entry itself counts as live memory of the run.
    pub fn set(&self, key: Key, value: Value) -> Result<(), LimitHit> {
        let mut entries = self.entries.borrow_mut();
        if !entries.contains_key(&key) {
            space::take(bytes_of(&key))?;
        }
        entries.insert(key, value);
        Ok(())
    }

    /// Forgets a key; whether there was one.
    pub fn delete(&self, key: &Key) -> bool {
        let removed = self.entries.borrow_mut().remove_entry(key);
        removed.inspect(|(key, _)| space::give_back(bytes_of(key))).is_some()
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

fn bytes_of(key: &Key) -> usize {
    ENTRY + key.as_str().len()
}
