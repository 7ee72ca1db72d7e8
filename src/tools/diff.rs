//! The difference of two texts, in the unified format of git and `diff -u`.
//!
//! A line ends in LF, and a CR before it is part of the line. A last line without LF is followed by `\ No
//! newline at end of file`, so that `patch` reproduces the new text exactly. The result depends only on the
//! texts, never on the clock, and the work is bounded: the common start and end of the texts are set aside
//! without splitting them into lines, and the rest is compared line by line (Myers, with the cost bounds of
//! git). Beyond [`MAX_LINES`] lines, the rest is shown as one block removed and one added.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use similar::algorithms::{Algorithm, Compact, DiffHook, diff_slices};

use crate::limits::{LimitHit, Watch, space, work};

/// Maximum number of lines in both texts that are compared individually, after their common start and end are
/// set aside.
pub const MAX_LINES: usize = 400_000;

/// A difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The unified format; empty if the texts are equal.
    pub text: String,
    /// Number of lines that only the new text has.
    pub added: usize,
    /// Number of lines that only the old text has.
    pub removed: usize,
}

/// The two sides of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides<T> {
    /// The old side.
    pub old: T,
    /// The new side.
    pub new: T,
}

/// A replaced range of lines. One of the ranges may be empty.
#[derive(Clone, Debug)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the difference of two texts with `context_lines` lines around each change.
pub fn unified(text: Sides<&str>, name: Sides<&str>, context_lines: usize, watch: &Watch) -> Result<Diff, LimitHit> {
    if text.old == text.new {
        return Ok(Diff::default());
    }
    let window = Window::around_changes(text, context_lines)?;
    let changes = window.changes(watch)?;
    let mut page = Page { diff: Diff::default(), watch };
    page.push("--- ")?;
    page.name(name.old)?;
    page.push("+++ ")?;
    page.name(name.new)?;
    let mut lines = Sides { old: LinesAt::new(window.text.old), new: LinesAt::new(window.text.new) };
    for hunk in hunks(&changes, context_lines) {
        page.hunk(hunk, &mut lines, &window, context_lines)?;
    }
    Ok(page.diff)
}

/// The part of both texts between their common start and end, with context lines around it.
struct Window<'a> {
    text: Sides<&'a str>,
    /// Number of common lines before the window.
    before: usize,
    /// Number of common lines at the start of the window.
    head: usize,
    /// The text between the common start and end.
    middle: Sides<&'a str>,
    /// Number of lines in `middle`.
    lines: Sides<usize>,
    /// Number of common lines at the end of the window.
    tail: usize,
}

impl<'a> Window<'a> {
    fn around_changes(text: Sides<&'a str>, context_lines: usize) -> Result<Window<'a>, LimitHit> {
        let (old, new) = (text.old.as_bytes(), text.new.as_bytes());
        let start = common_start(old, new)?;
        let end = common_end(&old[start..], &new[start..])?;
        let (head_start, head) = lines_before(&old[..start], context_lines)?;
        let (tail_bytes, tail) = lines_after(&old[old.len() - end..], context_lines)?;
        let middle = |text: &'a str| &text[start..text.len() - end];
        let around = |text: &'a str| &text[head_start..text.len() - end + tail_bytes];
        let middle = Sides { old: middle(text.old), new: middle(text.new) };
        Ok(Window {
            text: Sides { old: around(text.old), new: around(text.new) },
            before: line_count(&old[..head_start])?,
            head,
            middle,
            lines: Sides { old: line_count(middle.old.as_bytes())?, new: line_count(middle.new.as_bytes())? },
            tail,
        })
    }

    /// Returns the changes, in line numbers of the window.
    fn changes(&self, watch: &Watch) -> Result<Vec<Change>, LimitHit> {
        let Sides { old, new } = self.lines;
        if old == 0 || new == 0 || old + new > MAX_LINES {
            return Ok(vec![Change { old: self.head..self.head + old, new: self.head..self.head + new }]);
        }
        // Line numbers, the memory of the path search, and the paths that it finds.
        space::check((old + new) * 128)?;
        let mut numbers = HashMap::with_capacity_and_hasher(old, foldhash::fast::RandomState::default());
        let (old, new) = (numbered(self.middle.old, &mut numbers)?, numbered(self.middle.new, &mut numbers)?);
        drop(numbers);
        let found = Found { head: self.head, changes: Vec::new() };
        let mut hook = Watched { inner: Compact::new(found, old.as_slice(), new.as_slice()), watch };
        diff_slices(Algorithm::Myers, &mut hook, &old, &new)?;
        Ok(hook.inner.into_inner().changes)
    }

    /// Returns the number of lines in the window on the old side.
    fn old_lines(&self) -> usize {
        self.head + self.lines.old + self.tail
    }
}

/// Maps each line to a number; equal lines have the same number.
fn numbered<'a>(
    text: &'a str,
    numbers: &mut HashMap<&'a str, u32, foldhash::fast::RandomState>,
) -> Result<Vec<u32>, LimitHit> {
    let number = |line: &'a str| {
        work::charge_bytes(line.len())?;
        let next = numbers.len() as u32;
        Ok(*numbers.entry(line).or_insert(next))
    };
    text.split_inclusive('\n').map(number).collect()
}

