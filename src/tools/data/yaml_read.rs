//! `YAML.Parse`: the events of a parser that does not recurse, put together with a stack of its own.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use crate::limits::{LimitHit, space};
use crate::toolkit::{AnyValue, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::{Map, Str, Value, print};

use super::super::place::at;
use super::yaml_scalar::{number, plain};

const SPEC: Spec = Spec::pure(
    "YAML.Parse",
    "yaml_parse",
    "Gives the value of a YAML text",
    "By YAML 1.2 and its core schema: `yes` and `no` are texts, dates too. Keys become texts; lists and maps as keys, and \
        keys that come twice, are errors. Aliases give the value of their anchor, and `<<` merges maps; what aliases stand \
        for is bounded (a million values). Tags other than those of the schema are passed over. A text of several documents \
        needs `all`, and the result is the list of them. An error names line and column.",
    Example {
        script: "SET data = YAML.Parse(\"name: ns\\nsizes: [1, 2.5]\\nnote: |\\n  two\\n  lines\\n\")\nEMIT data.sizes[1], \" \", data.note",
        output: "2.5 two\nlines\n\n",
    },
);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "YAML text";
        all: bool = Is(Literal::Bool(false)), Kind::Bool, "whether the result is a list of all documents";
    }
}

/// Values that the aliases of one text stand for together.
const MAX_ALIASED: usize = 1_000_000;

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut loader = Loader::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = next(&mut parser)? {
        context.spend(1)?;
        loader.take(event)?;
    }
    let mut documents = loader.documents;
    match (args.all, documents.len()) {
        (true, _) => Ok(AnyValue(Value::list(documents)?)),
        (false, 0 | 1) => Ok(AnyValue(documents.pop().unwrap_or(Value::Nil))),
        (false, count) => {
            let message = format!("the text has {count} documents");
            Err(ToolError::bad_argument("text", message).hint("`all: true` gives a list of them"))
        }
    }
}

fn next<'t>(parser: &mut Parser<'t, StrInput<'t>>) -> Result<Option<(Event<'t>, Span)>, ToolError> {
    parser.next_event().transpose().map_err(|error: ScanError| fault(error.marker(), error.info()))
}

fn fault(marker: &Marker, reason: &str) -> ToolError {
    let reason = format!("the text is no YAML that can be read: {reason}");
    ToolError::bad_argument("text", at(marker.line().max(1), marker.col() + 1, &reason))
}

/// Puts values together.
#[derive(Default)]
struct Loader {
    documents: Vec<Value>,
    open: Vec<Open>,
    /// Values of anchors, and how many values each holds.
    anchors: HashMap<usize, (Value, usize)>,
    aliased: usize,
}

/// A list or map that is not closed yet.
struct Open {
    anchor: usize,
    /// How many values it holds so far, itself included.
    count: usize,
    body: Body,
}

enum Body {
    List(Vec<Value>),
    Map {
        map: Map,
        /// The key whose value comes next.
        key: Option<Str>,
        /// Maps of `<<`, whose keys come last and give way.
        merged: Vec<Value>,
    },
}

/// The key that merges maps.
const MERGE: &str = "<<";

impl Loader {
    fn take(&mut self, (event, span): (Event<'_>, Span)) -> Result<(), ToolError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                space::check(text.len())?;
                let value = scalar(&text, style, tag.as_deref()).ok_or_else(|| {
                    fault(&span.start, &format!("`{}` is not what its tag says", print::shortened(&text, 40)))
                })?;
                self.put(value, anchor, 1, &span)
            }
            Event::Alias(anchor) => {
                let Some((value, count)) = self.anchors.get(&anchor).cloned() else {
                    return Err(fault(&span.start, "an alias stands inside its own anchor"));
                };
                self.aliased = self.aliased.saturating_add(count);
                if self.aliased > MAX_ALIASED {
                    return Err(fault(&span.start, &format!("aliases stand for more than {MAX_ALIASED} values")));
                }
                self.put(value, 0, count, &span)
            }
            Event::SequenceStart(anchor, _) => self.begin(anchor, Body::List(Vec::new())),
            Event::MappingStart(anchor, _) => {
                self.begin(anchor, Body::Map { map: Map::with_capacity(4), key: None, merged: Vec::new() })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { anchor, count, body } = self.open.pop().expect("the parser closes what it opened");
                self.put(close(body)?, anchor, count, &span)
            }
            // The anchors of a document end with it.
            Event::DocumentEnd => {
                self.anchors.clear();
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => Ok(()),
        }
    }

