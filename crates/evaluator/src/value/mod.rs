//! Values: the contents of variables, their operators, and their textual forms.
//!
//! A value is 16 bytes, and every payload is one 8-byte number or pointer, so that it is passed in two registers. Lists
//! and maps have value semantics with shared storage and copy on write, so there is no aliasing, there are no cycles,
//! and no garbage collection is needed.
//!
//! Texts of up to seven bytes are stored inside the value ([`Small`]). A copy is made when a shared list or map is
//! changed; a value that nobody else holds is changed in place. A list knows whether none of its elements owns heap
//! memory, and then replaces an element without inspecting it. Many records of one shape are a packed [`Table`] whose
//! rows become maps when they are read.
//!
//! [`operators`] is the complete definition of the operators. The shortcuts of `eval/compile` must agree with it.

mod big_numbers;
mod depth;
mod elements;
pub mod equality;
mod error;
mod hashed;
mod int_range;
pub mod json;
mod list;
mod map;
mod memo;
pub mod number;
pub mod operators;
pub mod order;
pub mod parts;
mod pieces;
pub mod place;
pub mod print;
mod record;
mod small;
mod string;
mod table;
mod text;
mod text_budget;
pub mod time;

use std::rc::Rc;

use crate::limits::LimitHit;

pub use big_numbers::{BEYOND_FLOATS, BEYOND_INTS, BigNumbers, REMEDY as BIG_NUMBERS_REMEDY};
pub use elements::Elements;
pub use error::{Fallible, ValueError};
pub use hashed::{Hashed, ValueMap};
pub use int_range::IntRange;
pub use list::List;
pub use map::Map;
pub use operators::FAILURE_CHARS;
pub use pieces::Pieces;
pub use record::to_value;
pub use small::{Small, TextRef};
pub use string::Str;
pub use table::{Column, Directories, Rows, Table, Texts, identity_text};
pub use text::Text;
pub use text_budget::{Sink, TextBudget};

/// A value of the language.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// A variable that is not set; no expression evaluates to it.
    Unset,
    /// `nil`
    #[default]
    Nil,
    /// `true` or `false`
    Bool(Truth),
    /// A whole number.
    Int(i64),
    /// The bits of a float.
    Float(Float),
    /// A text of up to seven bytes.
    Small(Small),
    /// A longer text.
    Text(Rc<Text>),
    /// A list.
    List(Rc<List>),
    /// A map.
    Map(Rc<Map>),
}

const _: () = assert!(size_of::<Value>() == 16);
const _: () = assert!(size_of::<Result<Value, ()>>() == 16);

/// A truth value as wide as every other payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Truth {
    /// `false`
    False = 0,
    /// `true`
    True = 1,
}

/// A float stored as its bits.
#[derive(Clone, Copy, Debug)]
pub struct Float(u64);

