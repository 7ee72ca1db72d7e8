//! Tokens of upstream NeuroScript, grouped into lines.
//!
//! The tokens are those of the language itself, and three that only upstream has: texts in `[[…]]`, octal escapes and
//! the like in quoted texts, and `@` in a placeholder. Lexing never fails: what is no token is [`TokenKind::Unknown`].
//! It takes time linear in the text, and nothing recurses.

use crate::syntax::keyword::{first_word, is_keyword, is_word_char};
use crate::syntax::{begins_comment_block, comment_block_length, must_begin_statement};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number.
    Number,
    /// A text in single or double quotes.
    Quoted,
    /// A text in three quotes.
    Raw,
    /// A text in three backticks.
    Template,
    /// A text in `[[…]]`.
    Bracketed,
    /// An operator or a punctuation mark.
    Mark,
    /// A character that begins no token, or a text that is never closed, up to the end of its line.
    Unknown,
}

/// A token: a range of the text.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
}

/// A logical line.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Its tokens, without comments.
    pub tokens: Vec<Token>,
    /// Whether the last byte of the line stands on another physical line than the first.
    pub is_long: bool,
}

/// The lines of a text, with what lies between them.
#[derive(Debug, Default)]
pub struct Lines {
    /// The lines with at least one token.
    pub lines: Vec<Line>,
    /// The texts after `::` of metadata lines.
    pub metadata: Vec<(usize, usize)>,
    /// The texts between `COMMENT:` and `ENDCOMMENT`.
    pub comments: Vec<(usize, usize)>,
}

/// The result of reading `[[…` as a list.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Whether it is a list whose first element is a list.
    pub is_list: bool,
    /// The number of bytes that were read.
    pub length: usize,
}

/// Bytes that may be read in vain to find the ends of lists, for each byte of the text.
const VAIN_LOOKS: usize = 16;

/// Marks of two characters.
const PAIRS: [&str; 6] = ["==", "!=", "<=", ">=", "**", "{{"];

/// The lexer.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    line: Line,
    found: Lines,
    /// Reads the value that begins with `[[` as a list.
    look: &'a dyn Fn(&str) -> Look,
    /// `[[` before this offset is part of a list.
    lists_until: usize,
    /// The offset of the next `]]`, or the length of the text if there is none; `None` before the first look.
    next_close: Option<usize>,
    /// The number of bytes that may still be read in vain.
    looks_left: usize,
    /// Whether lexing ends with the bracket that closes the first one.
    is_value: bool,
}

/// Splits a text into lines of tokens. `look` reads a value that begins with `[[` as a list; what is none is a text.
pub fn lines(text: &str, look: &dyn Fn(&str) -> Look) -> Lines {
    let mut lexer = Lexer::new(text, look);
    if text.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    if lexer.rest().starts_with("#!") {
        lexer.skip_line();
    }
    lexer.run()
}