/// Bytes that are scanned between two charges.
const STRETCH: usize = 1 << 16;

fn line_count(text: &[u8]) -> Result<usize, LimitHit> {
    let mut ends = 0;
    for stretch in text.chunks(STRETCH) {
        work::charge_bytes(stretch.len())?;
        ends += memchr::memchr_iter(b'\n', stretch).count();
    }
    Ok(ends + usize::from(text.last().is_some_and(|last| *last != b'\n')))
}

/// Returns the length in bytes of the whole lines that both texts start with.
fn common_start(old: &[u8], new: &[u8]) -> Result<usize, LimitHit> {
    let mut same = 0;
    for (one, other) in old.chunks(STRETCH).zip(new.chunks(STRETCH)) {
        work::charge_bytes(one.len())?;
        if one != other {
            same += one.iter().zip(other).take_while(|(one, other)| one == other).count();
            break;
        }
        same += one.len();
    }
    if same == old.len() && same == new.len() {
        return Ok(same);
    }
    Ok(last_line_end(&old[..same])?.map_or(0, |at| at + 1))
}

/// Returns the length in bytes of the whole lines that both texts end with. Both texts start at a line start.
fn common_end(old: &[u8], new: &[u8]) -> Result<usize, LimitHit> {
    let mut same = 0;
    for (one, other) in old.rchunks(STRETCH).zip(new.rchunks(STRETCH)) {
        work::charge_bytes(one.len())?;
        if one != other {
            same += one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
            break;
        }
        same += one.len();
    }
    let begins_line = |text: &[u8]| match text.len() - same {
        0 => true,
        start => text[start - 1] == b'\n',
    };
    if begins_line(old) && begins_line(new) {
        return Ok(same);
    }
    let start = old.len() - same;
    Ok(line_end(&old[start..])?.map_or(0, |at| same - at - 1))
}

/// Returns where the last lines of a text start, and how many there are, at most `most`.
fn lines_before(text: &[u8], most: usize) -> Result<(usize, usize), LimitHit> {
    let mut start = text.len();
    for lines in 0..most {
        if start == 0 {
            return Ok((0, lines));
        }
        start = last_line_end(&text[..start - 1])?.map_or(0, |at| at + 1);
    }
    Ok((start, most))
}

/// Returns the length in bytes of the first lines of a text, and how many there are, at most `most`.
fn lines_after(text: &[u8], most: usize) -> Result<(usize, usize), LimitHit> {
    let mut end = 0;
    for lines in 0..most {
        if end == text.len() {
            return Ok((end, lines));
        }
        end = line_end(&text[end..])?.map_or(text.len(), |at| end + at + 1);
    }
    Ok((end, most))
}

/// Returns the position of the first line feed.
fn line_end(text: &[u8]) -> Result<Option<usize>, LimitHit> {
    for (number, stretch) in text.chunks(STRETCH).enumerate() {
        if let Some(at) = memchr::memchr(b'\n', stretch) {
            return Ok(Some(number * STRETCH + at));
        }
        work::charge_bytes(stretch.len())?;
    }
    Ok(None)
}

