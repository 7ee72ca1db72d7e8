//! A text for the YAML parser that ends where the run must stop.
//!
//! The parser reads a scalar, a comment and a stretch of white space without returning to its caller. It asks its input
//! for every piece, so the input charges the work; when a charge fails, the parser is told that the text ends here, and
//! [`super::read::next`] reports the limit in place of whatever the parser makes of that.

use granit_parser::{BorrowedInput, Input, StrInput};

use crate::limits::work;

/// Bytes that are read in one piece; the deadline is checked between pieces. Tests have many pieces in short texts.
const PIECE: usize = if cfg!(test) { 64 } else { 1 << 16 };
/// Characters that are read one by one between two charges.
const CHARACTERS: u32 = 1 << 12;
/// Number of characters that the parser may ask for in advance, as for [`StrInput`].
const AHEAD: usize = 128;

/// The text, and the position in it.
pub struct PolledInput<'t> {
    text: &'t str,
    rest: &'t str,
    ahead: usize,
    /// Characters until the next charge.
    left: u32,
}

/// A piece of a plain scalar.
struct PlainPiece<'t> {
    text: &'t str,
    characters: usize,
    /// Whether the scalar ends behind it.
    ends: bool,
}

impl<'t> PolledInput<'t> {
    /// Creates an input at the start of a text.
    pub fn new(text: &'t str) -> PolledInput<'t> {
        PolledInput { text, rest: text, ahead: 0, left: CHARACTERS }
    }

    /// Returns an input of the library for what is left.
    #[inline]
    fn front(&self) -> StrInput<'t> {
        StrInput::new(self.rest)
    }

    /// Charges work, and ends the text if it fails.
    #[cold]
    fn charge(&mut self, bytes: usize) {
        self.left = CHARACTERS;
        if work::charge_bytes(bytes).is_err() {
            self.rest = &self.text[self.text.len()..];
        }
    }

    /// Counts characters that are read one by one.
    #[inline]
    fn count(&mut self, characters: usize) {
        match self.left.checked_sub(characters as u32) {
            Some(left) => self.left = left,
            // A character takes as long as a unit of work, which stands for many bytes.
            None => self.charge(64 * CHARACTERS as usize),
        }
    }

    /// Changes the position as the library's input does.
    #[inline]
    fn advance<T>(&mut self, read: impl FnOnce(&mut StrInput<'t>) -> T) -> T {
        let mut front = self.front();
        let done = read(&mut front);
        self.rest = &self.rest[front.byte_offset().unwrap_or(0)..];
        done
    }

    /// Reads a piece of a plain scalar. A piece does not end after a `:`, whose meaning depends on what follows.
    fn read_plain(&mut self, count: usize, in_flow: bool) -> PlainPiece<'t> {
        let (rest, mut end) = (self.rest, self.rest.floor_char_boundary(PIECE));
        if end < rest.len() {
            end = rest[..end].trim_end_matches(':').len();
            if end == 0 {
                // A `:` before another one is part of the scalar.
                let text = &rest[..PIECE - 1];
                self.rest = &rest[PIECE - 1..];
                self.charge(PIECE);
                return PlainPiece { text, characters: text.len(), ends: false };
            }
        }
        let (goes_on, (bytes, characters)) = self.read_piece(end, |piece| {
            let (_, characters) = piece.skip_plain_scalar_chunk(count, in_flow);
            (piece.byte_offset().unwrap_or(0), characters)
        });
        PlainPiece { text: &rest[..bytes], characters, ends: !goes_on }
    }

    /// Reads the next `end` bytes as the library's input does. Returns whether they were read to their end, with more text
    /// behind it, and the result.
    fn read_piece<T>(&mut self, end: usize, read: impl FnOnce(&mut StrInput<'t>) -> T) -> (bool, T) {
        let is_last = end == self.rest.len();
        let mut piece = StrInput::new(&self.rest[..end]);
        let done = read(&mut piece);
        let taken = piece.byte_offset().unwrap_or(0);
        self.rest = &self.rest[taken..];
        if taken > PIECE / 2 {
            self.charge(taken);
        } else {
            self.count(1 + taken / 16);
        }
        (taken == end && !is_last, done)
    }

    /// Reads pieces as long as each is read to its end. Returns the sum of the results.
    fn read_pieces(&mut self, mut read: impl FnMut(&mut StrInput<'t>) -> usize) -> usize {
        let mut sum = 0;
        loop {
            let (goes_on, count) = self.read_piece(self.rest.floor_char_boundary(PIECE), &mut read);
            sum += count;
            if !goes_on {
                return sum;
            }
        }
    }
}

impl Input for PolledInput<'_> {
    #[inline]
    fn lookahead(&mut self, count: usize) {
        self.ahead = self.ahead.max(count);
    }

    #[inline]
    fn buflen(&self) -> usize {
        self.ahead
    }

    #[inline]
    fn bufmaxlen(&self) -> usize {
        AHEAD
    }

    #[inline]
    fn raw_read_ch(&mut self) -> char {
        self.count(1);
        self.advance(Input::raw_read_ch)
    }

    #[inline]
    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        self.count(1);
        self.advance(Input::raw_read_non_breakz_ch)
    }

