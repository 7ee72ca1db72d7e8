//! Texts: short ones inside the value, longer ones shared.
//!
//! A text of up to seven bytes is always a [`Small`], a longer one always a [`Text`] on the heap, so
//! equal texts have equal forms. Positions are characters; finding one in a text that is not ASCII
//! costs a walk from the place found last.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use compact_str::CompactString;

use crate::limits::{LimitHit, space};

use super::small::{Small, TextRef};

/// A text of more than seven bytes.
pub struct Text {
    body: CompactString,
    /// Its length in characters, once it was counted.
    chars: Cell<u32>,
    /// A character's number and byte, found last.
    cursor: Cell<(u32, u32)>,
}

/// Stands for a count that is not known yet; no text has so many characters.
const UNCOUNTED: u32 = u32::MAX;

/// Bytes that a shared text takes besides a spilled body: itself, its counts and the allocator's header.
const TEXT_BYTES: usize = size_of::<Text>() + 3 * size_of::<usize>();

impl Text {
    fn new(body: CompactString) -> Text {
        space::note(TEXT_BYTES + spilled(&body));
        Text { body, chars: Cell::new(UNCOUNTED), cursor: Cell::new((0, 0)) }
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.body
    }

    /// Its length in characters.
    pub fn char_count(&self) -> usize {
        if self.chars.get() == UNCOUNTED {
            self.chars.set(self.body.chars().count() as u32);
        }
        self.chars.get() as usize
    }

    /// The byte at which a character begins; the text's length for the character after the last.
    fn byte_of_char(&self, index: usize) -> usize {
        if self.char_count() == self.body.len() {
            return index;
        }
        let (mut at, mut byte) = self.cursor.get();
        if (index as u32) < at / 2 {
            (at, byte) = (0, 0);
        }
        let bytes = self.body.as_bytes();
        let (mut at, mut byte) = (at as usize, byte as usize);
        while at < index && byte < bytes.len() {
            byte += char_length(bytes[byte]);
            at += 1;
        }
        while at > index {
            byte -= 1;
            while !self.body.is_char_boundary(byte) {
                byte -= 1;
            }
            at -= 1;
        }
        self.cursor.set((at as u32, byte as u32));
        byte
    }

    fn append(&mut self, piece: &str) -> Result<(), LimitHit> {
        let length = self.body.len() + piece.len();
        space::check_string(length)?;
        let before = spilled(&self.body);
        if length > self.body.capacity() {
            // Growth by half, as the body itself grows.
            space::check(length + length / 2)?;
        }
        self.body.push_str(piece);
        let after = spilled(&self.body);
        space::note(after - before);
        self.chars.set(UNCOUNTED);
        Ok(())
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        space::give_back(TEXT_BYTES + spilled(&self.body));
    }
}

/// Bytes of a body that are not inside it.
fn spilled(body: &CompactString) -> usize {
    if body.is_heap_allocated() { body.capacity() } else { 0 }
}

/// The length in bytes of the character that begins with this byte.
fn char_length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// A text value on its own, as keys of maps are.
#[derive(Clone)]
pub enum Str {
    /// Up to seven bytes.
    Small(Small),
    /// More.
    Heap(Rc<Text>),
}

impl Str {
    /// A text value.
    #[inline]
    pub fn new(text: &str) -> Str {
        match Small::new(text) {
            Some(small) => Str::Small(small),
            None => Str::Heap(Rc::new(Text::new(CompactString::new(text)))),
        }
    }

    /// A text value from a text that is already there.
    pub fn from_compact(text: CompactString) -> Str {
        match Small::new(&text) {
            Some(small) => Str::Small(small),
            None => Str::Heap(Rc::new(Text::new(text))),
        }
    }

    /// The text.
    #[inline]
    pub fn as_text(&self) -> TextRef<'_> {
        match self {
            Str::Small(small) => TextRef::of_small(*small),
            Str::Heap(text) => TextRef::Shared(text.as_str()),
        }
    }

    /// Its length in characters.
    pub fn char_count(&self) -> usize {
        match self {
            Str::Small(_) => self.as_text().chars().count(),
            Str::Heap(text) => text.char_count(),
        }
    }

    /// The character at an index.
    pub fn char_at(&self, index: usize) -> Option<char> {
        match self {
            Str::Small(_) => self.as_text().chars().nth(index),
            Str::Heap(text) if index < text.char_count() => text.as_str()[text.byte_of_char(index)..].chars().next(),
            Str::Heap(_) => None,
        }
    }

    /// The characters from `start` up to `end`; both are at most the text's length.
    pub fn slice(&self, start: usize, end: usize) -> Str {
        match self {
            Str::Small(_) => Str::new(&self.as_text().chars().skip(start).take(end - start).collect::<String>()),
            Str::Heap(text) => {
                let (from, to) = (text.byte_of_char(start), text.byte_of_char(end));
                Str::new(&text.as_str()[from..to])
            }
        }
    }

    /// Adds to the end, in place when nobody else holds the text.
    pub fn append(&mut self, piece: &str) -> Result<(), LimitHit> {
        if let Str::Heap(text) = self
            && let Some(owned) = Rc::get_mut(text)
        {
            return owned.append(piece);
        }
        *self = join(&self.as_text(), piece)?;
        Ok(())
    }
}

/// A new text of two parts, with room to grow when it is long.
pub fn join(left: &str, right: &str) -> Result<Str, LimitHit> {
    let length = left.len() + right.len();
    space::check_string(length)?;
    if let (Some(left), Some(right)) = (Small::new(left), Small::new(right))
        && let Some(joined) = left.joined(right)
    {
        return Ok(Str::Small(joined));
    }
    space::check(length + TEXT_BYTES)?;
    let mut body = CompactString::with_capacity(length);
    body.push_str(left);
    body.push_str(right);
    Ok(Str::Heap(Rc::new(Text::new(body))))
}

impl PartialEq for Str {
    #[inline]
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
    #[inline]
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

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
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
