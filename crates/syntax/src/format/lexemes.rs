//! The tokens of one statement and the comments between them, as they are printed.

use std::borrow::Cow;

use crate::syntax::written::{Bracket, Token, TokenKind};
use crate::text::{Source, Span};

use super::Spelling;

/// A token, or a comment between tokens.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    /// The kind of lexeme.
    pub kind: Kind,
    /// The span of the lexeme.
    pub span: Span,
    /// Number of line breaks before it; 2 means two or more.
    pub breaks: u8,
}

/// The kind of a lexeme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A token.
    Token(TokenKind),
    /// A comment to the end of its line.
    Comment,
}

/// The lexemes of a statement, in order, and the pairs of brackets.
pub struct Lexemes<'a> {
    source: &'a Source,
    spelling: Option<Spelling>,
    list: Vec<Lexeme>,
    /// For each bracket the index of its partner; for any other lexeme its own index.
    partners: Vec<usize>,
}

impl<'a> Lexemes<'a> {
    /// Merges the tokens of a statement and the comments inside it.
    pub fn new(source: &'a Source, spelling: Option<Spelling>, tokens: &[Token], comments: &[Span]) -> Lexemes<'a> {
        let mut list: Vec<Lexeme> = Vec::with_capacity(tokens.len() + comments.len());
        let mut comments = comments.iter().peekable();
        let mut push = |kind, span: Span| {
            let breaks = list.last().map_or(0, |last| line_breaks(source, last.span.end, span.start));
            list.push(Lexeme { kind, span, breaks });
        };
        for token in tokens {
            while let Some(comment) = comments.next_if(|comment| comment.start < token.span.start) {
                push(Kind::Comment, *comment);
            }
            push(Kind::Token(token.kind), token.span);
        }
        let partners = partners(&list);
        Lexemes { source, spelling, list, partners }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, at: usize) -> Lexeme {
        self.list[at]
    }

    /// Returns the token at an index, or `None` for a comment.
    pub fn token(&self, at: usize) -> Option<TokenKind> {
        match self.list[at].kind {
            Kind::Token(kind) => Some(kind),
            Kind::Comment => None,
        }
    }

    pub fn is_comment(&self, at: usize) -> bool {
        self.list[at].kind == Kind::Comment
    }

    /// Returns the index of the matching bracket.
    pub fn partner(&self, at: usize) -> usize {
        self.partners[at]
    }

    /// Returns the index after a lexeme, and after everything inside it if it is a bracket.
    pub fn after(&self, at: usize) -> usize {
        match self.token(at) {
            Some(TokenKind::Open(_)) => self.partner(at) + 1,
            _ => at + 1,
        }
    }

    /// Returns the source text of a lexeme.
    pub fn raw(&self, at: usize) -> &'a str {
        self.source.slice(self.list[at].span)
    }

    /// Returns the text to print for a lexeme.
    pub fn text(&self, at: usize) -> Cow<'a, str> {
        let raw = self.raw(at);
        match self.list[at].kind {
            Kind::Comment => Cow::Borrowed(raw.trim_end()),
            Kind::Token(TokenKind::Literal) => Cow::Owned(raw.to_ascii_lowercase()),
            Kind::Token(TokenKind::Keyword | TokenKind::KeywordInside | TokenKind::Not) => spelled(raw, self.spelling),
            Kind::Token(TokenKind::Operator(_)) if raw.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                // `NOT IN` may have blanks, a line break and a comment, which is a lexeme of its own, between its words.
                match raw.len().checked_sub("IN".len()) {
                    Some(second) if raw.len() > "NOT".len() => {
                        let words = format!("{} {}", &raw[.."NOT".len()], &raw[second..]);
                        Cow::Owned(spelled(&words, self.spelling).into_owned())
                    }
                    _ => spelled(raw, self.spelling),
                }
            }
            Kind::Token(_) => Cow::Borrowed(raw),
        }
    }

    /// Returns whether a blank is printed between two neighbours on one line.
    pub fn is_apart(&self, before: usize, at: usize) -> bool {
        let (Some(left), Some(right)) = (self.token(before), self.token(at)) else { return true };
        match (left, right) {
            // Two adjacent signs would begin a comment.
            (TokenKind::Sign, TokenKind::Sign) => self.raw(before) == "-" && self.raw(at) == "-",
            (TokenKind::Open(_) | TokenKind::Dot | TokenKind::Sign, _) => false,
            (_, TokenKind::Comma | TokenKind::Colon | TokenKind::Dot | TokenKind::Close(_)) => false,
            (_, TokenKind::Open(Bracket::Arguments | Bracket::Index | Bracket::Signature)) => false,
            _ => true,
        }
    }
}

/// Returns a keyword in a spelling, or unchanged if none is requested.
pub fn spelled(word: &str, spelling: Option<Spelling>) -> Cow<'_, str> {
    match spelling {
        Some(Spelling::Upper) => Cow::Owned(word.to_ascii_uppercase()),
        Some(Spelling::Lower) => Cow::Owned(word.to_ascii_lowercase()),
        None => Cow::Borrowed(word),
    }
}

/// Returns the number of line breaks between two offsets; 2 means two or more.
pub fn line_breaks(source: &Source, from: u32, to: u32) -> u8 {
    let between = source.slice(Span { start: from, end: to.max(from) });
    between.bytes().filter(|&byte| byte == b'\n').take(2).count() as u8
}

fn partners(list: &[Lexeme]) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..list.len()).collect();
    let mut open = Vec::new();
    for (at, lexeme) in list.iter().enumerate() {
        match lexeme.kind {
            Kind::Token(TokenKind::Open(_)) => open.push(at),
            Kind::Token(TokenKind::Close(_)) => {
                let opener = open.pop().expect("a text without faults has an opener for each closer");
                (partners[at], partners[opener]) = (opener, at);
            }
            _ => {}
        }
    }
    partners
}
