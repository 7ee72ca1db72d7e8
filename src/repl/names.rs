//! The names of a session, for completion.

use crate::completion::Surroundings;
use crate::engine::{ProcedureInfo, Session, Value};
use crate::toolkit::Registry;

/// A session as the surroundings of the cursor: its values are known.
pub struct SessionNames<'s, 'e>(pub &'s Session<'e>);

impl Surroundings for SessionNames<'_, '_> {
    type Shape = Value;

    fn registry(&self) -> &Registry {
        self.0.engine().registry()
    }

    fn variables(&self) -> Vec<String> {
        self.0.variables().map(|(name, _)| name.to_owned()).collect()
    }

    /// Names of an entry that has not run are no variables yet.
    fn has_typed_names(&self) -> bool {
        true
    }

    fn procedures(&self) -> Vec<ProcedureInfo> {
        self.0.procedures().collect()
    }

    fn procedure(&self, name: &str) -> Option<ProcedureInfo> {
        self.0.procedure(name)
    }

    fn modules(&self) -> Vec<String> {
        self.0.modules().map(str::to_owned).collect()
    }

    fn module_procedures(&self, module: &str) -> Vec<ProcedureInfo> {
        self.0.module_procedures(module).collect()
    }

    fn names_in(&self, folder: &str, prefix: &str) -> Vec<(String, bool)> {
        self.0.names_in(folder, prefix)
    }

    fn variable(&self, name: &str) -> Option<Value> {
        self.0.variable(name).cloned()
    }

    fn last(&self) -> Option<Value> {
        Some(self.0.last().clone())
    }

    /// Returns `None`: completion makes no calls.
    fn result(&self, _: &str) -> Option<Value> {
        None
    }

    fn key(&self, value: &Value, key: &str) -> Option<Value> {
        match value {
            Value::Map(map) => map.get_str(key),
            _ => None,
        }
    }

    fn element(&self, value: &Value, index: usize) -> Option<Value> {
        match value {
            Value::List(list) => list.get(index).or_else(|| list.get(0)),
            _ => None,
        }
    }

    fn keys(&self, value: &Value) -> Vec<String> {
        match value {
            Value::Map(map) => map.iter().map(|(key, _)| key.as_text().to_string()).collect(),
            _ => Vec::new(),
        }
    }
}
