//! The elements of a list while it is being read.

use crate::limits::{Charged, LimitHit, space};

use super::Value;

/// The elements of a list that is being read, within the limits of one list and of the run's memory.
#[derive(Debug, Default)]
pub struct Elements {
    values: Charged<Value>,
}

impl Elements {
    /// No elements yet, with room for so many.
    pub fn with_room(length: usize) -> Result<Elements, LimitHit> {
        space::check_items(length)?;
        let mut values = Charged::default();
        values.reserve_exact(length)?;
        Ok(Elements { values })
    }

    /// Adds a value to the end.
    #[inline]
    pub fn push(&mut self, value: Value) -> Result<(), LimitHit> {
        if self.values.is_full() {
            self.grow(4)?;
        }
        self.values.push(value)
    }

    /// Whether one more value needs more room.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.values.is_full()
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Takes the newest value out.
    pub fn pop(&mut self) -> Option<Value> {
        self.values.pop()
    }

    /// The values, which are no longer counted.
    pub fn into_values(self) -> Vec<Value> {
        self.values.into_vec()
    }

    /// The list.
    pub fn finish(self) -> Result<Value, LimitHit> {
        Value::list(self.values.into_vec())
    }

    /// Makes room for as many again and at least so many, within what a list may hold, and returns for how many.
    #[cold]
    pub fn grow(&mut self, least: usize) -> Result<usize, LimitHit> {
        let length = self.values.len();
        space::check_items(length + 1)?;
        let more = length.max(least).min(space::items_bound() - length);
        self.values.reserve_exact(more)?;
        Ok(more)
    }
}
