//! Excerpts: truncates an answer that is too large for the caller, and says where the rest begins.
//!
//! The longest list or text of an answer is truncated, between elements or characters. An answer that cannot be
//! truncated this way, because the rest of it or an element is too large for a part, is returned as the text of its
//! JSON. The shape of the answer stays the same; its extent is reported beside it.
//!
//! Every part of at least [`LEAST`] bytes carries something, so that reading on ends, and an offset says which text it
//! counts in, so that the parts together are the whole answer.
//!
//! An answer is bounded where it leaves, so no tool knows about excerpts. The extent is in `_meta` of a server and of
//! `ns call --meta`. A server stores the newest truncated answers (`mcp/connection_state`); the handle of each is the
//! hash of its content, so equal answers have equal bytes.

mod cut;
mod longest;
mod offset;

use serde::Serialize;

use crate::limits::LimitHit;
use crate::value::json::{self, size};
use crate::value::{TextBudget, Value};

use cut::{Cut, fits_in_parts, length};
use longest::LongestPart;
pub use offset::Offset;

/// How much of an answer is present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// Whether something is omitted.
    pub truncated: bool,
    /// The limit that caused the truncation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The unit: `entries` of a list, `bytes` of a text, or `bytes of JSON` of the whole answer.
    pub unit: &'static str,
    /// The number of units present.
    pub returned: usize,
    /// The total number of units; `None` if the tool stopped before it knew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    /// The offset of the rest, in units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<Offset>,
}

/// Part of an answer.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The part, in the shape of the whole.
    pub answer: Value,
    /// How much is present; `None` for an answer without a list or text.
    pub extent: Option<Extent>,
    /// The complete list or text, if it was truncated.
    pub body: Option<Body>,
}

/// The list or text that is returned in parts.
#[derive(Clone, Debug)]
pub struct Body {
    /// The list or text.
    pub value: Value,
    /// Whether it is the text of the JSON of the whole answer.
    is_json: bool,
}

/// The result of reading on.
#[derive(Debug)]
pub enum NextPart {
    /// The next part.
    Part(Excerpt),
    /// The offset is at or past the end, or inside a character.
    Behind,
    /// The next element needs a part of this many bytes.
    Needs(u64),
}

/// Bytes reserved for the other fields of the answer.
const MARGIN: u64 = 64;
/// Minimum number of bytes of a part, so that at least one character fits.
pub const LEAST: u64 = MARGIN + 8;

/// Truncates an answer to this many bytes of JSON, at least [`LEAST`].
pub fn excerpt(answer: Value, bytes: u64) -> Result<Excerpt, LimitHit> {
    let whole = size(&answer, u64::MAX)?;
    let place = LongestPart::longest(&answer)?;
    if whole <= bytes {
        let of_tool = |place: LongestPart| Extent::of_tool(&answer, &place.body(&answer), place.limit());
        return Ok(Excerpt { extent: place.map(of_tool), answer, body: None });
    }
    let Some(place) = place else { return as_json(&answer, bytes) };
    let body = place.body(&answer);
    let room = bytes.saturating_sub(whole - size(&body, whole)? + MARGIN);
    let body = Body { value: body, is_json: false };
    match body.cut(0, room)? {
        Some(Cut { part, extent }) if fits_in_parts(&body.value, bytes.saturating_sub(MARGIN))? => {
            let answer = place.with(&answer, part, extent.returned)?;
            Ok(Excerpt { answer, extent: Some(extent), body: Some(body) })
        }
        _ => as_json(&answer, bytes),
    }
}

/// Returns the next part of a list or text, from an offset in its units on.
pub fn read_on(body: &Body, offset: usize, bytes: u64) -> Result<NextPart, LimitHit> {
    if offset >= length(&body.value) {
        return Ok(NextPart::Behind);
    }
    match (body.cut(offset, bytes.saturating_sub(MARGIN))?, &body.value) {
        (Some(Cut { part, extent }), _) => {
            Ok(NextPart::Part(Excerpt { answer: part, extent: Some(extent), body: None }))
        }
        (None, Value::List(list)) => Ok(NextPart::Needs(cut::room_of(&list.get(offset).unwrap_or_default())? + MARGIN)),
        (None, _) => Ok(NextPart::Behind),
    }
}

/// Returns the rest of a list, from an element on, as the text of its JSON.
pub fn rest_as_json(body: &Body, offset: usize, bytes: u64) -> Result<Excerpt, LimitHit> {
    let Value::List(list) = &body.value else { return as_json(&body.value, bytes) };
    as_json(&Value::list(list.iter().skip(offset).collect())?, bytes)
}

impl Body {
    /// Returns the list or text of an answer in which an offset counts.
    pub fn of(answer: &Value, offset: Offset) -> Result<Option<Body>, LimitHit> {
        Ok(match offset {
            Offset::Unit(_) => {
                LongestPart::longest(answer)?.map(|place| Body { value: place.body(answer), is_json: false })
            }
            Offset::Json(_) => Some(Body::json(answer)?),
        })
    }

    /// Returns the text of the JSON of an answer.
    fn json(answer: &Value) -> Result<Body, LimitHit> {
        Ok(Body { value: Value::text(&json::to_text(answer, TextBudget::of_text())?), is_json: true })
    }
}

fn as_json(answer: &Value, bytes: u64) -> Result<Excerpt, LimitHit> {
    let body = Body::json(answer)?;
    let room = bytes.max(LEAST) - MARGIN;
    let Cut { part, extent } = body.cut(0, room)?.expect("a character fits, and JSON is not empty");
    Ok(Excerpt { answer: part, extent: Some(extent), body: Some(body) })
}

#[cfg(test)]
mod tests;
