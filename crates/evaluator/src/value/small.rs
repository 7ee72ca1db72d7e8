//! Short texts, stored inside the value.

use std::fmt;
use std::ops::Deref;

/// A text of at most seven bytes: its length in the lowest byte, its bytes above.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Small(u64);

impl Small {
    /// Maximum length in bytes.
    pub const CAPACITY: usize = 7;
    /// The empty text.
    pub const EMPTY: Small = Small(0);

    /// Converts a text, if it is short enough.
    #[inline]
    pub fn new(text: &str) -> Option<Small> {
        let bytes = text.as_bytes();
        (bytes.len() <= Small::CAPACITY).then(|| Small(packed(bytes) << 8 | bytes.len() as u64))
    }

    /// Returns the text that EMIT prints for an int, if it is short enough.
    #[inline]
    pub fn of_int(number: i64) -> Option<Small> {
        match number {
            -999_999..=9_999_999 => Small::new(itoa::Buffer::new().format(number)),
            _ => None,
        }
    }

    /// Concatenates two texts, if the result is short enough.
    #[inline]
    pub fn joined(self, after: Small) -> Option<Small> {
        let length = self.len() + after.len();
        let bytes = (after.0 >> 8).checked_shl(8 + 8 * self.len() as u32).unwrap_or(0);
        (length <= Small::CAPACITY).then_some(Small(bytes | (self.0 & !0xff) | length as u64))
    }

    /// Returns the length in bytes.
    #[inline]
    pub(super) fn len(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// Returns the representation as one number, which is unique to the text.
    #[inline]
    pub fn packed(self) -> u64 {
        self.0
    }
}

/// Packs at most seven bytes into one number, the first byte lowest.
#[inline]
fn packed(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        // Bytes that are in both chunks are equal.
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (bytes.len() - 4))
        }
        _ => bytes.iter().rev().fold(0, |packed, byte| packed << 8 | u64::from(*byte)),
    }
}

impl fmt::Debug for Small {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*TextRef::of_small(*self), f)
    }
}

/// A borrowed text, regardless of how it is stored.
#[derive(Clone, Copy)]
pub enum TextRef<'a> {
    /// A copy of an inline text.
    Inline([u8; Small::CAPACITY], u8),
    /// A reference to a shared text.
    Shared(&'a str),
}

impl TextRef<'_> {
    #[inline]
    pub(super) fn of_small(small: Small) -> TextRef<'static> {
        let [length, bytes @ ..] = small.0.to_le_bytes();
        TextRef::Inline(bytes, length)
    }
}

impl Deref for TextRef<'_> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        match self {
            TextRef::Inline(bytes, length) => {
                str::from_utf8(&bytes[..*length as usize]).expect("a small text was made from a text")
            }
            TextRef::Shared(text) => text,
        }
    }
}

impl fmt::Display for TextRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(small: Small) -> String {
        TextRef::of_small(small).to_string()
    }

    #[test]
    fn a_short_text_comes_back() {
        for text in ["", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "\0", "é€x", "a\0\0"] {
            assert_eq!(text_of(Small::new(text).expect("it is short")), text);
        }
        assert!(Small::new("abcdefgh").is_none());
    }

    #[test]
    fn what_is_joined_is_as_if_made_at_once() {
        let texts = ["", "a", "é", "abc", "\0\0", "abcd", "ab€", "abcdefg"];
        for left in texts {
            for right in texts {
                let (a, b) = (Small::new(left).expect("it is short"), Small::new(right).expect("it is short"));
                assert_eq!(a.joined(b), Small::new(&format!("{left}{right}")), "{left:?} and {right:?}");
            }
        }
    }

    #[test]
    fn ints_are_printed() {
        let ends = [0, 9, 10, 9_999_999, 10_000_000, -1, -9, -10, -999_999, -1_000_000, i64::MAX, i64::MIN];
        for number in ends.into_iter().chain(-2_000..2_000) {
            assert_eq!(Small::of_int(number), Small::new(&number.to_string()), "{number}");
        }
    }
}
