//! Texts: short ones are stored inside the value, longer ones are shared.
//!
//! A text of up to seven bytes is always a [`Small`], a longer one always a [`Text`] on the heap, so equal texts have
//! equal representations.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

use compact_str::CompactString;

use crate::limits::{LimitHit, space, work};

use super::small::{Small, TextRef};
use super::text::{TEXT_BYTES, Text};

/// A text outside a [`Value`](super::Value), such as a map key.
#[derive(Clone)]
pub enum Str {
    /// Up to seven bytes.
    Small(Small),
    /// More than seven bytes.
    Heap(Rc<Text>),
}

impl Str {
    /// Creates a text.
    #[inline]
    pub fn new(text: &str) -> Str {
        match Small::new(text) {
            Some(small) => Str::Small(small),
            None => Str::Heap(Rc::new(Text::new(CompactString::new(text)))),
        }
    }

    /// Creates a text after checking the memory that it needs.
    #[inline]
    pub fn checked(text: &str) -> Result<Str, LimitHit> {
        space::check(text.len())?;
        Ok(Str::new(text))
    }

    /// Creates a text from an existing buffer.
    pub fn from_compact(text: CompactString) -> Str {
        match Small::new(&text) {
            Some(small) => Str::Small(small),
            None => Str::Heap(Rc::new(Text::new(text))),
        }
    }

    /// Marks a text that was just created as quoting a refusal. Up to seven bytes quote no message.
    pub fn mark_refusal(&self) {
        if let Str::Heap(text) = self {
            text.mark_refusal();
        }
    }

    /// Borrows the text.
    #[inline]
    pub fn as_text(&self) -> TextRef<'_> {
        match self {
            Str::Small(small) => TextRef::of_small(*small),
            Str::Heap(text) => TextRef::Shared(text.as_str()),
        }
    }

    /// Returns the length in characters.
    pub fn char_count(&self) -> usize {
        match self {
            Str::Small(_) => self.as_text().chars().count(),
            Str::Heap(text) => text.char_count(),
        }
    }

    /// Returns the character at an index.
    pub fn char_at(&self, index: usize) -> Option<char> {
        match self {
            Str::Small(_) => self.as_text().chars().nth(index),
            Str::Heap(text) if index < text.char_count() => text.as_str()[text.byte_of_char(index)..].chars().next(),
            Str::Heap(_) => None,
        }
    }

    /// Returns the characters from `start` up to but excluding `end`; both must be at most the text's length.
    pub fn slice(&self, start: usize, end: usize) -> Str {
        match self {
            Str::Small(_) => Str::new(&self.as_text().chars().skip(start).take(end - start).collect::<String>()),
            Str::Heap(text) => {
                let (from, to) = (text.byte_of_char(start), text.byte_of_char(end));
                Str::new(&text.as_str()[from..to])
            }
        }
    }

    /// Calls `look` with the text from a character on; the index must be at most the text's length.
    pub fn with_rest<T>(&self, start: usize, look: impl FnOnce(&str) -> T) -> T {
        match self {
            Str::Small(_) => look(self.slice(start, self.char_count()).as_text().deref()),
            Str::Heap(text) => look(&text.as_str()[text.byte_of_char(start)..]),
        }
    }

    /// Shortens the text to the characters from `start` up to but excluding `end`; both must be at most the text's
    /// length. In place if this text is not shared and keeps a quarter of its room; returns whether it was.
    pub fn shorten(&mut self, start: usize, end: usize) -> bool {
        if let Str::Heap(text) = self
            && let (from, to) = (text.byte_of_char(start), text.byte_of_char(end))
            && to - from >= (text.room() / 4).max(Small::CAPACITY + 1)
            && let Some(owned) = Rc::get_mut(text)
        {
            owned.keep(start..end, from, to);
            return true;
        }
        let quotes_refusal = matches!(self, Str::Heap(text) if text.quotes_refusal());
        *self = self.slice(start, end);
        if quotes_refusal {
            self.mark_refusal();
        }
        false
    }

    /// Appends a text; in place if this text is not shared.
    pub fn append(&mut self, piece: &str) -> Result<(), LimitHit> {
        if let Str::Heap(text) = self
            && let Some(owned) = Rc::get_mut(text)
        {
            return owned.append(piece);
        }
        let joined = join(&self.as_text(), piece)?;
        if matches!(self, Str::Heap(text) if text.quotes_refusal()) {
            joined.mark_refusal();
        }
        *self = joined;
        Ok(())
    }
}

/// Length in bytes from which the copy of a text is charged.
const LONG: usize = 4_096;

/// Concatenates two texts, and leaves room to grow if the result is long.
pub fn join(left: &str, right: &str) -> Result<Str, LimitHit> {
    let length = left.len() + right.len();
    space::check_string(length)?;
    if let (Some(left), Some(right)) = (Small::new(left), Small::new(right))
        && let Some(joined) = left.joined(right)
    {
        return Ok(Str::Small(joined));
    }
    space::check(length + TEXT_BYTES)?;
    if length >= LONG {
        work::charge_bytes(length)?;
    }
    let mut body = CompactString::with_capacity(length);
    body.push_str(left);
    body.push_str(right);
    Ok(Str::Heap(Rc::new(Text::new(body))))
}

impl PartialEq for Str {
    #[inline(always)]
    fn eq(&self, other: &Str) -> bool {
        match (self, other) {
            (Str::Small(a), Str::Small(b)) => a == b,
            (Str::Heap(a), Str::Heap(b)) => Rc::ptr_eq(a, b) || a.as_str() == b.as_str(),
            _ => false,
        }
    }
}

impl Eq for Str {}

impl Hash for Str {
    // Looking up a key is most of what a script does with a map.
    #[inline(always)]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Str::Small(small) => state.write_u64(small.packed()),
            Str::Heap(text) => state.write(text.as_str().as_bytes()),
        }
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Str) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Str) -> Ordering {
        self.as_text().as_bytes().cmp(other.as_text().as_bytes())
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.as_text(), f)
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Str {
        Str::new(text)
    }
}

/// A borrowed text that can be looked up among [`Str`] keys.
pub struct Key<'a>(pub &'a str);

impl Hash for Key<'_> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match Small::new(self.0) {
            Some(small) => state.write_u64(small.packed()),
            None => state.write(self.0.as_bytes()),
        }
    }
}

impl indexmap::Equivalent<Str> for Key<'_> {
    #[inline]
    fn equivalent(&self, key: &Str) -> bool {
        match key {
            Str::Small(small) => Small::new(self.0) == Some(*small),
            Str::Heap(text) => text.as_str() == self.0,
        }
    }
}
