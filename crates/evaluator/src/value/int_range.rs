//! The ints of a RANGE.

use crate::limits::{space, work};

use super::{Fallible, Value};

/// The ints from `start` up to but excluding `end`.
#[derive(Clone, Copy, Debug)]
pub struct IntRange {
    /// The first int.
    pub start: i64,
    /// The bound, which is not included.
    pub end: i64,
    /// The distance between two ints; not zero.
    pub step: i64,
}

/// Number of elements that are created between two charges.
const STRETCH: usize = 4_096;

impl IntRange {
    /// Returns the number of ints.
    pub fn count(self) -> u64 {
        let distance = i128::from(self.end) - i128::from(self.start);
        let step = i128::from(self.step);
        let (distance, step) = if step > 0 { (distance, step) } else { (-distance, -step) };
        if distance <= 0 { 0 } else { ((distance + step - 1) / step) as u64 }
    }

    /// Returns the ints as a list.
    pub fn to_list(self) -> Fallible<Value> {
        let IntRange { start, step, .. } = self;
        let count = usize::try_from(self.count()).unwrap_or(usize::MAX);
        space::check_items(count)?;
        space::check(count.saturating_mul(size_of::<Value>()))?;
        let number = |turn: usize| Value::Int((i128::from(start) + i128::from(step) * turn as i128) as i64);
        let mut values = Vec::with_capacity(count);
        while values.len() < count {
            let end = count.min(values.len() + STRETCH);
            work::charge(STRETCH)?;
            values.extend((values.len()..end).map(number));
        }
        Ok(Value::list(values)?)
    }
}
