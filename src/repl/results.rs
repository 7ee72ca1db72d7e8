//! The numbered results of a session.

use std::collections::VecDeque;

use crate::engine::Value;

/// Maximum number of stored values.
const MOST: usize = 50;

/// The newest results.
#[derive(Debug, Default)]
pub struct Results {
    kept: VecDeque<Value>,
    /// The number of the newest result.
    newest: usize,
}

impl Results {
    /// Stores a value and returns its number.
    pub fn keep(&mut self, value: Value) -> usize {
        if self.kept.len() == MOST {
            self.kept.pop_front();
        }
        self.kept.push_back(value);
        self.newest += 1;
        self.newest
    }

    /// Returns the value with a number.
    pub fn get(&self, number: usize) -> Option<&Value> {
        self.numbered().find(|(known, _)| *known == number).map(|(_, value)| value)
    }

    /// Returns all stored values with their numbers, the oldest first.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &Value)> {
        (self.newest + 1 - self.kept.len()..).zip(&self.kept)
    }

    /// Drops all values but keeps counting. Returns whether there were any.
    pub fn forget(&mut self) -> bool {
        let were_any = !self.kept.is_empty();
        self.kept.clear();
        were_any
    }
}