/// Returns the tokens of a value in brackets at the start of a text; `[[` begins a list.
pub fn value(text: &str) -> Vec<Token> {
    let mut lexer = Lexer::new(text, &|_| Look { is_list: true, length: usize::MAX });
    lexer.is_value = true;
    lexer.run().lines.into_iter().next().unwrap_or_default().tokens
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, look: &'a dyn Fn(&str) -> Look) -> Lexer<'a> {
        Lexer {
            text,
            at: 0,
            depth: 0,
            line: Line::default(),
            found: Lines::default(),
            look,
            lists_until: 0,
            next_close: None,
            looks_left: text.len().saturating_mul(VAIN_LOOKS),
            is_value: false,
        }
    }

    fn run(mut self) -> Lines {
        while self.at < self.text.len() {
            self.step();
            let is_closed = self.depth == 0 && !self.line.tokens.is_empty();
            if self.is_value && (is_closed || !self.found.lines.is_empty()) {
                break;
            }
        }
        self.end_line();
        self.found
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let is_first = self.line.tokens.is_empty();
        let c = rest.chars().next().unwrap_or(' ');
        match c {
            ' ' | '\t' => self.at += 1,
            '\r' | '\n' => self.line_break(),
            '\\' if self.joins_next_line() => {}
            '#' => self.skip_line(),
            '-' if rest.starts_with("--") => self.skip_line(),
            '/' if rest.starts_with("//") => self.skip_line(),
            ':' if is_first && rest.starts_with("::") => self.metadata(),
            'C' | 'c' if is_first && begins_comment_block(rest) => self.comment(),
            _ => self.token(c),
        }
    }

    /// Ends the line, unless brackets are open and the next line does not begin a statement.
    fn line_break(&mut self) {
        self.at += 1;
        let begins_statement = || {
            let ahead = self.rest().trim_start_matches([' ', '\t']);
            let after = ahead[first_word(ahead).len()..].trim_start_matches([' ', '\t']);
            // Upstream has variables such as `end`.
            must_begin_statement(ahead) && !after.starts_with([',', ')', ']', '}'])
        };
        if self.depth == 0 || begins_statement() {
            self.end_line();
        } else {
            self.line.is_long = true;
        }
    }

    fn end_line(&mut self) {
        self.depth = 0;
        let line = std::mem::take(&mut self.line);
        if !line.tokens.is_empty() {
            self.found.lines.push(line);
        }
    }

    /// Skips a `\` with the line break after it, if that is what stands here.
    fn joins_next_line(&mut self) -> bool {
        let after = self.rest()[1..].trim_start_matches([' ', '\t', '\r']);
        let joins = after.starts_with('\n');
        if joins {
            self.at = self.text.len() - after.len() + 1;
            self.line.is_long = true;
        }
        joins
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn metadata(&mut self) {
        let start = self.at + 2;
        self.skip_line();
        while self.text[..self.at].trim_end_matches([' ', '\t', '\r']).ends_with('\\') && self.at < self.text.len() {
            self.at += 1;
            self.skip_line();
        }
        self.found.metadata.push((start, self.at));
    }

    fn comment(&mut self) {
        let start = self.at + "COMMENT:".len();
        let end = comment_block_length(&self.text[start..]).map_or(self.text.len(), |length| start + length);
        self.found.comments.push((start, end));
        self.at = end;
        self.skip_line();
    }

    fn token(&mut self, c: char) {
        let rest = self.rest();
        let (kind, length) = match c {
            '"' | '\'' if rest.starts_with("'''") => fenced(rest, "'''", TokenKind::Raw),
            '"' | '\'' => quoted(rest),
            '`' if rest.starts_with("```") => fenced(rest, "```", TokenKind::Template),
            '[' if rest.starts_with("[[") => self.double_bracket(),
            c if c.is_ascii_digit() => (TokenKind::Number, number_length(rest)),
            c if is_word_char(c) => (TokenKind::Word, first_word(rest).len()),
            _ => mark(rest),
        };
        let end = self.at + length;
        let mark = &self.text[self.at..end];
        match mark {
            "(" | "[" | "{" => self.depth += 1,
            "{{" => self.depth += 2,
            ")" | "]" | "}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.line.is_long |= kind != TokenKind::Word && mark.contains('\n');
        self.line.tokens.push(Token { kind, start: self.at, end });
        self.at = end;
    }

    /// Reads `[[…]]` as one text or as the first bracket of a list.
    fn double_bracket(&mut self) -> (TokenKind, usize) {
        let rest = self.rest();
        let next_close = match self.next_close {
            Some(close) if close >= self.at => close,
            _ => rest.find("]]").map_or(self.text.len(), |length| self.at + length),
        };
        self.next_close = Some(next_close);
        if self.at < self.lists_until || next_close == self.text.len() {
            return (TokenKind::Mark, 1);
        }
        let length = next_close + 2 - self.at;
        let seen = if self.looks_left > 0 { rest } else { &rest[..length] };
        let look = (self.look)(seen);
        if look.is_list {
            self.lists_until = self.at.saturating_add(look.length);
            return (TokenKind::Mark, 1);
        }
        self.looks_left = self.looks_left.saturating_sub(look.length);
        (TokenKind::Bracketed, length)
    }
}

fn fenced(rest: &str, fence: &str, kind: TokenKind) -> (TokenKind, usize) {
    match rest[3..].find(fence) {
        Some(length) => (kind, length + 6),
        None => (TokenKind::Unknown, rest.find('\n').unwrap_or(rest.len())),
    }
}

fn quoted(rest: &str) -> (TokenKind, usize) {
    let quote = rest.as_bytes()[0];
    let mut is_escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        if byte == b'\n' {
            return (TokenKind::Unknown, at);
        }
        if byte == quote && !is_escaped {
            return (TokenKind::Quoted, at + 1);
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    (TokenKind::Unknown, rest.len())
}

fn number_length(rest: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'_').count();
    let mut length = digits(rest);
    let after = &rest[length..];
    if after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit()) {
        length += 1 + digits(&after[1..]);
    }
    let after = &rest[length..];
    if let Some(exponent) = after.strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let power = digits(&exponent[sign..]);
        length += if power > 0 { 1 + sign + power } else { 0 };
    }
    length
}

fn mark(rest: &str) -> (TokenKind, usize) {
    if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
        return (TokenKind::Mark, 2);
    }
    let c = rest.chars().next().unwrap_or(' ');
    let kind = if "()[]{}.,:=<>+-*/%&|^~@".contains(c) { TokenKind::Mark } else { TokenKind::Unknown };
    (kind, c.len_utf8())
}

/// Returns whether a token is the keyword, given in upper case.
pub fn is_word(text: &str, token: Option<&Token>, keyword: &str) -> bool {
    token.is_some_and(|token| token.kind == TokenKind::Word && is_keyword(&text[token.start..token.end], keyword))
}
