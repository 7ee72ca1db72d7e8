//! The names of a document, for completion and signatures.
//!
//! Variables and results come from the tokens of the newest text, procedures and modules from the newest analysis that
//! there is: no key waits for an analysis.

use std::ops::Range;

use serde_json::{Value as Json, json};

use crate::completion::Surroundings;
use crate::engine::{Analysis, Engine, NamesWanted, ProcedureInfo, SessionMemory};
use crate::manual::entry_of;
use crate::toolkit::{Access, Registry, schema};

use super::outline::Outline;
use super::shape::literal_shape;

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

impl DocumentNames<'_> {
    /// Returns the shape of a value: the result of one call, or a literal.
    fn shape_of(&self, value: Range<usize>) -> Option<Json> {
        match self.outline.callee_of(value.clone()) {
            Some(callee) => self.result(&callee),
            None => literal_shape(&self.outline, value),
        }
    }
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
        let wanted = NamesWanted { folder, prefix, access: Access::Read };
        self.engine.names_in(wanted, &SessionMemory::new("ns lsp")).unwrap_or_default()
    }

    fn variable(&self, name: &str) -> Option<Json> {
        let mut shape = None;
        for assigned in self.outline.assigned().filter(|assigned| assigned.name == name && assigned.at < self.at) {
            match assigned.key {
                None => shape = self.shape_of(assigned.value),
                Some(key) => {
                    let known = shape.get_or_insert_with(|| json!({ "properties": {} }));
                    if let Some(Json::Object(properties)) = known.get_mut("properties") {
                        properties.insert(key.to_owned(), self.shape_of(assigned.value).unwrap_or_default());
                    }
                }
            }
        }
        shape
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
