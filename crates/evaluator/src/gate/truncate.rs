//! The result of a tool as the caller receives it: with `error` where the declaration requires one, and within the
//! size limit of answers.
//!
//! A change that was made is never reported as not made: the answer of a call that changed something is truncated
//! rather than refused, and if it cannot be returned at all, the error says that the work was done.
//!
//! An error after a change says that the work was done, or how much of it. A failure can carry an answer
//! (`ToolError::answer`): the rows of an operation on several items. Every front end passes it on, so the caller learns
//! which items succeeded.

use std::rc::Rc;

use crate::limits::{Limit, LimitHit};
use crate::toolkit::{Failure, FailureMode, ToolError};
use crate::value::json::size;
use crate::value::{List, Map, Str, Value};

/// Keys that are never removed from an answer.
const ALWAYS: [&str; 3] = ["error", "success", TRUNCATED];
/// The key that marks a truncated answer.
const TRUNCATED: &str = "truncated";

/// The bounds of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum number of bytes of its JSON.
    pub bytes: Option<u64>,
    /// Whether the call may have changed something, in which case the answer must not be refused.
    pub has_changed: bool,
    /// How a failure reaches a script, which decides whether the answer has an `error`.
    pub failure: Failure,
}

/// Returns the result of a tool as the caller receives it.
#[inline]
pub fn deliver(result: Result<Value, Box<ToolError>>, bounds: Bounds) -> Result<Value, Box<ToolError>> {
    match (result, bounds.failure) {
        (Ok(answer), Failure::Nil | Failure::Raise) if bounds.bytes.is_none() => Ok(answer),
        (result, _) => bounded(result, bounds),
    }
}

/// The slow path of [`deliver`]: adds an `error`, or bounds the answer.
fn bounded(result: Result<Value, Box<ToolError>>, bounds: Bounds) -> Result<Value, Box<ToolError>> {
    match result {
        Ok(answer) => {
            let answer = match bounds.failure {
                Failure::ErrorMap | Failure::SuccessMap => {
                    with_error(&answer, Value::Nil).map_err(|hit| done_but_unreported(hit, bounds.has_changed))?
                }
                Failure::Nil | Failure::Raise => answer,
            };
            Ok(fit(answer, bounds)?)
        }
        Err(mut error) => {
            if let Some(answer) = error.answer.take() {
                let answer = with_error(&answer, error.message.as_str().into()).map_err(ToolError::from);
                let answer = answer.and_then(|answer| fit(answer, Bounds { has_changed: true, ..bounds }));
                match answer {
                    Ok(answer) => error.answer = Some(answer),
                    // The message says how far it came; without the rows every caller sees a plain failure.
                    Err(_) if error.manner == FailureMode::Partly => error.manner = FailureMode::Declared,
                    Err(_) => {}
                }
            }
            Err(error)
        }
    }
}

/// Whether answers over the limit are refused; a self-test before anything runs.
pub fn answers_are_bounded() -> bool {
    let bounds = Bounds { bytes: Some(1), has_changed: false, failure: Failure::Raise };
    let answer = deliver(Ok(Value::text("long")), bounds);
    matches!(answer, Err(error) if error.limit.is_some_and(|hit| hit.limit == Limit::Answer))
}

/// The beginning of the error of a call that was done but whose result cannot be returned.
pub const DONE: &str = "it was done, but ";

/// Returns the error for an answer that cannot be returned.
pub fn done_but_unreported(hit: LimitHit, has_changed: bool) -> ToolError {
    let error = ToolError::from(hit);
    if has_changed { error.preceded_by(DONE) } else { error }
}

/// Returns an answer with `error` as its first entry.
fn with_error(answer: &Value, error: Value) -> Result<Value, LimitHit> {
    let mut map = Map::with_capacity(4).with("error", error);
    if let Value::Map(answer) = answer {
        for (key, value) in answer.iter() {
            map.put(key, value)?;
        }
    }
    Ok(map.into())
}

/// Checks or truncates an answer to its limit. Tools that can shorten their answer have done so.
fn fit(answer: Value, bounds: Bounds) -> Result<Value, ToolError> {
    let Some(allowed) = bounds.bytes else { return Ok(answer) };
    let unreported = |hit| done_but_unreported(hit, bounds.has_changed);
    if size(&answer, allowed).map_err(unreported)? <= allowed {
        return Ok(answer);
    }
    match &answer {
        Value::Map(map) if bounds.has_changed => cut(map, allowed).map_err(unreported),
        _ => Err(unreported(LimitHit { limit: Limit::Answer, allowed })),
    }
}

/// Truncates the lists of an answer, the longest first; then removes whole texts and maps, since half a path is
/// useless. Numbers, truth values and `error` stay.
fn cut(answer: &Map, allowed: u64) -> Result<Value, LimitHit> {
    let truncated = (Str::new(TRUNCATED), true.into());
    let entries = answer.iter().chain([truncated]).map(|(key, value)| Entry::new(key, value, allowed));
    let mut entries = entries.collect::<Result<Vec<Entry>, LimitHit>>()?;
    for is_list in [true, false] {
        while let Some(over) = total(&entries).checked_sub(allowed).filter(|over| *over > 0) {
            let can_go = |entry: &&mut Entry| entry.can_go(is_list);
            let Some(entry) = entries.iter_mut().filter(can_go).max_by_key(|entry| entry.bytes) else { break };
            entry.shorten(over, allowed)?;
        }
    }
    let mut map = Map::with_capacity(entries.len());
    for Entry { key, value, .. } in entries {
        if let Some(value) = value {
            map.put(key, value)?;
        }
    }
    Ok(map.into())
}

/// Returns the size in bytes of an object with these entries.
fn total(entries: &[Entry]) -> u64 {
    1 + entries.iter().map(|entry| entry.bytes).sum::<u64>()
}

/// An entry of an answer that is being truncated.
struct Entry {
    key: Str,
    value: Option<Value>,
    /// The size in bytes of the field as JSON, with its key, `:` and `,`. Beyond the limit of an answer, just some
    /// number above it.
    bytes: u64,
    is_cut: bool,
}

impl Entry {
    fn new(key: Str, value: Value, allowed: u64) -> Result<Entry, LimitHit> {
        let bytes = size(&key.clone().into(), allowed)? + size(&value, allowed)? + 2;
        Ok(Entry { key, value: Some(value), bytes, is_cut: false })
    }

    fn can_go(&self, is_list: bool) -> bool {
        let key = self.key.as_text();
        let fits = match &self.value {
            Some(Value::List(_)) => is_list && !self.is_cut,
            Some(value) => !is_list && (matches!(value, Value::Map(_)) || value.as_text().is_some()),
            None => false,
        };
        fits && !ALWAYS.contains(&&*key)
    }

    /// Shortens a list by this many bytes; removes any other value.
    fn shorten(&mut self, over: u64, allowed: u64) -> Result<(), LimitHit> {
        let Some(Value::List(list)) = &self.value else {
            (self.value, self.bytes) = (None, 0);
            return Ok(());
        };
        let around = size(&self.key.clone().into(), allowed)? + 2;
        let room = self.bytes.saturating_sub(over).saturating_sub(around + 2);
        let (mut kept, mut taken) = (Vec::new(), 0);
        for item in list.iter() {
            taken += size(&item, room)? + 1;
            if taken > room + 1 {
                break;
            }
            kept.push(item);
        }
        let list = Value::List(Rc::new(List::new(kept)?));
        *self = Entry { is_cut: true, ..Entry::new(self.key.clone(), list, allowed)? };
        Ok(())
    }
}
