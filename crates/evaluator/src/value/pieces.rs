//! Concatenation of values to a text.

use compact_str::CompactString;

use crate::limits::{LimitHit, space};

use super::small::{Small, TextRef};
use super::{Fallible, Str, Value, print};

/// A text to which pieces are appended. A short one needs no heap memory.
pub enum Pieces {
    /// Up to seven bytes.
    Short(Small),
    /// A text that has exceeded seven bytes.
    Long(CompactString),
}

impl Default for Pieces {
    fn default() -> Pieces {
        Pieces::Short(Small::EMPTY)
    }
}

impl Pieces {
    /// Appends the text that EMIT would print for a value, within the limits.
    pub fn push(&mut self, value: &Value) -> Fallible<()> {
        if let Pieces::Short(text) = self
            && let Some(piece) = print::to_small(value)
            && let Some(joined) = text.joined(piece)
        {
            *text = joined;
            return Ok(());
        }
        print::with_text(value, |piece| self.push_text(piece))
    }

    fn push_text(&mut self, piece: &str) -> Fallible<()> {
        let text = self.long();
        let length = text.len() + piece.len();
        space::check_string(length)?;
        space::check(length)?;
        text.push_str(piece);
        Ok(())
    }

    fn long(&mut self) -> &mut CompactString {
        if let Pieces::Short(text) = self {
            *self = Pieces::Long(CompactString::new(&*TextRef::of_small(*text)));
        }
        match self {
            Pieces::Long(text) => text,
            Pieces::Short(_) => unreachable!("a short text was just made a long one"),
        }
    }

    /// Returns the concatenated text.
    pub fn end(self) -> Result<Str, LimitHit> {
        match self {
            Pieces::Short(text) => space::check_string(text.len()).map(|()| Str::Small(text)),
            Pieces::Long(text) => space::check_string(text.len()).map(|()| Str::from_compact(text)),
        }
    }
}
