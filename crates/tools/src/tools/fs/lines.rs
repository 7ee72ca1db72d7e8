//! Extracts a range of lines from a text that arrives in pieces.

use crate::limits::LimitHit;

use super::super::build::TextBuilder;

/// Collects at most `most` lines after the first `skip`. Lines end in LF, CRLF or CR, and keep their ends.
pub struct Lines {
    skip: usize,
    most: usize,
    /// Number of lines that have ended so far.
    ended: usize,
    /// Whether the previous piece ended in a CR, which an LF may follow.
    after_cr: bool,
    /// Whether characters followed the last line end.
    in_line: bool,
    text: TextBuilder,
}

impl Lines {
    /// Creates a collector; `most` is 0 for no limit.
    pub fn new(skip: usize, most: usize) -> Lines {
        let most = if most == 0 { usize::MAX } else { most };
        Lines { skip, most, ended: 0, after_cr: false, in_line: false, text: TextBuilder::default() }
    }

    /// Returns whether the line with the given index is in the range.
    fn is_wanted(&self, line: usize) -> bool {
        line >= self.skip && line - self.skip < self.most
    }

    /// Processes a piece. Returns whether more input can be relevant.
    pub fn take(&mut self, mut piece: &str) -> Result<bool, LimitHit> {
        if piece.is_empty() {
            return Ok(true);
        }
        if std::mem::take(&mut self.after_cr)
            && let Some(rest) = piece.strip_prefix('\n')
        {
            if self.is_wanted(self.ended - 1) {
                self.text.push("\n")?;
            }
            piece = rest;
        }
        let end = self.skip.saturating_add(self.most);
        // The requested part of a piece is contiguous.
        let (mut from, mut to) = (None, 0);
        let mut at = 0;
        while at < piece.len() && self.ended < end {
            if self.ended >= self.skip {
                from.get_or_insert(at);
            }
            let length = line_length(&piece[at..]);
            let ends = piece[at..at + length].ends_with(['\n', '\r']);
            at += length;
            to = at;
            self.ended += usize::from(ends);
            self.in_line = !ends;
            self.after_cr = at == piece.len() && piece.ends_with('\r');
        }
        if let Some(from) = from {
            self.text.push(&piece[from..to])?;
        }
        if at < piece.len() {
            return Ok(false);
        }
        // A CR at the end of the range may still be followed by its LF.
        Ok(self.after_cr || self.ended < self.skip.saturating_add(self.most))
    }

    /// Returns the number of lines that have ended so far.
    pub fn ended(&self) -> usize {
        self.ended
    }

    /// Returns the collected lines and their number.
    pub fn finish(self) -> (String, usize) {
        let partial = usize::from(self.in_line && self.is_wanted(self.ended));
        let count = self.ended.saturating_sub(self.skip).min(self.most) + partial;
        let (mut text, _) = self.text.into_held();
        text.shrink_to_fit();
        (text, count)
    }
}

/// Returns the length of the first line in bytes, including its LF, CRLF or CR.
pub fn line_length(text: &str) -> usize {
    match memchr::memchr2(b'\n', b'\r', text.as_bytes()) {
        None => text.len(),
        Some(at) if text[at..].starts_with("\r\n") => at + 2,
        Some(at) => at + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    /// Extracts lines from a text in pieces of `size` characters.
    fn cut(text: &str, size: usize, skip: usize, most: usize) -> (String, usize) {
        let chars: Vec<char> = text.chars().collect();
        let mut lines = Lines::new(skip, most);
        for piece in chars.chunks(size) {
            if !lines.take(&piece.iter().collect::<String>()).expect("no limit is near") {
                break;
            }
        }
        lines.finish()
    }

    #[test]
    fn lines_do_not_depend_on_the_pieces() {
        let text = "one\ntwo\r\nthree\rfour\n\r\n\rsix";
        for size in 1..=text.len() {
            assert_eq!(cut(text, size, 0, 0), (text.to_owned(), 7), "pieces of {size}");
            assert_eq!(cut(text, size, 1, 2), ("two\r\nthree\r".to_owned(), 2), "pieces of {size}");
            assert_eq!(cut(text, size, 1, 1), ("two\r\n".to_owned(), 1), "pieces of {size}");
            assert_eq!(cut(text, size, 4, 9), ("\r\n\rsix".to_owned(), 3), "pieces of {size}");
            assert_eq!(cut(text, size, 9, 1), (String::new(), 0), "pieces of {size}");
        }
        assert_eq!(cut("a\n", 2, 0, 0), ("a\n".to_owned(), 1));
        assert_eq!(cut("", 1, 0, 0), (String::new(), 0));
    }
}
