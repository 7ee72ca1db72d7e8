//! `YAML.Parse`: builds values from the events of a non-recursive parser, with a stack of its own. The parser
//! buffers few tokens: at most those in [`MAX_KEY`] characters.

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, Span, Tag};

use crate::gate::{Context, Tool};
use crate::limits::{MemoryCharge, MeteredVec, space, work};
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{BIG_NUMBERS_REMEDY, BigNumbers, Elements, Map, Str, Value, print};

use super::super::super::fallback::parsed_or;
use super::super::super::place::at;
use super::input::PolledInput;
use super::scalar::{Scalar, number, plain};

const SPEC: Spec = Spec::pure(
    "YAML.Parse",
    "yaml_parse",
    "Parses a YAML text",
    "Returns the value of a text by YAML 1.2 and its core schema: `yes`, `no` and dates are texts. Keys \
        become texts. Lists and maps as keys, and duplicate keys, are errors. Tags other than those of the schema are \
        ignored.\n\n\
        Aliases have the value of their anchor, and `<<` merges maps. Together, aliases may stand for at most a \
        million values.\n\n\
        A text of several documents needs `all`; the result is then the list of their values.\n\n\
        A whole number beyond 64 bits and a number beyond all floats are errors; with `big_numbers: \"text\"` they \
        become texts, as written. An error states line and column; with `default`, a text that is not YAML gives that \
        value instead.",
    Example {
        script: "SET data = YAML.Parse(\"name: ns\\nsizes: [1, 2.5]\\nnote: |\\n  two\\n  lines\\n\")\nEMIT data.sizes[1], \" \", data.note",
        output: "2.5 two\nlines\n\n",
    },
)
.keywords(&["yaml.load", "yaml.safe_load", "yaml.loads", "read yaml", "yaml.Unmarshal", "front matter"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "YAML text";
        all: bool = Is(Literal::Bool(false)), Kind::Bool, "whether the result is a list of all documents";
        big_numbers: Str = Is(Literal::Text("error")), Kind::Word(BigNumbers::WORDS), "handling of numbers that no int or float holds";
        default: Option<Value> = Absent, Kind::Any, "result where the text cannot be parsed; an error when left out";
    }
}

/// Maximum number of values that the aliases of one text may expand to in total.
const MAX_ALIASED: usize = 1_000_000;
/// Maximum number of characters that the parser reads ahead to decide whether a token is a key. It buffers the
/// tokens meanwhile.
const MAX_KEY: usize = 4_096;
/// Bytes that the parser stores for an anchor, in addition to its name.
const ANCHOR_BYTES: usize = 128;

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let documents = documents(context, &text, BigNumbers::named(&args.big_numbers.as_text()));
    let parsed = documents.and_then(|documents| match (args.all, documents.len()) {
        (true, _) => Ok(documents.finish()?),
        (false, 0 | 1) => Ok(only(documents)),
        (false, count) => Err(several(count).hint("`all: true` gives a list of them")),
    });
    parsed_or(parsed, args.default)
}

fn only(mut documents: Elements) -> Value {
    documents.pop().unwrap_or(Value::Nil)
}

/// Returns the error for a text with several documents.
pub fn several(count: usize) -> ToolError {
    ToolError::bad_argument("text", format!("the text has {count} documents"))
}

/// Returns the values of the documents of a text.
pub fn documents(context: &mut Context<'_>, text: &str, big_numbers: BigNumbers) -> Result<Elements, ToolError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // The parser builds a scalar that differs from its source in separate memory; it is never longer than the
    // text.
    let _scalar = MemoryCharge::of(text.len())?;
    let mut loader = Loader::new(big_numbers);
    let mut parser = Parser::with_options(PolledInput::new(text), options());
    while let Some((event, span)) = next(&mut parser)? {
        context.spend(1)?;
        loader.take(context, event, &span)?;
    }
    Ok(loader.documents)
}

