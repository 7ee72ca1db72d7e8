//! Queries over all parts of a value. Shared parts are visited once, and the work is charged.

use crate::limits::{LimitHit, work};

use super::memo::{Memo, shared_storage};
use super::{Str, Value};

/// Returns the exact nesting depth of lists and maps, of which [`Value::depth`] is an upper bound.
pub fn depth(value: &Value) -> Result<u32, LimitHit> {
    Depths::default().of(value)
}

/// Returns whether a condition holds for any value that is not a list or map, either inside `value` or `value` itself.
pub fn any_scalar(value: &Value, condition: &dyn Fn(&Value) -> bool) -> Result<bool, LimitHit> {
    Ok(find_scalar(value, condition)?.is_some())
}

/// Returns the first value for which a condition holds that is not a list or map, either inside `value` or `value`
/// itself.
pub fn find_scalar(value: &Value, condition: &dyn Fn(&Value) -> bool) -> Result<Option<Found>, LimitHit> {
    let mut found = Search { condition, without: Memo::default() }.find_in(value)?;
    found.iter_mut().for_each(|found| found.parts.reverse());
    Ok(found)
}

/// A value that was found inside another.
pub struct Found {
    /// The value.
    pub scalar: Value,
    /// Where it is: the part of the outer value, the part of that part, and so on.
    pub parts: Vec<Part>,
}

/// The position of a part in a list or map.
pub enum Part {
    /// The index in a list.
    Index(usize),
    /// The key in a map.
    Key(Str),
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
        each_part(value, |_, part| {
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
    fn find_in(&mut self, value: &Value) -> Result<Option<Found>, LimitHit> {
        let shared = shared_storage(value);
        if !is_whole(value) {
            return Ok((self.condition)(value).then(|| Found { scalar: value.clone(), parts: Vec::new() }));
        }
        if shared.is_some_and(|part| self.without.get(part).is_some()) {
            return Ok(None);
        }
        let mut found = None;
        each_part(value, |place, part| {
            if found.is_none() {
                found = self.find_in(part)?;
                found.iter_mut().for_each(|found| found.parts.push(place()));
            }
            Ok(())
        })?;
        shared.filter(|_| found.is_none()).into_iter().for_each(|part| self.without.put(part, ()));
        Ok(found)
    }
}

fn is_whole(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Map(_))
}

fn each_part(
    value: &Value,
    mut take: impl FnMut(&dyn Fn() -> Part, &Value) -> Result<(), LimitHit>,
) -> Result<(), LimitHit> {
    match value {
        Value::List(list) => {
            let mut indexes = 0..;
            list.try_each(|part| {
                work::charge(1)?;
                let index = indexes.next().unwrap_or_default();
                take(&|| Part::Index(index), part)
            })
        }
        Value::Map(map) => map.try_each(|key, part| {
            work::charge(1)?;
            take(&|| Part::Key(key.clone()), part)
        }),
        _ => Ok(()),
    }
}
