//! The word at a position: a name with the names before it, a keyword, or a constant.

use crate::engine::{Token, TokenKind, tokens};

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word with the names before its dots, without blanks: `FS.ReadFile`.
    pub dotted: String,
    /// Offset of the first byte of the last name.
    pub start: usize,
    /// Offset after the word.
    pub end: usize,
    /// The kind of the last name.
    pub kind: TokenKind,
    /// Whether another name follows after a dot.
    pub is_owner: bool,
}

/// Returns the word that contains an offset, or ends there.
pub fn word_at(text: &str, offset: usize) -> Option<Word> {
    let tokens = tokens(text);
    let after = tokens.partition_point(|token| token.start <= offset);
    let place = after.checked_sub(1)?;
    let holds = |place: usize| tokens[place].end >= offset && is_word(tokens[place].kind);
    let place = [Some(place), place.checked_sub(1)].into_iter().flatten().find(|place| holds(*place))?;
    let token = tokens[place];
    let written = |token: &Token| &text[token.start..token.end];
    let is_dot = |place: usize| tokens.get(place).is_some_and(|token| token.kind == TokenKind::Mark('.'));
    let mut first = place;
    while first >= 2 && is_dot(first - 1) && is_word(tokens[first - 2].kind) {
        first -= 2;
    }
    let dotted: String = tokens[first..=place].iter().map(written).collect();
    Some(Word { dotted, start: token.start, end: token.end, kind: token.kind, is_owner: is_dot(place + 1) })
}

fn is_word(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Name | TokenKind::Callee | TokenKind::Keyword | TokenKind::Constant)
}

#[cfg(test)]
mod tests {
    use super::word_at;

    #[test]
    fn a_word_is_found_within_and_at_its_ends() {
        let text = "CALL FS.ReadFile(\"a\")\nSET x=y.z\n";
        let word = |offset: usize| word_at(text, offset).map(|word| word.dotted);
        assert_eq!(word(0).as_deref(), Some("CALL"));
        assert_eq!(word(6).as_deref(), Some("FS"));
        assert_eq!(word(8).as_deref(), Some("FS.ReadFile"));
        assert_eq!(word(16).as_deref(), Some("FS.ReadFile"));
        assert_eq!(word(18), None);
        assert_eq!(word(27).as_deref(), Some("x"));
        assert_eq!(word(28).as_deref(), Some("y"));
        assert_eq!(word(31).as_deref(), Some("y.z"));
        assert_eq!(word(500), None);
    }
}
