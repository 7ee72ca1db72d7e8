//! Excerpts: truncates an answer that is too large for the caller, and says where the rest begins.
//!
//! The longest list or text of an answer is truncated, between elements or characters. An answer that cannot be
//! truncated this way is returned as the text of its JSON. The shape of the answer stays the same; its extent is
//! reported beside it.
//!
//! An answer is bounded where it leaves, so no tool knows about excerpts. The extent is in `_meta` of a server and of
//! `ns call --meta`. A server stores the newest truncated answers (`mcp/connection_state`); the handle of each is the
//! hash of its content, so equal answers have equal bytes.

use serde::Serialize;

use crate::limits::LimitHit;
use crate::value::json::{self, size};
use crate::value::{List, Map, Str, TextBudget, Value};

/// How much of an answer is present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// Whether something is omitted.
    pub truncated: bool,
    /// The limit that caused the truncation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The unit: `entries` of a list, or `bytes` of a text.
    pub unit: &'static str,
    /// The number of units present.
    pub returned: usize,
    /// The total number of units; `None` if the tool stopped before it knew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    /// The offset of the rest, in units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// Part of an answer.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The part, in the shape of the whole.
    pub answer: Value,
    /// How much is present; `None` for an answer without a list or text.
    pub extent: Option<Extent>,
    /// The complete list or text, if it was truncated.
    pub body: Option<Value>,
}

/// Keys by which an answer itself reports that entries are omitted.
const TRUNCATED: &str = "truncated";
const REASON: &str = "truncated_reason";
const RETURNED: &str = "returned";
/// The name of the limit, in `Extent` and in the specification of FS.ListDirectory.
const LIMIT: &str = "tool_output_bytes";
const LIMIT_IN_ANSWER: &str = "max_output_bytes";

/// Truncates an answer to this many bytes of JSON.
pub fn excerpt(answer: Value, bytes: u64) -> Result<Excerpt, LimitHit> {
    let whole = size(&answer, u64::MAX)?;
    let Some(place) = LongestPart::longest(&answer)? else {
        return if whole <= bytes { Ok(Excerpt { answer, extent: None, body: None }) } else { as_text(&answer, bytes) };
    };
    let body = place.body(&answer);
    if whole <= bytes {
        let extent = Some(Extent::of_tool(&answer, &body, place.limit()));
        return Ok(Excerpt { answer, extent, body: None });
    }
    let room = bytes.saturating_sub(whole - size(&body, whole)? + MARGIN);
    let Some((part, extent)) = cut(&body, 0, room)?.filter(|(_, extent)| extent.returned > 0) else {
        return as_text(&answer, bytes);
    };
    let answer = place.with(&answer, part, extent.returned)?;
    Ok(Excerpt { answer, extent: Some(extent), body: Some(body) })
}

/// Returns the next part of a list or text, from an offset on. Returns `None` if the offset is at or past the end.
pub fn read_on(body: &Value, offset: usize, bytes: u64) -> Result<Option<Excerpt>, LimitHit> {
    if offset >= length(body) {
        return Ok(None);
    }
    match cut(body, offset, bytes.saturating_sub(MARGIN))? {
        Some((part, extent)) if extent.returned > 0 => {
            Ok(Some(Excerpt { answer: part, extent: Some(extent), body: None }))
        }
        _ => {
            let Value::List(list) = body else { return Ok(None) };
            // An element that does not fit at all is returned as the text of its JSON.
            let rest: Vec<Value> = list.iter().skip(offset).collect();
            as_text(&Value::list(rest)?, bytes).map(Some)
        }
    }
}

/// Returns the list or text of an answer that is truncated if the answer is too long.
pub fn body_of(answer: &Value) -> Result<Option<Value>, LimitHit> {
    Ok(LongestPart::longest(answer)?.map(|place| place.body(answer)))
}

/// Bytes reserved for the other fields of the answer.
const MARGIN: u64 = 64;

fn as_text(value: &Value, bytes: u64) -> Result<Excerpt, LimitHit> {
    let body = Value::text(&json::to_text(value, TextBudget::of_text())?);
    let Some((answer, extent)) = cut(&body, 0, bytes.saturating_sub(MARGIN))? else {
        return Ok(Excerpt { answer: Value::Nil, extent: None, body: None });
    };
    Ok(Excerpt { answer, extent: Some(extent), body: Some(body) })
}

