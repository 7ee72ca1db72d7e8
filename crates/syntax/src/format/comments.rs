//! Comments beside statements: aligned comments stay aligned.

use super::lexemes::line_breaks;
use crate::text::{Source, Span};

/// Number of columns between a statement and its trailing comment.
const APART: usize = 2;

/// The end of a printed line, where a comment may follow.
#[derive(Clone, Copy, Debug)]
pub struct LineEnd {
    /// Its byte offset in the output.
    pub at: usize,
    /// Number of columns of code before it.
    pub code: usize,
    /// Whether the code takes a single line that directly follows the previous output line.
    pub adjoins: bool,
}

/// A comment beside a statement, or below another one in the same column.
#[derive(Debug)]
pub struct TrailingComment<'a> {
    /// The text of the comment.
    text: &'a str,
    span: Span,
    /// Its column in the source.
    written: usize,
    /// The place where it is printed.
    pub after: LineEnd,
}

impl<'a> TrailingComment<'a> {
    /// Creates a comment that is printed at the end of a line.
    pub fn new(source: &'a Source, span: Span, after: LineEnd) -> TrailingComment<'a> {
        TrailingComment { text: source.slice(span).trim_end(), span, written: column(source, span), after }
    }

    /// Returns whether the comment is on the line directly below another, in the same column.
    pub fn continues(&self, source: &Source, above: &TrailingComment<'_>) -> bool {
        self.after.adjoins && self.written == above.written && line_breaks(source, above.span.end, self.span.start) == 1
    }
}

/// Returns the number of columns before a position in its line.
pub fn column(source: &Source, span: Span) -> usize {
    let (start, _) = source.local(span);
    let (line, line_start) = source.line(source.line_of(start));
    line[..start - line_start].chars().count()
}

/// Inserts the comments into the output, aligning those of one column.
pub fn put(out: &str, comments: &[TrailingComment<'_>], source: &Source) -> String {
    let mut page =
        String::with_capacity(out.len() + comments.iter().map(|comment| comment.text.len() + 8).sum::<usize>());
    let mut done = 0;
    let mut rest = comments;
    while let Some(first) = rest.first() {
        let same = rest.windows(2).take_while(|pair| pair[1].continues(source, &pair[0])).count() + 1;
        let (column, rows) = rest.split_at(same);
        let code = column.iter().map(|comment| comment.after.code).max().unwrap_or(first.after.code);
        for comment in column {
            page.push_str(&out[done..comment.after.at]);
            page.extend(std::iter::repeat_n(' ', code - comment.after.code + APART));
            page.push_str(comment.text);
            done = comment.after.at;
        }
        rest = rows;
    }
    page.push_str(&out[done..]);
    page
}
