//! Edits bracketed lists and maps as in JSON, TOML and YAML: appends or removes members.

use std::ops::Range;

use crate::limits::LimitHit;

use super::lines::{indentation, is_blank, is_first, line_end, line_start, next_line, skip_gap};
use super::splice::Splices;

/// A bracketed list or map.
pub struct BracketedList<'a> {
    /// The text that contains it.
    pub text: &'a str,
    /// The position of the opening bracket.
    pub open: usize,
    /// The position of the closing bracket.
    pub close: usize,
    /// The ranges of its elements or entries.
    pub members: &'a [Range<usize>],
    /// Whether `#` starts a comment between members.
    pub has_comments: bool,
}

/// The formatting of a first or second member, where the text has no example to follow.
pub struct ListStyle<'a> {
    /// The text between a bracket and the only member.
    pub pad: &'a str,
    /// The text after a comma on the same line.
    pub gap: &'a str,
    /// The line break of the text.
    pub line_break: &'a str,
}

impl BracketedList<'_> {
    /// Returns the indentation of the members if each has its own line.
    pub fn own_lines(&self) -> Option<&str> {
        let first = match self.members.last() {
            Some(last) => last.start,
            None => skip_gap(self.text, self.open + 1, self.close, false),
        };
        let starts = line_start(self.text, first);
        let is_own = starts > self.open && is_blank(&self.text[starts..first]);
        if self.members.is_empty() {
            (is_own && first < self.close).then(|| &self.text[starts..first])
        } else {
            is_own.then(|| &self.text[starts..first])
        }
    }

    /// Appends a member.
    pub fn append(&self, entry: &str, habit: &ListStyle<'_>, splices: &mut Splices) -> Result<(), LimitHit> {
        let Some(last) = self.members.last() else { return self.fill(entry, habit, splices) };
        match self.own_lines() {
            Some(indent) => {
                let comma = self.comma(last.end, self.close);
                let after = comma.map_or(last.end, |comma| comma + 1);
                let line = line_end(self.text, after);
                let at = if line <= self.close { line } else { after };
                if comma.is_none() {
                    splices.insert(last.end, ",")?;
                }
                let end = if comma.is_some() { "," } else { "" };
                splices.insert(at, format!("{}{indent}{entry}{end}", habit.line_break))
            }
            None => splices.insert(last.end, format!("{}{entry}", self.separator(last.start, habit))),
        }
    }

    /// Returns the separator before a member that is appended to the line of the last.
    fn separator(&self, last: usize, habit: &ListStyle<'_>) -> String {
        let Some(before) = self.members.iter().rev().nth(1) else { return format!(",{}", habit.gap) };
        let gap = &self.text[before.end..last];
        if gap.trim_matches([' ', '\t', '\r', '\n']) == "," { gap.to_owned() } else { format!(",{}", habit.gap) }
    }

    fn fill(&self, entry: &str, habit: &ListStyle<'_>, splices: &mut Splices) -> Result<(), LimitHit> {
        let inside = self.open + 1..self.close;
        match self.own_lines() {
            Some(indent) if is_first(self.text, self.close) => {
                splices.insert(line_start(self.text, self.close), format!("{indent}{entry}{}", habit.line_break))
            }
            _ if is_blank(&self.text[inside.clone()]) => {
                splices.replace(inside, format!("{}{entry}{}", habit.pad, habit.pad))
            }
            _ => splices.insert(self.close, format!("{entry}{}", habit.line_break)),
        }
    }

    /// Removes the members for which `is_gone` returns true.
    pub fn remove(&self, is_gone: impl Fn(usize) -> bool, splices: &mut Splices) -> Result<(), LimitHit> {
        let count = self.members.len();
        let mut from = 0;
        while from < count {
            if !is_gone(from) {
                from += 1;
                continue;
            }
            let to = (from..count).find(|number| !is_gone(*number)).unwrap_or(count);
            match (from, to == count) {
                (0, true) => self.remove_all(splices)?,
                (_, true) => self.remove_end(from, splices)?,
                (_, false) => self.remove_run(from, to, splices)?,
            }
            from = to;
        }
        Ok(())
    }

    fn remove_all(&self, splices: &mut Splices) -> Result<(), LimitHit> {
        let (first, last) = (&self.members[0], &self.members[self.members.len() - 1]);
        let comma = self.comma(last.end, self.close);
        let after = comma.map_or(last.end, |comma| comma + 1);
        let rest = skip_gap(self.text, after, self.close, false);
        let is_alone = is_blank(&self.text[self.open + 1..first.start]) && rest == self.close;
        if is_alone {
            splices.delete(self.open + 1..self.close)
        } else {
            splices.delete(self.whole_lines(first.start, after))
        }
    }

    /// Returns whether a comment belongs to the member that ends before it on the same line.
    fn is_comment_of(&self, end: usize, comment: usize) -> bool {
        self.has_comments && comment <= line_end(self.text, end)
    }

    /// Extends a range to whole lines if they contain nothing else.
    fn whole_lines(&self, start: usize, end: usize) -> Range<usize> {
        let line = line_start(self.text, start);
        let next = next_line(self.text, end);
        let rest = skip_gap(self.text, end, next.min(self.close), self.has_comments);
        let is_alone = line > self.open && is_first(self.text, start) && next <= self.close && rest >= next;
        if is_alone { line..next } else { start..end }
    }

    /// Removes the members `from..to`, where `to` stays.
    fn remove_run(&self, from: usize, to: usize, splices: &mut Splices) -> Result<(), LimitHit> {
        let (first, last, next) = (&self.members[from], &self.members[to - 1], &self.members[to]);
        let gap = &self.text[last.end..next.start];
        let comma = self.comma(last.end, next.start).unwrap_or(next.start);
        let breaks_before_comma = self.text[last.end..comma].contains('\n');
        if !gap.contains('\n') || breaks_before_comma && !gap.contains('#') {
            return splices.delete(first.start..next.start);
        }
        if is_first(self.text, first.start) && line_start(self.text, first.start) > self.open {
            let lines = self.whole_lines(first.start, comma + 1);
            return splices.delete(lines);
        }
        let before = match from.checked_sub(1).map(|before| &self.members[before]) {
            Some(before) => self.comma(before.end, first.start).map_or(first.start, |comma| comma + 1),
            None => first.start,
        };
        splices.delete(before.min(first.start)..comma + 1)
    }

    /// Removes all members starting with `from`.
    fn remove_end(&self, from: usize, splices: &mut Splices) -> Result<(), LimitHit> {
        let (before, first) = (&self.members[from - 1], &self.members[from]);
        let last = self.members[self.members.len() - 1].end;
        let comma = self.comma(before.end, first.start).unwrap_or(before.end);
        match self.comma(last, self.close) {
            Some(end) if is_first(self.text, first.start) => splices.delete(self.whole_lines(first.start, end + 1)),
            Some(end) => splices.delete(comma + 1..end + 1),
            None if is_blank(&self.text[comma + 1..first.start]) && is_blank(&self.text[before.end..comma]) => {
                let end = line_end(self.text, last);
                let has_comment = self.is_comment_of(last, skip_gap(self.text, last, self.close, false));
                let is_own = is_first(self.text, first.start) && has_comment && end <= self.close;
                splices.delete(before.end..if is_own { end } else { last })
            }
            None => {
                splices.delete(comma..comma + 1)?;
                splices.delete(self.whole_lines(first.start, last))
            }
        }
    }

    /// Returns the position of the comma between two positions, ignoring comments.
    fn comma(&self, from: usize, to: usize) -> Option<usize> {
        let at = skip_gap(self.text, from, to, self.has_comments);
        (at < to && self.text.as_bytes()[at] == b',').then_some(at)
    }

    /// Returns the indentation of the line with the opening bracket.
    pub fn outer_indentation(&self) -> &str {
        indentation(self.text, self.open)
    }
}
