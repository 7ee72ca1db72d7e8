//! Typed results of tools, and their JSON Schemas.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::limits::LimitHit;
use crate::value::{Str, Value};

/// A result of a tool.
pub trait Answer {
    /// Converts the result to a value.
    fn into_value(self) -> Result<Value, LimitHit>;

    /// Returns the JSON Schema of the result.
    fn schema() -> serde_json::Value;
}

/// A result that is a list of any values.
pub struct AnyList(pub Value);

impl Answer for AnyList {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "array" })
    }
}

/// A result that is a map with any keys.
pub struct AnyMap(pub Value);

impl Answer for AnyMap {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "object" })
    }
}

/// A result that is any value.
pub struct AnyValue(pub Value);

impl Answer for AnyValue {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({})
    }
}

/// A result that is a number, whole or fractional.
pub struct Number(pub Value);

impl Answer for Number {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "number" })
    }
}

/// A result that is a text.
impl Answer for Str {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.into())
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string" })
    }
}

/// Every type that is serializable and has a schema is an answer.
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

/// Removes formats that only matter in Rust, such as `format: int64`.
#[derive(Clone, Debug)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        schema.remove("format");
        transform_subschemas(self, schema);
    }
}
