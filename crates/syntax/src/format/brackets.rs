//! The contents of brackets: their parts, and the comments between them.

use std::ops::Range;

use crate::syntax::written::{Bracket, TokenKind};

use super::atoms::{Edge, Group};
use super::atoms_of::{Builder, Hug, INDENT};

/// One part between commas.
#[derive(Default)]
struct Part {
    /// Comments before the part, on lines of their own.
    leading: Vec<usize>,
    /// The part itself, which may contain comments.
    range: Range<usize>,
    /// Comments after the part; the first may be on the same line.
    trailing: Vec<usize>,
}

impl Builder<'_, '_> {
    /// Adds a bracket and its contents; `open` is the index of the opening bracket.
    pub fn bracket(&mut self, open: usize, bracket: Bracket) {
        let close = self.lexemes.partner(open);
        self.depth += 1;
        self.atoms.text(self.lexemes.text(open));
        if open + 1 < close {
            self.filled(open, close, bracket);
        }
        self.atoms.text(self.lexemes.text(close));
        self.depth -= 1;
    }

    fn filled(&mut self, open: usize, close: usize, bracket: Bracket) {
        let (parts, dangling) = self.parts(open + 1, close);
        let on_new_line = self.lexemes.get(open + 1).breaks > 0 && bracket != Bracket::Placeholder;
        let in_rows = matches!(bracket, Bracket::List | Bracket::Map);
        let is_plain = in_rows && parts.iter().all(|part| self.is_plain(part));
        let is_numeric = is_plain && bracket == Bracket::List && parts.iter().all(|part| self.is_number(part));
        let rows = is_plain && on_new_line;
        let group =
            Group { brackets: true, fill: rows || is_numeric, indent: INDENT, forced: on_new_line, ..Group::default() };
        let number = self.atoms.begin(group);
        self.note_hug(open, number);
        if let Some(opener) = self.hugged(&parts, bracket) {
            self.hugs.push(Hug { opener, group: number });
        }
        let first_breaks = self.begin_contents(open, bracket);
        let ends_in_comma = !matches!(bracket, Bracket::Parentheses | Bracket::Index | Bracket::Placeholder);
        let is_sole = bracket == Bracket::Parentheses;
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.between(part, rows);
            } else if let Some(&comment) = part.leading.first()
                && !first_breaks
            {
                self.separate(comment);
            }
            self.part(part, is_sole);
            if index + 1 < parts.len() {
                self.atoms.text(",".into());
            } else if ends_in_comma {
                self.atoms.comma_if_broken();
            }
            self.comments(&part.trailing);
        }
        self.dangling(&dangling, !parts.is_empty(), first_breaks);
        if bracket != Bracket::Placeholder || self.follows_comment(close) {
            self.atoms.line_break(Edge::Close, false);
        }
        self.atoms.end();
    }

    /// Adds the break after the opening bracket. Returns false if no break is allowed there.
    fn begin_contents(&mut self, open: usize, bracket: Bracket) -> bool {
        let beside = self.lexemes.is_comment(open + 1) && self.lexemes.get(open + 1).breaks == 0;
        let breaks = !beside && bracket != Bracket::Placeholder && self.may_begin_line(open + 1);
        if breaks {
            self.atoms.line_break(Edge::Open, false);
        }
        breaks
    }

    /// Returns the parts of a bracket's contents, and the comments after the last part.
    fn parts(&self, start: usize, close: usize) -> (Vec<Part>, Vec<usize>) {
        let mut parts: Vec<Part> = Vec::new();
        let mut at = start;
        while at < close {
            let mut leading = Vec::new();
            while at < close && self.lexemes.is_comment(at) {
                let beside = self.lexemes.get(at).breaks == 0;
                match parts.last_mut().filter(|_| beside && leading.is_empty()) {
                    Some(part) => part.trailing.push(at),
                    None => leading.push(at),
                }
                at += 1;
            }
            if at == close {
                return (parts, leading);
            }
            let from = at;
            while at < close && self.lexemes.token(at) != Some(TokenKind::Comma) {
                at = self.lexemes.after(at);
            }
            let mut to = at;
            while self.lexemes.is_comment(to - 1) {
                to -= 1;
            }
            parts.push(Part { leading, range: from..to, trailing: (to..at).collect() });
            // Skip the comma.
            at += usize::from(at < close);
        }
        (parts, Vec::new())
    }

    fn part(&mut self, part: &Part, is_sole: bool) {
        for &comment in &part.leading {
            if comment != part.leading[0] {
                self.separate(comment);
            }
            self.atoms.comment(self.lexemes.text(comment));
        }
        let Range { start, end } = part.range.clone();
        if !part.leading.is_empty() {
            self.atoms.newline(false, self.lexemes.get(start).breaks > 1);
        }
        let value = match self.lexemes.token(start + 1) {
            Some(TokenKind::Colon) if start + 2 < end && !self.lexemes.is_comment(start + 2) => start + 2,
            _ => start,
        };
        if value > start {
            self.plain(start..value);
            self.separate(value);
        }
        self.expression(value..end, is_sole);
    }

    /// Adds the separator before any part but the first.
    fn between(&mut self, part: &Part, rows: bool) {
        let first = part.leading.first().copied().unwrap_or(part.range.start);
        let breaks = self.lexemes.get(first).breaks;
        // The last atom may be a comment after the preceding comma, or before it.
        let after_comment = self.atoms.ends_in_comment();
        if after_comment || !part.leading.is_empty() {
            self.atoms.newline(false, breaks > 1);
        } else if self.may_begin_line(first) {
            self.atoms.part_break(breaks > 1, rows && breaks > 0);
        } else {
            self.atoms.blank();
        }
    }

    /// Adds the comments after a part; the first stays on the line where the source has it.
    fn comments(&mut self, comments: &[usize]) {
        for (index, &comment) in comments.iter().enumerate() {
            let lexeme = self.lexemes.get(comment);
            if index > 0 || lexeme.breaks > 0 {
                self.atoms.newline(false, lexeme.breaks > 1);
            }
            self.atoms.comment(self.lexemes.text(comment));
        }
    }

    /// Adds the comments after the last part.
    fn dangling(&mut self, comments: &[usize], follows_part: bool, first_breaks: bool) {
        for (index, &comment) in comments.iter().enumerate() {
            let lexeme = self.lexemes.get(comment);
            if index > 0 || follows_part {
                self.atoms.newline(false, lexeme.breaks > 1);
            } else if !first_breaks {
                self.separate(comment);
            }
            self.atoms.comment(self.lexemes.text(comment));
        }
    }

    /// Returns whether a part is one token, optionally with a sign or after a key.
    fn is_plain(&self, part: &Part) -> bool {
        let Range { mut start, end } = part.range;
        if start + 2 < end && self.lexemes.token(start + 1) == Some(TokenKind::Colon) {
            start += 2;
        }
        let start = start + usize::from(self.lexemes.token(start) == Some(TokenKind::Sign));
        start + 1 == end
            && matches!(
                self.lexemes.token(start),
                Some(TokenKind::Number | TokenKind::Text | TokenKind::Literal | TokenKind::Name)
            )
    }

    fn is_number(&self, part: &Part) -> bool {
        self.lexemes.token(part.range.end - 1) == Some(TokenKind::Number)
    }

    /// Returns the opening bracket of the list or map that is the only or the last part of a bracket's contents, if
    /// nothing before it contains brackets.
    fn hugged(&self, parts: &[Part], bracket: Bracket) -> Option<usize> {
        let (last, before) = parts.split_last()?;
        let fits = match bracket {
            Bracket::Arguments => true,
            Bracket::List | Bracket::Parentheses => before.is_empty(),
            _ => false,
        };
        let is_simple = |part: &Part| {
            let has_bracket = |at| matches!(self.lexemes.token(at), Some(TokenKind::Open(_)) | None);
            part.leading.is_empty() && part.trailing.is_empty() && !part.range.clone().any(has_bracket)
        };
        if !fits || !before.iter().all(is_simple) || !last.leading.is_empty() || !last.trailing.is_empty() {
            return None;
        }
        let Range { start, end } = last.range;
        let labelled = self.lexemes.token(start) == Some(TokenKind::Label);
        let value = start + if labelled { 2 } else { 0 };
        (value < end).then_some(())?;
        self.is_literal(value..end).then_some(value)
    }

    /// Returns whether an expression is a single non-empty list or map.
    fn is_literal(&self, range: Range<usize>) -> bool {
        let opens = matches!(self.lexemes.token(range.start), Some(TokenKind::Open(Bracket::List | Bracket::Map)));
        opens && self.lexemes.after(range.start) == range.end && range.len() > 2
    }

    /// Returns the opening bracket of the list or map that an expression ends with.
    pub fn literal_at_end(&self, range: &Range<usize>) -> Option<usize> {
        let last = range.end - 1;
        let opener = self.lexemes.partner(last);
        self.is_literal(opener..range.end).then_some(opener)
    }

    /// Sets the number of a hugged group in the group that hugs its bracket.
    fn note_hug(&mut self, open: usize, number: usize) {
        self.hugs.retain(|hug| {
            if hug.opener == open {
                self.atoms.groups[hug.group].hug = Some(number);
            }
            hug.opener != open
        });
    }
}
