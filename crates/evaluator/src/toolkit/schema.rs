//! The declaration of a tool as JSON: for `ns tools`, other frameworks and MCP.

use serde_json::{Map, Value as Json, json};

use super::declaration::Declaration;
use super::spec::{Failure, Kind, Literal, Param, WhenAbsent};

/// Returns the whole declaration, as `ns tools NAME --format json` prints it.
pub fn declaration(tool: &Declaration) -> Json {
    let spec = &tool.spec;
    json!({
        "name": spec.wire,
        "description": spec.summary,
        "script_name": spec.name,
        "aliases": spec.aliases,
        "details": spec.details,
        "is_side_effecting": spec.effect.is_side_effecting(),
        "requires_approval": spec.requires_approval,
        "risk": spec.risk.word(),
        "effect": spec.effect.word(),
        "input_schema": input_schema(tool),
        "parameter_aliases": aliases(tool.params),
        "output_schema": output_schema(tool),
        "errors": errors(tool),
        "failure": spec.failure.sentence(),
        "example": { "script": spec.example.script, "output": spec.example.output },
    })
}

/// Returns the aliases of parameters, each with the name of its parameter.
fn aliases(params: &[Param]) -> Json {
    let of = |param: &Param| {
        let name = json!(param.name);
        param.aliases.iter().map(move |alias| ((*alias).to_owned(), name.clone())).collect::<Vec<_>>()
    };
    Json::Object(params.iter().flat_map(of).collect())
}

/// Returns the error codes of a tool, those common to all tools first.
pub fn errors(tool: &Declaration) -> Vec<&'static str> {
    let common = ["bad_args", "policy_denied", "limit_exceeded", "cancelled"];
    common.into_iter().chain(tool.spec.errors.iter().map(|code| code.id())).collect()
}

/// Returns the JSON Schema 2020-12 of the arguments.
pub fn input_schema(tool: &Declaration) -> Json {
    input_schema_of(tool.params)
}

/// Returns the JSON Schema 2020-12 of parameters that do not belong to a tool.
pub fn input_schema_of(params: &[Param]) -> Json {
    let required = params.iter().filter(|param| param.absent == WhenAbsent::Required);
    let required: Vec<&str> = required.map(|param| param.name).collect();
    let properties: Map<String, Json> = params.iter().map(|param| (param.name.to_owned(), property(param))).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["additionalProperties"] = json!(false);
    schema
}

/// Returns the JSON Schema 2020-12 of the answer of a successful call.
pub fn output_schema(tool: &Declaration) -> Json {
    let mut schema = (tool.schema)();
    if matches!(tool.spec.failure, Failure::ErrorMap | Failure::SuccessMap) {
        let error = json!({ "type": "null", "description": "nil: the call succeeded" });
        let mut properties = Map::from_iter([("error".to_owned(), error)]);
        properties.extend(schema["properties"].as_object().cloned().unwrap_or_default());
        schema["type"] = json!("object");
        schema["properties"] = Json::Object(properties);
    }
    schema
}

fn property(param: &Param) -> Json {
    let mut property = match param.kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Int { min, max } | Kind::IntOrNil { min, max } => integer(min, max),
        Kind::Text | Kind::Form(_) | Kind::TextOrNil | Kind::Content | Kind::Path(..) | Kind::Kept => {
            json!({ "type": "string" })
        }
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::List => json!({ "type": "array" }),
        Kind::Scalars => json!({ "type": "array", "items": { "type": ["string", "number", "boolean"] } }),
        Kind::Texts | Kind::Paths(..) => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Size => json!({ "type": ["integer", "string"], "minimum": 0 }),
        Kind::TextOrTexts | Kind::Patterns => json!({ "type": ["string", "array"], "items": { "type": "string" } }),
        Kind::BoolOrTexts => json!({ "type": ["boolean", "array"], "items": { "type": "string" } }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Map => json!({ "type": "object" }),
        Kind::Maps(params) => json!({ "type": "array", "items": input_schema_of(params) }),
        Kind::Any => json!({}),
    };
    if let WhenAbsent::Is(literal) | WhenAbsent::Configured(literal) = param.absent {
        property["default"] = match literal {
            Literal::Bool(truth) => json!(truth),
            Literal::Int(number) => json!(number),
            Literal::Text(text) => json!(text),
        };
    }
    property["description"] = json!(param.doc);
    property
}

fn integer(min: i64, max: i64) -> Json {
    let mut schema = json!({ "type": "integer" });
    if min != i64::MIN {
        schema["minimum"] = json!(min);
    }
    if max != i64::MAX {
        schema["maximum"] = json!(max);
    }
    schema
}
