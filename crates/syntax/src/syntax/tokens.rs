//! Tokens of a text that is being typed: for syntax highlighting and completion.
//!
//! Lines and comments come from the scanner, words from the tables of the parser. Tokenizing never fails: an incomplete
//! script has tokens too, and invalid characters belong to no token. Takes time linear in the text.

use super::keyword::{CONSTANTS, HEAD_WORDS, STATEMENT_WORDS, is_keyword, is_reserved, is_word_char};
use super::scan::{LineKind, Scanner};

/// A token and its byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word that is a keyword in its position.
    Keyword,
    /// `true`, `false`, `nil`, `LAST` and similar words.
    Constant,
    /// A name that is not called.
    Name,
    /// The last word of the name of a callee.
    Callee,
    /// A number.
    Number,
    /// A text.
    Text {
        /// Whether its closing quote is present.
        is_closed: bool,
    },
    /// A comment, or a `::` line.
    Comment,
    /// A bracket, an operator or another mark, given by its first character.
    Mark(char),
}

/// The class of a token for a highlighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenClass {
    /// A keyword or a constant.
    Keyword,
    /// The name of a variable.
    Variable,
    /// The key of a map, after a dot.
    Property,
    /// The last word of the name of a callee.
    Function,
    /// The group or module before it.
    Namespace,
    /// The name of an argument, before a colon.
    Parameter,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A comment, or a `::` line.
    Comment,
}

impl TokenClass {
    /// Returns the class of the token at a position of a list; `None` for marks.
    pub fn of(all: &[Token], position: usize) -> Option<TokenClass> {
        let mark = |position: Option<usize>| match position.and_then(|at| all.get(at)).map(|token| token.kind) {
            Some(TokenKind::Mark(mark)) => Some(mark),
            _ => None,
        };
        let follows_dot = mark(position.checked_sub(1)) == Some('.');
        let next = mark(Some(position + 1));
        let callee_follows = all.get(position + 2).is_some_and(|token| token.kind == TokenKind::Callee);
        Some(match all.get(position)?.kind {
            TokenKind::Keyword | TokenKind::Constant => TokenClass::Keyword,
            TokenKind::Callee => TokenClass::Function,
            TokenKind::Name if next == Some('.') && callee_follows => TokenClass::Namespace,
            TokenKind::Name if follows_dot => TokenClass::Property,
            TokenKind::Name if next == Some(':') => TokenClass::Parameter,
            TokenKind::Name => TokenClass::Variable,
            TokenKind::Number => TokenClass::Number,
            TokenKind::Text { .. } => TokenClass::Text,
            TokenKind::Comment => TokenClass::Comment,
            TokenKind::Mark(_) => return None,
        })
    }
}

/// Bracket nesting above which tokens are no longer distinguished.
const NESTING: usize = 1_000;

/// Returns the tokens of a text, in source order.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = Scanner::new(text, 0, NESTING);
    let mut lines: Vec<(usize, usize, bool)> = Vec::new();
    while let Some(line) = scanner.next_line() {
        let is_statement = matches!(line.kind, LineKind::Statement(_) | LineKind::Broken(_) | LineKind::Braces(_));
        lines.push((line.span.start as usize, line.span.end as usize, is_statement));
    }
    let mut comments = scanner.comments.iter().map(|span| (span.start as usize, span.end as usize)).peekable();
    let mut lexer = Lexer { text, at: 0, end: 0, tokens: Vec::new(), head: "", is_first: true, depth: 0 };
    for (start, end, is_statement) in lines {
        while let Some((from, to)) = comments.next_if(|(from, _)| *from < start) {
            lexer.push(TokenKind::Comment, from, to);
        }
        if !is_statement {
            while comments.next_if(|(from, _)| *from < end).is_some() {}
            lexer.push(TokenKind::Comment, start, end);
            continue;
        }
        (lexer.at, lexer.end, lexer.head, lexer.is_first, lexer.depth) = (start, end, "", true, 0);
        while lexer.at < end {
            match comments.next_if(|(from, _)| *from <= lexer.at) {
                Some((from, to)) => {
                    lexer.push(TokenKind::Comment, from, to);
                    lexer.at = to;
                }
                None => {
                    // A quote that does not begin a text for the scanner extends at most to the next comment.
                    lexer.end = comments.peek().map_or(end, |(from, _)| end.min(*from));
                    lexer.next();
                }
            }
        }
    }
    comments.for_each(|(from, to)| lexer.push(TokenKind::Comment, from, to));
    lexer.tokens
}

