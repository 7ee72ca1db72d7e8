//! Converts the lexemes of a statement to atoms: decides where its lines may break.
//!
//! Outside brackets a line breaks with a `\`, after the commas of a list of values and before operators.

use std::ops::Range;

use crate::syntax::keyword::{begins_statement, is_keyword};
use crate::syntax::written::TokenKind;

use super::Spelling;
use super::atoms::{Atoms, Edge, Group};
use super::lexemes::{Kind, Lexemes, spelled};

/// Indentation of a continuation line outside brackets.
pub const CONTINUED: usize = 4;
/// Indentation of lines inside brackets and of blocks.
pub const INDENT: usize = 2;
/// The precedence of `AND`. Only `AND` and `OR` chains break at all of their operators or at none.
const AND: u8 = 2;

/// Builds the atoms of one statement.
pub struct Builder<'l, 'a> {
    pub lexemes: &'l Lexemes<'a>,
    pub atoms: Atoms<'a>,
    /// Number of open brackets.
    pub depth: usize,
    /// Whether the source breaks lines outside brackets.
    continued: bool,
    /// Brackets to be hugged.
    pub hugs: Vec<Hug>,
}

/// A bracket that a group hugs.
pub struct Hug {
    /// The lexeme that opens the bracket.
    pub opener: usize,
    /// The group.
    pub group: usize,
}

/// A binary operator of an expression.
#[derive(Clone, Copy)]
struct Operator {
    /// Its lexeme.
    at: usize,
    precedence: u8,
}

/// Returns the atoms of a statement.
pub fn atoms<'a>(lexemes: &Lexemes<'a>, spelling: Option<Spelling>) -> Atoms<'a> {
    let mut builder = Builder { lexemes, atoms: Atoms::default(), depth: 0, continued: false, hugs: Vec::new() };
    builder.continued = builder.is_continued();
    builder.statement();
    if let Some(word) = builder.missing_word() {
        builder.atoms.blank();
        builder.atoms.text(spelled(word, spelling));
    }
    builder.atoms
}

impl Builder<'_, '_> {
    fn is_continued(&self) -> bool {
        let mut at = 0;
        while at < self.lexemes.len() {
            if at > 0 && self.lexemes.get(at).breaks > 0 {
                return true;
            }
            at = self.lexemes.after(at);
        }
        false
    }

