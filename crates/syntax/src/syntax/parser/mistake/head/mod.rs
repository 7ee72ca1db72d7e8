//! Heads of blocks in the syntax of other languages: `IF x:`, `while (x) {`, `elif x`, `def f(x):`.
//!
//! The help shows the head in the syntax of this language.

mod rewrite;

use std::ops::Range;

use crate::text::{Code, Diagnostic, safe};

use super::super::super::foreign::ForeignWord;
use super::super::super::keyword::{first_word, is_word, is_word_char};
use super::habit::{MAX_LINE, at_top};
use super::{Failure, Span};

/// The head of a block, in the syntax of this language or of another one.
pub struct Head<'a> {
    text: &'a str,
    kind: Kind,
    /// End offset of the words that identify the head.
    words_end: usize,
    /// Whether the words are from another language.
    is_foreign_word: bool,
    /// The `:` or `{` that ends the head in another language, with its offset.
    mark: Option<(usize, char)>,
}

/// The kind of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    If,
    Unless,
    Switch,
    ElseIf,
    Else,
    While,
    Until,
    For,
    OnError,
    Try,
    Catch,
    Finally,
    Procedure,
    Func,
}

impl<'a> Head<'a> {
    /// Parses a line as a head. Returns `None` if it does not begin like one.
    pub fn of(text: &'a str) -> Option<Head<'a>> {
        if text.len() > MAX_LINE {
            return None;
        }
        let HeadWords { kind, end: words_end, is_foreign: is_foreign_word } = words(text)?;
        let mark = mark(text, words_end);
        let head = Head { text, kind, words_end, is_foreign_word, mark };
        // `try the next one` is not a head: it has neither a mark nor the form of a clause.
        let needs_shape = is_foreign_word && !matches!(kind, Kind::ElseIf | Kind::For);
        (!needs_shape || head.mark.is_some() || head.has_shape()).then_some(head)
    }

    /// Whether a statement follows the mark on the same line.
    pub fn has_body(&self) -> bool {
        !self.body().is_empty()
    }

    /// Whether the head is in the syntax of another language.
    pub fn is_foreign(&self) -> bool {
        self.is_foreign_word || self.mark.is_some() || self.lacks_each()
    }

    /// Returns the finding for a head in the syntax of another language; `base` is the offset of the line.
    pub fn finding(&self, base: usize) -> Option<Diagnostic> {
        let range = self.error_range();
        let span = Span::new(base + range.start, base + range.end);
        let word = &self.text[..first_word(self.text).len()];
        let (code, message) = match self.mark {
            // A session treats this code as incomplete input and reads on up to the `}`.
            Some((_, '{')) if !self.has_body() => (Code::UnclosedBracket, "blocks have no braces".to_owned()),
            _ if self.is_foreign_word => {
                (Code::UnknownStatement, format!("`{word}` is not a statement of this language"))
            }
            _ if self.lacks_each() => {
                (Code::UnexpectedText, format!("expected `EACH`, found `{}`", shown(&self.text[range.clone()])))
            }
            Some((_, '{')) => (Code::UnexpectedText, "blocks have no braces".to_owned()),
            Some((_, mark)) => (Code::UnexpectedText, format!("the head of a block does not end with `{mark}`")),
            None => return None,
        };
        Some(Diagnostic::error(code, span, message).help(self.help()))
    }

    /// Returns the range of the error: the word from another language, the text in place of `EACH`, or the mark.
    fn error_range(&self) -> Range<usize> {
        let word = first_word(self.text).len();
        let rest = self.text[self.words_end..].trim_start_matches([' ', '\t']);
        let behind = self.text.len() - rest.len();
        let next = match first_word(rest) {
            "" => rest.chars().next().map_or(0, char::len_utf8),
            word => word.len(),
        };
        match self.mark {
            Some((at, '{')) if !self.has_body() => at..at + 1,
            _ if self.is_foreign_word => 0..word,
            _ if self.lacks_each() => behind..behind + next,
            Some((at, _)) => at..at + 1,
            None => 0..word,
        }
    }

    fn lacks_each(&self) -> bool {
        let rest = self.text[self.words_end..].trim_start_matches([' ', '\t']);
        let word = self.text[..self.words_end].trim_end();
        self.kind == Kind::For && !rest.is_empty() && (rest.starts_with('(') || word.eq_ignore_ascii_case("FOR"))
    }

    /// Whether the text after a word from another language has the form of a head.
    fn has_shape(&self) -> bool {
        let rest = self.text[self.words_end..].trim_matches([' ', '\t', ';']);
        let word = first_word(rest);
        let after = rest[word.len()..].trim_start();
        match self.kind {
            Kind::Try | Kind::Finally => rest.is_empty(),
            Kind::Catch => after.is_empty() || rest.starts_with('(') || after.starts_with("as "),
            Kind::Procedure => is_word(word) && (after.is_empty() || after.starts_with('(')),
            _ => !rest.is_empty(),
        }
    }

    /// Returns the text between the words of the head and its mark.
    fn inner(&self) -> &'a str {
        let end = self.mark.map_or(self.text.len(), |(at, _)| at);
        let inner = self.text[self.words_end..end].trim_matches([' ', '\t', ';']);
        let last = &inner[inner.trim_end_matches(is_word_char).len()..];
        let is_joint = ["THEN", "DO", "MEANS"].iter().any(|word| last.eq_ignore_ascii_case(word));
        let inner = if is_joint { &inner[..inner.len() - last.len()] } else { inner };
        inner.trim_matches([' ', '\t', ';'])
    }