    #[inline]
    fn skip(&mut self) {
        self.count(1);
        self.advance(Input::skip);
    }

    #[inline]
    fn skip_n(&mut self, count: usize) {
        self.count(count);
        self.advance(|front| front.skip_n(count));
    }

    #[inline]
    fn peek(&self) -> char {
        self.front().peek()
    }

    #[inline]
    fn peek_nth(&self, n: usize) -> char {
        self.front().peek_nth(n)
    }

    #[inline]
    fn byte_offset(&self) -> Option<usize> {
        Some(self.text.len() - self.rest.len())
    }

    #[inline]
    fn slice_bytes(&self, start: usize, end: usize) -> Option<&str> {
        self.text.get(start..end)
    }

    #[inline]
    fn next_is_z(&self) -> bool {
        self.front().next_is_z()
    }

    #[inline]
    fn next_is_document_indicator(&self) -> bool {
        self.front().next_is_document_indicator()
    }

    fn skip_while_non_breakz(&mut self) -> usize {
        self.read_pieces(Input::skip_while_non_breakz)
    }

    fn skip_while_blank(&mut self) -> usize {
        self.read_pieces(Input::skip_while_blank)
    }

    fn fetch_while_is_alpha(&mut self, out: &mut String) -> usize {
        self.read_pieces(|piece| piece.fetch_while_is_alpha(out))
    }

    fn fetch_while_is_yaml_non_space(&mut self, out: &mut String) -> usize {
        self.read_pieces(|piece| piece.fetch_while_is_yaml_non_space(out))
    }

    fn fetch_block_scalar_line(&mut self, out: &mut String) -> usize {
        self.read_pieces(|piece| piece.fetch_block_scalar_line(out))
    }

    fn take_quoted_scalar_chunk(&mut self, single: bool) -> (&str, usize) {
        let before = self.rest;
        let (_, (bytes, characters)) = self.read_piece(before.floor_char_boundary(PIECE), |piece| {
            let (chunk, characters) = piece.take_quoted_scalar_chunk(single);
            (chunk.len(), characters)
        });
        (&before[..bytes], characters)
    }

    fn fetch_plain_scalar_chunk(&mut self, out: &mut String, count: usize, in_flow: bool) -> (bool, usize) {
        let piece = self.read_plain(count, in_flow);
        out.push_str(piece.text);
        (piece.ends, piece.characters)
    }

    fn skip_plain_scalar_chunk(&mut self, count: usize, in_flow: bool) -> (bool, usize) {
        let piece = self.read_plain(count, in_flow);
        (piece.ends, piece.characters)
    }
}

impl<'t> BorrowedInput<'t> for PolledInput<'t> {
    #[inline]
    fn slice_borrowed(&self, start: usize, end: usize) -> Option<&'t str> {
        self.text.get(start..end)
    }
}

#[cfg(test)]
mod tests {
    use granit_parser::{BorrowedInput, Parser, StrInput};

    use super::super::read::options;
    use super::{PIECE, PolledInput};

    /// Returns the events of a text with their places, and the error that ends them.
    fn events<'t>(input: impl BorrowedInput<'t>) -> Vec<String> {
        let mut parser = Parser::with_options(input, options());
        std::iter::from_fn(|| parser.next_event()).map(|event| format!("{event:?}")).collect()
    }

    #[test]
    fn pieces_make_no_difference() {
        let units = [
            "a", "a ", "a:", ":", "::a", "a: ", "é", "éa", " ", "\n", "# a\n", "#a", "'", "''", "\\n", "\"", "...\n",
            "---\n", "- a\n", "a\n", " a\n", "[", ",", "\t", "!a", "&a", "*a", "|\n", "1",
        ];
        for head in ["", "a", "- ", "'", "\"", "|\n ", ">\n ", "#", "[", "!", "a: ", "{a: "] {
            for unit in units {
                // The first piece ends at each place within the unit.
                for shift in 0..unit.len().min(2) {
                    let text = format!("{head}{}{}x", "b".repeat(shift), unit.repeat(4 * PIECE / unit.len()));
                    let (ours, library) = (events(PolledInput::new(&text)), events(StrInput::new(&text)));
                    assert!(ours == library, "`{head}`, {shift} and `{unit}`: {:.200?}", ours.last());
                }
            }
        }
    }
}
