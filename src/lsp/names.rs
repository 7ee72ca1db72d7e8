//! The names of a document, for completion and signatures.
//!
//! Variables and results come from the tokens of the newest text, procedures and modules from the newest analysis that
//! there is: no key waits for an analysis.

use serde_json::Value as Json;

use crate::completion::Surroundings;
use crate::engine::{Analysis, Engine, NamesWanted, ProcedureInfo, SessionMemory};
use crate::manual::entry_of;
use crate::toolkit::{Access, Registry, schema};

use super::outline::Outline;

/// A document as the surroundings of a cursor.
pub struct DocumentNames<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// An analysis of the document, maybe of an earlier version.
    pub analysis: Option<&'a Analysis>,
    /// The outline of the text.
    pub outline: Outline<'a>,
    /// The offset of the cursor.
    pub at: usize,
}

impl Surroundings for DocumentNames<'_> {
    /// The JSON Schema of the value.
    type Shape = Json;

    fn registry(&self) -> &Registry {
        self.engine.registry()
    }

    fn variables(&self) -> Vec<String> {
        self.outline.variables_at(self.at)
    }

    /// The variables are known without them.
    fn has_typed_names(&self) -> bool {
        false
    }

    fn procedures(&self) -> Vec<ProcedureInfo> {
        self.analysis.and_then(Analysis::script).map(|script| script.procedures().collect()).unwrap_or_default()
    }

    fn procedure(&self, name: &str) -> Option<ProcedureInfo> {
        self.analysis?.script()?.procedure(name)
    }

    fn modules(&self) -> Vec<String> {
        let script = self.analysis.and_then(Analysis::script);
        script.map(|script| script.module_names().map(str::to_owned).collect()).unwrap_or_default()
    }

    fn module_procedures(&self, module: &str) -> Vec<ProcedureInfo> {
        let module = self.analysis.and_then(Analysis::script).and_then(|script| script.module_named(module));
        module.map(|module| module.procedures().collect()).unwrap_or_default()
    }

    fn names_in(&self, folder: &str, prefix: &str) -> Vec<(String, bool)> {
        let wanted = NamesWanted { folder, prefix, access: Access::Look };
        self.engine.names_in(wanted, &SessionMemory::new("ns lsp")).unwrap_or_default()
    }

    fn variable(&self, name: &str) -> Option<Json> {
        let assigned = self.outline.calls_assigned().filter(|assigned| assigned.name == name && assigned.at < self.at);
        self.result(&assigned.last()?.callee)
    }

    /// The result of the statement above is not followed.
    fn last(&self) -> Option<Json> {
        None
    }

    fn result(&self, callee: &str) -> Option<Json> {
        Some(schema::output_schema(entry_of(self.registry(), callee)?.tool?))
    }

    fn key(&self, shape: &Json, key: &str) -> Option<Json> {
        shape.get("properties")?.get(key).cloned()
    }

    fn element(&self, shape: &Json, _: usize) -> Option<Json> {
        shape.get("items").cloned()
    }

    fn keys(&self, shape: &Json) -> Vec<String> {
        let properties = shape.get("properties").and_then(Json::as_object);
        properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
    }
}