    /// Returns the text after the mark.
    fn body(&self) -> &'a str {
        let Some((at, mark)) = self.mark else { return "" };
        let body = self.text[at + mark.len_utf8()..].trim_matches([' ', '\t', ';']);
        let body = body.strip_prefix('{').unwrap_or(body);
        body.strip_suffix('}').unwrap_or(body).trim_matches([' ', '\t', ';'])
    }

    fn is_lower(&self) -> bool {
        !self.text[..first_word(self.text).len()].contains(char::is_uppercase)
    }

    /// Returns a keyword in the case of the line.
    fn keyword(&self, keyword: &str) -> String {
        if self.is_lower() { keyword.to_lowercase() } else { keyword.to_owned() }
    }

    fn help(&self) -> String {
        let end = self.keyword("END");
        match (self.kind, self.written()) {
            (Kind::Try | Kind::Catch, Some(head)) => {
                let (leave, go_on) = (self.keyword("RETURN"), self.keyword("CLEAR_ERROR"));
                format!(
                    "write `{head}` … `{end}` above the lines that may fail: it handles what fails below it; in it, \
                     `{leave}` ends and `{go_on}` goes on after the line that failed, else the error is raised again"
                )
            }
            (Kind::Finally, _) => format!(
                "put the lines below those that may fail; they run when the handler ends with `{}`",
                self.keyword("CLEAR_ERROR")
            ),
            (Kind::Switch, _) => "write `IF x == 1 THEN`, `ELSE IF x == 2 THEN`, `ELSE` and `END`".to_owned(),
            (_, None) => "write `FOR EACH x IN list DO`; to count, `FOR EACH i IN RANGE(10) DO`".to_owned(),
            (Kind::Else | Kind::ElseIf, Some(head)) if self.has_body() => {
                format!("write it on lines of their own:\n{head}\n  {}", self.body())
            }
            (Kind::Else | Kind::ElseIf, Some(head)) => format!("write `{head}`"),
            (_, Some(head)) if self.has_body() => {
                format!("write it on three lines:\n{head}\n  {}\n{end}", self.body())
            }
            (_, Some(head)) => format!("write `{head}`, and close the block with a line `{end}`"),
        }
    }
}

/// Shortens and escapes a word for a message.
fn shown(word: &str) -> String {
    safe::name(&word.chars().take(40).collect::<String>()).into_owned()
}

/// The words that identify a head.
struct HeadWords {
    kind: Kind,
    /// Their end offset.
    end: usize,
    /// Whether they are from another language.
    is_foreign: bool,
}

