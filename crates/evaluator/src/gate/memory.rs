//! Session and project memory, as tools and front ends use them.
//!
//! [`Memory`] is the one place where policy, limits and budgets apply to memory. A change of project memory is a
//! change like any other: it is refused in read-only runs and counted like other changes. To store a result, a tool
//! calls `context.memory().store(Scope::Project, "key", value)`.
//!
//! Tools, `ns memory` and every later caller use this module, so no second path can forget a rule. A tool that stores a
//! result in memory needs the permission for `MEMORY.Set` in addition to its own; the other operations are treated
//! alike.

use crate::limits::{LimitHit, MemoryCharge, Meter, space};
use crate::memory::{
    Access, Key, MemoryError, Record, Row as MemoryRow, Rows as MemoryRows, Salvaged, Session as SessionMemory, Site,
    Stored,
};
use crate::sandbox::Change;
use crate::toolkit::{Bound, BoundArg, Declaration, FailureMode, Param, ToolError};
use crate::value::Value;

use super::admission::Admission;
use super::call_record::CallRecord;
use super::policy::Approval;
use super::world::World;

/// The lifetime of stored values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// As long as the run, the session or the connection.
    Session,
    /// As long as the sandbox, in `.ns/memory.db`.
    Project,
}

impl Scope {
    /// The words for the scopes in arguments.
    pub const WORDS: [&str; 2] = ["session", "project"];

    /// Returns the word for this scope.
    pub fn word(self) -> &'static str {
        Scope::WORDS[self as usize]
    }

    /// Returns the scope for a word that the binder has checked.
    pub fn of_word(word: &str) -> Scope {
        if word == "project" { Scope::Project } else { Scope::Session }
    }
}

/// A key, or a prefix of keys, in one of the memories.
#[derive(Clone, Copy, Debug)]
struct ScopedKey<'a> {
    scope: Scope,
    key: &'a str,
}

/// Session and project memory, as one caller may use them.
pub struct Memory<'a> {
    pub(super) world: &'a World,
    pub(super) admission: &'a Admission,
    pub(super) meter: &'a mut Meter,
    pub(super) session: &'a SessionMemory,
    pub(super) record: &'a CallRecord<'a>,
    /// Whether a tool is the caller, so that the rules about tools apply. False for a person's own command.
    pub(super) is_tool: bool,
}

/// The tools whose rules apply to each operation.
const SET: &str = "MEMORY.Set";
const GET: &str = "MEMORY.Get";
const DELETE: &str = "MEMORY.Delete";
const LIST: &str = "MEMORY.List";

impl<'a> Memory<'a> {
    /// Stores a value under a key, and replaces an earlier one.
    ///
    /// # Errors
    /// `bad_args` for a key or value that cannot be stored and for a value over the size limit of project memory,
    /// `policy_denied` for project memory under `--read-only`, and every error of `.ns/memory.db`. The argument at
    /// fault is `key` or `value`; a tool with other parameter names sets it with [`ToolError::argument`].
    pub fn store(&mut self, scope: Scope, key: &str, value: Value) -> Result<(), ToolError> {
        self.admit(SET, scope, key)?;
        let key = Key::parse(key)?;
        if scope == Scope::Session {
            self.session.set(key, value)?;
            self.record.changes();
            return Ok(());
        }
        let stored = Stored::from_value(&value, self.world.settings.memory.max_value_bytes)?;
        let change = self.begin(1)?;
        self.charge(&stored)?;
        self.meter.write_bytes(stored.json.len() as u64)?;
        let record = Record::now(key, stored, self.session.writer());
        Ok(self.world.project.set(&self.site(), &[record], change.own())?)
    }

    /// Returns the value of a key, if there is one.
    pub fn fetch(&mut self, scope: Scope, key: &str) -> Result<Option<Value>, ToolError> {
        self.admit(GET, scope, key)?;
        let key = Key::parse(key)?;
        if scope == Scope::Session {
            return Ok(self.session.get(&key));
        }
        let Some(stored) = self.world.project.get(&self.site(), &key)? else { return Ok(None) };
        self.charge(&stored)?;
        space::check_string(stored.json.len())?;
        space::check(stored.json.len())?;
        let damaged = |reason| MemoryError::Damaged(format!("under `{}`: {reason}", key.as_str()));
        Ok(Some(stored.to_value().map_err(damaged)?))
    }

    /// Deletes a key. Returns whether it existed.
    pub fn delete(&mut self, scope: Scope, key: &str) -> Result<bool, ToolError> {
        self.admit(DELETE, scope, key)?;
        let key = Key::parse(key)?;
        if scope == Scope::Session {
            self.record.changes();
            return Ok(self.session.delete(&key));
        }
        let change = self.begin(1)?;
        Ok(self.world.project.delete(&self.site(), &key, change.own())?)
    }

    /// Returns the keys with this prefix, in byte order.
    pub fn keys(&mut self, scope: Scope, prefix: &str) -> Result<MemoryRows<String>, ToolError> {
        self.admit(LIST, scope, prefix)?;
        let keys = match scope {
            Scope::Session => self.session.keys(prefix)?,
            Scope::Project => self.world.project.keys(&self.site(), prefix)?,
        };
        self.meter.step(keys.items.len() as u64)?;
        Ok(keys)
    }

    /// Returns the metadata of the keys of project memory with this prefix.
    pub fn rows(&mut self, prefix: &str) -> Result<MemoryRows<MemoryRow>, ToolError> {
        Ok(self.world.project.rows(&self.site(), prefix)?)
    }

