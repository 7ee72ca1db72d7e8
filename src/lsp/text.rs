//! The text of an open document, with the positions of the protocol.
//!
//! A line ends with `\n`, `\r\n` or `\r`. A position that is not in the text is moved to the nearest one before it: to
//! the end of its line, to the end of the text, or to the beginning of its character.

use std::cell::Cell;

use lsp_types::{Position, PositionEncodingKind, Range};

/// The unit in which the client counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Returns the encoding with a name of the protocol.
    pub fn named(name: &PositionEncodingKind) -> Option<Encoding> {
        match name.as_str() {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        }
    }

    /// Returns its name in the protocol.
    pub fn name(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the number of units of a character.
    fn units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }

    /// Returns the number of units of a text.
    pub fn length(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 | Encoding::Utf32 if text.is_ascii() => text.len(),
            Encoding::Utf16 | Encoding::Utf32 => text.chars().map(|character| self.units(character)).sum(),
        }
    }
}

/// A text that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    /// Offsets at which lines begin.
    line_starts: Vec<u32>,
    /// Number of bytes that are not ASCII; if there are none, columns are bytes.
    wide: usize,
}

impl Text {
    /// Creates a text.
    pub fn new(text: String) -> Text {
        let line_starts = line_starts(text.as_bytes(), 0, text.len()).collect();
        let wide = wide_bytes(&text);
        Text { text, line_starts, wide }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Replaces a range. A range that is backwards is turned around.
    pub fn replace(&mut self, range: Range, new: &str, encoding: Encoding) {
        let (one, other) = (self.offset(range.start, encoding), self.offset(range.end, encoding));
        let (start, end) = (one.min(other), one.max(other));
        self.wide = self.wide + wide_bytes(new) - wide_bytes(&self.text[start..end]);
        self.text.replace_range(start..end, new);
        // Whether a line begins at an offset depends on the bytes before and at it.
        let first = self.line_starts.partition_point(|at| (*at as usize) < start);
        let after = self.line_starts.partition_point(|at| (*at as usize) <= end);
        let changed: Vec<u32> = line_starts(self.text.as_bytes(), start, start + new.len()).collect();
        for at in &mut self.line_starts[after..] {
            *at = (*at as usize - (end - start) + new.len()) as u32;
        }
        self.line_starts.splice(first..after, changed);
    }

    /// Returns the offset of a position.
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let Some(&start) = self.line_starts.get(position.line as usize) else { return self.text.len() };
        let line = self.line(position.line as usize);
        let (start, column) = (start as usize, position.character as usize);
        if self.wide == 0 {
            return start + column.min(line.len());
        }
        if encoding == Encoding::Utf8 {
            return start + line.floor_char_boundary(column.min(line.len()));
        }
        let mut units = 0;
        for (at, character) in line.char_indices() {
            units += encoding.units(character);
            if units > column {
                return start + at;
            }
        }
        start + line.len()
    }

    /// Returns a line without its end.
    fn line(&self, number: usize) -> &str {
        let start = self.line_starts[number] as usize;
        let end = self.line_starts.get(number + 1).map_or(self.text.len(), |next| *next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Returns the conversion of offsets to positions.
    pub fn positions(&self, encoding: Encoding) -> Positions<'_> {
        Positions { text: self, encoding, last: Cell::default() }
    }

    /// Returns the range of the whole text.
    pub fn whole(&self, encoding: Encoding) -> Range {
        self.positions(encoding).range(0, self.text.len())
    }
}

/// Returns the offsets from `from` to `to`, both included, at which a line begins.
fn line_starts(bytes: &[u8], from: usize, to: usize) -> impl Iterator<Item = u32> + '_ {
    let begins = |at: &usize| match at.checked_sub(1).map(|before| bytes[before]) {
        None | Some(b'\n') => true,
        Some(b'\r') => bytes.get(*at) != Some(&b'\n'),
        Some(_) => false,
    };
    (from..=to).filter(begins).map(|at| at as u32)
}

fn wide_bytes(text: &str) -> usize {
    if text.is_ascii() { 0 } else { text.bytes().filter(|byte| !byte.is_ascii()).count() }
}

/// Converts offsets of a text to positions. Ascending offsets take time linear in the text, however long its lines are.
#[derive(Debug)]
pub struct Positions<'t> {
    text: &'t Text,
    encoding: Encoding,
    /// The last offset, and the units before it on its line.
    last: Cell<(usize, usize)>,
}