/// Returns the words that identify a head, if a line begins with some.
fn words(text: &str) -> Option<HeadWords> {
    let first = first_word(text);
    let rest = text[first.len()..].trim_start_matches([' ', '\t']);
    let second = first_word(rest);
    let both = text.len() - rest.len() + second.len();
    let then = |keyword: &str| second.eq_ignore_ascii_case(keyword);
    let one = first.len();
    let (kind, end, is_foreign) = match first.to_ascii_uppercase().as_str() {
        "IF" => (Kind::If, one, false),
        "ELSE" if then("IF") => (Kind::ElseIf, both, false),
        "ELSE" => (Kind::Else, one, false),
        "WHILE" => (Kind::While, one, false),
        "FOR" if then("EACH") => (Kind::For, both, false),
        "FOR" => (Kind::For, one, false),
        "ON" if then("ERROR") => (Kind::OnError, both, false),
        "DEFINE" if then("PROCEDURE") => (Kind::Procedure, both, false),
        "FUNC" => (Kind::Func, one, false),
        _ => (Kind::of_other_language(ForeignWord::of(first)?)?, one, true),
    };
    Some(HeadWords { kind, end, is_foreign })
}

impl Kind {
    /// Returns the kind of head that a word of another language begins.
    fn of_other_language(word: ForeignWord) -> Option<Kind> {
        Some(match word {
            ForeignWord::ElseIf => Kind::ElseIf,
            ForeignWord::For => Kind::For,
            ForeignWord::Unless => Kind::Unless,
            ForeignWord::Until => Kind::Until,
            ForeignWord::Switch => Kind::Switch,
            ForeignWord::Try => Kind::Try,
            ForeignWord::Catch => Kind::Catch,
            ForeignWord::Finally => Kind::Finally,
            ForeignWord::Function | ForeignWord::Procedure => Kind::Procedure,
            // The one is no condition and no list, and the other may begin any block.
            ForeignWord::Loop | ForeignWord::Begin | ForeignWord::Closer => return None,
        })
    }
}

/// Finds the mark that ends a head in another language, and its offset.
fn mark(text: &str, words_end: usize) -> Option<(usize, char)> {
    let rest = &text[words_end..];
    if let Some(head) = text.trim_end_matches([' ', '\t']).strip_suffix('{') {
        // `IF x: {` has two marks; the first one counts.
        let colon = head.trim_end_matches([' ', '\t']).strip_suffix(':');
        return Some(colon.map_or((head.len(), '{'), |before| (before.len(), ':')));
    }
    let opens_block = |at: usize| {
        let before = rest[..at].ends_with([' ', '\t', ')']) || at == 0;
        let body = rest[at + 1..].trim_matches([' ', '\t', ';']);
        let behind_word = body[first_word(body).len()..].trim_start_matches([' ', '\t']);
        // `{k: 1}` is a map whose key lacks quotes.
        before && body.starts_with(is_word_char) && body.ends_with('}') && !behind_word.starts_with([':', '('])
    };
    let found = at_top(rest).find(|&(at, c)| c == ':' || (c == '{' && opens_block(at)));
    found.map(|(at, c)| (words_end + at, c))
}

impl Failure<'_> {
    /// Returns the finding for a head in the syntax of another language.
    pub(super) fn foreign_head(&self) -> Option<Diagnostic> {
        let head = Head::of(self.text)?;
        let is_by_mark = !head.is_foreign_word && !head.lacks_each();
        // The error is in the text before the mark.
        let is_before = is_by_mark && head.mark.is_some_and(|(at, _)| self.at < at);
        if is_before { None } else { head.finding(self.base) }
    }
}

/// Returns the finding for a line that ends in `{` like the head of a block; a `}` may precede its words.
pub fn brace_head(text: &str, base: usize) -> Option<Diagnostic> {
    let rest = text.trim_start_matches(['}', ' ', '\t']);
    let base = base + text.len() - rest.len();
    if let Some(finding) = Head::of(rest).and_then(|head| head.finding(base)) {
        return Some(finding);
    }
    let brace = rest.strip_suffix('{')?.len();
    let finding =
        Diagnostic::error(Code::UnclosedBracket, Span::new(base + brace, base + brace + 1), "blocks have no braces");
    Some(finding.help("end the head with its line, and close the block with a line `END`"))
}

/// Returns the finding for a line `}`; `is_inside` tells whether a block is open.
pub fn stray_brace(base: usize, is_inside: bool) -> Diagnostic {
    let finding = Diagnostic::error(Code::StrayBracket, Span::new(base, base + 1), "`}` closes nothing");
    finding.help(if is_inside {
        "write `END` to close a block; else remove it, or add its opener"
    } else {
        "remove it, or add its opener"
    })
}
