//! Finds a quote of a CSV text that is never closed, which the reader would treat as closed at the end of the text.

use crate::text::{Position, position_in};

/// The state of the quotes of a text that is read piece by piece.
pub struct Quotes {
    separator: u8,
    /// The quote that is open.
    opened: Option<Position>,
    /// The byte before the next piece; `None` at the start of the text.
    before: Option<u8>,
    /// Where the next piece begins.
    next: Position,
}

impl Quotes {
    /// Begins a text.
    pub fn new(separator: u8) -> Quotes {
        Quotes { separator, opened: None, before: None, next: Position { line: 1, column: 1 } }
    }

    /// Follows the quotes of the next piece.
    pub fn read(&mut self, piece: &str) {
        let bytes = piece.as_bytes();
        let mut opened_here = None;
        let mut is_open = self.opened.is_some();
        for at in memchr::memchr_iter(b'"', bytes) {
            let before = if at == 0 { self.before } else { Some(bytes[at - 1]) };
            is_open = !is_open && before.is_none_or(|byte| self.precedes_quote(byte));
            opened_here = is_open.then_some(at);
            self.opened = None;
        }
        if let Some(at) = opened_here {
            self.opened = Some(self.position(piece, at));
        }
        self.next = self.position(piece, piece.len());
        self.before = bytes.last().copied().or(self.before);
    }

    /// Returns whether a quote after this byte opens a field, or opens it again, since a doubled quote closes it first.
    fn precedes_quote(&self, byte: u8) -> bool {
        byte == self.separator || matches!(byte, b'\n' | b'\r' | b'"')
    }

    /// Returns the position in the text of a byte of a piece.
    fn position(&self, piece: &str, at: usize) -> Position {
        match position_in(piece, at) {
            Position { line: 1, column } => Position { line: self.next.line, column: self.next.column + column - 1 },
            Position { line, column } => Position { line: self.next.line + line - 1, column },
        }
    }

    /// Returns the quote that is open.
    pub fn open(&self) -> Option<Position> {
        self.opened
    }
}
