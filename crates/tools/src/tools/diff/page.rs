//! Writes the unified format.

use std::fmt::Write as _;
use std::ops::Range;

use crate::limits::{LimitHit, Watch, space};
use crate::text::safe;

use super::window::{Change, Window};
use super::{Diff, Sides};

/// Groups changes whose context lines touch or overlap.
pub fn hunks(changes: &[Change], context_lines: usize) -> impl Iterator<Item = &[Change]> {
    let near = context_lines.saturating_mul(2);
    changes.chunk_by(move |one, next| next.old.start - one.old.end <= near)
}

/// The lines of a text, in order.
pub struct LinesAt<'a> {
    lines: std::str::SplitInclusive<'a, char>,
    at: usize,
}

impl<'a> LinesAt<'a> {
    /// Starts at the first line.
    pub fn new(text: &'a str) -> LinesAt<'a> {
        LinesAt { lines: text.split_inclusive('\n'), at: 0 }
    }

    /// Returns the next line if its number is below `end`.
    fn next_before(&mut self, end: usize) -> Option<&'a str> {
        if self.at >= end {
            return None;
        }
        self.at += 1;
        self.lines.next()
    }

    fn skip_to(&mut self, line: usize) {
        while self.next_before(line).is_some() {}
    }
}

/// Quotes a name as git does: in quotation marks, with octal escapes for the bytes of all but printable ASCII.
fn quoted(name: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b'\n' => quoted.push_str("\\n"),
            b'\t' => quoted.push_str("\\t"),
            b'\r' => quoted.push_str("\\r"),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => write!(quoted, "\\{byte:03o}").expect("a text takes all that is written"),
        }
    }
    quoted.push('"');
    quoted
}

/// The unified format under construction.
pub struct Page<'a> {
    diff: Diff,
    watch: &'a Watch,
}

impl<'a> Page<'a> {
    /// Creates an empty page.
    pub fn new(watch: &'a Watch) -> Page<'a> {
        Page { diff: Diff::default(), watch }
    }

    /// Returns the difference.
    pub fn finish(self) -> Diff {
        self.diff
    }

    /// Adds a text.
    pub fn push(&mut self, text: &str) -> Result<(), LimitHit> {
        let page = &mut self.diff.text;
        let length = page.len() + text.len();
        space::check_string(length)?;
        if length > page.capacity() {
            self.watch.poll()?;
            space::check(2 * length)?;
        }
        page.push_str(text);
        Ok(())
    }

    /// Writes a file name. A name with spaces is followed by a tab, which marks its end for patch programs. A name with
    /// characters that are not shown is quoted as by git, so that it makes no lines of its own.
    pub fn name(&mut self, name: &str) -> Result<(), LimitHit> {
        if safe::hidden(name).is_some() {
            self.push(&quoted(name))?;
            return self.push("\n");
        }
        self.push(name)?;
        self.push(if name.contains(' ') { "\t\n" } else { "\n" })
    }

    /// Writes a hunk: its header, and its lines with their signs.
    pub fn hunk(
        &mut self,
        changes: &[Change],
        lines: &mut Sides<LinesAt<'_>>,
        window: &Window<'_>,
        context_lines: usize,
    ) -> Result<(), LimitHit> {
        let (first, last) = (&changes[0], &changes[changes.len() - 1]);
        let above = first.old.start.min(context_lines);
        let below = (window.old_lines() - last.old.end).min(context_lines);
        let old = first.old.start - above..last.old.end + below;
        let new = first.new.start - above..last.new.end + below;
        let mut head = String::with_capacity(48);
        let (old_range, new_range) = (display(&old, window.before), display(&new, window.before));
        writeln!(head, "@@ -{old_range} +{new_range} @@").expect("a text takes all that is written");
        self.push(&head)?;
        lines.old.skip_to(old.start);
        lines.new.skip_to(new.start);
        for change in changes {
            self.same(lines, change.old.start)?;
            self.diff.removed += change.old.len();
            self.lines("-", &mut lines.old, change.old.end)?;
            self.diff.added += change.new.len();
            self.lines("+", &mut lines.new, change.new.end)?;
        }
        self.same(lines, old.end)
    }

    /// Writes the common lines up to line `end` of the old text.
    fn same(&mut self, lines: &mut Sides<LinesAt<'_>>, end: usize) -> Result<(), LimitHit> {
        let count = end - lines.old.at;
        lines.new.skip_to(lines.new.at + count);
        self.lines(" ", &mut lines.old, end)
    }

    fn lines(&mut self, sign: &str, lines: &mut LinesAt<'_>, end: usize) -> Result<(), LimitHit> {
        while let Some(line) = lines.next_before(end) {
            self.push(sign)?;
            self.push(line)?;
            if !line.ends_with('\n') {
                self.push("\n\\ No newline at end of file\n")?;
            }
        }
        Ok(())
    }
}

/// Formats a range of lines for a hunk header: the first line, and the number of lines unless it is 1. An empty
/// range is given by the line before it.
fn display(range: &Range<usize>, before: usize) -> String {
    let start = before + range.start;
    match range.len() {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        lines => format!("{},{lines}", start + 1),
    }
}
