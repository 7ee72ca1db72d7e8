//! The elements of a list under construction.

use crate::limits::{LimitHit, MeteredVec, space};

use super::Value;

/// The elements of a list under construction, within the limits on the list and on the memory of the run.
#[derive(Debug, Default)]
pub struct Elements {
    values: MeteredVec<Value>,
}

impl Elements {
    /// Creates an empty list with room for `length` elements.
    pub fn with_room(length: usize) -> Result<Elements, LimitHit> {
        space::check_items(length)?;
        let mut values = MeteredVec::default();
        values.reserve_exact(length)?;
        Ok(Elements { values })
    }

    /// Appends a value.
    #[inline]
    pub fn push(&mut self, value: Value) -> Result<(), LimitHit> {
        if self.values.is_full() {
            self.grow(4)?;
        }
        self.values.push(value)
    }

    /// Returns whether one more value would need a reallocation.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.values.is_full()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes and returns the last value.
    pub fn pop(&mut self) -> Option<Value> {
        self.values.pop()
    }

    /// Returns the values, which are no longer charged.
    pub fn into_values(self) -> Vec<Value> {
        self.values.into_vec()
    }

    /// Returns the list.
    pub fn finish(self) -> Result<Value, LimitHit> {
        Value::list(self.values.into_vec())
    }

    /// Doubles the capacity, or reserves room for at least `least` more values, within the limit on a list. Returns the
    /// number of values that were reserved.
    #[cold]
    pub fn grow(&mut self, least: usize) -> Result<usize, LimitHit> {
        let length = self.values.len();
        space::check_items(length + 1)?;
        let more = length.max(least).min(space::items_bound() - length);
        self.values.reserve_exact(more)?;
        Ok(more)
    }
}
