//! Text forms of values: as EMIT and concatenation print them, and truncated for messages.

use std::fmt::{self, Write};

use compact_str::CompactString;

use crate::limits::{LimitHit, work};
use crate::text::quote;

use super::number::write_float;
use super::text_budget::TextBudget;
use super::{Fallible, Small, Str, Value};

/// Returns the text of a value used as a map key, or `None` for a list or map.
pub fn key_text(value: &Value) -> Option<Str> {
    match value {
        Value::List(_) | Value::Map(_) => None,
        value => Some(match value.as_str() {
            Some(text) => text,
            None => Str::from_compact(scalar_text(value)),
        }),
    }
}

/// Returns the text that EMIT prints for a value, within the limit on one text.
pub fn to_text(value: &Value) -> Result<CompactString, LimitHit> {
    match value {
        Value::Int(number) => Ok(itoa::Buffer::new().format(*number).into()),
        Value::Small(_) | Value::Text(_) => Ok(CompactString::new(&*value.as_text().expect("it is a text"))),
        Value::List(_) | Value::Map(_) => {
            let mut text = String::new();
            write_values(std::slice::from_ref(value), &mut text, TextBudget::of_text())?;
            Ok(text.into())
        }
        scalar => Ok(scalar_text(scalar)),
    }
}

/// Returns the text that EMIT prints for a value that is not a list or map.
fn scalar_text(value: &Value) -> CompactString {
    let mut text = CompactString::default();
    write(value, &mut text).expect("a text takes what is written to it");
    text
}

/// Formats a value for a message: a list or map truncated, anything else as EMIT prints it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::List(_) | Value::Map(_) => f.write_str(&preview(self)),
            scalar => write(scalar, f),
        }
    }
}

/// Calls `act` with the text that EMIT prints for a value, without allocating for a text or an int.
pub fn with_text<T>(value: &Value, act: impl FnOnce(&str) -> Fallible<T>) -> Fallible<T> {
    match (value, value.as_text()) {
        (_, Some(text)) => act(&text),
        (Value::Int(number), _) => act(itoa::Buffer::new().format(*number)),
        _ => act(&to_text(value)?),
    }
}

/// Returns the text that EMIT prints for a text or an int, if it is short enough.
#[inline]
pub fn to_small(value: &Value) -> Option<Small> {
    match value {
        Value::Small(text) => Some(*text),
        Value::Int(number) => Small::of_int(*number),
        _ => None,
    }
}

/// Appends the line that EMIT prints, with its line feed, within `budget`.
pub fn write_line(values: &[Value], line: &mut String, budget: TextBudget) -> Result<(), LimitHit> {
    write_values(values, line, budget)?;
    line.push('\n');
    Ok(())
}

fn write_values(values: &[Value], text: &mut String, budget: TextBudget) -> Result<(), LimitHit> {
    let mut out = Bounded { text, budget };
    match values.iter().try_for_each(|value| write(value, &mut out)) {
        Ok(()) => Ok(()),
        Err(fmt::Error) => Err(out.budget.hit()),
    }
}

/// Writes a value as EMIT prints it: texts as they are, but quoted inside lists and maps. Errors: `out` fails, or the
/// run must stop.
pub fn write(value: &Value, out: &mut impl Write) -> fmt::Result {
    match value.as_text() {
        Some(text) => out.write_str(&text),
        None => write_quoted(value, out),
    }
}

/// Writes a value as a literal that the language reads back, except for NaN and infinities.
pub fn write_quoted(value: &Value, out: &mut impl Write) -> fmt::Result {
    match value {
        Value::Unset | Value::Nil => out.write_str("nil"),
        Value::Bool(_) => out.write_str(if value.is_true() { "true" } else { "false" }),
        Value::Int(number) => out.write_str(itoa::Buffer::new().format(*number)),
        Value::Float(number) => write_float(number.get(), out),
        Value::Small(_) | Value::Text(_) => quote(&value.as_text().expect("it is a text"), out),
        Value::List(list) => {
            let mut is_first = true;
            out.write_char('[')?;
            list.try_each(|item| {
                write_comma(&mut is_first, out)?;
                write_quoted(item, out)
            })?;
            out.write_char(']')
        }
        Value::Map(map) => {
            let mut is_first = true;
            out.write_char('{')?;
            map.try_each(|key, value| {
                write_comma(&mut is_first, out)?;
                quote(&key.as_text(), out)?;
                out.write_str(": ")?;
                write_quoted(value, out)
            })?;
            out.write_char('}')
        }
    }
}

/// Writes the separator before every element but the first; each element is charged.
fn write_comma(is_first: &mut bool, out: &mut impl Write) -> fmt::Result {
    work::charge(1).map_err(|_| fmt::Error)?;
    if std::mem::take(is_first) { Ok(()) } else { out.write_str(", ") }
}

/// Number of characters of a value in a message.
const PREVIEW: usize = 40;

/// Returns the value as a literal, truncated for a message.
pub fn preview(value: &Value) -> String {
    beginning(value, PREVIEW)
}

/// Formats type and truncated value for messages: `int 5`, `list [1, 2, …]`.
pub fn display(value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        _ => format!("{} {}", value.type_name(), preview(value)),
    }
}

/// Returns the first characters of the value as a literal, with `…` if there are more.
pub fn beginning(value: &Value, chars: usize) -> String {
    let mut cut = Cut { text: String::new(), left: chars };
    match write_quoted(value, &mut cut) {
        Ok(()) => cut.text,
        Err(fmt::Error) => cut.text + "…",
    }
}

/// Returns the first characters of a text, with `…` if there are more.
pub fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Accepts a number of characters, then fails.
struct Cut {
    text: String,
    left: usize,
}

impl Write for Cut {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        match piece.char_indices().nth(self.left) {
            Some((end, _)) => {
                self.text.push_str(&piece[..end]);
                self.left = 0;
                Err(fmt::Error)
            }
            None => {
                self.text.push_str(piece);
                self.left -= piece.chars().count();
                Ok(())
            }
        }
    }
}

/// Accepts text within `budget`, then fails.
struct Bounded<'a> {
    text: &'a mut String,
    budget: TextBudget,
}

impl Write for Bounded<'_> {
    #[inline]
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.budget.take(piece.len(), self.text.len(), self.text.capacity()).map_err(|_| fmt::Error)?;
        self.text.push_str(piece);
        Ok(())
    }
}
