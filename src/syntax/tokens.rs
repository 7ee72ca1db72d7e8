//! The tokens of a text as it is typed: for colours, and for what could stand at a place.
//!
//! Lines and comments come from the scanner, words from the tables of the parser. Nothing fails here: a text
//! that is no script yet has tokens too, and what is none belongs to none. Linear in the text.

use super::keyword::{STATEMENT_WORDS, is_keyword, is_reserved, is_word_char};
use super::scan::{LineKind, Scanner};

/// A stretch of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word of the language, where it is one.
    Keyword,
    /// `true`, `false`, `nil`, `LAST` and the like.
    Constant,
    /// A name that is no call.
    Name,
    /// The last word of the name of what is called.
    Callee,
    /// A number.
    Number,
    /// A text; whether its end is there.
    Text {
        /// Whether it is.
        is_closed: bool,
    },
    /// A comment, or a `::` line.
    Comment,
    /// A bracket, an operator or another mark: its first character.
    Mark(char),
}

/// Brackets in brackets beyond which nothing is told apart any more.
const NESTING: usize = 1_000;

/// The tokens of a text, in its order.
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
                    // What a mark begins that is no text to the scanner ends where a comment does begin.
                    lexer.end = comments.peek().map_or(end, |(from, _)| end.min(*from));
                    lexer.next();
                }
            }
        }
    }
    comments.for_each(|(from, to)| lexer.push(TokenKind::Comment, from, to));
    lexer.tokens
}

/// Cuts one statement into tokens.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Where the statement ends, or its next comment begins: no text goes on behind it.
    end: usize,
    tokens: Vec<Token>,
    /// The word that the statement begins with, if it is one of the language, in upper case.
    head: &'static str,
    /// Whether nothing of the statement was met yet.
    is_first: bool,
    /// Brackets that are open.
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

    /// What the word is that ends where the lexer stands.
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
        if is_any(word, &["TRUE", "FALSE", "NIL", "NULL", "LAST", "LAST_ERROR", "ARGS"]) {
            return TokenKind::Constant;
        }
        if is_reserved(word) || is_any(word, words_behind(self.head)) {
            return TokenKind::Keyword;
        }
        plain
    }
}

/// Words that are keywords only behind this one.
fn words_behind(head: &str) -> &'static [&'static str] {
    match head {
        "ON" => &["ERROR", "AS"],
        "USE" => &["AS"],
        "DEFINE" => &["PROCEDURE", "NEEDS", "OPTIONAL", "RETURNS"],
        "FUNC" => &["MEANS", "NEEDS", "OPTIONAL", "RETURNS"],
        _ => &[],
    }
}

fn is_any(word: &str, keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| is_keyword(word, keyword))
}

/// How long the text in quotes is with which a text begins, and whether its end is there.
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

/// How long the number is with which a text begins, letters that do not belong there with it.
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
            let (keywords, constants) = match head.starts_with("func") {
                true => (vec!["func", "needs", "optional", "means"], vec!["true"]),
                false => (vec!["DEFINE", "PROCEDURE", "OPTIONAL"], vec!["nil"]),
            };
            assert_eq!(kinds(TokenKind::Keyword), keywords, "{head}");
            assert_eq!(kinds(TokenKind::Constant), constants, "{head}");
        }
    }

    /// Whatever a text is cut off at, its tokens come one after another and lie in it.
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