/// Returns the position of the last line feed.
fn last_line_end(text: &[u8]) -> Result<Option<usize>, LimitHit> {
    let mut end = text.len();
    for stretch in text.rchunks(STRETCH) {
        let start = end - stretch.len();
        if let Some(at) = memchr::memrchr(b'\n', stretch) {
            return Ok(Some(start + at));
        }
        work::charge_bytes(stretch.len())?;
        end = start;
    }
    Ok(None)
}

/// Collects adjacent removals and additions as changes.
struct Found {
    head: usize,
    changes: Vec<Change>,
}

impl Found {
    fn add(&mut self, old: Range<usize>, new: Range<usize>) {
        let there = |range: Range<usize>| range.start + self.head..range.end + self.head;
        let (old, new) = (there(old), there(new));
        match self.changes.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            _ => self.changes.push(Change { old, new }),
        }
    }
}

impl DiffHook for Found {
    type Error = LimitHit;

    fn delete(&mut self, old_index: usize, old_len: usize, new_index: usize) -> Result<(), LimitHit> {
        self.add(old_index..old_index + old_len, new_index..new_index);
        Ok(())
    }

    fn insert(&mut self, old_index: usize, new_index: usize, new_len: usize) -> Result<(), LimitHit> {
        self.add(old_index..old_index, new_index..new_index + new_len);
        Ok(())
    }
}

/// A hook that checks the deadline and interrupts during the search.
struct Watched<'a, D> {
    inner: D,
    watch: &'a Watch,
}

impl<D: DiffHook<Error = LimitHit>> DiffHook for Watched<'_, D> {
    type Error = LimitHit;

    fn equal(&mut self, old_index: usize, new_index: usize, len: usize) -> Result<(), LimitHit> {
        self.watch.poll()?;
        self.inner.equal(old_index, new_index, len)
    }

    fn delete(&mut self, old_index: usize, old_len: usize, new_index: usize) -> Result<(), LimitHit> {
        self.watch.poll()?;
        self.inner.delete(old_index, old_len, new_index)
    }

    fn insert(&mut self, old_index: usize, new_index: usize, new_len: usize) -> Result<(), LimitHit> {
        self.watch.poll()?;
        self.inner.insert(old_index, new_index, new_len)
    }

    fn finish(&mut self) -> Result<(), LimitHit> {
        self.inner.finish()
    }
}

/// Groups changes whose context lines touch or overlap.
fn hunks(changes: &[Change], context_lines: usize) -> impl Iterator<Item = &[Change]> {
    let near = context_lines.saturating_mul(2);
    changes.chunk_by(move |one, next| next.old.start - one.old.end <= near)
}

/// The lines of a text, in order.
struct LinesAt<'a> {
    lines: std::str::SplitInclusive<'a, char>,
    at: usize,
}

