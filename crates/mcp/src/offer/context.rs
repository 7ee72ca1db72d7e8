//! The sandboxes for which an offer is made: their policies and names.

use serde_json::{Map, Value as Json, json};

use crate::gate::Policy;

use super::super::sandboxes::{SANDBOX, Sandboxes};

/// The sandboxes for which an offer is made.
pub struct Context<'s> {
    /// The policy of each sandbox; none if the offer is made for no server.
    pub policies: Vec<&'s Policy>,
    /// The names that calls may give; none if there is a single sandbox.
    names: Vec<String>,
}

impl<'s> Context<'s> {
    /// Describes the sandboxes of a server.
    pub fn of(sandboxes: &'s Sandboxes) -> Context<'s> {
        Context {
            policies: sandboxes.engines().map(|engine| engine.gate().policy()).collect(),
            names: sandboxes.names(),
        }
    }

    /// Describes a single sandbox without rules.
    pub fn unrestricted() -> Context<'static> {
        Context { policies: Vec::new(), names: Vec::new() }
    }

    /// Whether no sandbox can be changed.
    pub fn is_read_only(&self) -> bool {
        !self.policies.is_empty() && self.policies.iter().all(|policy| policy.read_only)
    }

    /// Whether calls name their sandbox.
    pub fn are_several(&self) -> bool {
        !self.names.is_empty()
    }

    /// Adds the argument that names the sandbox to an input schema, if there are several.
    pub fn with_sandbox(&self, mut schema: Map<String, Json>) -> Map<String, Json> {
        if !self.are_several() {
            return schema;
        }
        let mut properties = Map::new();
        properties.insert(SANDBOX.to_owned(), json!({ "type": "string", "enum": self.names }));
        let mut required = vec![json!(SANDBOX)];
        if let Some(Json::Object(others)) = schema.remove("properties") {
            properties.extend(others);
        }
        if let Some(Json::Array(others)) = schema.remove("required") {
            required.extend(others);
        }
        schema.insert("properties".to_owned(), Json::Object(properties));
        schema.insert("required".to_owned(), Json::Array(required));
        schema
    }
}