    /// Exports project memory as lines of JSON, in the order of the keys.
    pub fn export(&mut self) -> Result<Vec<String>, ToolError> {
        let records = self.world.project.records(&self.site())?;
        // The lines take about as much as the records.
        let _held = MemoryCharge::of(records.items.iter().map(Record::bytes).sum())?;
        Ok(records.items.iter().map(Record::to_line).collect())
    }

    /// Reads as much as possible from a file that is damaged, foreign or newer.
    pub fn salvage(&mut self) -> Result<Salvaged, ToolError> {
        Ok(self.world.project.salvage(&self.site())?)
    }

    /// Imports exported lines into project memory, all or none. Returns their number.
    pub fn import(&mut self, text: &str) -> Result<usize, ToolError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let allowed = self.world.settings.memory.max_value_bytes;
        let mut records = std::collections::BTreeMap::new();
        let mut held = MemoryCharge::default();
        for (number, line) in lines {
            let bad = |reason: String| MemoryError::BadLine { line: number + 1, reason };
            let record = Record::from_line(line, self.session.writer(), allowed).map_err(bad)?;
            self.charge(&record.stored)?;
            // Counted twice: in the map, and in the list that it becomes.
            held.grow(2 * record.bytes())?;
            let key = record.key.clone();
            if records.insert(key, record).is_some() {
                return Err(bad("the key was given before".to_owned()).into());
            }
        }
        let records: Vec<Record> = records.into_values().collect();
        let change = self.begin(records.len() as u64)?;
        self.meter.write_bytes(records.iter().map(|record| record.stored.json.len() as u64).sum())?;
        if !records.is_empty() {
            self.world.project.set(&self.site(), &records, change.own())?;
        }
        Ok(records.len())
    }

    /// Checks that a value may be stored under a key, before the work that computes the value.
    pub fn prepare(&mut self, scope: Scope, key: &str) -> Result<(), ToolError> {
        self.admit(SET, scope, key)?;
        match scope {
            Scope::Session => Ok(()),
            // The change itself is counted when it is made.
            Scope::Project => self.begin(0).map(drop),
        }
    }

    /// Applies the policy for a memory tool when another tool does its work; for the called tool, the gate has done
    /// so. Approval holds for the rest of the call.
    fn admit(&mut self, name: &'static str, scope: Scope, key: &str) -> Result<(), ToolError> {
        if !self.is_tool || self.record.tool() == name || self.record.has_leave(name) {
            return Ok(());
        }
        let Admission { registry, policy, .. } = self.admission;
        let Some(tool) = registry.find(name).map(|id| registry.get(id)) else { return Ok(()) };
        let approval = policy.admit(&tool.spec)?;
        if approval != Approval::NotNeeded {
            self.ask(tool, ScopedKey { scope, key }, &approval)?;
        }
        self.record.gets_leave(name);
        Ok(())
    }

    fn ask(&self, tool: &Declaration, asked: ScopedKey<'_>, approval: &Approval) -> Result<(), ToolError> {
        let arg = |param: &Param| match param.name {
            "key" | "prefix" => BoundArg::Value(Value::text(asked.key)),
            "scope" => BoundArg::Value(Value::text(asked.scope.word())),
            _ => BoundArg::Absent,
        };
        let bound = Bound::new(tool.params.iter().map(arg).collect());
        self.world.observers.clear();
        self.admission.approve(tool, &bound, approval, self.meter)
    }

    /// Begins a change of project memory. It is durable at once, so the changes of files before it must be.
    fn begin(&mut self, keys: u64) -> Result<Change<'a>, ToolError> {
        self.world.journal.barrier().pass()?;
        self.world.begin_change(keys, self.meter, self.record)
    }

    fn charge(&mut self, stored: &Stored) -> Result<(), LimitHit> {
        self.meter.step_text(stored.json.len())
    }

    fn site(&self) -> Site<'_> {
        let access = if self.admission.policy.read_only {
            Access::Copy
        } else if self.world.overlay.is_some() {
            Access::Planned
        } else {
            Access::Shared
        };
        Site { root: &self.world.root, access, watch: self.meter.watch() }
    }
}

impl From<MemoryError> for ToolError {
    fn from(error: MemoryError) -> ToolError {
        let argument = match &error {
            MemoryError::BadKey(_) => Some("key"),
            MemoryError::BadValue(_)
            | MemoryError::Unwritable(_)
            | MemoryError::TooLarge { .. }
            | MemoryError::Full { .. } => Some("value"),
            MemoryError::Absent => Some("scope"),
            _ => None,
        };
        let path = match &error {
            MemoryError::Foreign(_) | MemoryError::Newer { .. } | MemoryError::Damaged(_) | MemoryError::Busy(_) => {
                Some(".ns/memory.db".to_owned())
            }
            _ => None,
        };
        let (code, message) = (error.code(), error.to_string());
        let hint = error.help().map(str::to_owned);
        match error {
            MemoryError::Sandbox(error) => error.into(),
            MemoryError::Limit(hit) => hit.into(),
            MemoryError::BadKey(_)
            | MemoryError::BadValue(_)
            | MemoryError::Unwritable(_)
            | MemoryError::TooLarge { .. }
            | MemoryError::Absent
            | MemoryError::BadLine { .. } => {
                ToolError { argument, hint, manner: FailureMode::Raised, ..ToolError::new(code, message) }
            }
            _ => ToolError { argument, path, hint, ..ToolError::new(code, message) },
        }
    }
}
