//! Project memory for front ends other than scripts: showing, changing, exporting and importing it.

use crate::gate::{Caller, LoggedArgument, LoggedForm, Memory, MemoryRow, MemoryRows, Salvaged, Scope, SessionMemory};
use crate::limits::{space, work};
use crate::toolkit::ToolError;
use crate::value::Value;

use super::{Engine, internal_fault, on_large_stack};

impl Engine {
    /// Returns the metadata of the keys with this prefix.
    pub fn memory_rows(&self, prefix: &str) -> Result<MemoryRows<MemoryRow>, ToolError> {
        self.with_memory("MEMORY.List", Vec::new(), |memory| memory.rows(prefix))
    }

    /// Returns the value of a key, if there is one.
    pub fn memory_value(&self, key: &str) -> Result<Option<Value>, ToolError> {
        self.with_memory("MEMORY.Get", vec![named(key)], |memory| memory.fetch(Scope::Project, key))
    }

    /// Stores a value.
    pub fn keep_in_memory(&self, key: &str, value: Value) -> Result<(), ToolError> {
        let arguments = vec![named(key), LoggedArgument::new("value", value.clone(), LoggedForm::Hashed)];
        self.with_memory("MEMORY.Set", arguments, |memory| memory.store(Scope::Project, key, value))
    }

    /// Deletes a key. Returns whether it existed.
    pub fn delete_from_memory(&self, key: &str) -> Result<bool, ToolError> {
        self.with_memory("MEMORY.Delete", vec![named(key)], |memory| memory.delete(Scope::Project, key))
    }

    /// Exports everything as lines of JSON.
    pub fn export_memory(&self) -> Result<Vec<String>, ToolError> {
        self.with_memory("MEMORY.Export", Vec::new(), |memory| memory.export())
    }

    /// Reads as much as possible from a file that is damaged, foreign or newer.
    pub fn salvage_memory(&self) -> Result<Salvaged, ToolError> {
        self.with_memory("MEMORY.Export", Vec::new(), |memory| memory.salvage())
    }

    /// Imports exported lines, all or none. Returns their number.
    pub fn import_memory(&self, lines: &str) -> Result<usize, ToolError> {
        let arguments = vec![LoggedArgument::new("lines", Value::text(lines), LoggedForm::Hashed)];
        self.with_memory("MEMORY.Import", arguments, |memory| memory.import(lines))
    }

    /// Works with project memory. `called` and `arguments` are recorded in the audit log.
    fn with_memory<T>(
        &self,
        called: &'static str,
        arguments: Vec<LoggedArgument>,
        work: impl FnOnce(&mut Memory<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let _space = space::enter(&self.limits);
        let session = SessionMemory::new("ns memory");
        let mut meter = self.begin_account();
        let _work = work::enter(meter.watch());
        let result = on_large_stack(|| {
            self.gate.remember(called, arguments, Caller { meter: &mut meter, session: &session }, work)
        })
        .unwrap_or_else(|panic| Err(ToolError::new(crate::text::ToolCode::IoError, internal_fault(&panic).message)));
        self.settle();
        result
    }
}

fn named(key: &str) -> LoggedArgument {
    LoggedArgument::new("key", Value::text(key), LoggedForm::Plain)
}
