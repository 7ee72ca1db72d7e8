//! Keeps the last lines of a text that arrives in pieces, and no more of it than about twice their length.

use std::collections::VecDeque;

use crate::limits::{LimitHit, space};

use super::lines::line_length;

/// Collects the last `most` lines. Lines end in LF, CRLF or CR, and keep their ends.
pub struct LastLines {
    most: usize,
    /// The lines that are kept, after some that are not.
    text: String,
    /// Where each of the kept lines begins in the text.
    starts: VecDeque<usize>,
    /// Number of lines that have begun so far.
    begun: usize,
    /// Whether the next character begins a line.
    at_start: bool,
    /// Whether the previous piece ended in a CR, which an LF may follow.
    after_cr: bool,
}

/// Bytes of lines that are no longer wanted at which they are removed.
const REST: usize = 1 << 16;

impl LastLines {
    /// Creates a collector.
    pub fn new(most: usize) -> LastLines {
        LastLines { most, text: String::new(), starts: VecDeque::new(), begun: 0, at_start: true, after_cr: false }
    }

    /// Processes a piece.
    pub fn take(&mut self, mut piece: &str) -> Result<(), LimitHit> {
        if std::mem::take(&mut self.after_cr)
            && let Some(rest) = piece.strip_prefix('\n')
        {
            self.push("\n")?;
            piece = rest;
        }
        while !piece.is_empty() {
            let (line, rest) = piece.split_at(line_length(piece));
            if self.at_start {
                self.begin()?;
            }
            self.push(line)?;
            self.at_start = line.ends_with(['\n', '\r']);
            self.after_cr = rest.is_empty() && line.ends_with('\r');
            piece = rest;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<(), LimitHit> {
        space::check((self.starts.len() + 1).saturating_mul(size_of::<usize>()))?;
        self.begun += 1;
        self.starts.push_back(self.text.len());
        if self.starts.len() > self.most {
            self.starts.pop_front();
        }
        let unwanted = self.starts.front().copied().unwrap_or(self.text.len());
        if unwanted > REST.max(self.text.len() / 2) {
            self.text.drain(..unwanted);
            self.starts.iter_mut().for_each(|start| *start -= unwanted);
        }
        Ok(())
    }

    fn push(&mut self, part: &str) -> Result<(), LimitHit> {
        let length = self.text.len() + part.len();
        if length > self.text.capacity() {
            space::check(length.saturating_mul(2))?;
        }
        self.text.push_str(part);
        space::check_string(length - self.starts.front().copied().unwrap_or(0))
    }

    /// Returns the collected lines, their number, and the number of lines before them.
    pub fn finish(mut self) -> (String, usize, usize) {
        self.text.drain(..self.starts.front().copied().unwrap_or(0));
        self.text.shrink_to_fit();
        (self.text, self.starts.len(), self.begun - self.starts.len())
    }
}

#[cfg(test)]
mod tests {
    use super::LastLines;

    #[test]
    fn lines_do_not_depend_on_the_pieces() {
        let lines = ["one\n", "two\r\n", "three\r", "four\n", "\r\n", "\r", "six"];
        let text = lines.concat();
        let chars: Vec<char> = text.chars().collect();
        for size in 1..=text.len() {
            for most in 1..=lines.len() + 1 {
                let mut last = LastLines::new(most);
                for piece in chars.chunks(size) {
                    last.take(&piece.iter().collect::<String>()).expect("no limit is near");
                }
                let before = lines.len().saturating_sub(most);
                let expected = (lines[before..].concat(), lines.len() - before, before);
                assert_eq!(last.finish(), expected, "the last {most}, in pieces of {size}");
            }
        }
    }

    #[test]
    fn old_lines_are_not_kept() {
        let mut last = LastLines::new(2);
        for number in 0..100_000 {
            last.take(&format!("line {number}\n")).expect("no limit is near");
            assert!(last.text.len() < 3 * super::REST, "{} bytes are kept", last.text.len());
        }
        assert_eq!(last.finish(), ("line 99998\nline 99999\n".to_owned(), 2, 99_998));
    }
}