impl<'a> LinesAt<'a> {
    fn new(text: &'a str) -> LinesAt<'a> {
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

/// The unified format under construction.
struct Page<'a> {
    diff: Diff,
    watch: &'a Watch,
}

impl Page<'_> {
    fn push(&mut self, text: &str) -> Result<(), LimitHit> {
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

    /// Writes a file name. A name with spaces is followed by a tab, which marks its end for patch programs.
    fn name(&mut self, name: &str) -> Result<(), LimitHit> {
        self.push(name)?;
        self.push(if name.contains(' ') { "\t\n" } else { "\n" })
    }

    fn hunk(
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::limits::{Interrupt, Limits, Meter};

    use super::*;

    fn diff(old: &str, new: &str, context_lines: usize) -> Diff {
        let watch = Meter::new(&Limits::default(), Interrupt::default()).watch();
        let names = Sides { old: "a", new: "b" };
        unified(Sides { old, new }, names, context_lines, &watch).expect("no limit is near")
    }

    /// Applies a patch strictly: trusts every line number, and requires every line that is not added to be
    /// present.
    fn patched(old: &str, patch: &str) -> String {
        let mut old_lines = old.split_inclusive('\n');
        let mut new = String::new();
        let (mut old_at, mut new_at) = (0, 0);
        let lines: Vec<&str> = patch.split_inclusive('\n').collect();
        for (number, line) in lines.iter().enumerate().skip(2) {
            let (sign, line) = line.split_at(1);
            let unended = lines.get(number + 1).is_some_and(|next| next.starts_with('\\'));
            let line = if unended { line.strip_suffix('\n').expect("a patch ends its lines") } else { line };
            if sign == "@" {
                let ranges: Vec<&str> = line.split(' ').collect();
                let start = |range: &str| {
                    let mut numbers = range[1..].split(',').map(|number| number.parse::<usize>().expect("a number"));
                    let start = numbers.next().expect("a range has a start");
                    if numbers.next() == Some(0) { start } else { start - 1 }
                };
                while old_at < start(ranges[1]) {
                    new.push_str(old_lines.next().expect("the hunk is inside the text"));
                    (old_at, new_at) = (old_at + 1, new_at + 1);
                }
                assert_eq!(new_at, start(ranges[2]), "the heads of {patch}");
            }
            if matches!(sign, "-" | " ") {
                assert_eq!(old_lines.next(), Some(line), "{patch}");
                old_at += 1;
            }
            if matches!(sign, "+" | " ") {
                new.push_str(line);
                new_at += 1;
            }
        }
        new.extend(old_lines);
        new
    }

    #[test]
    fn the_format_is_that_of_git() {
        assert_eq!(diff("a\nb\nc\n", "a\nB\nc\n", 1).text, "--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assert_eq!(diff("", "x\n", 3).text, "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(diff("x", "", 3).text, "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n");
        assert_eq!(diff("x\ny", "x\ny\n", 0).text, "--- a\n+++ b\n@@ -2 +2 @@\n-y\n\\ No newline at end of file\n+y\n");
        assert_eq!(diff("x\r\n", "x\n", 3).text, "--- a\n+++ b\n@@ -1 +1 @@\n-x\r\n+x\n");
        assert_eq!(diff("x\n", "x\n", 3), Diff::default());
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";
        assert_eq!(diff(old, new, 3).text.matches("@@ -").count(), 2);
        assert_eq!(diff(old, new, 4).text.matches("@@ -").count(), 1);
        assert_eq!(diff(old, new, 0).text, "--- a\n+++ b\n@@ -1 +1 @@\n-1\n+one\n@@ -9 +9 @@\n-9\n+nine\n");
    }

    #[test]
    fn beyond_the_bound_all_is_one_block() {
        let lines = |word: &str| (0..MAX_LINES).map(|line| format!("{word}{}\n", line % 7)).collect::<String>();
        let (old, new) = (format!("head\n{}tail\n", lines("a")), format!("head\n{}tail\n", lines("b")));
        let diff = diff(&old, &new, 3);
        assert_eq!((diff.added, diff.removed), (MAX_LINES, MAX_LINES));
        assert_eq!(diff.text.matches("@@ -").count(), 1);
        assert_eq!(patched(&old, &diff.text), new);
    }

    proptest! {
        #[test]
        fn a_patch_makes_the_new_text(
            old in "([abc]{0,1}\r?\n){0,30}[ab]?",
            new in "([abc]{0,1}\r?\n){0,30}[ab]?",
            context_lines in 0..5_usize,
        ) {
            let diff = diff(&old, &new, context_lines);
            let signs = |sign: char| diff.text.lines().skip(2).filter(|line| line.starts_with(sign)).count();
            prop_assert_eq!((signs('+'), signs('-')), (diff.added, diff.removed));
            if old != new {
                prop_assert_eq!(patched(&old, &diff.text), new);
            }
        }

        #[test]
        fn a_few_changes_of_a_long_text_are_few_lines(
            old in proptest::collection::vec("[a-f]{0,2}", 50..200),
            // Excludes the last element: if empty, it is not a line.
            at in 0..49_usize,
        ) {
            let mut new = old.clone();
            new[at].push('!');
            let (old, new) = (old.join("\n"), new.join("\n"));
            let diff = diff(&old, &new, 3);
            prop_assert_eq!((diff.added, diff.removed), (1, 1));
            prop_assert_eq!(patched(&old, &diff.text), new);
        }
    }
}