    /// Returns the `THEN` or `DO` that is missing from a block's head.
    fn missing_word(&self) -> Option<&'static str> {
        let first = self.lexemes.raw(0);
        let is = |keyword| is_keyword(first, keyword);
        let is_head = is("ELSE") && self.lexemes.len() > 1 || is("IF");
        let word = if is_head {
            "THEN"
        } else if is("WHILE") || is("FOR") || is("ON") {
            "DO"
        } else {
            return None;
        };
        let last = self.lexemes.len() - 1;
        let ends = self.lexemes.token(last) == Some(TokenKind::Keyword) && is_keyword(self.lexemes.raw(last), word);
        (!ends).then_some(word)
    }

    fn statement(&mut self) {
        let lists_values = ["EMIT", "RETURN", "MUST"].iter().any(|word| is_keyword(self.lexemes.raw(0), word));
        if lists_values {
            self.begin_joined(true);
        }
        let mut at = 0;
        while at < self.lexemes.len() {
            match self.lexemes.token(at) {
                Some(TokenKind::Comma) if lists_values => {
                    self.lexeme(at);
                    self.break_after_comma(at + 1);
                    let end = self.expression_end(at + 1);
                    self.expression(at + 1..end, true);
                    at = end;
                }
                Some(TokenKind::Keyword | TokenKind::Comma | TokenKind::Equals) => {
                    self.lexeme(at);
                    at += 1;
                }
                _ => {
                    let end = self.expression_end(at);
                    self.separate(at);
                    self.expression(at..end, true);
                    at = end;
                }
            }
        }
        if lists_values {
            self.atoms.end();
        }
    }

    fn begin_joined(&mut self, fill: bool) -> usize {
        self.atoms.begin(Group { fill, joined: true, indent: CONTINUED, ..Group::default() })
    }

    fn break_after_comma(&mut self, at: usize) {
        match self.lexemes.get(at).breaks {
            0 => self.atoms.line_break(Edge::Between, true),
            _ => self.atoms.newline(true, false),
        }
    }

    /// Returns the end of the expression that begins here, outside brackets.
    fn expression_end(&self, mut at: usize) -> usize {
        let ends = |kind| matches!(kind, Some(TokenKind::Keyword | TokenKind::Comma | TokenKind::Equals));
        while at < self.lexemes.len() && !ends(self.lexemes.token(at)) {
            at = self.lexemes.after(at);
        }
        at
    }

    /// Adds an expression, whose first lexeme is already separated from the preceding one. Its lines break first before
    /// the operators of lowest precedence.
    pub fn expression(&mut self, range: Range<usize>, is_sole: bool) {
        let operators = self.operators(range.clone());
        let Some(weakest) = operators.iter().map(|operator| operator.precedence).min() else {
            return self.plain(range);
        };
        let joined = self.depth == 0;
        let fill = weakest > AND || (joined && self.continued);
        let indent = self.operator_indent(is_sole);
        let group = self.atoms.begin(Group { fill, joined, indent, ..Group::default() });
        if weakest > AND
            && let Some(opener) = self.literal_at_end(&range)
        {
            self.hugs.push(Hug { opener, group });
        }
        let mut start = range.start;
        let mut rest = &operators[..];
        let breaks = operators.iter().filter(|operator| operator.precedence == weakest).map(|operator| operator.at);
        for end in breaks.chain([range.end]) {
            let is_operator = start > range.start;
            if is_operator {
                self.break_before(start);
            }
            let skipped = rest.iter().take_while(|operator| operator.at <= start && is_operator).count();
            let inner = rest[skipped..].iter().take_while(|operator| operator.at < end).count();
            let (inner, after) = rest[skipped..].split_at(inner);
            rest = after;
            self.segment(start..end, inner);
            start = end;
        }
        self.atoms.end();
    }

    fn operator_indent(&self, is_sole: bool) -> usize {
        match (self.depth, is_sole) {
            (0, _) => CONTINUED,
            (_, true) => 0,
            (_, false) => INDENT,
        }
    }

    /// Adds the lexemes between operators of lowest precedence; their lines break before the other operators where
    /// necessary.
    fn segment(&mut self, range: Range<usize>, operators: &[Operator]) {
        if operators.is_empty() {
            return self.plain(range);
        }
        let indent = if self.depth == 0 { CONTINUED } else { INDENT };
        self.atoms.begin(Group { fill: true, joined: self.depth == 0, indent, ..Group::default() });
        let mut start = range.start;
        for end in operators.iter().map(|operator| operator.at).chain([range.end]) {
            if start > range.start {
                self.break_before(start);
            }
            self.plain(start..end);
            start = end;
        }
        self.atoms.end();
    }

    /// Returns the binary operators of an expression that are not inside brackets, except for `**`, at which no line
    /// breaks.
    fn operators(&self, range: Range<usize>) -> Vec<Operator> {
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end {
            match self.lexemes.token(at) {
                Some(TokenKind::Operator(u8::MAX)) => {}
                Some(TokenKind::Operator(precedence)) => found.push(Operator { at, precedence }),
                _ => {}
            }
            at = self.lexemes.after(at);
        }
        found
    }

    fn break_before(&mut self, at: usize) {
        let by_hand = self.depth == 0 && self.lexemes.get(at).breaks > 0;
        if by_hand || self.follows_comment(at) {
            return self.separate(at);
        }
        self.atoms.line_break(Edge::Between, true);
    }

    /// Adds lexemes in sequence; the first is already separated from the preceding one.
    pub fn plain(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            if at > range.start {
                self.separate(at);
            }
            at = self.piece(at);
        }
    }

    /// Adds a lexeme, with everything inside it if it is a bracket. Returns the index after it.
    fn piece(&mut self, at: usize) -> usize {
        match self.lexemes.get(at).kind {
            Kind::Token(TokenKind::Open(bracket)) => self.bracket(at, bracket),
            Kind::Token(_) => self.atoms.text(self.lexemes.text(at)),
            Kind::Comment => self.atoms.comment(self.lexemes.text(at)),
        }
        self.lexemes.after(at)
    }

    fn lexeme(&mut self, at: usize) {
        self.separate(at);
        self.piece(at);
    }

    /// Adds the separator between a lexeme and the preceding one at a place where the formatter itself does not break
    /// lines.
    pub fn separate(&mut self, at: usize) {
        if at == 0 {
            return;
        }
        let lexeme = self.lexemes.get(at);
        match lexeme.kind {
            _ if self.follows_comment(at) => self.atoms.newline(false, lexeme.breaks > 1),
            Kind::Comment if lexeme.breaks > 0 => self.atoms.newline(false, false),
            Kind::Comment => {}
            Kind::Token(_) if self.depth == 0 && lexeme.breaks > 0 => self.atoms.newline(true, false),
            Kind::Token(_) if self.lexemes.is_apart(at - 1, at) => self.atoms.blank(),
            Kind::Token(_) => {}
        }
    }

    pub fn follows_comment(&self, at: usize) -> bool {
        at > 0 && self.lexemes.is_comment(at - 1)
    }

    /// Returns whether a line inside brackets may begin here. It may not begin with a name that reads as a statement.
    pub fn may_begin_line(&self, at: usize) -> bool {
        self.lexemes.token(at) != Some(TokenKind::Name) || !begins_statement(self.lexemes.raw(at))
    }
}
