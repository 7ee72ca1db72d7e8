//! Conversion of typed results to values: any type that serde can serialize.
//!
//! Keys keep the order of the fields; `None` becomes nil. Only the shapes that results use are supported; others are a
//! bug in the declaration.

use std::fmt;

use serde::ser::{self, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use crate::limits::LimitHit;

use super::{List, Map, Str, Value};

/// Converts a typed result to a value.
pub fn to_value<T: Serialize + ?Sized>(result: &T) -> Result<Value, LimitHit> {
    result.serialize(ToValue).map_err(|error| match error {
        Error::Limit(hit) => hit,
        Error::Shape(text) => unreachable!("a result of this shape has no value: {text}"),
    })
}

#[derive(Debug)]
enum Error {
    Limit(LimitHit),
    Shape(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Limit(hit) => hit.fmt(f),
            Error::Shape(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

impl ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Error {
        Error::Shape(message.to_string())
    }
}

impl From<LimitHit> for Error {
    fn from(hit: LimitHit) -> Error {
        Error::Limit(hit)
    }
}

fn shape<T>(what: &str) -> Result<T, Error> {
    Err(Error::Shape(what.to_owned()))
}

struct ToValue;

struct Items(Vec<Value>);

struct Entries {
    map: Map,
    key: Option<Str>,
}

impl Serializer for ToValue {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = Items;
    type SerializeTuple = Impossible<Value, Error>;
    type SerializeTupleStruct = Impossible<Value, Error>;
    type SerializeTupleVariant = Impossible<Value, Error>;
    type SerializeMap = Entries;
    type SerializeStruct = Entries;
    type SerializeStructVariant = Impossible<Value, Error>;

    fn serialize_bool(self, truth: bool) -> Result<Value, Error> {
        Ok(truth.into())
    }

    fn serialize_i8(self, number: i8) -> Result<Value, Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_i16(self, number: i16) -> Result<Value, Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_i32(self, number: i32) -> Result<Value, Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_i64(self, number: i64) -> Result<Value, Error> {
        Ok(Value::Int(number))
    }

    fn serialize_u8(self, number: u8) -> Result<Value, Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_u16(self, number: u16) -> Result<Value, Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_u32(self, number: u32) -> Result<Value, Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_u64(self, number: u64) -> Result<Value, Error> {
        Ok(i64::try_from(number).map_or_else(|_| Value::from(number as f64), Value::Int))
    }

    fn serialize_f32(self, number: f32) -> Result<Value, Error> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<Value, Error> {
        Ok(number.into())
    }

    fn serialize_char(self, c: char) -> Result<Value, Error> {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<Value, Error> {
        Ok(Value::text(text))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<Value, Error> {
        shape("bytes")
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Nil)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Nil)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Error> {
        Ok(Value::Nil)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Value, Error> {
        Ok(Value::text(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Value, Error> {
        shape("an enum with values")
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items, Error> {
        Ok(Items(Vec::with_capacity(length.unwrap_or(0))))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        shape("a tuple")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        shape("a tuple")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        shape("an enum with values")
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Entries, Error> {
        Ok(Entries { map: Map::with_capacity(length.unwrap_or(0)), key: None })
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Entries, Error> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        shape("an enum with values")
    }
}

impl SerializeSeq for Items {
    type Ok = Value;
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.0.push(value.serialize(ToValue)?);
        Ok(())
    }

    fn end(self) -> Result<Value, Error> {
        Ok(List::new(self.0)?.into())
    }
}

impl SerializeMap for Entries {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = key.serialize(ToValue)?.as_str();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let Some(key) = self.key.take() else { return shape("a map with keys that are no texts") };
        Ok(self.map.put(key, value.serialize(ToValue)?)?)
    }

    fn end(self) -> Result<Value, Error> {
        Ok(self.map.into())
    }
}

impl SerializeStruct for Entries {
    type Ok = Value;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        Ok(self.map.put(Str::new(name), value.serialize(ToValue)?)?)
    }

    fn end(self) -> Result<Value, Error> {
        Ok(self.map.into())
    }
}