/// The location of the longest list or text in an answer.
enum LongestPart {
    /// The answer itself.
    Whole,
    /// The value of this key in a map.
    Key(Str),
}

impl LongestPart {
    fn longest(answer: &Value) -> Result<Option<LongestPart>, LimitHit> {
        let Value::Map(map) = answer else { return Ok(is_body(answer).then_some(LongestPart::Whole)) };
        let mut longest: Option<(Str, u64)> = None;
        for (key, value) in map.iter().filter(|(_, value)| is_body(value)) {
            let weight = LongestPart::weight(&key, &value)?;
            // On a tie the first wins, so that equal answers are truncated alike.
            if longest.as_ref().is_none_or(|(_, most)| *most < weight) {
                longest = Some((key, weight));
            }
        }
        Ok(longest.map(|(key, _)| LongestPart::Key(key)))
    }

    /// Returns the weight of a value as the one to truncate. A name in `BODIES` marks the main content, and so does
    /// being a list, as long as no other value is long.
    fn weight(key: &Str, value: &Value) -> Result<u64, LimitHit> {
        let size = size(value, u64::MAX)?;
        Ok(if BODIES.contains(&&*key.as_text()) {
            size.max(SHORT + 1)
        } else if matches!(value, Value::List(_)) {
            size.max(SHORT)
        } else {
            size
        })
    }

    fn body(&self, answer: &Value) -> Value {
        match (self, answer) {
            (LongestPart::Key(key), Value::Map(map)) => map.get(key).unwrap_or_default(),
            _ => answer.clone(),
        }
    }

    /// Returns the limit that applies here if the answer does not name one.
    fn limit(&self) -> &'static str {
        match self {
            LongestPart::Key(key) if &*key.as_text() == "matches" => "max_matches",
            _ => "max_files_per_operation",
        }
    }

    /// Returns the answer with `part` in this location, and with its own fields about truncation adjusted.
    fn with(&self, answer: &Value, part: Value, returned: usize) -> Result<Value, LimitHit> {
        let (LongestPart::Key(place), Value::Map(map)) = (self, answer) else { return Ok(part) };
        let is_list = matches!(part, Value::List(_));
        let mut cut = Map::with_capacity(map.len());
        for (key, value) in map.iter() {
            let name = key.as_text();
            let value = match &*name {
                _ if *name == *place.as_text() => part.clone(),
                TRUNCATED if matches!(value, Value::Bool(_)) => true.into(),
                REASON => LIMIT_IN_ANSWER.into(),
                RETURNED if is_list && value.as_integer().is_some() => (returned as i64).into(),
                _ => value,
            };
            cut.put(key, value)?;
        }
        Ok(cut.into())
    }
}

/// The keys that tools use for their main list or text.
const BODIES: [&str; 6] = ["content", "output", "entries", "items", "matches", "diff"];
/// Texts of up to this many bytes are assumed to be names or paths.
const SHORT: u64 = 4 << 10;

fn is_body(value: &Value) -> bool {
    matches!(value, Value::List(_)) || value.as_text().is_some()
}

impl Extent {
    /// Returns the extent of an answer that is complete here; the tool itself may have truncated it.
    fn of_tool(answer: &Value, body: &Value, bound: &str) -> Extent {
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
fn length(body: &Value) -> usize {
    match body {
        Value::List(list) => list.len(),
        value => value.as_text().map_or(0, |text| text.len()),
    }
}

/// Returns the part of a list or text from an offset on that fits in this many bytes of JSON.
fn cut(body: &Value, offset: usize, room: u64) -> Result<Option<(Value, Extent)>, LimitHit> {
    let (part, returned) = match body {
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
    let of = length(body);
    let next = offset + returned;
    let truncated = next < of;
    let extent = Extent {
        truncated,
        reason: truncated.then(|| LIMIT.to_owned()),
        unit: unit(body),
        returned,
        of: Some(of),
        next_offset: truncated.then_some(next),
    };
    Ok(Some((part, extent)))
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
