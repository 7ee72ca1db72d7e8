//! Shared texts, and the positions of their characters.
//!
//! A text gives up its beginning without a copy, and its end. Positions count characters; finding one in a text that is
//! not ASCII scans from the position that was found last, or from an indexed one.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::ops::Range;

use compact_str::CompactString;

use crate::limits::{LimitHit, space};

/// A text of more than seven bytes.
pub struct Text {
    body: CompactString,
    /// The length in characters, or [`UNCOUNTED`].
    chars: Cell<u32>,
    /// Length in bytes of the beginning of the body that is no longer a part of the text.
    skipped: u32,
    /// The parts that few texts need.
    extra: OnceCell<Box<Extra>>,
}

/// The parts of a text that only some have: those that are not ASCII and are indexed, and those that quote a refusal.
#[derive(Default)]
struct Extra {
    /// Length in characters of the skipped beginning of the body.
    skipped: Cell<u32>,
    /// Character index and byte offset in the body that were found last.
    cursor: Cell<(u32, u32)>,
    /// Byte offsets of characters of the body.
    offsets: RefCell<Offsets>,
    /// Whether the text is the message of a refusal by sandbox or policy, or was concatenated from one.
    quotes_refusal: Cell<bool>,
}

/// Marks a length that has not been counted; no text has this many characters.
const UNCOUNTED: u32 = u32::MAX;

/// Size in bytes of a shared text without a heap-allocated body: the struct, its reference counts and the allocator's
/// header.
pub(super) const TEXT_BYTES: usize = size_of::<Text>() + 3 * size_of::<usize>();

impl Text {
    pub(super) fn new(body: CompactString) -> Text {
        space::note(TEXT_BYTES + spilled(&body));
        Text { body, chars: Cell::new(UNCOUNTED), skipped: 0, extra: OnceCell::new() }
    }

    /// Returns the text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.body[self.skipped as usize..]
    }

    /// Returns whether the text is the message of a refusal by sandbox or policy, or was concatenated from one.
    #[inline]
    pub fn quotes_refusal(&self) -> bool {
        self.extra.get().is_some_and(|extra| extra.quotes_refusal.get())
    }

    /// Marks the text as quoting a refusal.
    pub(super) fn mark_refusal(&self) {
        self.extra().quotes_refusal.set(true);
    }

    /// Returns the number of bytes that the text can have without a new allocation.
    pub(super) fn room(&self) -> usize {
        self.body.capacity()
    }

    /// Returns the length in characters.
    pub fn char_count(&self) -> usize {
        if self.chars.get() == UNCOUNTED {
            self.chars.set(self.as_str().chars().count() as u32);
        }
        self.chars.get() as usize
    }

    /// Returns the byte offset of a character, or the length in bytes if the index is that after the last character.
    pub(super) fn byte_of_char(&self, index: usize) -> usize {
        if self.char_count() == self.as_str().len() {
            return index;
        }
        let extra = self.extra();
        let index = index + extra.skipped.get() as usize;
        let (mut at, mut byte) = extra.start_for(&self.body, index);
        let bytes = self.body.as_bytes();
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
        extra.cursor.set((at as u32, byte as u32));
        byte - self.skipped as usize
    }

    fn extra(&self) -> &Extra {
        self.extra.get_or_init(|| {
            space::note(size_of::<Extra>());
            let extra = Extra::default();
            extra.skipped.set(self.body[..self.skipped as usize].chars().count() as u32);
            Box::new(extra)
        })
    }

    /// Shortens the text to the characters of a range, whose byte offsets are `from` and `to`.
    pub(super) fn keep(&mut self, chars: Range<usize>, from: usize, to: usize) {
        let end = self.skipped as usize + to;
        self.body.truncate(end);
        if let Some(extra) = self.extra.get_mut() {
            *extra.skipped.get_mut() += chars.start as u32;
            extra.cursor.set((0, 0));
            extra.offsets.get_mut().keep_until(end);
        }
        self.skipped += from as u32;
        self.chars.set(chars.len() as u32);
        if self.skipped as usize > self.body.len() / 2 {
            self.drop_skipped();
        }
    }

    /// Removes the beginning of the body that is no longer a part of the text.
    fn drop_skipped(&mut self) {
        if self.skipped > 0 {
            drop(self.body.drain(..std::mem::take(&mut self.skipped) as usize));
        }
        if let Some(extra) = self.extra.get_mut() {
            let quotes_refusal = extra.quotes_refusal.take();
            **extra = Extra::default();
            extra.quotes_refusal.set(quotes_refusal);
        }
    }

    pub(super) fn append(&mut self, piece: &str) -> Result<(), LimitHit> {
        space::check_string(self.as_str().len() + piece.len())?;
        let length = self.body.len() + piece.len();
        let before = spilled(&self.body);
        if length > self.body.capacity() {
            // The body grows by half its length.
            space::check(length + length / 2)?;
        }
        self.body.push_str(piece);
        let after = spilled(&self.body);
        space::note(after - before);
        if self.chars.get() != UNCOUNTED {
            self.chars.set(self.chars.get() + piece.chars().count() as u32);
        }
        Ok(())
    }
}

impl Extra {
    /// Returns a character index near `index`, and its byte offset in the body.
    fn start_for(&self, body: &str, index: usize) -> (usize, usize) {
        let (at, byte) = self.cursor.get();
        if index.abs_diff(at as usize) < STRIDE {
            return (at as usize, byte as usize);
        }
        self.offsets.borrow_mut().before(body, index)
    }
}

/// Distance in characters between two offsets of [`Offsets`].
const STRIDE: usize = 64;

/// The byte offset of every 64th character of the beginning of a text. It stays right when the text grows.
#[derive(Default)]
struct Offsets(Vec<u32>);

impl Offsets {
    /// Returns the index and the byte offset of the last indexed character that is not after `index`, which must be at
    /// most the number of characters.
    fn before(&mut self, text: &str, index: usize) -> (usize, usize) {
        let wanted = index / STRIDE;
        if self.0.is_empty() {
            self.0.push(0);
            space::note(size_of::<u32>());
        }
        let bytes = text.as_bytes();
        while self.0.len() <= wanted {
            let mut byte = self.0[self.0.len() - 1] as usize;
            for _ in 0..STRIDE {
                byte += char_length(bytes[byte]);
            }
            self.0.push(byte as u32);
            space::note(size_of::<u32>());
        }
        (wanted * STRIDE, self.0[wanted] as usize)
    }

    /// Removes the offsets after the end of a shortened text.
    fn keep_until(&mut self, bytes: usize) {
        let before = self.0.len();
        self.0.truncate(self.0.partition_point(|offset| *offset as usize <= bytes));
        space::give_back((before - self.0.len()) * size_of::<u32>());
    }
}

impl Drop for Offsets {
    fn drop(&mut self) {
        space::give_back(self.0.len() * size_of::<u32>());
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        let extra = if self.extra.get().is_some() { size_of::<Extra>() } else { 0 };
        space::give_back(TEXT_BYTES + spilled(&self.body) + extra);
    }
}

/// Returns the number of bytes that the body has on the heap.
fn spilled(body: &CompactString) -> usize {
    if body.is_heap_allocated() { body.capacity() } else { 0 }
}

/// Returns the length in bytes of the character that begins with this byte.
fn char_length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
