//! The names around a cursor: those of a session, or of a document in an editor.

use crate::engine::ProcedureInfo;
use crate::toolkit::Registry;

/// The names that code at a cursor can use.
pub trait Surroundings {
    /// The knowledge of a value: the value itself, or the shape that a tool declares for its result.
    type Shape;

    /// Returns the tools.
    fn registry(&self) -> &Registry;

    /// Returns the names of the variables.
    fn variables(&self) -> Vec<String>;

    /// Whether every name before the cursor counts as a variable too.
    fn has_typed_names(&self) -> bool;

    /// Returns the procedures of the text itself.
    fn procedures(&self) -> Vec<ProcedureInfo>;

    /// Returns a procedure by its name, or by `module.name`.
    fn procedure(&self, name: &str) -> Option<ProcedureInfo>;

    /// Returns the names of the modules.
    fn modules(&self) -> Vec<String>;

    /// Returns the procedures of a module.
    fn module_procedures(&self, module: &str) -> Vec<ProcedureInfo>;

    /// Returns the names in a directory of the sandbox that begin with a text, each with whether it is a directory.
    fn names_in(&self, folder: &str, prefix: &str) -> Vec<(String, bool)>;

    /// Returns what is known of a variable.
    fn variable(&self, name: &str) -> Option<Self::Shape>;

    /// Returns what is known of `LAST`.
    fn last(&self) -> Option<Self::Shape>;

    /// Returns what is known of the result of a call.
    fn result(&self, callee: &str) -> Option<Self::Shape>;

    /// Returns what is known of the value of a key.
    fn key(&self, shape: &Self::Shape, key: &str) -> Option<Self::Shape>;

    /// Returns what is known of an element of a list; of another element if there are fewer.
    fn element(&self, shape: &Self::Shape, index: usize) -> Option<Self::Shape>;

    /// Returns the known keys of a map.
    fn keys(&self, shape: &Self::Shape) -> Vec<String>;
}
