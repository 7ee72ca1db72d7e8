//! Source texts and positions in them.
//!
//! Each source of a run has its own range in one offset space, so that a [`Span`] alone identifies its source. Texts
//! are immutable.

use std::rc::Rc;

use super::span::Span;

/// A source text: a script file, a `-e` argument, a line of the REPL.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    base: usize,
    line_starts: Vec<u32>,
    is_module: bool,
}

/// The position of a byte offset, for display: line and column count from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Source {
    /// Returns the name for messages: a path as the user gave it, `<stdin>`, `<-e>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether this is the text of a module.
    pub fn is_module(&self) -> bool {
        self.is_module
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the span of the whole text.
    pub fn span(&self) -> Span {
        Span::new(self.base, self.base + self.text.len())
    }

    /// Returns the offset at which spans of this source begin.
    pub fn base(&self) -> usize {
        self.base
    }

    /// Returns the text in a span of this source.
    pub fn slice(&self, span: Span) -> &str {
        let (start, end) = self.local(span);
        &self.text[start..end]
    }

    /// Converts a span to byte offsets in this text, clamped to its length and to character boundaries.
    pub fn local(&self, span: Span) -> (usize, usize) {
        let clamp = |offset: u32| {
            let at = (offset as usize).saturating_sub(self.base).min(self.text.len());
            self.text.floor_char_boundary(at)
        };
        (clamp(span.start), clamp(span.end))
    }

    /// Returns the line, from 1, of a byte offset in this text.
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start as usize <= offset)
    }

    /// Returns the position of a span's start.
    pub fn position(&self, span: Span) -> Position {
        let (start, _) = self.local(span);
        self.position_at(start)
    }

    /// Returns the position of a span's end.
    pub fn end_position(&self, span: Span) -> Position {
        let (_, end) = self.local(span);
        self.position_at(end)
    }

    /// Returns the position of a span's start, with the column in UTF-16 code units, as editors and code hosts count.
    pub fn position_utf16(&self, span: Span) -> Position {
        self.in_utf16(self.local(span).0)
    }

    /// Returns the position of a span's end, with the column in UTF-16 code units.
    pub fn end_position_utf16(&self, span: Span) -> Position {
        self.in_utf16(self.local(span).1)
    }

    fn in_utf16(&self, offset: usize) -> Position {
        let (line, start) = self.line_start(offset);
        Position { line, column: self.text[start..offset].encode_utf16().count() + 1 }
    }

    /// Returns a line (from 1) without its line end, and the offset of its first byte.
    pub fn line(&self, line: usize) -> (&str, usize) {
        let start = self.line_starts[line - 1] as usize;
        let end = self.line_starts.get(line).map_or(self.text.len(), |&next| next as usize);
        (self.text[start..end].trim_end_matches(['\n', '\r']), start)
    }

    /// Extends a span to whole lines, including the line end of the last one.
    pub fn lines_of(&self, span: Span) -> Span {
        let (start, end) = self.local(span);
        let first = self.line_starts[self.line_of(start) - 1] as usize;
        let after = self.line_starts.get(self.line_of(end)).map_or(self.text.len(), |next| *next as usize);
        Span::new(self.base + first, self.base + after)
    }

    fn position_at(&self, offset: usize) -> Position {
        let (line, start) = self.line_start(offset);
        Position { line, column: self.text[start..offset].chars().count() + 1 }
    }

    /// Returns the line of an offset, and the offset of its first column.
    fn line_start(&self, offset: usize) -> (usize, usize) {
        let line = self.line_of(offset);
        let start = self.line_starts[line - 1] as usize;
        // A byte order mark does not count as a column.
        let skipped =
            if line == 1 { self.text.strip_prefix('\u{feff}').map_or(0, |_| '\u{feff}'.len_utf8()) } else { 0 };
        (line, (start + skipped).min(offset))
    }
}

/// Returns the position of a byte in a text that is not a source, such as data that is read once.
pub fn position_in(text: &str, byte: usize) -> Position {
    let before = text.get(..byte).unwrap_or(text);
    Position {
        line: memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1,
        column: before.rsplit('\n').next().unwrap_or(before).chars().count() + 1,
    }
}

/// All source texts of a run or a session.
///
/// A clone shares the texts.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    sources: Vec<Rc<Source>>,
}

impl Sources {
    /// Creates an empty collection.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a text and assigns it a range of offsets.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> &Source {
        self.add_text(name.into(), text.into(), false)
    }

    /// Adds the text of a module.
    pub fn add_module(&mut self, name: impl Into<String>, text: impl Into<String>) -> &Source {
        self.add_text(name.into(), text.into(), true)
    }

    /// Returns all texts, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().map(|source| &**source)
    }

    fn add_text(&mut self, name: String, text: String, is_module: bool) -> &Source {
        let base = self.sources.last().map_or(0, |last| last.base + last.text.len() + 1);
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        self.sources.push(Rc::new(Source { name, text, base, line_starts, is_module }));
        self.sources.last().expect("a source was just pushed")
    }

    /// Returns the source in which a span begins, if there is one.
    pub fn of(&self, span: Span) -> Option<&Source> {
        let after = self.sources.partition_point(|source| source.base <= span.start as usize);
        self.sources.get(after.checked_sub(1)?).map(|source| &**source)
    }

    /// Returns the newest source.
    pub fn last(&self) -> Option<&Source> {
        self.sources.last().map(|source| &**source)
    }
}
