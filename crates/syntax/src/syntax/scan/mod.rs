//! Splits a text into logical lines.
//!
//! A logical line is one statement: it continues inside open brackets, inside multi-line texts, and after a `\` at the
//! end of a line. The scanner recognizes only what it needs to find the end: texts, comments and brackets. It reports
//! errors in these, and limits the nesting of brackets before any recursive code sees them. It does not parse
//! statements; [`super::parser`] does.
//!
//! All operations take time linear in the text, and nothing recurses.

mod literal;
mod note;

use std::borrow::Cow;

use crate::text::{Code, Diagnostic, Span, composed, is_blank_mark, safe};

use super::foreign::ForeignWord;
use super::keyword::{begins_statement, first_word, is_keyword, is_word, is_word_char};

pub use note::{begins_comment_block, comment_block_length};

/// A logical line.
#[derive(Debug)]
pub struct Line<'a> {
    /// The contents of the line.
    pub kind: LineKind<'a>,
    /// The span of the line, without surrounding blanks and comments.
    pub span: Span,
    /// Number of blanks before it.
    pub indent: usize,
}

/// The contents of a logical line.
#[derive(Debug)]
pub enum LineKind<'a> {
    /// A statement, in which inner comments and line breaks are replaced by blanks.
    Statement(Cow<'a, str>),
    /// The source text of a statement with an error that has been reported.
    Broken(&'a str),
    /// The source text of a statement with block braces, which the parser reports: a head that ends in `{`, or a line
    /// that begins with `}`.
    Braces(&'a str),
    /// The text of `:: key: value` without the `::`, with continuation lines joined by blanks.
    Metadata(String),
    /// The text between `COMMENT:` and `ENDCOMMENT`.
    Comment(&'a str),
}

/// The scanner over one text.
pub struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    base: usize,
    at: usize,
    max_nesting: usize,
    /// The comments found so far.
    pub comments: Vec<Span>,
    /// The findings so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// An open bracket.
#[derive(Clone, Copy)]
struct Open {
    byte: u8,
    at: usize,
}

/// Number of bytes before a character in which its composed form is looked for.
const MOST_BACK: usize = 128;
/// First words of the heads of blocks, in upper case.
const HEADS: [&str; 8] = ["IF", "ELSE", "WHILE", "FOR", "ON", "DEFINE", "FUNC", "COMMAND"];

/// State of scanning one statement.
#[derive(Default)]
struct Gathered {
    open: Vec<Open>,
    too_deep: usize,
    blanks: Vec<(usize, usize)>,
    broken: bool,
    /// Whether the error is a block brace, which the parser reports.
    braces: bool,
    start: usize,
    /// End offset of the last byte that belongs to the statement.
    end: usize,
}

impl Gathered {
    /// Returns whether the statement is the head of a block whose only open bracket is a `{` at its end.
    fn ends_in_brace(&self, text: &str) -> bool {
        let [Open { byte: b'{', at }] = self.open[..] else { return false };
        let word = first_word(text[self.start..].trim_start_matches(['}', ' ', '\t']));
        let is_head = HEADS.iter().any(|head| word.eq_ignore_ascii_case(head))
            || ForeignWord::of(word).is_some_and(|part| part != ForeignWord::Closer);
        at + 1 == self.end && is_head
    }
}

impl<'a> Scanner<'a> {
    /// Creates a scanner for `text`, whose spans are relative to `base`.
    ///
    /// Skips a byte order mark at the start and a `#!` line.
    pub fn new(text: &'a str, base: usize, max_nesting: usize) -> Scanner<'a> {
        let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        if text[at..].starts_with("#!") {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
        }
        Scanner { text, bytes: text.as_bytes(), base, at, max_nesting, comments: Vec::new(), diagnostics: Vec::new() }
    }

    /// Returns the next logical line, or `None` at the end of the text.
    pub fn next_line(&mut self) -> Option<Line<'a>> {
        loop {
            let line_start = self.at;
            self.skip_blanks();
            let indent = self.at - line_start;
            match self.peek()? {
                b'\n' => self.at += 1,
                b'\r' if self.byte(self.at + 1) == Some(b'\n') => self.at += 2,
                _ if self.comment_length(self.at).is_some() => self.skip_comment(),
                b':' if self.byte(self.at + 1) == Some(b':') => return Some(self.metadata(indent)),
                _ if begins_comment_block(&self.text[self.at..]) => return Some(self.comment_block(indent)),
                _ => return Some(self.statement(indent)),
            }
        }
    }

    /// Returns the first unread line, if there is one.
    pub fn rest(&self) -> Option<Span> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let length = rest.find(['\r', '\n']).unwrap_or(rest.len());
        (length > 0).then(|| self.span(start, start + length))
    }

    fn statement(&mut self, indent: usize) -> Line<'a> {
        let start = self.at;
        let mut gathered = Gathered { start, end: start, ..Gathered::default() };
        while let Some(byte) = self.peek() {
            if byte == b'\n' || (byte == b'\r' && self.byte(self.at + 1) == Some(b'\n')) {
                if !self.line_break(&mut gathered) {
                    break;
                }
                continue;
            }
            self.item(byte, &mut gathered);
        }
        self.report_open(&mut gathered);
        let text = &self.text[start..gathered.end];
        let kind = match (gathered.braces, gathered.broken) {
            (true, _) => LineKind::Braces(text),
            (false, true) => LineKind::Broken(text),
            (false, false) => LineKind::Statement(blanked(text, start, &gathered.blanks)),
        };
        Line { kind, span: self.span(start, gathered.end), indent }
    }

    /// Scans one text, comment, bracket or other character of a statement.
    fn item(&mut self, byte: u8, gathered: &mut Gathered) {
        let from = self.at;
        match byte {
            b' ' | b'\t' => {
                self.at += 1;
                return;
            }
            b'"' | b'\'' | b'`' => self.literal(byte, gathered),
            b'(' | b'[' | b'{' => self.open_bracket(byte, gathered),
            b')' | b']' | b'}' => self.close_bracket(byte, gathered),
            b'\\' => {
                self.continuation(gathered);
                return;
            }
            b'#' | b'-' | b'/' if self.comment_length(from).is_some() => {
                self.skip_comment();
                gathered.blanks.push((from, self.at));
                return;
            }
            0x21..=0x7e => self.at += 1,
            _ => self.checked_char(gathered),
        }
        gathered.end = self.at;
    }

    /// Handles the end of a physical line. Returns whether the statement continues after it.
    fn line_break(&mut self, gathered: &mut Gathered) -> bool {
        let from = self.at;
        if gathered.open.is_empty() && gathered.too_deep == 0 {
            return false;
        }
        let mut next = from + if self.bytes[from] == b'\r' { 2 } else { 1 };
        while matches!(self.byte(next), Some(b' ' | b'\t')) {
            next += 1;
        }
        if must_begin_statement(&self.text[next..])
            || self.statement_follows(next, gathered)
            || self.block_begins_at(next, gathered)
        {
            return false;
        }
        gathered.blanks.push((from, next));
        self.at = next;
        true
    }

    /// Whether a line inside brackets that begins with a word is a new statement, because a value cannot directly
    /// follow another one. A line that is indented further more likely lacks a comma, and does not count.
    fn statement_follows(&self, at: usize, gathered: &Gathered) -> bool {
        const JOINTS: [&str; 4] = ["AND", "OR", "NOT", "IN"];
        let word = first_word(&self.text[at..]);
        let before = &self.text[gathered.start..gathered.end];
        let last = before.rsplit(|c: char| !is_word_char(c)).next().unwrap_or_default();
        let ends_value = before.ends_with(|c: char| is_word_char(c) || matches!(c, ')' | ']' | '}' | '"' | '\'' | '`'));
        let is_joint = |word: &str| JOINTS.iter().any(|joint| is_keyword(word, joint));
        let indent = |at: usize| at - self.text[..at].trim_end_matches([' ', '\t']).len();
        is_word(word)
            && ends_value
            && !is_joint(word)
            && !is_joint(last)
            && !is_keyword(last, "CALL")
            && indent(at) <= indent(gathered.start)
    }

    /// Returns whether a statement is a head that ends in `{`, the start of a block in other languages. `next` is the
    /// start of the next line.
    fn block_begins_at(&self, next: usize, gathered: &Gathered) -> bool {
        let undecided = [b'"', b'\'', b'}', b'\n', b'\r', b'#', b'-', b'/'];
        gathered.ends_in_brace(self.text) && self.byte(next).is_none_or(|byte| !undecided.contains(&byte))
    }

    fn open_bracket(&mut self, byte: u8, gathered: &mut Gathered) {
        if gathered.open.len() < self.max_nesting {
            gathered.open.push(Open { byte, at: self.at });
        } else {
            if gathered.too_deep == 0 && !gathered.broken {
                self.report_depth();
            }
            gathered.too_deep += 1;
            gathered.broken = true;
        }
        self.at += 1;
    }

    fn close_bracket(&mut self, byte: u8, gathered: &mut Gathered) {
        let at = self.at;
        self.at += 1;
        if gathered.too_deep > 0 {
            gathered.too_deep -= 1;
            return;
        }
        let fits = |open: &Open| closer_of(open.byte) == byte;
        if gathered.open.last().is_some_and(fits) {
            gathered.open.pop();
            return;
        }
        if at == gathered.start && byte == b'}' {
            gathered.braces = true;
        } else if !gathered.broken {
            let found = byte as char;
            let diagnostic = match gathered.open.last() {
                Some(open) => Diagnostic::error(
                    Code::StrayBracket,
                    self.span(at, at + 1),
                    format!("expected `{}`, found `{found}`", closer_of(open.byte) as char),
                )
                .related(self.span(open.at, open.at + 1), "to close this"),
                None => {
                    Diagnostic::error(Code::StrayBracket, self.span(at, at + 1), format!("`{found}` closes nothing"))
                        .help("remove it, or add its opener")
                }
            };
            self.diagnostics.push(diagnostic);
        }
        gathered.broken = true;
        if let Some(partner) = gathered.open.iter().rposition(fits) {
            gathered.open.truncate(partner);
        }
    }

    /// Reports brackets that are still open at the end of the statement.
    fn report_open(&mut self, gathered: &mut Gathered) {
        let Some(last) = gathered.open.last().copied() else { return };
        if !gathered.broken && gathered.ends_in_brace(self.text) {
            gathered.braces = true;
        } else if !gathered.broken {
            let opener = last.byte as char;
            let message = format!("`{opener}` is never closed");
            let mut diagnostic = Diagnostic::error(Code::UnclosedBracket, self.span(last.at, last.at + 1), message)
                .help(format!("close it with `{}`", closer_of(last.byte) as char));
            if let [.., outer, _] = gathered.open[..] {
                diagnostic = diagnostic.related(self.span(outer.at, outer.at + 1), "this one is open too");
            }
            self.diagnostics.push(diagnostic);
        }
        gathered.broken = true;
    }

    /// Handles `\` at the end of a physical line, which joins the next one.
    fn continuation(&mut self, gathered: &mut Gathered) {
        let from = self.at;
        self.at += 1;
        self.skip_blanks();
        if self.comment_length(self.at).is_some() {
            // The next line was meant to be joined, so it is joined to avoid follow-up errors.
            self.report_continuation(from, "a comment stands after `\\`", "put it on a line of its own", gathered);
            self.skip_comment();
            self.skip_line_break();
            return;
        }
        let broke = self.skip_line_break();
        let next = self.at;
        self.skip_blanks();
        let joins = broke
            && match self.peek() {
                None | Some(b'\n' | b'\r') => false,
                Some(_) => self.comment_length(self.at).is_none(),
            };
        if joins {
            gathered.blanks.push((from, self.at));
            return;
        }
        let (message, help) = if broke {
            ("the line after `\\` is empty or a comment", "remove the `\\`, or the line")
        } else {
            ("`\\` may stand only at a line's end", "remove it; a text with a backslash is written `\"\\\\\"`")
        };
        self.report_continuation(from, message, help, gathered);
        self.at = if broke { next - 1 } else { from + 1 };
        if broke && self.byte(self.at.wrapping_sub(1)) == Some(b'\r') {
            self.at -= 1;
        }
    }

    fn report_continuation(&mut self, at: usize, message: &str, help: &str, gathered: &mut Gathered) {
        if !gathered.broken {
            let span = self.span(at, at + 1);
            self.diagnostics.push(Diagnostic::error(Code::BadContinuation, span, message).help(help));
        }
        gathered.broken = true;
        gathered.end = at + 1;
    }

    /// Scans one non-ASCII or control character, and reports it if it is not allowed here.
    fn checked_char(&mut self, gathered: &mut Gathered) {
        let at = self.at;
        let c = self.text[at..].chars().next().expect("the scanner stops at the end of the text");
        self.at += c.len_utf8();
        let is_seen = !c.is_control() && !c.is_whitespace() && !safe::is_format(c) && !is_blank_mark(c);
        let from = self.text.floor_char_boundary(at.saturating_sub(MOST_BACK));
        let composed = composed(&self.text[from..self.at]).filter(|_| is_seen);
        match (is_seen, composed) {
            (true, None) => return,
            _ if gathered.broken => {}
            (true, Some(composed)) => self.report_composed(&composed, at),
            (false, _) => self.report_character(c, at),
        }
        gathered.broken = true;
    }

    /// Reports a character that is written as a letter and its marks, or in another form than the usual one.
    fn report_composed(&mut self, composed: &str, at: usize) {
        let message = format!("`{composed}` is not in its composed form (NFC)");
        let help = "save the file in NFC, as editors write it; a key that is spelled otherwise stands in quotes";
        self.diagnostics.push(Diagnostic::error(Code::BadCharacter, self.span(at, self.at), message).help(help));
    }

    fn report_character(&mut self, c: char, at: usize) {
        let (what, help) = match c {
            '\0' => ("a NUL character".to_owned(), "remove it; in a text it is written `\\x00`"),
            '\r' => ("a carriage return without a line feed".to_owned(), "end lines with LF or CRLF"),
            _ if c.is_whitespace() => {
                (format!("a blank other than space and tab, U+{:04X},", c as u32), "replace it with a space")
            }
            _ => (
                format!("an invisible character, U+{:04X},", c as u32),
                "remove it; in a text it is written as an escape",
            ),
        };
        let message = format!("{what} is not allowed outside texts");
        let span = self.span(at, at + c.len_utf8());
        self.diagnostics.push(Diagnostic::error(Code::BadCharacter, span, message).help(help));
    }

    fn report_depth(&mut self) {
        let message = format!("brackets are nested more than {} deep (`nesting`)", self.max_nesting);
        let span = self.span(self.at, self.at + 1);
        self.diagnostics
            .push(Diagnostic::error(Code::TooDeep, span, message).help("set the inner parts to variables first"));
    }

    /// Returns the text up to the next line feed.
    fn rest_of_line(&self) -> &'a str {
        let rest = &self.text[self.at..];
        &rest[..rest.find('\n').unwrap_or(rest.len())]
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Skips an LF or CRLF at the current position. Returns whether there was one.
    fn skip_line_break(&mut self) -> bool {
        let length = match (self.peek(), self.byte(self.at + 1)) {
            (Some(b'\n'), _) => 1,
            (Some(b'\r'), Some(b'\n')) => 2,
            _ => return false,
        };
        self.at += length;
        true
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start, self.base + end)
    }
}

/// Returns whether a line inside brackets that begins with this text must be a new statement.
pub fn must_begin_statement(text: &str) -> bool {
    let word = first_word(text);
    if !begins_statement(word) {
        return false;
    }
    let after = text[word.len()..].trim_start_matches([' ', '\t']);
    if is_keyword(word, "DEFINE") {
        return is_keyword(first_word(after), "PROCEDURE");
    }
    !after.starts_with(':')
}

fn closer_of(opener: u8) -> u8 {
    match opener {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// Returns the text with the given ranges, whose offsets are relative to `start`, replaced by spaces, byte for byte.
fn blanked<'a>(text: &'a str, start: usize, blanks: &[(usize, usize)]) -> Cow<'a, str> {
    let inside = |&&(from, _): &&(usize, usize)| from < start + text.len();
    if !blanks.iter().any(|range| inside(&range)) {
        return Cow::Borrowed(text);
    }
    let mut blanked = String::with_capacity(text.len());
    for &(from, to) in blanks.iter().filter(inside) {
        blanked.push_str(&text[blanked.len()..from - start]);
        blanked.extend(std::iter::repeat_n(' ', to - from));
    }
    blanked.push_str(&text[blanked.len()..]);
    Cow::Owned(blanked)
}