/// Returns the parser options. `Loader` enforces the nesting limit, so the limits of the parser are that limit
/// plus what it may read ahead.
pub fn options() -> Options {
    let depth = space::depth_bound().saturating_add(2 * MAX_KEY);
    granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: depth,
        block_nesting_limit: depth,
        simple_key_max_lookahead: MAX_KEY,
    }
}

/// Returns the next event of a text. Errors: a limit, where the input ended before the text.
pub fn next<'t>(parser: &mut Parser<'t, PolledInput<'t>>) -> Result<Option<(Event<'t>, Span)>, ToolError> {
    let event = parser.next_event();
    work::check()?;
    event.transpose().map_err(|error: ScanError| fault(error.marker(), &error.info()))
}

fn fault(marker: &Marker, reason: &str) -> ToolError {
    let reason = format!("the text is no YAML that can be read: {reason}");
    ToolError::bad_argument("text", at(marker.line().max(1), marker.col() + 1, &reason))
}

/// Builds values from parser events.
struct Loader {
    documents: Elements,
    open: MeteredVec<Open>,
    /// The values of the anchors, by their numbers.
    anchors: MeteredVec<Option<Anchored>>,
    /// The memory that the parser uses for anchors.
    names: MemoryCharge,
    aliased: usize,
    big_numbers: BigNumbers,
}

/// The value of an anchor.
#[derive(Clone)]
struct Anchored {
    value: Value,
    /// Number of values in it, including itself.
    count: usize,
}

/// A collection that is still open.
struct Open {
    anchor: usize,
    /// Number of values in it so far, including itself.
    count: usize,
    body: Body,
}

enum Body {
    List(Elements),
    Map {
        map: Map,
        /// The key whose value comes next.
        key: Option<Str>,
        /// The maps of `<<`, whose keys are added last and never override.
        merged: Elements,
    },
}

/// The key that merges maps.
pub const MERGE: &str = "<<";

impl Loader {
    fn new(big_numbers: BigNumbers) -> Loader {
        Loader {
            documents: Elements::default(),
            open: MeteredVec::default(),
            anchors: MeteredVec::default(),
            names: MemoryCharge::default(),
            aliased: 0,
            big_numbers,
        }
    }

