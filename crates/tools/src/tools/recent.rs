//! A cache of the values that were made from texts most recently, such as compiled patterns.

use std::rc::Rc;

/// The values, the most recent last.
#[derive(Debug)]
pub struct Recent<T> {
    entries: Vec<(String, Rc<T>)>,
    most: usize,
}

impl<T> Recent<T> {
    /// Creates a cache of at most `most` values.
    pub const fn new(most: usize) -> Recent<T> {
        Recent { entries: Vec::new(), most }
    }

    /// Returns the value that was made from a text.
    pub fn get(&mut self, text: &str) -> Option<Rc<T>> {
        let place = self.entries.iter().rposition(|(key, _)| key == text)?;
        self.entries[place..].rotate_left(1);
        self.entries.last().map(|(_, value)| value.clone())
    }

    /// Adds a value that is not in the cache, in place of the least recent one if the cache is full.
    pub fn put(&mut self, text: &str, value: Rc<T>) {
        if self.entries.len() == self.most {
            self.entries.remove(0);
        }
        self.entries.push((text.to_owned(), value));
    }

    /// Removes the least recent value other than this one. Returns whether there was one.
    pub fn evict_other(&mut self, value: &Rc<T>) -> bool {
        let other = self.entries.iter().position(|(_, entry)| !Rc::ptr_eq(entry, value));
        other.map(|place| self.entries.remove(place)).is_some()
    }
}
