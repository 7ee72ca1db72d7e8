//! `JSON.Parse`: one pass over the text, with a stack of its own for what is nested.

mod number;
mod text;

use crate::limits::{Charged, LimitHit, space};
use crate::toolkit::{AnyValue, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::{Map, Str, Value};

use super::super::build::Elements;
use super::super::place::at_byte;
use text::Keys;

const SPEC: Spec = Spec::pure(
    "JSON.Parse",
    "json_parse",
    "Gives the value of a JSON text",
    "By RFC 8259: objects become maps in the order of the text, of equal keys the first has the place and the last the \
        value, `null` becomes nil, a number without fraction and exponent an int, unless 64 bits do not hold it, every \
        other number a float. A number beyond all floats is an error, and so is half a surrogate pair. An error names line \
        and column. Values nest as deep as `value_depth` lets them.",
    Example {
        script: "SET config = JSON.Parse('{\"name\": \"ns\", \"sizes\": [1, 2.5]}')\nEMIT config.name, \" \", config.sizes[1]",
        output: "ns 2.5\n",
    },
);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "JSON text";
    }
}

/// Values after which the clock is looked at, and which are paid for together.
const STRETCH: usize = 4_096;

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let mut parser = Parser { text: &text, bytes: text.as_bytes(), at: 0, keys: Keys::default() };
    parser.document(context).map(AnyValue).map_err(|fault| match fault {
        Fault::Limit(error) => error,
        Fault::Text { at, reason } => {
            let reason = format!("the text is no JSON: {reason}");
            ToolError::bad_argument("text", at_byte(&text, at, &reason))
        }
    })
}

/// Why a text has no value.
enum Fault {
    Limit(ToolError),
    Text { at: usize, reason: String },
}

impl From<LimitHit> for Fault {
    fn from(hit: LimitHit) -> Fault {
        Fault::Limit(hit.into())
    }
}

type Parsed<T> = Result<T, Fault>;

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    keys: Keys,
}

/// A list or map that is not closed yet.
enum Open {
    List(Elements),
    /// The map, and the key whose value comes next.
    Map(Map, Str),
}

impl Parser<'_> {
    fn document(&mut self, context: &mut Context<'_>) -> Parsed<Value> {
        let mut open: Charged<Open> = Charged::default();
        let mut count = 0_usize;
        loop {
            count += 1;
            if count.is_multiple_of(STRETCH) {
                context.spend(STRETCH).map_err(|hit| Fault::Limit(hit.into()))?;
                space::check(0)?;
            }
            let mut value = match self.begin(&mut open)? {
                Some(value) => value,
                None => continue,
            };
            // The value is whole; it may be the last of what it lies in.
            loop {
                let Some(inner) = open.last_mut() else { return self.end(value) };
                match self.put(inner, value)? {
                    Step::Next => break,
                    Step::Closed => value = close(open.pop().expect("something is open"))?,
                }
            }
        }
    }

    /// Reads a value, or opens a list or map that is not empty.
    fn begin(&mut self, open: &mut Charged<Open>) -> Parsed<Option<Value>> {
        self.skip_blanks();
        let opened = match self.bytes.get(self.at) {
            Some(b'[') => {
                self.at += 1;
                self.skip_blanks();
                match self.take(b']') {
                    true => return Ok(Some(Value::list(Vec::new())?)),
                    false => Open::List(Elements::default()),
                }
            }
            Some(b'{') => {
                self.at += 1;
                self.skip_blanks();
                space::check(0)?;
                match self.take(b'}') {
                    true => return Ok(Some(Map::with_capacity(0).into())),
                    false => Open::Map(Map::with_capacity(4), self.key()?),
                }
            }
            Some(b'"') => {
                self.at += 1;
                return Ok(Some(self.string()?.into()));
            }
            Some(b'-' | b'0'..=b'9') => return self.number().map(Some),
            Some(b't') => return self.word("true", true.into()),
            Some(b'f') => return self.word("false", false.into()),
            Some(b'n') => return self.word("null", Value::Nil),
            _ => return Err(self.unexpected("a value")),
        };
        space::check_depth(open.len() + 1)?;
        space::check(0)?;
        open.push(opened)?;
        Ok(None)
    }

    fn word(&mut self, word: &str, value: Value) -> Parsed<Option<Value>> {
        match self.bytes[self.at..].starts_with(word.as_bytes()) {
            true => {
                self.at += word.len();
                Ok(Some(value))
            }
            false => Err(self.unexpected("a value")),
        }
    }

    /// Puts a value where it belongs and reads what follows it.
    fn put(&mut self, open: &mut Open, value: Value) -> Parsed<Step> {
        match open {
            Open::List(items) => {
                items.push(value)?;
                self.skip_blanks();
                match self.bytes.get(self.at) {
                    Some(b',') => self.at += 1,
                    Some(b']') => {
                        self.at += 1;
                        return Ok(Step::Closed);
                    }
                    _ => return Err(self.unexpected("`,` or `]`")),
                }
            }
            Open::Map(map, key) => {
                map.put(std::mem::replace(key, Str::Small(crate::value::Small::EMPTY)), value)?;
                self.skip_blanks();
                match self.bytes.get(self.at) {
                    Some(b',') => {
                        self.at += 1;
                        self.skip_blanks();
                        *key = self.key()?;
                    }
                    Some(b'}') => {
                        self.at += 1;
                        return Ok(Step::Closed);
                    }
                    _ => return Err(self.unexpected("`,` or `}`")),
                }
            }
        }
        Ok(Step::Next)
    }

    /// A key and its colon.
    fn key(&mut self) -> Parsed<Str> {
        if !self.take(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let key = self.key_text()?;
        self.skip_blanks();
        match self.take(b':') {
            true => Ok(key),
            false => Err(self.unexpected("`:`")),
        }
    }

    /// Nothing may follow the value.
    fn end(&mut self, value: Value) -> Parsed<Value> {
        self.skip_blanks();
        match self.at == self.bytes.len() {
            true => Ok(value),
            false => Err(self.unexpected("the end")),
        }
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    #[inline]
    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Fault {
        let found = match self.text[self.at..].chars().next() {
            None => "the end of the text".to_owned(),
            Some(character) => format!("`{}`", character.escape_debug()),
        };
        self.fault(self.at, format!("expected {expected}, found {found}"))
    }

    #[cold]
    fn fault(&self, at: usize, reason: impl Into<String>) -> Fault {
        Fault::Text { at, reason: reason.into() }
    }
}

/// What follows a value.
enum Step {
    /// Another one in the same list or map.
    Next,
    /// The list or map is whole.
    Closed,
}

fn close(open: Open) -> Parsed<Value> {
    match open {
        Open::List(items) => Ok(items.finish()?),
        Open::Map(map, _) => Ok(map.into()),
    }
}
