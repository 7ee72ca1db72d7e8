//! The role of a line with an error in the block structure, guessed from its first words and its ending.
//!
//! A wrong guess causes a second, false finding, so a line opens a block only if its form is unambiguous.

use crate::text::nearest;

use super::super::foreign::ForeignWord;
use super::super::keyword::{STATEMENT_WORDS, first_word, is_statement_word, is_word_char};
use super::closer::{BlockKind, Closer, closer_of, closer_role};
use super::mistake::Head;

/// The role of a line with an error in the block structure.
#[derive(Clone, Debug)]
pub enum Role {
    /// A statement without a block.
    Plain,
    /// The head of a block.
    Opens { kind: BlockKind, end: BlockEnd },
    /// The head of a block of another dialect, whose closer may follow.
    OpensUnknown,
    /// `ELSE`, `ELSE IF` or `CATCH`, after which the block continues.
    Between,
    /// Possibly the head of a block with a misspelled word. It is a head if the next line is indented further.
    PerhapsOpens,
    /// A closer.
    Closes(Closer),
    /// A `}` that closes a block whose head ended in `{`, or that may be meant as a closer.
    ClosesBrace,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockEnd {
    /// With a closer.
    Closer,
    /// With a closer or a `}`, because the head ended in `{`.
    Brace,
    /// Possibly without a closer: the head, which was reported, is from a language whose blocks end by indentation.
    Unknown,
}

/// Returns the role of a line with an error in the block structure.
pub fn role_of(text: &str) -> Role {
    if let Some(rest) = text.strip_prefix('}') {
        return match role_of(rest.trim_start_matches([' ', '\t'])) {
            Role::Between => Role::Between,
            _ => Role::ClosesBrace,
        };
    }
    let first = first_word(text);
    let rest = text[first.len()..].trim_start_matches([' ', '\t']);
    // A keyword in mixed case is reported separately and has its usual role.
    let is = |keyword: &str| first.eq_ignore_ascii_case(keyword);
    let then = |keyword: &str| first_word(rest).eq_ignore_ascii_case(keyword);
    // In `on = 2`, the word is a name.
    if rest.starts_with('=') && !rest.starts_with("==") {
        return Role::Plain;
    }
    if let Some(closer) = closer(first, rest) {
        return Role::Closes(closer);
    }
    let continues = match ForeignWord::of(first) {
        Some(ForeignWord::ElseIf) => true,
        Some(ForeignWord::Catch | ForeignWord::Finally) => is_clause(rest),
        _ => is("ELSE"),
    };
    if continues {
        Role::Between
    } else if is("ON") && then("EVENT") {
        Role::OpensUnknown
    } else {
        match opened(first, rest) {
            Some(kind) => opening(kind, text),
            None if is_statement_word(first) || first.is_empty() => Role::Plain,
            None => misspelt(first, rest, text),
        }
    }
}

/// Returns the role of a line whose first word is unknown: a misspelled keyword, or the head of a block by its ending.
fn misspelt(first: &str, rest: &str, text: &str) -> Role {
    let between = || ForeignWord::ElseIf.words().chain(["ELSE"]);
    let continues = |meant: &str| between().any(|word| word == meant);
    let is_short = rest.split([' ', '\t']).filter(|word| !word.is_empty()).count() <= 1;
    let words = STATEMENT_WORDS.iter().copied().chain(between());
    let upper = first.to_uppercase();
    let meant = nearest(&upper, words).unwrap_or_default();
    if STATEMENT_WORDS.contains(&&*upper) {
        Role::Plain
    } else if meant == "DEFINE" && first_word(rest).eq_ignore_ascii_case("PROCEDURE") {
        opening(BlockKind::Procedure, text)
    } else if is_block(rest) && !continues(meant) {
        match opening(BlockKind::Unknown, text) {
            Role::Opens { kind, end: BlockEnd::Closer } => Role::Opens { kind, end: BlockEnd::Unknown },
            role => role,
        }
    } else if closer_role(meant).is_some() && is_short {
        Role::Closes(Closer { word: first.into(), only: None })
    } else if continues(meant) {
        Role::Between
    } else {
        Role::PerhapsOpens
    }
}

/// Returns the kind of block that a line opens, by its first words.
fn opened(first: &str, rest: &str) -> Option<BlockKind> {
    Some(match first.to_ascii_uppercase().as_str() {
        "IF" => BlockKind::If,
        "WHILE" => BlockKind::While,
        "FOR" => BlockKind::For,
        "ON" => BlockKind::OnError,
        "DEFINE" => BlockKind::Procedure,
        "FUNC" => BlockKind::Func,
        "COMMAND" if rest.is_empty() || closed_on_its_line(rest) => BlockKind::Command,
        _ => return opened_elsewhere(ForeignWord::of(first)?, rest),
    })
}

/// Returns the kind of block that a line opens whose first word is from another language.
fn opened_elsewhere(word: ForeignWord, rest: &str) -> Option<BlockKind> {
    let has_name = !first_word(rest).is_empty();
    Some(match word {
        ForeignWord::For => BlockKind::For,
        ForeignWord::Unless | ForeignWord::Switch if is_block(rest) => BlockKind::If,
        ForeignWord::Until | ForeignWord::Loop if rest.is_empty() || is_block(rest) => BlockKind::While,
        ForeignWord::Try | ForeignWord::Begin if is_clause(rest) => BlockKind::OnError,
        ForeignWord::Function | ForeignWord::Procedure if has_name && is_signature(rest) => BlockKind::Procedure,
        _ => return None,
    })
}

/// Whether a line ends like the head of a block: with `:`, `{`, `THEN` or `DO`.
fn is_block(rest: &str) -> bool {
    let rest = rest.trim_end_matches([' ', '\t']);
    let last = rest.rsplit([' ', '\t', ')']).next().unwrap_or(rest);
    rest.ends_with([':', '{']) || ["THEN", "DO"].iter().any(|word| last.eq_ignore_ascii_case(word))
}

/// Whether the text after `TRY` or `CATCH` can belong to it: nothing, the ending of a head, or an exception.
fn is_clause(rest: &str) -> bool {
    let word = first_word(rest);
    let after = rest[word.len()..].trim_start_matches([' ', '\t']);
    after.is_empty() || is_block(rest) || (word.is_empty() && after.starts_with('(')) || after.starts_with("as ")
}

/// Whether the text is a name, alone or with parameters.
fn is_signature(rest: &str) -> bool {
    let after = rest[first_word(rest).len()..].trim_start_matches([' ', '\t']);
    after.is_empty() || after.starts_with(['(', ':', '{'])
}

/// Returns the closer that a broken line was meant to be, in this language or in another one.
fn closer(first: &str, rest: &str) -> Option<Closer> {
    if closer_role(first).is_some() {
        return Some(closer_of(first));
    }
    let is_alone = rest.trim_matches([' ', '\t', ';']).is_empty();
    (is_alone && ForeignWord::of(first) == Some(ForeignWord::Closer)).then(|| Closer { word: first.into(), only: None })
}

/// Returns the role of a head. A head with its closer or its only statement on the same line opens no block.
fn opening(kind: BlockKind, text: &str) -> Role {
    let head = Head::of(text);
    if closed_on_its_line(text) || head.as_ref().is_some_and(Head::has_body) {
        return Role::Plain;
    }
    let end = match head {
        _ if text.ends_with('{') => BlockEnd::Brace,
        Some(head) if head.is_foreign() => BlockEnd::Unknown,
        _ => BlockEnd::Closer,
    };
    Role::Opens { kind, end }
}

fn closed_on_its_line(text: &str) -> bool {
    let text = text.trim_end_matches([' ', '\t', ';']);
    let last = text.rsplit(|c: char| !is_word_char(c)).next();
    last.is_some_and(|word| closer_role(word).is_some()) || (text.ends_with('}') && text.contains(" {"))
}
