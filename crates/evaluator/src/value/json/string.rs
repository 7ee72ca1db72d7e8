//! JSON strings: usually copied unchanged; escapes are decoded where there are any.

use crate::limits::space;

use super::super::Str;
use super::parser::{Parsed, Parser};

impl<'t> Parser<'t> {
    /// Parses the text after an opening quote.
    pub fn string(&mut self) -> Parsed<Str> {
        let start = self.at;
        match self.plain(start)? {
            Some(text) => Ok(Str::new(text)),
            None => self.escaped(start),
        }
    }

    /// Parses a key after an opening quote.
    pub fn key_text(&mut self) -> Parsed<Str> {
        let start = self.at;
        match self.plain(start)? {
            Some(text) => Ok(self.keys.find(text)),
            None => self.escaped(start),
        }
    }

    /// Returns the text up to the closing quote, and consumes the quote. Returns `None` at a backslash.
    #[inline]
    fn plain(&mut self, start: usize) -> Parsed<Option<&'t str>> {
        if self.plain_end()? != b'"' {
            return Ok(None);
        }
        let text = &self.text[start..self.at];
        self.at += 1;
        space::check(text.len())?;
        Ok(Some(text))
    }

    /// Advances to the next quote or backslash.
    #[inline]
    fn plain_end(&mut self) -> Parsed<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(byte @ (b'"' | b'\\')) => return Ok(*byte),
                Some(0..0x20) => {
                    return Err(
                        self.fault(self.at, "a control character in a text is written as an escape, such as `\\n`")
                    );
                }
                Some(_) => self.at += 1,
                None => return Err(self.fault(self.at, "a text is not closed")),
            }
        }
    }

    fn escaped(&mut self, start: usize) -> Parsed<Str> {
        let mut text = String::new();
        let mut from = start;
        loop {
            let stop = self.plain_end()?;
            let piece = &self.text[from..self.at];
            if text.len() + piece.len() + 4 > text.capacity() {
                space::check(2 * (text.len() + piece.len() + 4))?;
            }
            text.push_str(piece);
            self.at += 1;
            if stop == b'"' {
                return Ok(Str::from_compact(text.into()));
            }
            text.push(self.escape()?);
            from = self.at;
        }
    }

    /// Parses an escape after its backslash.
    fn escape(&mut self) -> Parsed<char> {
        let at = self.at - 1;
        let Some(letter) = self.bytes.get(self.at) else { return Err(self.fault(self.at, "a text is not closed")) };
        self.at += 1;
        Ok(match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(at),
            _ => return Err(self.fault(at, "there is no such escape")),
        })
    }

    /// Parses `\uXXXX`, or a surrogate pair.
    fn unicode(&mut self, at: usize) -> Parsed<char> {
        let first = self.hex(at)?;
        let code = match first {
            0xD800..0xDC00 if self.bytes[self.at..].starts_with(b"\\u") => {
                self.at += 2;
                match self.hex(at)? {
                    second @ 0xDC00..0xE000 => 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00),
                    _ => first,
                }
            }
            first => first,
        };
        char::from_u32(code).ok_or_else(|| self.fault(at, "half a surrogate pair is no character"))
    }

    fn hex(&mut self, at: usize) -> Parsed<u32> {
        let digits = self.bytes.get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else { return Err(self.fault(at, "`\\u` needs four hexadecimal digits")) };
        self.at += 4;
        Ok(digits.iter().fold(0, |code, digit| code << 4 | char::from(*digit).to_digit(16).unwrap_or(0)))
    }
}
