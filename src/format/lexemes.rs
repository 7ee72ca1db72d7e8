//! The tokens of one statement with the comments between them, as they are printed.

use std::borrow::Cow;

use crate::syntax::written::{Bracket, Token, TokenKind};
use crate::text::{Source, Span};

use super::Spelling;

/// A token, or a comment between tokens.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    /// What it is.
    pub kind: Kind,
    /// Its place.
    pub span: Span,
    /// Line breaks before it; two stand for more.
    pub breaks: u8,
}

/// What a lexeme is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A token.
    Token(TokenKind),
    /// A comment to its line's end.
    Comment,
}

/// The lexemes of a statement, in order, and which brackets belong together.
pub struct Lexemes<'a> {
    source: &'a Source,
    spelling: Option<Spelling>,
    list: Vec<Lexeme>,
    /// For each bracket the place of its partner; for others their own.
    partners: Vec<usize>,
}

impl<'a> Lexemes<'a> {
    /// Joins the tokens of a statement and the comments inside it.
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

    /// The token there; none for a comment.
    pub fn token(&self, at: usize) -> Option<TokenKind> {
        match self.list[at].kind {
            Kind::Token(kind) => Some(kind),
            Kind::Comment => None,
        }
    }

    pub fn is_comment(&self, at: usize) -> bool {
        self.list[at].kind == Kind::Comment
    }

    /// The place of the bracket that belongs to this one.
    pub fn partner(&self, at: usize) -> usize {
        self.partners[at]
    }

    /// The place after a lexeme, and after all that its bracket holds.
    pub fn after(&self, at: usize) -> usize {
        match self.token(at) {
            Some(TokenKind::Open(_)) => self.partner(at) + 1,
            _ => at + 1,
        }
    }

    /// What stands there in the text.
    pub fn raw(&self, at: usize) -> &'a str {
        self.source.slice(self.list[at].span)
    }

    /// What is printed for it.
    pub fn text(&self, at: usize) -> Cow<'a, str> {
        let raw = self.raw(at);
        match self.list[at].kind {
            Kind::Comment => Cow::Borrowed(raw.trim_end()),
            Kind::Token(TokenKind::Literal) => Cow::Owned(raw.to_ascii_lowercase()),
            Kind::Token(TokenKind::Keyword | TokenKind::KeywordInside | TokenKind::Not) => spelled(raw, self.spelling),
            Kind::Token(TokenKind::Operator(_)) if raw.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                // `NOT IN` may have any blanks between its words.
                let words: Vec<&str> = raw.split_ascii_whitespace().collect();
                Cow::Owned(spelled(&words.join(" "), self.spelling).into_owned())
            }
            Kind::Token(_) => Cow::Borrowed(raw),
        }
    }

    /// Whether a blank stands between two neighbours on one line.
    pub fn is_apart(&self, before: usize, at: usize) -> bool {
        let (Some(left), Some(right)) = (self.token(before), self.token(at)) else { return true };
        match (left, right) {
            // Two signs side by side would begin a comment.
            (TokenKind::Sign, TokenKind::Sign) => self.raw(before) == "-" && self.raw(at) == "-",
            (TokenKind::Open(_) | TokenKind::Dot | TokenKind::Sign, _) => false,
            (_, TokenKind::Comma | TokenKind::Colon | TokenKind::Dot | TokenKind::Close(_)) => false,
            (_, TokenKind::Open(Bracket::Arguments | Bracket::Index | Bracket::Signature)) => false,
            _ => true,
        }
    }
}

/// A keyword in a spelling; as it is where none is asked for.
pub fn spelled(word: &str, spelling: Option<Spelling>) -> Cow<'_, str> {
    match spelling {
        Some(Spelling::Upper) => Cow::Owned(word.to_ascii_uppercase()),
        Some(Spelling::Lower) => Cow::Owned(word.to_ascii_lowercase()),
        None => Cow::Borrowed(word),
    }
}

/// Line breaks between two offsets; two stand for more.
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
