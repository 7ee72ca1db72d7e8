//! What tools give back: typed results, and their shape as JSON Schema.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::limits::LimitHit;
use crate::value::{Str, Value};

/// A result of a tool.
pub trait Answer {
    /// The result as a value.
    fn into_value(self) -> Result<Value, LimitHit>;

    /// The shape of its JSON.
    fn schema() -> serde_json::Value;
}

/// A list of any values as a result.
pub struct AnyList(pub Value);

impl Answer for AnyList {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "array" })
    }
}

/// A map with any keys as a result.
pub struct AnyMap(pub Value);

impl Answer for AnyMap {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "object" })
    }
}

/// Any value as a result.
pub struct AnyValue(pub Value);

impl Answer for AnyValue {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({})
    }
}

/// A number as a result, whole or not.
pub struct Number(pub Value);

impl Answer for Number {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "number" })
    }
}

/// A text as a result.
impl Answer for Str {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.into())
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string" })
    }
}

/// Every result type that derives both is an answer.
impl<T: Serialize + JsonSchema> Answer for T {
    fn into_value(self) -> Result<Value, LimitHit> {
        crate::value::to_value(&self)
    }

    fn schema() -> serde_json::Value {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let mut schema = settings.with_transform(Plain).into_generator().into_root_schema_for::<T>();
        schema.remove("title");
        schema.to_value()
    }
}

/// Removes what only Rust knows: `format: int64` and its like.
#[derive(Clone, Debug)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        schema.remove("format");
        transform_subschemas(self, schema);
    }
}
