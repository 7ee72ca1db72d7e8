//! The values that a session has shown or called for, by their numbers.

use std::collections::VecDeque;

use crate::engine::Value;

/// Values that are kept.
const MOST: usize = 50;

/// The newest values.
#[derive(Debug, Default)]
pub struct Results {
    kept: VecDeque<Value>,
    /// The number of the newest.
    newest: usize,
}

impl Results {
    /// Keeps a value and gives its number.
    pub fn keep(&mut self, value: Value) -> usize {
        if self.kept.len() == MOST {
            self.kept.pop_front();
        }
        self.kept.push_back(value);
        self.newest += 1;
        self.newest
    }

    /// The value of a number.
    pub fn get(&self, number: usize) -> Option<&Value> {
        self.numbered().find(|(known, _)| *known == number).map(|(_, value)| value)
    }

    /// All that are kept, the oldest first.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &Value)> {
        (self.newest + 1 - self.kept.len()..).zip(&self.kept)
    }

    /// Forgets all but their number; whether there were any.
    pub fn forget(&mut self) -> bool {
        let were_any = !self.kept.is_empty();
        self.kept.clear();
        were_any
    }
}
