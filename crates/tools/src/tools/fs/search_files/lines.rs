//! Collects the matches in one file, with context lines.

use std::collections::VecDeque;
use std::io;
use std::str::Utf8Chunk;

use grep_matcher::Matcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::Match;
use super::matcher::Stopped;

/// Maximum number of characters of a line in results.
pub const MAX_SHOWN: usize = 500;
/// Number of characters kept before the match when a line is truncated.
const LEAD: usize = 100;

/// Bytes that a match takes in addition to its texts, as a struct and then as a map.
const MATCH_BYTES: usize = 512;
/// Bytes that a context line takes in addition to its text.
const LINE_BYTES: usize = 64;

/// The remaining capacity for results.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub matches: usize,
    /// Bytes for results; the search of a file stops when they are exceeded.
    pub bytes: usize,
}

/// The results that a search collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collects {
    /// The lines that match, up to a number.
    Matches { most: usize },
    /// The files with a match. Each is read to its end all the same, since a NUL makes it no text.
    Files,
}

impl Collects {
    /// Returns the number of matches that the next file may add to those that were found.
    pub fn room(self, found: usize) -> usize {
        match self {
            Collects::Matches { most } => most - found,
            Collects::Files => 1,
        }
    }
}

/// The results that are wanted from a file.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub collects: Collects,
    pub context_lines: usize,
    pub room: Room,
}

/// A sink that collects the matching lines of one file and their context.
pub struct Lines<'a, M> {
    matcher: &'a M,
    path: &'a str,
    context_lines: usize,
    room: Room,
    collects: Collects,
    pub matches: Vec<Match>,
    /// Bytes that the matches take.
    pub bytes: usize,
    /// Whether there is a match beyond the capacity.
    pub is_over: bool,
    pub is_binary: bool,
    /// The most recent lines, and the number of the last one.
    recent: VecDeque<String>,
    newest: u64,
}

impl<'a, M> Lines<'a, M> {
    pub fn new(matcher: &'a M, path: &'a str, wanted: Wanted) -> Lines<'a, M> {
        let Wanted { collects, context_lines, room } = wanted;
        Lines {
            matcher,
            path,
            context_lines,
            room,
            collects,
            matches: Vec::new(),
            bytes: 0,
            is_over: false,
            is_binary: false,
            recent: VecDeque::new(),
            newest: 0,
        }
    }

    /// Records a line as possible context of others.
    fn note(&mut self, number: u64, text: impl FnOnce() -> String) {
        if self.context_lines == 0 {
            return;
        }
        if number != self.newest + 1 {
            self.recent.clear();
        }
        self.newest = number;
        let text = text();
        let reach = self.context_lines as u64;
        for earlier in self.matches.iter_mut().rev().take_while(|earlier| number - earlier.line <= reach) {
            self.bytes += LINE_BYTES + 2 * text.len();
            earlier.after.get_or_insert_default().push(text.clone());
        }
        if self.recent.len() == self.context_lines {
            self.recent.pop_front();
        }
        self.recent.push_back(text);
    }

    /// Returns whether more lines can be relevant.
    fn goes_on(&self) -> bool {
        if self.bytes > self.room.bytes {
            return false;
        }
        let waits = |last: &Match| (self.newest - last.line) < self.context_lines as u64;
        !self.is_over || self.context_lines > 0 && self.matches.last().is_some_and(waits)
    }
}

impl<M: Matcher<Error = Stopped>> Sink for Lines<'_, M> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.collects == Collects::Files && !self.matches.is_empty() {
            return Ok(true);
        }
        let line = without_end(found.bytes());
        let number = found.line_number().unwrap_or(0);
        let at = self.matcher.find(line).map_err(io::Error::other)?.map_or(0, |place| place.start());
        let before: Vec<String> =
            if number == self.newest + 1 { self.recent.iter().cloned().collect() } else { Vec::new() };
        self.note(number, || display(line, 0));
        self.is_over |= self.matches.len() == self.room.matches;
        if !self.is_over {
            let text = display(line, at);
            let around: usize = before.iter().map(|line| LINE_BYTES + 2 * line.len()).sum();
            self.bytes += MATCH_BYTES + 2 * (self.path.len() + text.len()) + around;
            self.matches.push(Match {
                path: self.path.to_owned(),
                line: number,
                column: characters(&line[..at]) + 1,
                text,
                before: (self.context_lines > 0).then_some(before),
                after: (self.context_lines > 0).then(Vec::new),
            });
        }
        Ok(self.goes_on())
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.note(around.line_number().unwrap_or(0), || display(without_end(around.bytes()), 0));
        Ok(self.goes_on())
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }
}

/// Returns the number of characters that bytes are shown as.
fn characters(bytes: &[u8]) -> usize {
    let of = |chunk: Utf8Chunk<'_>| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty());
    bytes.utf8_chunks().map(of).sum()
}

/// Returns a line without its LF or CRLF.
pub fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Converts a line to text. A long line is truncated around the byte `at` and marked with `…`.
fn display(line: &[u8], at: usize) -> String {
    if line.len() <= MAX_SHOWN {
        return String::from_utf8_lossy(line).into_owned();
    }
    // A character has at most four bytes, so these bytes suffice for all characters shown.
    let mut from = at.saturating_sub(4 * LEAD);
    while from > 0 && from < line.len() && line[from] & 0xc0 == 0x80 && at - from < 4 * LEAD + 4 {
        from -= 1;
    }
    let before = String::from_utf8_lossy(&line[from..at]);
    let skipped = before.chars().count().saturating_sub(LEAD);
    let to = line.len().min(at + 4 * MAX_SHOWN);
    let after = String::from_utf8_lossy(&line[at..to]);
    let mut all = before.chars().skip(skipped).chain(after.chars());
    let middle: String = all.by_ref().take(MAX_SHOWN).collect();
    let is_cut_before = from > 0 || skipped > 0;
    let is_cut_after = to < line.len() || all.next().is_some();
    format!("{}{middle}{}", if is_cut_before { "…" } else { "" }, if is_cut_after { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::{LEAD, MAX_SHOWN, display};

    #[test]
    fn long_lines_are_cut_around_the_match() {
        assert_eq!(display(b"short", 3), "short");
        assert_eq!(display(b"a\xffb", 0), "a\u{fffd}b");
        let line = "é".repeat(1000);
        let cut = display(line.as_bytes(), 1000);
        assert_eq!(cut, format!("…{}…", "é".repeat(MAX_SHOWN)));
        let (start, end) = (display(line.as_bytes(), 0), display(line.as_bytes(), 1998));
        assert_eq!(start, format!("{}…", "é".repeat(MAX_SHOWN)));
        assert_eq!(end, format!("…{}", "é".repeat(LEAD + 1)));
        assert_eq!(display("é".repeat(400).as_bytes(), 6), "é".repeat(400));
        let invalid = vec![0x80; 5000];
        assert!(display(&invalid, 2500).chars().count() <= MAX_SHOWN + 2);
    }
}
