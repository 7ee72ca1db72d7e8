//! `TOML.Parse`: builds values from the events of a text.

use std::borrow::Cow;

use toml::value::Datetime;
use toml_parser::decoder::{Encoding, IntegerRadix, ScalarKind};
use toml_parser::parser::EventReceiver;
use toml_parser::{ErrorSink, ParseError, Raw, Span};

use crate::gate::{Context, Tool};
use crate::limits::{Limit, LimitHit, MeteredVec, space};
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{BEYOND_FLOATS, BEYOND_INTS, BIG_NUMBERS_REMEDY, BigNumbers, Elements, Str, Value};

use super::super::super::fallback::parsed_or;
use super::expressions::{Fault, FirstFault, read, refused};
use super::tables::{Key, Refusal, TableId, Tables};

const SPEC: Spec = Spec::pure(
    "TOML.Parse",
    "toml_parse",
    "Parses a TOML text into a map",
    "Returns the value of a text by TOML 1.1, a map with the keys in the order of the text. Dates and times \
        become texts, in RFC 3339 if they have a zone.\n\n\
        A whole number beyond 64 bits and a number beyond all floats are errors; with `big_numbers: \"text\"` they \
        become texts, as written. An error states line and column; with `default`, a text that is not TOML gives that \
        value instead.",
    Example {
        script: "SET config = TOML.Parse(\"[server]\\nport = 8080\\nhosts = ['a', 'b']\")\nEMIT config.server.port, \" \", config.server.hosts[1]",
        output: "8080 b\n",
    },
)
.keywords(&["toml.load", "toml.loads", "tomllib.load", "tomllib.loads", "read toml", "toml.Unmarshal"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "TOML text";
        big_numbers: Str = Is(Literal::Text("error")), Kind::Word(BigNumbers::WORDS), "handling of numbers that no int or float holds";
        default: Option<Value> = Absent, Kind::Any, "result where the text cannot be parsed; an error when left out";
    }
}

/// Maximum nesting of arrays and inline tables, because the parser is recursive.
const MAX_DEPTH: usize = 1_000;

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let parsed = value_of(context, &text, BigNumbers::named(&args.big_numbers.as_text()));
    parsed_or(parsed, args.default)
}

/// Returns the map that a TOML text represents.
pub fn value_of(context: &mut Context<'_>, text: &str, big_numbers: BigNumbers) -> Result<Value, ToolError> {
    let fault = FirstFault::default();
    let mut reader = Reader {
        text,
        fault: &fault,
        big_numbers,
        tables: Tables::new()?,
        current: Tables::ROOT,
        keys: MeteredVec::default(),
        open: MeteredVec::default(),
    };
    read(context, text, &fault, &mut reader)?;
    let mut tables = reader.tables;
    match fault.into_error(text) {
        Some(error) => Err(error),
        None => Ok(tables.close(Tables::ROOT)?),
    }
}

/// Builds values from parser events.
struct Reader<'t, 'f> {
    text: &'t str,
    fault: &'f FirstFault,
    big_numbers: BigNumbers,
    tables: Tables,
    /// The table of the most recent header.
    current: TableId,
    /// The key parts of pairs whose values are incomplete.
    keys: MeteredVec<Key>,
    open: MeteredVec<Open>,
}

/// An array or inline table that is still open.
enum Open {
    List(Elements),
    Table {
        id: TableId,
        /// The index of the first part of its current key.
        keys: usize,
    },
}

