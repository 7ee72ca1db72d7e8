//! Memoization for traversals of a value that reach shared parts along several paths.
//!
//! Lists and maps share storage, so a value of a few KB can contain 2^60 paths. A traversal that visits each storage
//! once takes time linear in the memory of the value. Most values share nothing and most traversals are short, so a
//! memo allocates no memory before the traversal has met [`RECORD_AFTER`] shared parts. It never holds more than [`MAX_ENTRIES`]
//! entries, after which it is cleared.
//!
//! A storage is identified by its address, so only parts that live as long as the traversal may be recorded. A map that
//! is created from a packed row during the traversal has one owner and is never recorded ([`is_shared`]).

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::Value;

/// Number of shared parts that a traversal meets before any is recorded.
const RECORD_AFTER: u32 = 256;
/// Maximum number of storages that are recorded at once.
const MAX_ENTRIES: usize = 1 << 18;

/// The address of a list's or map's storage.
pub type Storage = usize;

/// Returns the storage of a list or map that may be reachable along several paths.
#[inline]
pub fn shared_storage(value: &Value) -> Option<Storage> {
    match value {
        Value::List(list) if is_shared(list) => Some(storage(list)),
        Value::Map(map) if is_shared(map) => Some(storage(map)),
        _ => None,
    }
}

/// Returns whether a storage has several owners. One with a single owner is reached again only through that owner.
#[inline]
pub fn is_shared<T>(part: &Rc<T>) -> bool {
    Rc::strong_count(part) > 1
}

/// Returns the address of a storage.
#[inline]
pub fn storage<T>(part: &Rc<T>) -> Storage {
    Rc::as_ptr(part).addr()
}

/// Counts shared parts down to the first that is recorded.
#[derive(Debug)]
struct Countdown(u32);

impl Default for Countdown {
    fn default() -> Countdown {
        Countdown(RECORD_AFTER)
    }
}

impl Countdown {
    /// Returns whether the current part is recorded.
    #[inline]
    fn is_over(&mut self) -> bool {
        let is_over = self.0 == 0;
        self.0 = self.0.saturating_sub(1);
        is_over
    }
}

/// A result for each shared part.
#[derive(Debug)]
pub struct Memo<T> {
    countdown: Countdown,
    results: HashMap<Storage, T, RandomState>,
}

impl<T> Default for Memo<T> {
    fn default() -> Memo<T> {
        Memo { countdown: Countdown::default(), results: HashMap::default() }
    }
}

impl<T: Copy> Memo<T> {
    /// Returns the result of a part, if it is recorded.
    #[inline]
    pub fn get(&self, part: Storage) -> Option<T> {
        if self.results.is_empty() { None } else { self.results.get(&part).copied() }
    }

    /// Records the result of a part.
    pub fn put(&mut self, part: Storage, result: T) {
        if self.countdown.is_over() {
            if self.results.len() >= MAX_ENTRIES {
                self.results.clear();
            }
            self.results.insert(part, result);
        }
    }
}

/// Shared parts that a comparison assumes to be equal, as classes of a union-find structure: n parts are united at most
/// n - 1 times, however many pairs of them are compared (Adams and Dybvig, "Efficient nondestructive equality checking
/// for trees and graphs", 2008).
#[derive(Debug, Default)]
pub struct Classes {
    countdown: Countdown,
    numbers: HashMap<Storage, u32, RandomState>,
    parents: Vec<u32>,
}

impl Classes {
    /// Assumes two parts to be equal. Returns whether they already were in the same class.
    #[inline]
    pub fn unite(&mut self, left: Storage, right: Storage) -> bool {
        self.countdown.is_over() && self.unite_noted(left, right)
    }

    fn unite_noted(&mut self, left: Storage, right: Storage) -> bool {
        if self.parents.len() + 2 > MAX_ENTRIES {
            self.numbers.clear();
            self.parents.clear();
        }
        let (left, right) = (self.class_of(left), self.class_of(right));
        self.parents[right as usize] = left;
        left == right
    }

    /// Returns the representative of a part's class, with path halving.
    fn class_of(&mut self, part: Storage) -> u32 {
        let next = self.parents.len() as u32;
        let mut at = *self.numbers.entry(part).or_insert(next);
        if at == next {
            self.parents.push(next);
        }
        while self.parents[at as usize] != at {
            let above = self.parents[at as usize];
            self.parents[at as usize] = self.parents[above as usize];
            at = above;
        }
        at
    }
}
