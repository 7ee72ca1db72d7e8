//! Questions about everything in a value. Shared parts are looked at once, and the work is charged.

use crate::limits::{LimitHit, work};

use super::Value;
use super::memo::{Memo, shared_storage};

/// How deep lists and maps are nested in a value: exactly, where [`Value::depth`] is an upper bound.
pub fn depth(value: &Value) -> Result<u32, LimitHit> {
    Depths::default().of(value)
}

/// Whether a condition holds of any value inside a value, or of the value itself, that is no list and no map.
pub fn any_scalar(value: &Value, condition: &dyn Fn(&Value) -> bool) -> Result<bool, LimitHit> {
    Search { condition, without: Memo::default() }.finds_in(value)
}

#[derive(Default)]
struct Depths {
    known: Memo<u32>,
}

impl Depths {
    /// Calls itself as deep as the value nests, which is bounded.
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
    /// Parts in which there is nothing.
    without: Memo<()>,
}

impl Search<'_> {
    /// Calls itself as deep as the value nests, which is bounded.
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
