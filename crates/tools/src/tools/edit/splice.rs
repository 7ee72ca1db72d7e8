//! Replacements of ranges in a text.

use std::ops::Range;

use crate::gate::Context;
use crate::limits::{LimitHit, MemoryCharge, MeteredVec, work};
use crate::toolkit::ToolError;
use crate::value::Str;

use super::super::build::TextBuilder;

/// Ranges of a text and the texts that replace them.
#[derive(Default)]
pub struct Splices {
    list: MeteredVec<Splice>,
    held: MemoryCharge,
}

struct Splice {
    range: Range<usize>,
    text: String,
}

impl Splices {
    /// Replaces a range with a text.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) -> Result<(), LimitHit> {
        let text = text.into();
        self.held.grow(text.len())?;
        self.list.push(Splice { range, text })
    }

    /// Inserts a text before a byte, after earlier insertions at the same position.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) -> Result<(), LimitHit> {
        self.replace(at..at, text)
    }

    /// Deletes a range.
    pub fn delete(&mut self, range: Range<usize>) -> Result<(), LimitHit> {
        self.replace(range, "")
    }

    /// Returns the text with all replacements applied.
    pub fn apply(mut self, context: &mut Context<'_>, text: &str) -> Result<Str, ToolError> {
        self.list.as_mut_slice().sort_by_key(|splice| splice.range.start);
        let more: usize = self.list.as_slice().iter().map(|splice| splice.text.len()).sum();
        let mut made = TextBuilder::with_room(text.len() + more)?;
        let mut from = 0;
        for splice in self.list.as_slice() {
            work::charge(1)?;
            // Overlapping ranges are both deleted.
            made.push(&text[from..splice.range.start.max(from)])?;
            made.push(&splice.text)?;
            from = splice.range.end.max(from);
        }
        made.push(&text[from..])?;
        made.finish(context)
    }
}
