//! The words that close blocks, and the kinds of block that they close.

use compact_str::CompactString;

/// The kinds of block, by their closers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// `IF`
    If,
    /// `WHILE`
    While,
    /// `FOR EACH`
    For,
    /// `ON ERROR`
    OnError,
    /// `DEFINE PROCEDURE`
    Procedure,
    /// `func`
    Func,
    /// `command`
    Command,
    /// A block whose head has a misspelled word; any closer closes it.
    Unknown,
}

/// A closer: its word, and the kind of block that it closes, if it is specific.
#[derive(Clone, Debug)]
pub struct Closer {
    /// The word as written.
    pub word: CompactString,
    /// The kind of block, or `None` for `END` and `ENDBLOCK`, which close any kind.
    pub only: Option<BlockKind>,
}

impl BlockKind {
    /// Returns the name of the kind, for messages.
    pub fn word(self) -> &'static str {
        match self {
            BlockKind::If => "IF",
            BlockKind::While => "WHILE",
            BlockKind::For => "FOR EACH",
            BlockKind::OnError => "ON ERROR",
            BlockKind::Procedure => "DEFINE PROCEDURE",
            BlockKind::Func => "func",
            BlockKind::Command => "command",
            BlockKind::Unknown => "misspelt",
        }
    }
}

/// Returns the kind of block that a closer closes, ignoring case: `Some(None)` for any kind, `None` if the word is not
/// a closer.
pub fn closer_role(word: &str) -> Option<Option<BlockKind>> {
    Some(match word.to_ascii_uppercase().as_str() {
        "END" | "ENDBLOCK" => None,
        "ENDIF" => Some(BlockKind::If),
        "ENDWHILE" => Some(BlockKind::While),
        "ENDFOR" => Some(BlockKind::For),
        "ENDON" => Some(BlockKind::OnError),
        "ENDPROCEDURE" => Some(BlockKind::Procedure),
        "ENDFUNC" => Some(BlockKind::Func),
        "ENDCOMMAND" => Some(BlockKind::Command),
        _ => return None,
    })
}

/// Returns the first words, in upper case, of the heads whose blocks a closer closes; none if the word is no closer.
pub fn closed_heads(word: &str) -> Vec<&'static str> {
    const HEADS: [(BlockKind, &str); 7] = [
        (BlockKind::If, "IF"),
        (BlockKind::While, "WHILE"),
        (BlockKind::For, "FOR"),
        (BlockKind::OnError, "ON"),
        (BlockKind::Procedure, "DEFINE"),
        (BlockKind::Func, "FUNC"),
        (BlockKind::Command, "COMMAND"),
    ];
    let Some(only) = closer_role(word) else { return Vec::new() };
    let closed = HEADS.iter().filter(|(kind, _)| only.is_none_or(|only| only == *kind));
    closed.map(|(_, head)| *head).collect()
}

/// Returns the closer for a word.
pub fn closer_of(word: &str) -> Closer {
    Closer { word: word.into(), only: closer_role(word).flatten() }
}
