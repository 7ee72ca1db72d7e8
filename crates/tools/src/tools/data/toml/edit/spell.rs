//! Formats values for a TOML text: on one line, or as tables with headers.

use toml::value::Datetime;

use crate::gate::Context;
use crate::limits::work;
use crate::toolkit::ToolError;
use crate::value::{Map, Str, Value};

use super::super::super::super::build::TextBuilder;

/// Formats a key, quoted if necessary.
pub fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { basic(name) }
}

/// Writes a value on one line. Recursion is bounded by the limit on nesting.
pub fn inline(context: &mut Context<'_>, made: &mut TextBuilder, value: &Value) -> Result<(), ToolError> {
    context.spend(1)?;
    match value {
        Value::List(list) => {
            made.push("[")?;
            for (number, item) in list.iter().enumerate() {
                made.push(if number == 0 { "" } else { ", " })?;
                inline(context, made, &item)?;
            }
            made.push("]")?;
        }
        Value::Map(map) if map.is_empty() => made.push("{}")?,
        Value::Map(map) => {
            for (number, (name, item)) in map.iter().enumerate() {
                made.push(if number == 0 { "{ " } else { ", " })?;
                made.push(&key(&name.as_text()))?;
                made.push(" = ")?;
                inline(context, made, &item)?;
            }
            made.push(" }")?;
        }
        scalar => made.push(&plain(scalar))?,
    }
    Ok(())
}

/// Formats a scalar.
fn plain(value: &Value) -> String {
    match value {
        Value::Float(float) if float.get().is_nan() => "nan".to_owned(),
        Value::Float(float) => format!("{:?}", float.get()),
        value => match value.as_text() {
            Some(text) => basic(&text),
            None => value.to_string(),
        },
    }
}

/// Formats a scalar as a replacement for another: it keeps the kind of quotes, and stays a date if the new text
/// is one.
pub fn like(value: &Value, old: &str) -> String {
    let Some(text) = value.as_text() else { return plain(value) };
    let text = &*text;
    let has_control = text.chars().any(|c| c.is_control() && c != '\t');
    match old {
        _ if old.starts_with("'''") || old.starts_with("\"\"\"") => long(text, old),
        _ if old.starts_with('\'') && !text.contains('\'') && !has_control => format!("'{text}'"),
        _ if is_date(old) && is_date(text) => text.to_owned(),
        _ => basic(text),
    }
}

fn is_date(text: &str) -> bool {
    text.parse::<Datetime>().is_ok_and(|time| time.to_string() == text)
}

/// Formats a text as a replacement for a multi-line string.
fn long(text: &str, old: &str) -> String {
    let quotes = &old[..3];
    let begins = if old[3..].starts_with('\n') { "\n" } else { "" };
    let has_control = text.chars().any(|c| c.is_control() && c != '\t' && c != '\n');
    let is_literal = quotes == "'''" && !text.contains("'''") && !text.ends_with('\'');
    if !text.contains('\n') || has_control || old.contains('\r') {
        basic(text)
    } else if is_literal {
        format!("'''{begins}{text}'''")
    } else {
        format!("\"\"\"{begins}{}\"\"\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Formats a text in double quotes.
fn basic(text: &str) -> String {
    let mut made = String::with_capacity(text.len() + 2);
    made.push('"');
    for character in text.chars() {
        match character {
            '"' => made.push_str("\\\""),
            '\\' => made.push_str("\\\\"),
            '\n' => made.push_str("\\n"),
            '\r' => made.push_str("\\r"),
            '\t' => made.push_str("\\t"),
            c if c.is_control() => made.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => made.push(c),
        }
    }
    made.push('"');
    made
}

/// Returns whether a value is written as a table with a header.
pub fn is_table(value: &Value) -> bool {
    matches!(value, Value::Map(map) if !map.is_empty())
}

/// Returns whether a value is a list of maps, which can be written as an array of tables.
pub fn is_tables(value: &Value) -> bool {
    matches!(value, Value::List(list) if !list.is_empty() && list.iter().all(|item| matches!(item, Value::Map(_))))
}

/// Writes a value as tables with headers, separated by blank lines and without a final line break.
pub fn sections(
    context: &mut Context<'_>,
    made: &mut TextBuilder,
    way: &str,
    value: &Value,
    is_element: bool,
) -> Result<(), ToolError> {
    match value {
        Value::Map(map) => section(context, made, way, map, is_element),
        Value::List(list) => list.iter().try_for_each(|item| sections(context, made, way, &item, true)),
        _ => Ok(()),
    }
}

/// Recursion is bounded by the limit on nesting.
fn section(
    context: &mut Context<'_>,
    made: &mut TextBuilder,
    way: &str,
    map: &Map,
    is_element: bool,
) -> Result<(), ToolError> {
    let has_head = |value: &Value| is_table(value) || is_tables(value);
    let has_pairs = map.iter().any(|(_, value)| !has_head(&value));
    if is_element || has_pairs || map.is_empty() {
        made.push(if made.is_empty() { "" } else { "\n\n" })?;
        let (open, close) = if is_element { ("[[", "]]") } else { ("[", "]") };
        [open, way, close].iter().try_for_each(|piece| made.push(piece))?;
    }
    for (name, value) in map.iter().filter(|(_, value)| !has_head(value)) {
        pair(context, made, &name, &value)?;
    }
    for (name, value) in map.iter().filter(|(_, value)| has_head(value)) {
        work::charge_bytes(way.len())?;
        let way = format!("{way}.{}", key(&name.as_text()));
        sections(context, made, &way, &value, false)?;
    }
    Ok(())
}

/// Writes a key and its value on a new line.
fn pair(context: &mut Context<'_>, made: &mut TextBuilder, name: &Str, value: &Value) -> Result<(), ToolError> {
    made.push("\n")?;
    made.push(&key(&name.as_text()))?;
    made.push(" = ")?;
    inline(context, made, value)
}

/// Formats a map as a complete TOML text.
pub fn document(context: &mut Context<'_>, map: &Map) -> Result<TextBuilder, ToolError> {
    let mut made = TextBuilder::default();
    let has_head = |value: &Value| is_table(value) || is_tables(value);
    for (name, value) in map.iter().filter(|(_, value)| !has_head(value)) {
        made.push(&key(&name.as_text()))?;
        made.push(" = ")?;
        inline(context, &mut made, &value)?;
        made.push("\n")?;
    }
    let mut tables = TextBuilder::default();
    for (name, value) in map.iter().filter(|(_, value)| has_head(value)) {
        sections(context, &mut tables, &key(&name.as_text()), &value, false)?;
    }
    let (tables, _held) = tables.into_held();
    if !tables.is_empty() {
        made.push(if made.is_empty() { "" } else { "\n" })?;
        made.push(&tables)?;
        made.push("\n")?;
    }
    Ok(made)
}
