//! Queries over all parts of a value. Shared parts are visited once, and the work is charged.

use crate::limits::{LimitHit, work};

use super::Value;
use super::memo::{Memo, shared_storage};

/// Returns the exact nesting depth of lists and maps, of which [`Value::depth`] is an upper bound.
pub fn depth(value: &Value) -> Result<u32, LimitHit> {
    Depths::default().of(value)
}

/// Returns whether a condition holds for any value that is not a list or map, either inside `value` or `value` itself.
pub fn any_scalar(value: &Value, condition: &dyn Fn(&Value) -> bool) -> Result<bool, LimitHit> {
    Search { condition, without: Memo::default() }.finds_in(value)
}

#[derive(Default)]
struct Depths {
    known: Memo<u32>,
}

impl Depths {
    /// Recursion is bounded by the nesting limit.
    fn of(&mut self, value: &Value) -> Result<u32, LimitHit> {
        let shared = shared_storage(value);
        if let Some(depth) = shared.and_then(|part| self.known.get(part)) {
            return Ok(depth);
        }
        let mut deepest = 0;
        each_part(value, |part| {
            deepest = deepest.max(self.of(part)?);
            Ok(())
        })?;
        let depth = u32::from(is_whole(value)) + deepest;
        shared.into_iter().for_each(|part| self.known.put(part, depth));
        Ok(depth)
    }
}

struct Search<'a> {
    condition: &'a dyn Fn(&Value) -> bool,
    /// Parts that contain no match.
    without: Memo<()>,
}

impl Search<'_> {
    /// Recursion is bounded by the nesting limit.
    fn finds_in(&mut self, value: &Value) -> Result<bool, LimitHit> {
        let shared = shared_storage(value);
        if !is_whole(value) {
            return Ok((self.condition)(value));
        }
        if shared.is_some_and(|part| self.without.get(part).is_some()) {
            return Ok(false);
        }
        let mut found = false;
        each_part(value, |part| {
            found = found || self.finds_in(part)?;
            Ok(())
        })?;
        shared.filter(|_| !found).into_iter().for_each(|part| self.without.put(part, ()));
        Ok(found)
    }
}

fn is_whole(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Map(_))
}

fn each_part(value: &Value, mut take: impl FnMut(&Value) -> Result<(), LimitHit>) -> Result<(), LimitHit> {
    let mut charged = |part: &Value| {
        work::charge(1)?;
        take(part)
    };
    match value {
        Value::List(list) => list.try_each(charged),
        Value::Map(map) => map.try_each(|_, part| charged(part)),
        _ => Ok(()),
    }
}
