//! The shift state of ISO-2022-JP, in which escape sequences choose the set of characters that the next bytes stand for.
//!
//! Decoding can begin at the start of a line if the state there is known.

use encoding_rs::ISO_2022_JP;

use super::Charset;

/// A set of characters of one byte, in which a line can end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shift {
    /// ASCII, as at the beginning of a text, and the only set in other encodings.
    #[default]
    Ascii,
    /// JIS X 0201 Roman: ASCII, except for two characters.
    Roman,
}

impl Shift {
    /// Returns bytes after which a new decoder is in this state, as it is after a character.
    pub fn lead_in(self) -> &'static [u8] {
        match self {
            Shift::Ascii => b"",
            Shift::Roman => b"\x1b(Ja",
        }
    }
}

/// Follows the state through the pieces of a text.
#[derive(Debug, Default)]
pub struct ShiftTracker {
    /// Whether the encoding has escape sequences.
    is_shifting: bool,
    /// The state where the last piece began; `None` for a set in which no line ends.
    before: Option<Shift>,
    after: Option<Shift>,
    /// The last two bytes: the beginning of an escape sequence may be at the end of a piece.
    tail: Vec<u8>,
}

impl ShiftTracker {
    /// Creates a tracker for a text that begins in this state.
    pub fn new(charset: Charset, start: Shift) -> ShiftTracker {
        let is_shifting = charset == Charset::Named(ISO_2022_JP);
        ShiftTracker { is_shifting, before: Some(start), after: Some(start), tail: Vec::new() }
    }

    /// Follows the next piece.
    pub fn advance(&mut self, piece: &[u8]) {
        if !self.is_shifting {
            return;
        }
        let mut around = std::mem::take(&mut self.tail);
        around.extend_from_slice(&piece[..piece.len().min(2)]);
        self.before = last_escape(&around).unwrap_or(self.after);
        self.after = last_escape(piece).unwrap_or(self.before);
        let end = if piece.len() < 2 { &around } else { piece };
        self.tail = end[end.len().saturating_sub(2)..].to_vec();
    }

    /// Returns the state at a position in the last piece; `None` if no line can end there.
    pub fn at(&self, piece: &[u8], position: usize) -> Option<Shift> {
        if self.is_shifting { last_escape(&piece[..position]).unwrap_or(self.before) } else { Some(Shift::Ascii) }
    }
}

/// Returns the state after the last escape sequence in some bytes, if there is one.
fn last_escape(bytes: &[u8]) -> Option<Option<Shift>> {
    let mut end = bytes.len();
    while let Some(at) = memchr::memrchr(0x1b, &bytes[..end]) {
        match bytes.get(at + 1..at + 3) {
            Some(b"(B") => return Some(Some(Shift::Ascii)),
            Some(b"(J") => return Some(Some(Shift::Roman)),
            Some(b"(I" | b"$@" | b"$B") => return Some(None),
            _ => end = at,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use encoding_rs::ISO_2022_JP;

    use super::{Charset, Shift, ShiftTracker};

    /// However a text is cut into pieces, the state at each place is that of the whole, and a decoder that begins there
    /// decodes the rest as one that began at the start.
    #[test]
    fn decoding_begins_at_any_line() {
        let text: &[u8] =
            b"a\n\x1b(J\\~\nb\x1b$B$\"\x1b(B\nc\x1b(J\n\x1b(J~\n\x1b(I1\n\x1b\x1b(B\n\x1b$B\n\x1b(\x1b(B\nz~\\";
        let decode = |bytes: &[u8]| ISO_2022_JP.decode_without_bom_handling(bytes).0.into_owned();
        for size in 1..=text.len() {
            let mut tracker = ShiftTracker::new(Charset::Named(ISO_2022_JP), Shift::Ascii);
            let mut starts = 0;
            for (number, piece) in text.chunks(size).enumerate() {
                tracker.advance(piece);
                for at in (0..piece.len()).filter(|at| piece[*at] == b'\n') {
                    let Some(shift) = tracker.at(piece, at) else { continue };
                    let begin = number * size + at + 1;
                    let whole = decode(text);
                    let rest = decode(&[shift.lead_in(), &text[begin..]].concat());
                    let rest = rest.strip_prefix('a').filter(|_| shift == Shift::Roman).unwrap_or(&rest);
                    assert!(whole.ends_with(&format!("\n{rest}")), "pieces of {size}, from {begin}: {rest:?}");
                    starts += 1;
                }
            }
            assert_eq!(starts, 7, "pieces of {size}");
        }
    }
}
