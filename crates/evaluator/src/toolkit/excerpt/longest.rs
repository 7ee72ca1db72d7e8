//! The list or text of an answer that is truncated: the longest, or the one that tools use for their content.

use crate::limits::LimitHit;
use crate::value::json::size;
use crate::value::{Map, Str, Value};

/// Keys by which an answer itself reports that entries are omitted.
pub(super) const TRUNCATED: &str = "truncated";
pub(super) const REASON: &str = "truncated_reason";
const RETURNED: &str = "returned";
/// The name of the limit in the specification of FS.ListDirectory.
const LIMIT_IN_ANSWER: &str = "max_output_bytes";

/// The location of the longest list or text in an answer.
pub(super) enum LongestPart {
    /// The answer itself.
    Whole,
    /// The value of this key in a map.
    Key(Str),
}

impl LongestPart {
    /// Finds it, or returns `None` if the answer has neither a list nor a text.
    pub(super) fn longest(answer: &Value) -> Result<Option<LongestPart>, LimitHit> {
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

    /// Returns the list or text at this location.
    pub(super) fn body(&self, answer: &Value) -> Value {
        match (self, answer) {
            (LongestPart::Key(key), Value::Map(map)) => map.get(key).unwrap_or_default(),
            _ => answer.clone(),
        }
    }

    /// Returns the limit that applies here if the answer does not name one.
    pub(super) fn limit(&self) -> &'static str {
        match self {
            LongestPart::Key(key) if &*key.as_text() == "matches" => "max_matches",
            _ => "max_files_per_operation",
        }
    }

    /// Returns the answer with `part` in this location, and with its own fields about truncation adjusted.
    pub(super) fn with(&self, answer: &Value, part: Value, returned: usize) -> Result<Value, LimitHit> {
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