/// Splits one statement into tokens.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// End of the statement or start of its next comment; no text extends beyond it.
    end: usize,
    tokens: Vec<Token>,
    /// The first word of the statement in upper case, if it is a keyword.
    head: &'static str,
    /// Whether no token of the statement has been found yet.
    is_first: bool,
    /// Number of open brackets.
    depth: usize,
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.tokens.push(Token { kind, start, end });
    }

    fn next(&mut self) {
        let start = self.at;
        let rest = &self.text[start..self.end];
        let Some(first) = rest.chars().next() else { return };
        let kind = match first {
            ' ' | '\t' | '\r' | '\n' => {
                self.at += 1;
                return;
            }
            '"' | '\'' | '`' => {
                let (length, is_closed) = text_length(rest, first as u8);
                self.at += length;
                TokenKind::Text { is_closed }
            }
            '0'..='9' => {
                self.at += number_length(rest);
                TokenKind::Number
            }
            _ if is_word_char(first) => {
                self.at += rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
                self.word(start)
            }
            mark => {
                self.at += mark.len_utf8();
                match mark {
                    '(' | '[' | '{' => self.depth += 1,
                    ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                TokenKind::Mark(mark)
            }
        };
        self.is_first = false;
        self.push(kind, start, self.at);
    }

    /// Returns the kind of the word that ends at the current position.
    fn word(&mut self, start: usize) -> TokenKind {
        let word = &self.text[start..self.at];
        let next = self.text[self.at..].trim_start_matches([' ', '\t']).chars().next();
        let plain = if next == Some('(') { TokenKind::Callee } else { TokenKind::Name };
        if self.tokens.last().is_some_and(|last| last.kind == TokenKind::Mark('.') && last.end == start) {
            return plain;
        }
        if self.depth > 0 && next == Some(':') {
            return TokenKind::Name;
        }
        if self.is_first
            && let Some(head) = STATEMENT_WORDS.iter().find(|head| is_keyword(word, head))
            && (is_reserved(word) || !next.is_some_and(|next| "([.=".contains(next)))
        {
            self.head = head;
            return TokenKind::Keyword;
        }
        if is_any(word, &CONSTANTS) {
            return TokenKind::Constant;
        }
        if is_reserved(word) || is_any(word, words_behind(self.head)) {
            return TokenKind::Keyword;
        }
        plain
    }
}

/// Returns the words that are keywords only after `head`.
fn words_behind(head: &str) -> &'static [&'static str] {
    HEAD_WORDS.iter().find(|(first, _)| *first == head).map_or(&[], |(_, words)| words)
}

fn is_any(word: &str, keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| is_keyword(word, keyword))
}

/// Returns the length of the quoted text at the start of `text`, and whether it is closed.
fn text_length(text: &str, quote: u8) -> (usize, bool) {
    let bytes = text.as_bytes();
    if quote != b'"' && bytes.starts_with(&[quote; 3]) {
        return match text[3..].find(&text[..3]) {
            Some(length) => (length + 6, true),
            None => (text.len(), false),
        };
    }
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => break,
            b'\\' if !matches!(bytes.get(at + 1), None | Some(b'\n' | b'\r')) => at += 2,
            byte => {
                at += 1;
                if *byte == quote {
                    return (at, true);
                }
            }
        }
    }
    (text.ceil_char_boundary(at.min(text.len())), false)
}

/// Returns the length of the number at the start of a text, including letters that do not belong there.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let is_sign = matches!(byte, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E');
        let is_point = *byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !(byte.is_ascii_alphanumeric() || *byte == b'_' || is_sign || is_point) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{Token, TokenKind, tokens};

    #[test]
    fn a_comment_is_none_of_the_text_before_it() {
        let found: Vec<(usize, usize)> = tokens("{`#\nt").iter().map(|token| (token.start, token.end)).collect();
        assert_eq!(found, [(0, 1), (1, 2), (2, 3), (4, 5)]);
    }

    #[test]
    fn the_words_of_a_head_are_told_from_its_parameters() {
        for head in ["DEFINE PROCEDURE F(needs: -1 OPTIONAL returns: nil, b)", "func F needs a optional b: true means"]
        {
            let kinds = |wanted: TokenKind| -> Vec<&str> {
                let found = tokens(head).into_iter().filter(|token| token.kind == wanted);
                found.map(|token| &head[token.start..token.end]).collect()
            };
            let (keywords, constants) = if head.starts_with("func") {
                (vec!["func", "needs", "optional", "means"], vec!["true"])
            } else {
                (vec!["DEFINE", "PROCEDURE", "OPTIONAL"], vec!["nil"])
            };
            assert_eq!(kinds(TokenKind::Keyword), keywords, "{head}");
            assert_eq!(kinds(TokenKind::Constant), constants, "{head}");
        }
    }

    /// Wherever a text is truncated, its tokens are in order and within it.
    #[test]
    fn tokens_lie_in_the_text_in_order() {
        let text = "\u{feff}#!/ns\n:: key: value \\\n more\nSET x = \"a\\\"é\" + 'b # c\nCOMMENT: one\ntwo ENDCOMMENT\n\
            IF x[0.5e-3] == '''raw\n\"''' THEN # why\n  CALL FS.ReadFile(end: 1, -- no\n  2)\r\nEND\n```{{x}}`` \\\n}]) é½\u{1b}";
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let cut = &text[..end];
            let mut at = 0;
            for Token { start, end, .. } in tokens(cut) {
                assert!(at <= start && start < end && end <= cut.len(), "{cut:?}: {start}..{end} after {at}");
                assert!(cut.get(start..end).is_some(), "{cut:?}: {start}..{end}");
                at = end;
            }
        }
    }
}
