//! Schemas in a plain form that all clients understand: JSON Schema 2020-12 without references, type unions, and
//! keywords that only describe Rust types.

use serde_json::{Map, Value as Json};

/// Whether descriptions and bounds stay in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// For inputs: the caller needs them.
    Kept,
    /// For outputs: the names of the fields suffice, and a model reads every byte.
    Dropped,
}

/// Keywords that mean nothing to a client.
const NOISE: [&str; 3] = ["$schema", "format", "title"];
/// Keywords that a reader of an answer does not need.
const BOUNDS: [&str; 4] = ["description", "minimum", "maximum", "required"];

/// Converts a schema to its plain form. Where several types are possible, it states none.
pub fn flat(schema: Json, words: Words) -> Json {
    match schema {
        Json::Object(schema) => Json::Object(object(schema, words)),
        other => other,
    }
}

/// Removes what a model can do without: defaults that are nothing, bounds that nobody goes beyond, and the statement that
/// there are no other arguments, because guesses of them are understood.
pub fn brief(schema: Json) -> Json {
    let Json::Object(schema) = schema else { return schema };
    let is_dispensable = |key: &str, value: &Json| match key {
        "default" => *value == Json::Bool(false) || value.as_i64() == Some(0),
        "minimum" => value.as_i64().is_some_and(|least| least <= 1),
        "maximum" => value.as_i64().is_some_and(|most| most >= 1 << 30),
        "additionalProperties" => *value == Json::Bool(false),
        _ => false,
    };
    let kept = schema.into_iter().filter(|(key, value)| !is_dispensable(key, value));
    let shortened = |(key, value): (String, Json)| match (key.as_str(), value) {
        ("properties", Json::Object(properties)) => {
            let properties = properties.into_iter().map(|(name, value)| (name, brief(value)));
            (key, Json::Object(properties.collect()))
        }
        ("items", value) => (key, brief(value)),
        (_, value) => (key, value),
    };
    Json::Object(kept.map(shortened).collect())
}

fn object(schema: Map<String, Json>, words: Words) -> Map<String, Json> {
    let many = schema.get("type").is_some_and(Json::is_array) || schema.contains_key("anyOf");
    let mut plain = Map::new();
    for (key, value) in schema {
        let is_noise = NOISE.contains(&key.as_str()) && !value.is_object();
        let is_bound = words == Words::Dropped && BOUNDS.contains(&key.as_str());
        let is_choice = many && matches!(key.as_str(), "type" | "anyOf" | "oneOf" | "items" | "minimum" | "maximum");
        if is_noise || is_bound || is_choice {
            continue;
        }
        let value = match (key.as_str(), value) {
            ("properties", Json::Object(properties)) => {
                Json::Object(properties.into_iter().map(|(name, value)| (name, flat(value, words))).collect())
            }
            ("items" | "additionalProperties", value) => flat(value, words),
            (_, value) => value,
        };
        plain.insert(key, value);
    }
    plain
}
