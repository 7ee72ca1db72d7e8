//! Reads JSON as RFC 8259 has it: one pass over the text, with a stack of its own for what is nested. What is read is
//! asked for before it takes memory.

use crate::limits::{Charged, LimitHit, space};
use crate::text::{Position, position_in};

use super::super::big_numbers::BigNumbers;
use super::super::{Elements, Map, Small, Str, Value};
use super::string::Keys;

/// Values after which `pay` is asked.
const STRETCH: usize = 4_096;

/// Why a text has no value.
#[derive(Debug)]
pub enum Fault {
    /// A limit of the run.
    Limit(LimitHit),
    /// The text is no JSON, or holds a number that no value holds.
    Text {
        /// The byte.
        at: usize,
        /// What is wrong.
        reason: String,
        /// What can be done about it.
        help: Option<&'static str>,
    },
}

impl From<LimitHit> for Fault {
    fn from(hit: LimitHit) -> Fault {
        Fault::Limit(hit)
    }
}

/// What was read, or why not.
pub type Parsed<T> = Result<T, Fault>;

/// Reads a text; `pay` is asked now and then whether so many more values may be read.
pub fn read(
    text: &str,
    big_numbers: BigNumbers,
    mut pay: impl FnMut(usize) -> Result<(), LimitHit>,
) -> Result<Value, Fault> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, keys: Keys::default(), big_numbers };
    parser.document(&mut pay)
}

/// The value of a text, for those who count no steps.
pub fn from_text(text: &str) -> Result<Value, NoJson> {
    read(text, BigNumbers::Refuse, |_| Ok(())).map_err(|fault| match fault {
        Fault::Limit(hit) => NoJson::Limit(hit),
        Fault::Text { at, reason, .. } => {
            let Position { line, column } = position_in(text, at);
            NoJson::Text { reason, line, column }
        }
    })
}

/// Why a text has no value, in words.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NoJson {
    /// A limit.
    #[error(transparent)]
    Limit(#[from] LimitHit),
    /// What is wrong with the text.
    #[error("{reason}, at line {line}, column {column}")]
    Text {
        /// What is wrong.
        reason: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
    },
}

/// A text that is being read.
pub struct Parser<'t> {
    pub text: &'t str,
    pub bytes: &'t [u8],
    pub at: usize,
    pub keys: Keys,
    pub big_numbers: BigNumbers,
}

/// A list or map that is not closed yet.
enum Open {
    List(Elements),
    /// The map, and the key whose value comes next.
    Map(Map, Str),
}

impl Parser<'_> {
    fn document(&mut self, pay: &mut impl FnMut(usize) -> Result<(), LimitHit>) -> Parsed<Value> {
        let mut open: Charged<Open> = Charged::default();
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
    pub fn take(&mut self, byte: u8) -> bool {
        let is_there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    #[cold]
    pub fn unexpected(&self, expected: &str) -> Fault {
        let found = match self.text[self.at..].chars().next() {
            None => "the end of the text".to_owned(),
            Some(character) => format!("`{}`", character.escape_debug()),
        };
        self.fault(self.at, format!("expected {expected}, found {found}"))
    }

    #[cold]
    pub fn fault(&self, at: usize, reason: impl Into<String>) -> Fault {
        Fault::Text { at, reason: reason.into(), help: None }
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
