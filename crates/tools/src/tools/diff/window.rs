//! The part of two texts that differs, and the lines that are replaced in it.

use std::collections::HashMap;
use std::ops::Range;

use similar::algorithms::{Algorithm, Compact, DiffHook, diff_slices};

use crate::limits::{LimitHit, Watch, space, work};

use super::lines::{common_end, common_start, line_count, lines_after, lines_before};
use super::{MAX_LINES, Sides};

/// A replaced range of lines. One of the ranges may be empty.
#[derive(Clone, Debug)]
pub struct Change {
    /// The lines of the old side.
    pub old: Range<usize>,
    /// The lines of the new side.
    pub new: Range<usize>,
}

/// The part of both texts between their common start and end, with context lines around it.
pub struct Window<'a> {
    /// The text of the window.
    pub text: Sides<&'a str>,
    /// Number of common lines before the window.
    pub before: usize,
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
    /// Finds the window of two texts.
    pub fn around_changes(text: Sides<&'a str>, context_lines: usize) -> Result<Window<'a>, LimitHit> {
        let (old, new) = (text.old.as_bytes(), text.new.as_bytes());
        let start = common_start(old, new)?;
        let end = common_end(&old[start..], &new[start..])?;
        let head = lines_before(&old[..start], context_lines)?;
        let tail = lines_after(&old[old.len() - end..], context_lines)?;
        let middle = |text: &'a str| &text[start..text.len() - end];
        let around = |text: &'a str| &text[start - head.bytes..text.len() - end + tail.bytes];
        let middle = Sides { old: middle(text.old), new: middle(text.new) };
        Ok(Window {
            text: Sides { old: around(text.old), new: around(text.new) },
            before: line_count(&old[..start - head.bytes])?,
            head: head.count,
            middle,
            lines: Sides { old: line_count(middle.old.as_bytes())?, new: line_count(middle.new.as_bytes())? },
            tail: tail.count,
        })
    }

    /// Returns the changes, in line numbers of the window.
    pub fn changes(&self, watch: &Watch) -> Result<Vec<Change>, LimitHit> {
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
    pub fn old_lines(&self) -> usize {
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