    fn take(&mut self, context: &mut Context<'_>, event: Event<'_>, span: &Span) -> Result<(), ToolError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                space::check(text.len())?;
                let value = self.scalar(&text, style, tag.as_deref(), span)?;
                self.put(value, anchor, 1, span)
            }
            Event::Alias(anchor) => {
                let known = self.anchors.as_slice().get(anchor).cloned().flatten();
                let Some(Anchored { value, count }) = known else {
                    return Err(fault(&span.start, "an alias stands inside its own anchor"));
                };
                self.aliased = self.aliased.saturating_add(count);
                if self.aliased > MAX_ALIASED {
                    return Err(fault(&span.start, &format!("aliases stand for more than {MAX_ALIASED} values")));
                }
                self.put(value, 0, count, span)
            }
            Event::SequenceStart(_, anchor, _) => self.begin(anchor, Body::List(Elements::default())),
            Event::MappingStart(_, anchor, _) => {
                let map = Map::with_capacity(4);
                self.begin(anchor, Body::Map { map, key: None, merged: Elements::default() })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { anchor, count, body } = self.open.pop().expect("the parser closes what it opened");
                self.put(close(context, body)?, anchor, count, span)
            }
            // Anchors are local to a document.
            Event::DocumentEnd => {
                self.anchors.clear();
                self.names.release();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, anchor: usize, body: Body) -> Result<(), ToolError> {
        space::check_depth(self.open.len() + 1)?;
        space::check(0)?;
        Ok(self.open.push(Open { anchor, count: 1, body })?)
    }

    /// Adds a complete value to the enclosing collection.
    fn put(&mut self, value: Value, anchor: usize, count: usize, span: &Span) -> Result<(), ToolError> {
        if anchor > 0 {
            self.keep(anchor, Anchored { value: value.clone(), count })?;
        }
        let Some(open) = self.open.last_mut() else { return Ok(self.documents.push(value)?) };
        open.count = open.count.saturating_add(count);
        match &mut open.body {
            Body::List(items) => items.push(value)?,
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

    /// Stores the value of an anchor.
    fn keep(&mut self, anchor: usize, known: Anchored) -> Result<(), ToolError> {
        self.names.grow(ANCHOR_BYTES)?;
        while self.anchors.len() <= anchor {
            self.anchors.push(None)?;
        }
        self.anchors.as_mut_slice()[anchor] = Some(known);
        Ok(())
    }

    /// Returns the value of a scalar.
    fn scalar(&self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: &Span) -> Result<Value, ToolError> {
        match meaning(text, style, tag) {
            Some(Scalar::Value(value)) => Ok(value),
            Some(Scalar::Big(_)) if self.big_numbers == BigNumbers::Text => Ok(Value::checked_text(text)?),
            Some(Scalar::Big(reason)) => Err(fault(&span.start, reason).hint(BIG_NUMBERS_REMEDY)),
            None => {
                let reason = format!("`{}` is not what its tag says", print::shortened(text, 40));
                Err(fault(&span.start, &reason))
            }
        }
    }
}

/// Returns a key as a text. Errors: the key is a collection, or occurs twice.
fn key_of(value: &Value, map: &Map, span: &Span) -> Result<Str, ToolError> {
    let key = match value {
        Value::List(_) | Value::Map(_) => return Err(fault(&span.start, "a list or map cannot be a key")),
        value => key_text(value),
    };
    if map.contains(&key) {
        Err(fault(&span.start, &format!("the key `{}` comes twice", print::shortened(&key.as_text(), 40))))
    } else {
        Ok(key)
    }
}

/// Returns the text of a scalar that is used as a key.
pub fn key_text(value: &Value) -> Str {
    value.as_str().unwrap_or_else(|| Str::new(&value.to_string()))
}

/// Collects the maps that `<<` merges.
fn merge(merged: &mut Elements, value: Value, span: &Span) -> Result<(), ToolError> {
    match &value {
        Value::Map(_) => merged.push(value)?,
        Value::List(list) if list.iter().all(|item| matches!(item, Value::Map(_))) => {
            list.iter().try_for_each(|item| merged.push(item))?;
        }
        _ => return Err(fault(&span.start, "`<<` takes a map or a list of maps")),
    }
    Ok(())
}

fn close(context: &mut Context<'_>, body: Body) -> Result<Value, ToolError> {
    match body {
        Body::List(items) => Ok(items.finish()?),
        Body::Map { mut map, merged, .. } => {
            for other in merged.into_values() {
                let Value::Map(other) = other else { continue };
                context.spend(other.len())?;
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

/// Returns the meaning of a scalar, or `None` if it does not match its tag.
pub fn meaning(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Option<Scalar> {
    match tag.and_then(Tag::core_suffix) {
        Some("str") => Some(Scalar::Value(Value::text(text))),
        Some("int") => number(text).filter(|scalar| !matches!(scalar, Scalar::Value(Value::Float(_)))),
        Some("float") => number(text).map(|scalar| match scalar {
            Scalar::Value(value) => Scalar::Value(value.as_float().map_or(value, Value::from)),
            big => big,
        }),
        Some("bool") => Some(plain(text)).filter(|scalar| matches!(scalar, Scalar::Value(Value::Bool(_)))),
        Some("null") => Some(plain(text)).filter(|scalar| matches!(scalar, Scalar::Value(Value::Nil))),
        _ if style == ScalarStyle::Plain => Some(plain(text)),
        _ => Some(Scalar::Value(Value::text(text))),
    }
}
