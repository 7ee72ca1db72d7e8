//! A range of bytes in the text of a source.
//!
//! Spans know nothing of lines; [`super::Sources`] turns them into places that people read.

/// A half-open range of bytes, `start..end`, in the space that [`super::Sources`] hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// A span from two byte offsets; `end` is not before `start`.
    pub fn new(start: usize, end: usize) -> Span {
        debug_assert!(start <= end);
        Span { start: start as u32, end: end as u32 }
    }

    /// The empty span at one offset.
    pub fn at(offset: usize) -> Span {
        Span::new(offset, offset)
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether no byte lies in it.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span moved `by` bytes to the right.
    pub fn shifted(self, by: usize) -> Span {
        Span { start: self.start + by as u32, end: self.end + by as u32 }
    }
}
