//! Conversion of values to and from JSON.

mod keys;
mod number;
mod parser;
mod read;
mod string;
mod unwritable;

use std::fmt;
use std::io;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::limits::{Limit, LimitHit, work};

use super::big_numbers::BEYOND_INTS;
use super::{Elements, Map, Sink, Str, TextBudget, Value};

pub use number::beyond_ints;
pub use parser::Fault;
pub use read::{ParseError, from_text, read};
pub use unwritable::Unwritable;

/// Writes a value as JSON without whitespace; NaN and infinities become `null`, unless the caller has looked for them
/// ([`Unwritable`]). Errors: `out` fails, or the run must
/// stop ([`work::check`]).
pub fn write(value: &Value, out: impl io::Write) -> io::Result<()> {
    serde_json::to_writer(out, value).map_err(io::Error::from)
}

/// Returns the value as JSON without whitespace, within `budget`.
pub fn to_text(value: &Value, budget: TextBudget) -> Result<String, LimitHit> {
    let mut sink = Sink::new(budget);
    match write(value, &mut sink) {
        Ok(()) => Ok(String::from_utf8(sink.into_bytes()).expect("JSON is text")),
        Err(_) => Err(sink.hit()),
    }
}

/// Returns the value as JSON, or `None` if the text would exceed `bytes` bytes.
pub fn to_text_of_at_most(value: &Value, bytes: u64) -> Result<Option<String>, LimitHit> {
    let full = LimitHit { limit: Limit::String, allowed: bytes };
    match to_text(value, TextBudget::of_text().at_most(bytes, full)) {
        Err(hit) if hit == full => Ok(None),
        text => text.map(Some),
    }
}

/// Returns the size of a value as JSON in bytes; if it exceeds `most`, some number above `most`.
pub fn size(value: &Value, most: u64) -> Result<u64, LimitHit> {
    let mut counter = Counter { bytes: 0, most };
    match write(value, &mut counter) {
        Err(_) if counter.bytes <= most => Err(work::check().expect_err("counting fails only where the run must stop")),
        _ => Ok(counter.bytes),
    }
}

/// Counts the bytes written to it and fails above a bound.
struct Counter {
    bytes: u64,
    most: u64,
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.most { Err(io::Error::other("over the bound")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Unset | Value::Nil => serializer.serialize_unit(),
            Value::Bool(_) => serializer.serialize_bool(self.is_true()),
            Value::Int(number) => serializer.serialize_i64(*number),
            Value::Float(number) => serializer.serialize_f64(number.get()),
            Value::Small(_) | Value::Text(_) => serializer.serialize_str(&self.as_text().expect("it is a text")),
            Value::List(list) => {
                let mut items = serializer.serialize_seq(Some(list.len()))?;
                list.try_each(|item| {
                    work::charge(1).map_err(S::Error::custom)?;
                    items.serialize_element(item)
                })?;
                items.end()
            }
            Value::Map(map) => {
                let mut entries = serializer.serialize_map(Some(map.len()))?;
                map.try_each(|key, value| {
                    work::charge(1).map_err(S::Error::custom)?;
                    entries.serialize_entry(&*key.as_text(), value)
                })?;
                entries.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Int(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        i64::try_from(number).map(Value::Int).map_err(|_| E::custom(BEYOND_INTS))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Value::checked_text(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Elements::default();
        while let Some(value) = items.next_element()? {
            values.push(value).map_err(de::Error::custom)?;
        }
        values.finish().map_err(de::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::with_capacity(entries.size_hint().unwrap_or(0));
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            map.put(Str::new(&key), value).map_err(de::Error::custom)?;
        }
        Ok(map.into())
    }
}