impl Positions<'_> {
    /// Returns the position of an offset. An offset inside a character is moved to its beginning, one inside a line end
    /// to the end of the line.
    pub fn position(&self, offset: usize) -> Position {
        let text = self.text;
        let offset = text.text.floor_char_boundary(offset.min(text.text.len()));
        let line = text.line_starts.partition_point(|start| *start as usize <= offset) - 1;
        let start = text.line_starts[line] as usize;
        let offset = offset.min(start + text.line(line).len());
        let character = if text.wide == 0 || self.encoding == Encoding::Utf8 {
            offset - start
        } else {
            let (from, units) =
                Some(self.last.get()).filter(|(at, _)| (start..=offset).contains(at)).unwrap_or((start, 0));
            let units = if from == start { 0 } else { units };
            let units = units + self.encoding.length(&text.text[from..offset]);
            self.last.set((offset, units));
            units
        };
        Position { line: line as u32, character: character as u32 }
    }

    /// Returns the range between two offsets.
    pub fn range(&self, start: usize, end: usize) -> Range {
        Range { start: self.position(start), end: self.position(end) }
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};

    use super::{Encoding, Text};

    /// Pieces that texts are made of: every length of a character in each encoding, every line end, and their parts.
    const PIECES: [&str; 16] = [
        "a",
        "Z9",
        "é",
        "ß\u{301}",
        "漢",
        "\u{1F600}",
        "\u{10FFFF}",
        "\n",
        "\r\n",
        "\r",
        "\u{2028}",
        "\u{feff}",
        "\t",
        "\0",
        "",
        "\n\r",
    ];

    /// The text of a client: code units and nothing else. Lines are found anew for every position.
    struct ClientText {
        text: String,
        encoding: Encoding,
    }

    impl ClientText {
        /// Returns the offsets at which lines begin and end.
        fn lines(&self) -> Vec<(usize, usize)> {
            let (mut lines, mut start) = (Vec::new(), 0);
            let bytes = self.text.as_bytes();
            let mut at = 0;
            while at < bytes.len() {
                let length = match (bytes[at], bytes.get(at + 1)) {
                    (b'\r', Some(b'\n')) => 2,
                    (b'\r' | b'\n', _) => 1,
                    _ => 0,
                };
                if length > 0 {
                    lines.push((start, at));
                    start = at + length;
                }
                at += length.max(1);
            }
            lines.push((start, bytes.len()));
            lines
        }

        fn position(&self, offset: usize) -> Position {
            let lines = self.lines();
            let line = lines.iter().rposition(|(start, _)| *start <= offset).expect("the first line starts at 0");
            let (start, end) = lines[line];
            let before = &self.text[start..offset.min(end)];
            let character = match self.encoding {
                Encoding::Utf8 => before.len(),
                Encoding::Utf16 => before.encode_utf16().count(),
                Encoding::Utf32 => before.chars().count(),
            };
            Position { line: line as u32, character: character as u32 }
        }
    }

    /// A small generator of numbers (xorshift).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % end as u64) as usize
        }

        fn text(&mut self, pieces: usize) -> String {
            (0..self.below(pieces + 1)).map(|_| PIECES[self.below(PIECES.len())]).collect()
        }

        /// Returns an offset at which a client can place its cursor: not within a character or a line end.
        fn offset(&mut self, text: &str) -> usize {
            let at = text.floor_char_boundary(self.below(text.len() + 1));
            let is_within = text[..at].ends_with('\r') && text[at..].starts_with('\n');
            if is_within { at - 1 } else { at }
        }
    }

    /// 5,000 edits, a million with `NS_LONG=1`.
    #[test]
    fn after_any_edits_the_text_is_that_of_the_client() {
        let edits = if std::env::var_os("NS_LONG").is_some() { 1_000_000 } else { 5_000 };
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
        let mut done = 0;
        while done < edits {
            let encoding = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32][numbers.below(3)];
            let mut client = ClientText { text: numbers.text(40), encoding };
            let mut server = Text::new(client.text.clone());
            for _ in 0..100 {
                let (one, other) = (numbers.offset(&client.text), numbers.offset(&client.text));
                let (start, end) = (one.min(other), one.max(other));
                // Most edits are short, as typed ones are.
                let end =
                    if numbers.below(4) > 0 { client.text.floor_char_boundary((start + 3).min(end)) } else { end };
                let end = if client.text[..end].ends_with('\r') && client.text[end..].starts_with('\n') {
                    end + 1
                } else {
                    end
                };
                let new = numbers.text(6);
                let range = Range { start: client.position(start), end: client.position(end) };
                client.text.replace_range(start..end, &new);
                server.replace(range, &new, encoding);
                assert_eq!(server.as_str(), client.text, "{encoding:?}");
                // Its index is that of a new text, too.
                assert_eq!(server, Text::new(client.text.clone()), "{encoding:?}");
                let at = numbers.offset(&client.text);
                let position = server.positions(encoding).position(at);
                assert_eq!(position, client.position(at), "{:?} {at}", client.text);
                assert_eq!(server.offset(position, encoding), at, "{:?}", client.text);
                done += 1;
            }
        }
    }

    #[test]
    fn positions_outside_of_the_text_are_moved_into_it() {
        let text = Text::new("a\u{1F600}b\r\nc".to_owned());
        let offset = |line, character| text.offset(Position { line, character }, Encoding::Utf16);
        assert_eq!([offset(0, 1), offset(0, 2), offset(0, 3), offset(0, 4)], [1, 1, 5, 6]);
        assert_eq!([offset(0, 99), offset(1, 1), offset(1, 99), offset(2, 0), offset(u32::MAX, 0)], [6, 9, 9, 9, 9]);
        let mut text = text;
        // A range that is backwards is turned around.
        let range = Range { start: Position { line: 1, character: 9 }, end: Position { line: 0, character: 3 } };
        text.replace(range, "é", Encoding::Utf16);
        assert_eq!(text.as_str(), "a\u{1F600}é");
    }

    #[test]
    fn positions_in_one_long_line_are_found_one_after_the_other() {
        let text = Text::new("é\u{1F600}".repeat(200_000));
        let positions = text.positions(Encoding::Utf16);
        for number in 0..200_000 {
            assert_eq!(positions.position(number * 6).character as usize, number * 3);
        }
        assert_eq!(positions.position(6).character, 3);
    }
}
