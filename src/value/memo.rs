//! Results that a walk through a value notes for parts that it reaches on several ways.
//!
//! Lists and maps share storage, so a value of some KB can hold 2^60 paths. A walk that looks at each storage once takes
//! time linear in the memory of the value. Most values share nothing, and most walks are short: a memo takes no
//! memory before [`UNNOTED`] shared parts were met, and never more than [`MOST`] entries, after which it forgets all and
//! begins again.
//!
//! A storage is known by its address, so only parts that live as long as the walk may be noted. A map that is made from
//! a packed row during the walk has one holder and is never noted ([`is_shared`]).

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::Value;

/// Shared parts that a walk meets before anything is noted.
const UNNOTED: u32 = 256;
/// Storages that are noted at once.
const MOST: usize = 1 << 18;

/// The address of a list's or map's storage.
pub type Storage = usize;

/// The storage of a list or map that may be reached on more than one way.
#[inline]
pub fn shared_storage(value: &Value) -> Option<Storage> {
    match value {
        Value::List(list) if is_shared(list) => Some(storage(list)),
        Value::Map(map) if is_shared(map) => Some(storage(map)),
        _ => None,
    }
}

/// Whether a storage has several holders. What has one holder is met again only together with its holder.
#[inline]
pub fn is_shared<T>(part: &Rc<T>) -> bool {
    Rc::strong_count(part) > 1
}

/// The address of a storage.
#[inline]
pub fn storage<T>(part: &Rc<T>) -> Storage {
    Rc::as_ptr(part).addr()
}

/// Counts shared parts down to the first that is noted.
#[derive(Debug)]
struct Countdown(u32);

impl Default for Countdown {
    fn default() -> Countdown {
        Countdown(UNNOTED)
    }
}

impl Countdown {
    /// Whether this part is noted.
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
    /// The result of a part, if it is noted.
    #[inline]
    pub fn get(&self, part: Storage) -> Option<T> {
        if self.results.is_empty() { None } else { self.results.get(&part).copied() }
    }

    /// Notes the result of a part.
    pub fn put(&mut self, part: Storage, result: T) {
        if self.countdown.is_over() {
            if self.results.len() >= MOST {
                self.results.clear();
            }
            self.results.insert(part, result);
        }
    }
}

/// Shared parts that a comparison takes to be equal, as classes of a union-find structure: n parts are united at most
/// n - 1 times, however many pairs of them meet (Adams and Dybvig, "Efficient nondestructive equality checking for trees
/// and graphs", 2008).
#[derive(Debug, Default)]
pub struct Classes {
    countdown: Countdown,
    numbers: HashMap<Storage, u32, RandomState>,
    parents: Vec<u32>,
}

impl Classes {
    /// Takes two parts to be equal; whether they were before.
    #[inline]
    pub fn unite(&mut self, left: Storage, right: Storage) -> bool {
        self.countdown.is_over() && self.unite_noted(left, right)
    }

    fn unite_noted(&mut self, left: Storage, right: Storage) -> bool {
        if self.parents.len() + 2 > MOST {
            self.numbers.clear();
            self.parents.clear();
        }
        let (left, right) = (self.class_of(left), self.class_of(right));
        self.parents[right as usize] = left;
        left == right
    }

    /// The number that stands for all parts of a class. Ways to it are halved, so that they stay short.
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