impl<'t> Reader<'t, '_> {
    /// Records an error as the fault of the text.
    fn within<T>(&self, result: Result<T, impl Into<ToolError>>) -> Option<T> {
        result.map_err(|error| self.fault.keep(Fault::Error(error.into()))).ok()
    }

    /// Records why an entry was refused.
    fn entered<T>(&self, result: Result<T, Refusal>, errors: &mut dyn ErrorSink) -> Option<T> {
        let refusal = match result {
            Ok(done) => return Some(done),
            Err(refusal) => refusal,
        };
        self.within::<T>(Err(refusal.report(errors)?))
    }

    fn raw(&self, span: Span, encoding: Option<Encoding>) -> Raw<'t> {
        Raw::new_unchecked(&self.text[span.start()..span.end()], encoding, span)
    }

    fn key(&mut self, span: Span, encoding: Option<Encoding>, errors: &mut dyn ErrorSink) {
        if self.within(space::check(span.len())).is_none() {
            return;
        }
        let raw = self.raw(span, encoding);
        let mut text = Cow::Borrowed("");
        raw.decode_key(&mut text, errors);
        let pushed = self.keys.push(Key { text: Str::new(&text), span });
        self.within(pushed);
    }

    /// Returns whether the depth and memory limits allow another array or inline table. Records the limit if
    /// they do not.
    fn may_nest(&self) -> bool {
        let depth = self.open.len() + 1;
        let hit = LimitHit { limit: Limit::ValueDepth, allowed: MAX_DEPTH as u64 };
        let is_within = if depth > MAX_DEPTH { Err(hit) } else { space::check_depth(depth) };
        self.within(is_within.and_then(|()| space::check(0))).is_some()
    }

    fn begin(&mut self, open: Open) -> bool {
        let pushed = self.open.push(open);
        self.within(pushed).is_some()
    }

    /// Adds a complete value to the enclosing array or table.
    fn put(&mut self, value: Value, errors: &mut dyn ErrorSink) {
        let (table, first) = match self.open.last_mut() {
            Some(Open::List(items)) => {
                let pushed = items.push(value);
                self.within(pushed);
                return;
            }
            Some(Open::Table { id, keys }) => (*id, *keys),
            None => (self.current, 0),
        };
        let inserted = self.tables.insert(table, &self.keys.as_slice()[first..], value);
        self.keys.truncate(first);
        self.entered(inserted, errors);
    }

    /// Opens the table of the header whose keys have been read.
    fn open_head(&mut self, is_element: bool, errors: &mut dyn ErrorSink) {
        let opened = if is_element {
            self.tables.open_element(self.keys.as_slice())
        } else {
            self.tables.open_table(self.keys.as_slice())
        };
        self.keys.clear();
        if let Some(id) = self.entered(opened, errors) {
            self.current = id;
        }
    }

    fn value(&self, span: Span, encoding: Option<Encoding>, errors: &mut dyn ErrorSink) -> Option<Value> {
        self.within(space::check(span.len()))?;
        let raw = self.raw(span, encoding);
        let mut text = Cow::Borrowed("");
        let kind = if span.is_empty() && encoding.is_none() {
            return refuse(errors, span, "a value is missing");
        } else {
            raw.decode_scalar(&mut text, errors)
        };
        // After a reported error the decoded text is meaningless.
        if self.fault.is_some() {
            return None;
        }
        match kind {
            ScalarKind::String => self.within(Value::checked_text(&text)),
            ScalarKind::Boolean(truth) => Some(truth.into()),
            ScalarKind::DateTime => match text.parse::<Datetime>() {
                Ok(time) => Some(Value::text(&time.to_string())),
                Err(error) => refuse(errors, span, &error.to_string()),
            },
            ScalarKind::Float => self.float(&text, raw.as_str(), span),
            ScalarKind::Integer(radix) => self.int(&text, radix, raw.as_str(), span),
        }
    }

    fn float(&self, text: &str, written: &str, span: Span) -> Option<Value> {
        match text.parse::<f64>() {
            Ok(float) if float.is_finite() || !text.contains(|digit: char| digit.is_ascii_digit()) => {
                Some(float.into())
            }
            _ => self.big(written, BEYOND_FLOATS, span),
        }
    }

    fn int(&self, text: &str, radix: IntegerRadix, written: &str, span: Span) -> Option<Value> {
        match i64::from_str_radix(text, radix.value()) {
            Ok(int) => Some(Value::Int(int)),
            Err(_) => self.big(written, BEYOND_INTS, span),
        }
    }

    /// Handles a number that is out of range for a value.
    fn big(&self, written: &str, reason: &str, span: Span) -> Option<Value> {
        match self.big_numbers {
            BigNumbers::Text => self.within(Value::checked_text(written)),
            BigNumbers::Refuse => {
                let error = refused(self.text, span.start(), reason).hint(BIG_NUMBERS_REMEDY);
                self.fault.keep(Fault::Error(error));
                None
            }
        }
    }
}

fn refuse<T>(errors: &mut dyn ErrorSink, span: Span, reason: &str) -> Option<T> {
    errors.report_error(ParseError::new(reason.to_owned()).with_unexpected(span));
    None
}

impl EventReceiver for Reader<'_, '_> {
    fn std_table_close(&mut self, _span: Span, errors: &mut dyn ErrorSink) {
        if !self.fault.is_some() {
            self.open_head(false, errors);
        }
    }

    fn array_table_close(&mut self, _span: Span, errors: &mut dyn ErrorSink) {
        if !self.fault.is_some() {
            self.open_head(true, errors);
        }
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, errors: &mut dyn ErrorSink) {
        if !self.fault.is_some() {
            self.key(span, encoding, errors);
        }
    }

    fn inline_table_open(&mut self, _span: Span, _errors: &mut dyn ErrorSink) -> bool {
        if self.fault.is_some() || !self.may_nest() {
            return false;
        }
        let begun = self.tables.begin();
        let keys = self.keys.len();
        self.within(begun).is_some_and(|id| self.begin(Open::Table { id, keys }))
    }

    fn array_open(&mut self, _span: Span, _errors: &mut dyn ErrorSink) -> bool {
        !self.fault.is_some() && self.may_nest() && self.begin(Open::List(Elements::default()))
    }

    fn inline_table_close(&mut self, _span: Span, errors: &mut dyn ErrorSink) {
        if self.fault.is_some() {
            return;
        }
        if let Some(Open::Table { id, .. }) = self.open.pop() {
            let closed = self.tables.close(id);
            if let Some(value) = self.within(closed) {
                self.put(value, errors);
            }
        }
    }

    fn array_close(&mut self, _span: Span, errors: &mut dyn ErrorSink) {
        if self.fault.is_some() {
            return;
        }
        if let Some(Open::List(items)) = self.open.pop()
            && let Some(value) = self.within(items.finish())
        {
            self.put(value, errors);
        }
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, errors: &mut dyn ErrorSink) {
        if self.fault.is_some() {
            return;
        }
        if let Some(value) = self.value(span, encoding, errors) {
            self.put(value, errors);
        }
    }
}
