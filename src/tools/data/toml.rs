//! `TOML.Parse` and `TOML.Text`.

use std::rc::Rc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::limits::space;
use crate::toolkit::{AnyMap, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::{Map, Str, Value};

use super::super::place::at_byte;

const PARSE: Spec = Spec::pure(
    "TOML.Parse",
    "toml_parse",
    "Gives the value of a TOML text, a map",
    "By TOML 1.1. Keys come in the order of the text; dates and times become texts, RFC 3339 where they have a zone. A whole \
        number that 64 bits do not hold is an error. An error names line and column.",
    Example {
        script: "SET config = TOML.Parse(\"[server]\\nport = 8080\\nhosts = ['a', 'b']\")\nEMIT config.server.port, \" \", config.server.hosts[1]",
        output: "8080 b\n",
    },
);
const TEXT: Spec = Spec::pure(
    "TOML.Text",
    "toml_text",
    "Gives the TOML text of a map",
    "Values come before tables, otherwise keys keep their order. TOML has no nil: one is an error that says where.",
    Example {
        script: "EMIT TOML.Text({\"name\": \"ns\", \"server\": {\"port\": 8080}})",
        output: "name = \"ns\"\n\n[server]\nport = 8080\n\n",
    },
);

arguments! {
    struct Read {
        text: Str = Required, Kind::Text, "TOML text";
    }
}

arguments! {
    struct Written {
        map: Rc<Map> = Required, Kind::Map, "map to write";
    }
}

/// Bytes that a parsed text takes for each of its own, at most and for a while.
const GROWTH: usize = 24;

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(PARSE, parse), Tool::new(TEXT, write)]
}

fn parse(context: &mut Context<'_>, args: Read) -> Result<AnyMap, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    space::check(text.len().saturating_mul(GROWTH))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let refuse = |at: usize, reason: &str| {
        ToolError::bad_argument("text", at_byte(text, at, &format!("the text is no TOML: {reason}")))
    };
    let table = DeTable::parse(text).map_err(|error| {
        let reason = error.message().trim_end_matches('.').to_lowercase().replace('\n', ", ");
        refuse(error.span().map_or(0, |span| span.start), &reason)
    })?;
    context.meter.poll()?;
    Ok(AnyMap(map(context, table.get_ref(), &refuse)?))
}

type Refuse<'a> = &'a dyn Fn(usize, &str) -> ToolError;

fn map(context: &mut Context<'_>, table: &DeTable<'_>, refuse: Refuse<'_>) -> Result<Value, ToolError> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut map = Map::with_capacity(entries.len());
    for (key, entry) in entries {
        map.put(Str::new(key.get_ref()), value(context, entry, refuse)?)?;
    }
    Ok(map.into())
}

/// Calls itself as deep as the text nests, which the crate bounds at 80.
fn value(context: &mut Context<'_>, entry: &Spanned<DeValue<'_>>, refuse: Refuse<'_>) -> Result<Value, ToolError> {
    context.spend(1)?;
    let at = entry.span().start;
    Ok(match entry.get_ref() {
        DeValue::String(text) => {
            space::check(text.len())?;
            Value::text(text)
        }
        DeValue::Integer(number) => {
            let digits: String = number.as_str().chars().filter(|digit| *digit != '_').collect();
            let int = i64::from_str_radix(&digits, number.radix());
            int.map_err(|_| refuse(at, "the number does not fit into 64 bits"))?.into()
        }
        DeValue::Float(number) => {
            let digits: String = number.as_str().chars().filter(|digit| *digit != '_').collect();
            digits.parse::<f64>().map_err(|_| refuse(at, "the number is none"))?.into()
        }
        DeValue::Boolean(truth) => (*truth).into(),
        DeValue::Datetime(time) => Value::text(&time.to_string()),
        DeValue::Array(items) => {
            let items: Result<Vec<Value>, ToolError> = items.iter().map(|item| value(context, item, refuse)).collect();
            Value::list(items?)?
        }
        DeValue::Table(table) => map(context, table, refuse)?,
    })
}

fn write(context: &mut Context<'_>, args: Written) -> Result<Str, ToolError> {
    let whole = Value::Map(args.map);
    let bytes = measure(context, &whole, &mut Vec::new(), 0)?;
    context.spend_text(bytes)?;
    space::check(bytes.saturating_mul(GROWTH))?;
    let text = toml::to_string(&whole).map_err(|error| ToolError::bad_argument("map", error.to_string()))?;
    space::check_string(text.len())?;
    Ok(Str::from_compact(text.into()))
}

/// About how many bytes a value takes as text, on top of those before it; a nil in it is an error. Values
/// that share their parts are written out, so what they take is known before it is taken.
fn measure(context: &mut Context<'_>, value: &Value, way: &mut Vec<String>, before: usize) -> Result<usize, ToolError> {
    context.spend(1)?;
    let mut bytes = before + 2;
    match value {
        Value::Nil | Value::Unset => {
            let message = format!("`{}` is nil, which TOML does not have", way.concat().trim_start_matches('.'));
            return Err(ToolError::bad_argument("map", message).hint("leave the key out with `MAP.Remove`"));
        }
        Value::List(list) => {
            for (index, item) in list.iter().enumerate() {
                way.push(format!("[{index}]"));
                bytes = measure(context, &item, way, bytes)?;
                way.pop();
            }
        }
        Value::Map(map) => {
            // A table's head repeats the way to it.
            bytes += way.iter().map(String::len).sum::<usize>();
            for (key, item) in map.iter() {
                way.push(format!(".{}", key.as_text()));
                bytes = measure(context, &item, way, bytes + key.as_text().len())?;
                way.pop();
            }
        }
        value => bytes += value.as_text().map_or(8, |text| text.len()),
    }
    space::check_string(bytes)?;
    Ok(bytes)
}
