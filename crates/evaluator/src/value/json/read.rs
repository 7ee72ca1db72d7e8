//! JSON parser, per RFC 8259: one pass over the text, with an explicit stack for nesting. Memory is charged before it
//! is allocated.

use crate::limits::{LimitHit, MeteredVec, space};
use crate::text::{Position, position_in};

use super::super::big_numbers::BigNumbers;
use super::super::{Elements, Map, Small, Str, Value};
use super::keys::Keys;
use super::parser::{Fault, Parsed, Parser};

/// Number of values between two calls of `pay`.
const STRETCH: usize = 4_096;

/// Parses a text. Calls `pay` at intervals with the number of values to be charged.
pub fn read(
    text: &str,
    big_numbers: BigNumbers,
    mut pay: impl FnMut(usize) -> Result<(), LimitHit>,
) -> Result<Value, Fault> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, keys: Keys::default(), big_numbers };
    parser.document(&mut pay)
}

/// Parses a text without charging steps.
pub fn from_text(text: &str) -> Result<Value, ParseError> {
    read(text, BigNumbers::Refuse, |_| Ok(())).map_err(|fault| match fault {
        Fault::Limit(hit) => ParseError::Limit(hit),
        Fault::Text { at, reason, .. } => {
            let Position { line, column } = position_in(text, at);
            ParseError::Text { reason, line, column }
        }
    })
}

/// Why a text could not be parsed, for display.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ParseError {
    /// A limit.
    #[error(transparent)]
    Limit(#[from] LimitHit),
    /// The text is not JSON, or contains a number that no value can represent.
    #[error("{reason}, at line {line}, column {column}")]
    Text {
        /// The error message.
        reason: String,
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
    },
}

/// A list or map that is not closed yet.
enum Open {
    List(Elements),
    /// The map, and the key of the next value.
    Map(Map, Str),
}

impl Parser<'_> {
    fn document(&mut self, pay: &mut impl FnMut(usize) -> Result<(), LimitHit>) -> Parsed<Value> {
        let mut open: MeteredVec<Open> = MeteredVec::default();
        let mut count = 0_usize;
        loop {
            count += 1;
            if count.is_multiple_of(STRETCH) {
                pay(STRETCH)?;
                space::check(0)?;
            }
            let mut value = match self.begin(&mut open)? {
                Some(value) => value,
                None => continue,
            };
            // The value is complete, and may complete the list or map that contains it.
            loop {
                let Some(inner) = open.last_mut() else { return self.end(value) };
                match self.put(inner, value)? {
                    Step::Next => break,
                    Step::Closed => value = close(open.pop().expect("something is open"))?,
                }
            }
        }
    }

    /// Parses a scalar or an empty list or map, or opens one that is not empty.
    fn begin(&mut self, open: &mut MeteredVec<Open>) -> Parsed<Option<Value>> {
        self.skip_blanks();
        let opened = match self.bytes.get(self.at) {
            Some(b'[') => {
                self.at += 1;
                self.skip_blanks();
                if self.take(b']') {
                    return Ok(Some(Value::list(Vec::new())?));
                } else {
                    Open::List(Elements::default())
                }
            }
            Some(b'{') => {
                self.at += 1;
                self.skip_blanks();
                space::check(0)?;
                if self.take(b'}') {
                    return Ok(Some(Map::with_capacity(0).into()));
                } else {
                    Open::Map(Map::with_capacity(4), self.key()?)
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
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(Some(value))
        } else {
            Err(self.unexpected("a value"))
        }
    }

    /// Adds a value to the open list or map and reads what follows it.
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
                map.put(std::mem::replace(key, Str::Small(Small::EMPTY)), value)?;
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

    /// Parses a key and its colon.
    fn key(&mut self) -> Parsed<Str> {
        if !self.take(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let key = self.key_text()?;
        self.skip_blanks();
        if self.take(b':') { Ok(key) } else { Err(self.unexpected("`:`")) }
    }

    /// Checks that nothing follows the value.
    fn end(&mut self, value: Value) -> Parsed<Value> {
        self.skip_blanks();
        if self.at == self.bytes.len() { Ok(value) } else { Err(self.unexpected("the end")) }
    }
}

/// The token after a value.
enum Step {
    /// Another value in the same list or map.
    Next,
    /// The list or map is complete.
    Closed,
}

fn close(open: Open) -> Parsed<Value> {
    match open {
        Open::List(items) => Ok(items.finish()?),
        Open::Map(map, _) => Ok(map.into()),
    }
}