    fn begin(&mut self, anchor: usize, body: Body) -> Result<(), ToolError> {
        space::check_depth(self.open.len() + 1)?;
        self.open.push(Open { anchor, count: 1, body });
        Ok(())
    }

    /// Puts a value that is whole where it belongs.
    fn put(&mut self, value: Value, anchor: usize, count: usize, span: &Span) -> Result<(), ToolError> {
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), count));
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.push(value);
            return Ok(());
        };
        open.count = open.count.saturating_add(count);
        match &mut open.body {
            Body::List(items) => push(items, value)?,
            Body::Map { map, key: key @ None, .. } => *key = Some(key_of(&value, map, span)?),
            Body::Map { map, key, merged } => {
                let key = key.take().expect("a key was put before");
                match &*key.as_text() {
                    MERGE => merge(merged, value, span)?,
                    _ => map.put(key, value)?,
                }
            }
        }
        Ok(())
    }
}

fn push(items: &mut Vec<Value>, value: Value) -> Result<(), LimitHit> {
    if items.len() == items.capacity() {
        space::check_items(items.len() + 1)?;
        space::check(2 * items.len() * size_of::<Value>())?;
    }
    items.push(value);
    Ok(())
}

/// The text that a key is; the same does not come twice.
fn key_of(value: &Value, map: &Map, span: &Span) -> Result<Str, ToolError> {
    let key = match value {
        Value::List(_) | Value::Map(_) => return Err(fault(&span.start, "a list or map cannot be a key")),
        value => match value.as_str() {
            Some(text) => text,
            None => Str::new(&value.to_string()),
        },
    };
    match map.contains(&key) {
        false => Ok(key),
        true => Err(fault(&span.start, &format!("the key `{}` comes twice", print::shortened(&key.as_text(), 40)))),
    }
}

/// Notes the maps that `<<` names.
fn merge(merged: &mut Vec<Value>, value: Value, span: &Span) -> Result<(), ToolError> {
    match &value {
        Value::Map(_) => merged.push(value),
        Value::List(list) if list.iter().all(|item| matches!(item, Value::Map(_))) => merged.extend(list.iter()),
        _ => return Err(fault(&span.start, "`<<` takes a map or a list of maps")),
    }
    Ok(())
}

fn close(body: Body) -> Result<Value, ToolError> {
    match body {
        Body::List(items) => Ok(Value::list(items)?),
        Body::Map { mut map, merged, .. } => {
            for other in merged {
                let Value::Map(other) = other else { continue };
                for (key, value) in other.iter() {
                    if !map.contains(&key) {
                        map.put(key, value)?;
                    }
                }
            }
            Ok(map.into())
        }
    }
}

/// The value of a scalar; none where it is not what its tag says.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Option<Value> {
    let tag = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
    match tag {
        Some("str") => Some(Value::text(text)),
        Some("int") => number(text).filter(|value| matches!(value, Value::Int(_))),
        Some("float") => number(text)?.as_float().map(Value::from),
        Some("bool") => Some(plain(text)).filter(|value| matches!(value, Value::Bool(_))),
        Some("null") => Some(plain(text)).filter(|value| matches!(value, Value::Nil)),
        _ if style == ScalarStyle::Plain => Some(plain(text)),
        _ => Some(Value::text(text)),
    }
}
