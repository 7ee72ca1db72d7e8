//! Comments beside statements: those that stood in one column still do.

use super::lexemes::line_breaks;
use crate::text::{Source, Span};

/// Columns between a statement and the comment beside it.
const APART: usize = 2;

/// A comment that stands beside a statement, or below such a comment in its column.
#[derive(Debug)]
pub struct Beside<'a> {
    /// What it says.
    text: &'a str,
    span: Span,
    /// Its column in the source.
    written: usize,
    /// Where in the output it belongs.
    pub at: usize,
    /// Columns of the line before it.
    pub code: usize,
    /// Whether its line in the output has the line before it as neighbour.
    pub adjoins: bool,
}

impl<'a> Beside<'a> {
    /// A comment of the source, which will stand at `at` in the output behind `code` columns.
    pub fn new(source: &'a Source, span: Span, (at, code): (usize, usize), adjoins: bool) -> Beside<'a> {
        Beside { text: source.slice(span).trim_end(), span, written: column(source, span), at, code, adjoins }
    }

    /// Whether it stands in the line right below another, in the same column.
    pub fn continues(&self, source: &Source, above: &Beside<'_>) -> bool {
        self.adjoins && self.written == above.written && line_breaks(source, above.span.end, self.span.start) == 1
    }
}

/// Columns before a place in its line.
pub fn column(source: &Source, span: Span) -> usize {
    let (start, _) = source.local(span);
    let (line, line_start) = source.line(source.line_of(start));
    line[..start - line_start].chars().count()
}

/// Puts comments into the output, those of one column below each other.
pub fn put(out: &str, comments: &[Beside<'_>], source: &Source) -> String {
    let mut page =
        String::with_capacity(out.len() + comments.iter().map(|comment| comment.text.len() + 8).sum::<usize>());
    let mut done = 0;
    let mut rest = comments;
    while let Some(first) = rest.first() {
        let same = rest.windows(2).take_while(|pair| pair[1].continues(source, &pair[0])).count() + 1;
        let (column, rows) = rest.split_at(same);
        let code = column.iter().map(|comment| comment.code).max().unwrap_or(first.code);
        for comment in column {
            page.push_str(&out[done..comment.at]);
            page.extend(std::iter::repeat_n(' ', code - comment.code + APART));
            page.push_str(comment.text);
            done = comment.at;
        }
        rest = rows;
    }
    page.push_str(&out[done..]);
    page
}
