//! Byte ranges in source texts.
//!
//! Spans know nothing about lines; [`super::Sources`] turns them into positions for display.

/// A half-open range of bytes, `start..end`, in the offset space of [`super::Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates a span from two byte offsets; `end` must not be before `start`.
    pub fn new(start: usize, end: usize) -> Span {
        debug_assert!(start <= end);
        Span { start: start as u32, end: end as u32 }
    }

    /// Creates the empty span at an offset.
    pub fn at(offset: usize) -> Span {
        Span::new(offset, offset)
    }

    /// Returns the smallest span that contains both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the span moved `by` bytes to the right.
    pub fn shifted(self, by: usize) -> Span {
        Span { start: self.start + by as u32, end: self.end + by as u32 }
    }
}
