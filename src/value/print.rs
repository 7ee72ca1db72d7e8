//! How values are shown: by EMIT and in joined text, and shortened in messages.

use std::fmt::{self, Write};

use compact_str::CompactString;

use crate::limits::{Limit, LimitHit, space};

use super::number::write_float;
use super::{Fallible, Small, Str, Value};

/// The text that stands for a value as a key of a map; lists and maps have none.
pub fn key_text(value: &Value) -> Option<Str> {
    match value {
        Value::List(_) | Value::Map(_) => None,
        value => Some(match value.as_str() {
            Some(text) => text,
            None => Str::from_compact(to_text(value).expect("a number or a truth value is short")),
        }),
    }
}

/// The text of a value as EMIT prints it; bounded by the limit for one text.
pub fn to_text(value: &Value) -> Fallible<CompactString> {
    match value {
        Value::Int(number) => Ok(itoa::Buffer::new().format(*number).into()),
        Value::Small(_) | Value::Text(_) => Ok(CompactString::new(&*value.as_text().expect("it is a text"))),
        _ => {
            let mut text = CompactString::default();
            match write(value, &mut Bounded { text: &mut text, left: space::string_bound() }) {
                Ok(()) => Ok(text),
                Err(fmt::Error) => {
                    let allowed = space::string_bound() as u64;
                    Err(LimitHit { limit: Limit::String, allowed }.into())
                }
            }
        }
    }
}

/// Does something with the text of a value as EMIT prints it; no text is made for a text or an int.
pub fn with_text<T>(value: &Value, act: impl FnOnce(&str) -> Fallible<T>) -> Fallible<T> {
    match (value, value.as_text()) {
        (_, Some(text)) => act(&text),
        (Value::Int(number), _) => act(itoa::Buffer::new().format(*number)),
        _ => act(&to_text(value)?),
    }
}

/// The text of a text or an int as EMIT prints it, if it is a short one.
#[inline]
pub fn to_small(value: &Value) -> Option<Small> {
    match value {
        Value::Small(text) => Some(*text),
        Value::Int(number) => Small::of_int(*number),
        _ => None,
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f)
    }
}

/// Adds what EMIT prints of its values to a line, and a line feed; bounded by the limit for one text.
pub fn write_line(values: &[Value], line: &mut String) -> Result<(), LimitHit> {
    let mut out = Bounded { text: line, left: space::string_bound() };
    if values.iter().try_for_each(|value| write(value, &mut out)).is_err() {
        return Err(LimitHit { limit: Limit::String, allowed: space::string_bound() as u64 });
    }
    line.push('\n');
    Ok(())
}

/// Writes a value as EMIT prints it: texts as they are, but quoted inside lists and maps.
pub fn write(value: &Value, out: &mut impl Write) -> fmt::Result {
    match value.as_text() {
        Some(text) => out.write_str(&text),
        None => write_quoted(value, out),
    }
}

/// Writes a value as a literal of the language reads it back, floats that are no numbers aside.
pub fn write_quoted(value: &Value, out: &mut impl Write) -> fmt::Result {
    match value {
        Value::Unset | Value::Nil => out.write_str("nil"),
        Value::Bool(_) => out.write_str(if value.is_true() { "true" } else { "false" }),
        Value::Int(number) => out.write_str(itoa::Buffer::new().format(*number)),
        Value::Float(number) => write_float(number.get(), out),
        Value::Small(_) | Value::Text(_) => quote(&value.as_text().expect("it is a text"), out),
        Value::List(list) => {
            out.write_char('[')?;
            for index in 0..list.len() {
                if index > 0 {
                    out.write_str(", ")?;
                }
                write_quoted(&list.get(index).expect("the index is below the length"), out)?;
            }
            out.write_char(']')
        }
        Value::Map(map) => {
            out.write_char('{')?;
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.write_str(", ")?;
                }
                quote(&key.as_text(), out)?;
                out.write_str(": ")?;
                write_quoted(&value, out)?;
            }
            out.write_char('}')
        }
    }
}

/// Writes a text in double quotes, with escapes for what a quoted text may not hold.
pub fn quote(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '\\' || c.is_control()) {
        out.write_str(&rest[..at])?;
        let c = rest[at..].chars().next().expect("a character was just found");
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            _ => write!(out, "\\u{{{:x}}}", c as u32)?,
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

/// Characters of a value that a message shows.
const PREVIEW: usize = 40;

/// The value as a literal, cut to a length that fits a message.
pub fn preview(value: &Value) -> String {
    let mut cut = Cut { text: String::new(), left: PREVIEW };
    match write_quoted(value, &mut cut) {
        Ok(()) => cut.text,
        Err(fmt::Error) => cut.text + "…",
    }
}

/// The first characters of a text, with `…` when there are more.
pub fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Takes the first characters, then refuses.
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

/// Takes text up to a bound, then refuses.
struct Bounded<'a, W> {
    text: &'a mut W,
    left: usize,
}

impl<W: Write> Write for Bounded<'_, W> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.left = self.left.checked_sub(piece.len()).ok_or(fmt::Error)?;
        self.text.write_str(piece)
    }
}
