//! Values in the simplest form: copied, compared and printed as a whole.

use std::cmp::Ordering;
use std::fmt::Write as _;

/// A value of the language.
#[derive(Clone, Debug)]
pub enum Value {
    Nil,
    Truth(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

impl Value {
    pub fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Nil => "nil",
            Value::Truth(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Text(_) => "string",
            Value::List(_) => "list",
            Value::Map(_) => "map",
        }
    }

    pub fn is_true(&self) -> bool {
        match self {
            Value::Nil => false,
            Value::Truth(truth) => *truth,
            Value::Int(number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(items) => !items.is_empty(),
            Value::Map(entries) => !entries.is_empty(),
        }
    }

    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the text that EMIT prints.
    pub fn printed(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            _ => self.quoted(),
        }
    }

    /// Returns the value as a literal.
    pub fn quoted(&self) -> String {
        match self {
            Value::Nil => "nil".to_owned(),
            Value::Truth(truth) => truth.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => printed_float(*number),
            Value::Text(text) => quoted_text(text),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Value::quoted).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Map(entries) => {
                let entry = |(key, value): &(String, Value)| format!("{}: {}", quoted_text(key), value.quoted());
                let entries: Vec<String> = entries.iter().map(entry).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    /// Returns the literal, shortened as in messages.
    pub fn preview(&self) -> String {
        let text = self.quoted();
        match text.char_indices().nth(40) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// Returns type and value, as in messages.
    pub fn shown(&self) -> String {
        match self {
            Value::Nil => "nil".to_owned(),
            _ => format!("{} {}", self.type_name(), self.preview()),
        }
    }

    /// Returns the approximate number of values and bytes in it, so that unbounded growth can be given up.
    pub fn size(&self) -> usize {
        1 + match self {
            Value::Text(text) => text.len(),
            Value::List(items) => items.iter().map(Value::size).sum(),
            Value::Map(entries) => entries.iter().map(|(key, value)| key.len() + value.size()).sum(),
            _ => 0,
        }
    }
}

/// Returns the shortest text that reads back as the same float, with a point and a decimal.
fn printed_float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    let text = format!("{number:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

fn quoted_text(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => write!(quoted, "\\u{{{:x}}}", c as u32).expect("a text takes everything"),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// `left == right`
fn equal_inside(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(a), Value::Float(b)) if a.is_nan() && b.is_nan() => true,
        _ => equal(left, right),
    }
}

pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Nil, Value::Nil) => true,
        (Value::Truth(a), Value::Truth(b)) => a == b,
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            numbers(left, right) == Some(Ordering::Equal)
        }
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal_inside(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            let has = |(key, value): &(String, Value)| find(b, key).is_some_and(|other| equal_inside(value, other));
            a.len() == b.len() && a.iter().all(has)
        }
        _ => false,
    }
}

/// Returns the value of a key.
pub fn find<'a>(entries: &'a [(String, Value)], key: &str) -> Option<&'a Value> {
    entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// Compares two numbers exactly; `None` if one is not a number.
pub fn numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Float(b)) => int_and_float(*a, *b),
        (Value::Float(a), Value::Int(b)) => int_and_float(*b, *a).map(Ordering::reverse),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        _ => None,
    }
}

/// Beyond 2^100 a float exceeds every int; below, it is a whole number of 128 bits and a fraction.
fn int_and_float(int: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.abs() > 1.0e30 {
        return 0.0.partial_cmp(&float);
    }
    let whole = float.floor();
    let order = i128::from(int).cmp(&(whole as i128));
    Some(if order == Ordering::Equal && float > whole { Ordering::Less } else { order })
}
