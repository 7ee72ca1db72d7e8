//! `ns tools --format mcp|openai|openai-strict|anthropic|gemini`: tool definitions for other frameworks. Their calls
//! are executed with `ns call`, or with `ns call --jsonl` by a program that keeps a process open.

use serde_json::{Map, Value as Json, json};

use crate::mcp::{definition, plain_input};
use crate::toolkit::Declaration;

use super::args::ToolFormat;

/// Returns the definition of one tool; `None` if the format is not that of a framework.
pub fn definition_of(format: ToolFormat, tool: &Declaration) -> Option<Json> {
    let name = tool.spec.wire;
    let description = format!("{}.", tool.spec.summary);
    Some(match format {
        ToolFormat::Mcp => definition(tool),
        ToolFormat::Openai => json!({
            "type": "function",
            "function": { "name": name, "description": description, "parameters": plain_input(tool) },
        }),
        ToolFormat::OpenaiStrict => {
            let (parameters, strict) = strict(plain_input(tool));
            json!({
                "type": "function",
                "function": {
                    "name": name, "description": description, "parameters": parameters, "strict": strict,
                },
            })
        }
        ToolFormat::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": plain_input(tool) })
        }
        ToolFormat::Gemini => {
            let mut declared = json!({ "name": name, "description": description });
            // Gemini rejects an object without properties.
            if !tool.params.is_empty() {
                declared["parameters"] = open_api(plain_input(tool));
            }
            declared
        }
        ToolFormat::Table | ToolFormat::Json | ToolFormat::JsonSchema | ToolFormat::Markdown => return None,
    })
}

/// Returns the definitions of several tools.
pub fn several<'t>(format: ToolFormat, tools: impl Iterator<Item = &'t Declaration>) -> Option<Json> {
    let tools: Vec<Json> = tools.map(|tool| definition_of(format, tool)).collect::<Option<_>>()?;
    Some(match format {
        ToolFormat::Mcp => json!({ "tools": tools }),
        ToolFormat::Gemini => json!([{ "functionDeclarations": tools }]),
        _ => Json::Array(tools),
    })
}

/// Makes every argument required, with `null` for an omitted one. Returns whether strict mode can express all of them.
fn strict(mut schema: Json) -> (Json, bool) {
    let required: Vec<String> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let Some(Json::Object(properties)) = schema.get_mut("properties") else { return (schema, true) };
    if !properties.values().all(is_closed) {
        return (schema, false);
    }
    let names: Vec<String> = properties.keys().cloned().collect();
    for (name, property) in properties.iter_mut() {
        let Json::Object(property) = property else { continue };
        let default = property.remove("default");
        if required.contains(name) {
            continue;
        }
        let kind = property.get("type").cloned().unwrap_or_default();
        property.insert("type".to_owned(), json!([kind, "null"]));
        if let Some(Json::Array(words)) = property.get_mut("enum") {
            words.push(Json::Null);
        }
        if let (Some(default), Some(Json::String(description))) = (default, property.get_mut("description")) {
            description.push_str(&format!("; null means {default}"));
        }
    }
    schema["required"] = json!(names);
    (schema, true)
}

/// Whether a schema fully specifies its contents, as strict mode requires.
fn is_closed(schema: &Json) -> bool {
    match schema["type"].as_str() {
        Some("array") => schema.get("items").is_some_and(is_closed),
        Some("object") | None => false,
        Some(_) => true,
    }
}

/// Reduces a schema to the subset of JSON Schema in OpenAPI 3.0 that Gemini's function declarations use.
fn open_api(schema: Json) -> Json {
    let Json::Object(schema) = schema else { return schema };
    let kept = ["type", "description", "enum", "properties", "required", "items", "minimum", "maximum"];
    let mut plain = Map::new();
    for (key, value) in schema.into_iter().filter(|(key, _)| kept.contains(&key.as_str())) {
        let value = match (key.as_str(), value) {
            ("type", Json::String(kind)) => Json::String(kind.to_ascii_uppercase()),
            ("properties", Json::Object(properties)) => {
                Json::Object(properties.into_iter().map(|(name, value)| (name, open_api(value))).collect())
            }
            ("items", value) => open_api(value),
            // Bounds beyond 32 bits are not supported.
            ("minimum" | "maximum", value) if value.as_i64().is_none_or(|bound| bound.abs() > i64::from(i32::MAX)) => {
                continue;
            }
            (_, value) => value,
        };
        plain.insert(key, value);
    }
    // A type is mandatory; use text if any type is possible.
    plain.entry("type").or_insert_with(|| json!("STRING"));
    if plain["type"] == "ARRAY" {
        plain.entry("items").or_insert_with(|| json!({ "type": "STRING" }));
    }
    Json::Object(plain)
}
