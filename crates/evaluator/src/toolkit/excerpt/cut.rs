//! Cuts a list between elements, and a text between lines or characters.

use crate::limits::LimitHit;
use crate::value::json::size;
use crate::value::{List, Value};

use super::longest::{REASON, TRUNCATED};
use super::{Body, Extent, Offset};

/// The name of the limit, in `Extent`.
const LIMIT: &str = "tool_output_bytes";

impl Extent {
    /// Returns the extent of an answer that is complete here; the tool itself may have truncated it.
    pub(super) fn of_tool(answer: &Value, body: &Value, bound: &str) -> Extent {
        let said = |key: &str| if let Value::Map(map) = answer { map.get_str(key) } else { None };
        let truncated = said(TRUNCATED).is_some_and(|truncated| truncated.is_true());
        let limit = || said(REASON).and_then(|reason| Some(reason.as_text()?.to_string()));
        let reason = truncated.then(|| limit().unwrap_or_else(|| bound.to_owned()));
        let returned = length(body);
        let of = (!truncated).then_some(returned);
        Extent { truncated, reason, unit: unit(body), returned, of, next_offset: None }
    }
}

fn unit(body: &Value) -> &'static str {
    if matches!(body, Value::List(_)) { "entries" } else { "bytes" }
}

/// Returns the number of elements of a list, or bytes of a text.
pub(super) fn length(body: &Value) -> usize {
    match body {
        Value::List(list) => list.len(),
        value => value.as_text().map_or(0, |text| text.len()),
    }
}

/// A part of a list or text.
pub(super) struct Cut {
    pub(super) part: Value,
    pub(super) extent: Extent,
}

impl Body {
    /// Returns the part from an offset on that fits in this many bytes of JSON. Returns `None` if not even one element
    /// or character fits, or if the offset is inside a character or at the end.
    pub(super) fn cut(&self, offset: usize, room: u64) -> Result<Option<Cut>, LimitHit> {
        let (part, returned) = match &self.value {
            Value::List(list) => {
                let (mut part, mut taken) = (Vec::new(), 2);
                for item in list.iter().skip(offset) {
                    taken += size(&item, room)? + 1;
                    if taken > room {
                        break;
                    }
                    part.push(item);
                }
                let returned = part.len();
                (Value::List(List::new(part)?.into()), returned)
            }
            value => {
                let Some(text) = value.as_text() else { return Ok(None) };
                let Some(rest) = text.get(offset..) else { return Ok(None) };
                let part = &rest[..fitting(rest, room)];
                (Value::text(part), part.len())
            }
        };
        Ok((returned > 0).then(|| Cut { part, extent: self.extent(offset, returned) }))
    }

    fn extent(&self, offset: usize, returned: usize) -> Extent {
        let of = length(&self.value);
        let next = offset + returned;
        let truncated = next < of;
        let next = if self.is_json { Offset::Json(next) } else { Offset::Unit(next) };
        Extent {
            truncated,
            reason: truncated.then(|| LIMIT.to_owned()),
            unit: if self.is_json { "bytes of JSON" } else { unit(&self.value) },
            returned,
            of: Some(of),
            next_offset: truncated.then_some(next),
        }
    }
}

/// Whether each element of a list fits in a part of its own. Texts fit, since they are cut between characters.
pub(super) fn fits_in_parts(body: &Value, room: u64) -> Result<bool, LimitHit> {
    let Value::List(list) = body else { return Ok(true) };
    for item in list.iter() {
        if size(&item, room)?.saturating_add(3) > room {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the number of bytes of a list with one element.
pub(super) fn room_of(item: &Value) -> Result<u64, LimitHit> {
    Ok(size(item, u64::MAX)?.saturating_add(3))
}

/// Returns how many bytes of a text fit as a JSON string: whole lines if possible, else whole characters.
fn fitting(text: &str, room: u64) -> usize {
    let mut taken = 2;
    let mut line = 0;
    for (at, letter) in text.char_indices() {
        taken += escaped(letter);
        if taken > room {
            return if line > 0 { line } else { at };
        }
        if letter == '\n' {
            line = at + 1;
        }
    }
    text.len()
}

/// Returns the number of bytes of a character in a JSON string.
fn escaped(letter: char) -> u64 {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        letter if (letter as u32) < 0x20 => 6,
        letter => letter.len_utf8() as u64,
    }
}