impl Float {
    /// Returns the number.
    #[inline(always)]
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl Value {
    /// Creates a text.
    #[inline]
    pub fn text(text: &str) -> Value {
        Value::from(Str::new(text))
    }

    /// Creates a text after checking the memory that it needs.
    #[inline]
    pub fn checked_text(text: &str) -> Result<Value, LimitHit> {
        Ok(Value::from(Str::checked(text)?))
    }

    /// Creates a list. Errors: the list would exceed a limit.
    pub fn list(values: Vec<Value>) -> Result<Value, LimitHit> {
        Ok(Value::List(Rc::new(List::new(values)?)))
    }

    /// Returns the name of the type, as `TYPEOF` returns it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Unset => "unset",
            Value::Nil => "nil",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Small(_) | Value::Text(_) => "string",
            Value::List(_) => "list",
            Value::Map(_) => "map",
        }
    }

    /// Returns whether a condition treats the value as true: all values except `nil`, `false`, zero and empty texts,
    /// lists and maps.
    #[inline]
    pub fn is_true(&self) -> bool {
        match self {
            Value::Bool(truth) => *truth == Truth::True,
            Value::Unset | Value::Nil => false,
            Value::Int(number) => *number != 0,
            Value::Float(number) => number.get() != 0.0,
            Value::Small(text) => *text != Small::EMPTY,
            Value::Text(_) => true,
            Value::List(list) => !list.is_empty(),
            Value::Map(map) => !map.is_empty(),
        }
    }

    /// Borrows the text if the value is a text.
    #[inline]
    pub fn as_text(&self) -> Option<TextRef<'_>> {
        match self {
            Value::Small(small) => Some(TextRef::of_small(*small)),
            Value::Text(text) => Some(TextRef::Shared(text.as_str())),
            _ => None,
        }
    }

    /// Returns the text as a `Str` if the value is a text.
    #[inline]
    pub fn as_str(&self) -> Option<Str> {
        match self {
            Value::Small(small) => Some(Str::Small(*small)),
            Value::Text(text) => Some(Str::Heap(text.clone())),
            _ => None,
        }
    }

    /// Returns whether the value is a text that quotes a refusal by sandbox or policy, or the result or error of a
    /// refused call.
    #[inline]
    pub fn quotes_refusal(&self) -> bool {
        match self {
            Value::Text(text) => text.quotes_refusal(),
            Value::Map(map) => ["error", "message"]
                .iter()
                .any(|key| matches!(map.get_str(key), Some(Value::Text(text)) if text.quotes_refusal())),
            _ => false,
        }
    }

    /// Returns whether the value is a text.
    #[inline]
    pub fn is_text(&self) -> bool {
        matches!(self, Value::Small(_) | Value::Text(_))
    }

    /// Returns the whole number if the value is an int, or a float without a fraction.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            Value::Float(number) => number::exact_int(number.get()),
            _ => None,
        }
    }

    /// Returns the number as a float if the value is a number.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(number.get()),
            _ => None,
        }
    }

    /// Returns whether the value owns no heap memory.
    #[inline]
    pub fn is_flat(&self) -> bool {
        !matches!(self, Value::Text(_) | Value::List(_) | Value::Map(_))
    }

    /// Takes a long text out of the value, and leaves nil. Returns `None`, and leaves the value, if it is no long text or
    /// has other holders.
    pub fn take_own_text(&mut self) -> Option<Str> {
        match self {
            Value::Text(text) if Rc::strong_count(text) == 1 => {
                let text = text.clone();
                *self = Value::Nil;
                Some(Str::Heap(text))
            }
            _ => None,
        }
    }

    /// Returns the nesting depth of lists and maps; 0 for other values.
    #[inline]
    pub fn depth(&self) -> u32 {
        match self {
            Value::List(list) => list.depth(),
            Value::Map(map) => map.depth(),
            _ => 0,
        }
    }
}

impl From<bool> for Value {
    #[inline(always)]
    fn from(truth: bool) -> Value {
        Value::Bool(if truth { Truth::True } else { Truth::False })
    }
}

impl From<i64> for Value {
    #[inline(always)]
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<f64> for Value {
    #[inline(always)]
    fn from(number: f64) -> Value {
        Value::Float(Float(number.to_bits()))
    }
}

impl From<Str> for Value {
    #[inline(always)]
    fn from(text: Str) -> Value {
        match text {
            Str::Small(small) => Value::Small(small),
            Str::Heap(text) => Value::Text(text),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::text(text)
    }
}

impl From<Map> for Value {
    #[inline]
    fn from(map: Map) -> Value {
        Value::Map(Rc::new(map))
    }
}

impl From<List> for Value {
    #[inline]
    fn from(list: List) -> Value {
        Value::List(Rc::new(list))
    }
}

impl From<Rows> for Value {
    fn from(rows: Rows) -> Value {
        Value::from(List::from_rows(rows))
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Nil, Into::into)
    }
}
