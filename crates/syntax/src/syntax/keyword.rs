//! Keywords: reserved words, and words that begin statements.

/// Reserved words in upper case; their lower-case forms are reserved too.
pub const RESERVED: [&str; 25] = [
    "IF", "THEN", "ELSE", "END", "ENDBLOCK", "WHILE", "DO", "FOR", "EACH", "IN", "SET", "VAR", "CALL", "RETURN",
    "EMIT", "LAST", "AND", "OR", "NOT", "MUST", "FAIL", "TRUE", "FALSE", "NIL", "NULL",
];

/// Words in upper case that are values, apart from numbers and texts.
pub const CONSTANTS: [&str; 7] = ["TRUE", "FALSE", "NIL", "NULL", "LAST", "LAST_ERROR", "ARGS"];

/// Words that are keywords only in lines with a certain first word, which is given first; all in upper case.
pub const HEAD_WORDS: [(&str, &[&str]); 4] = [
    ("ON", &["ERROR", "AS"]),
    ("USE", &["AS"]),
    ("DEFINE", &["PROCEDURE", "NEEDS", "OPTIONAL", "RETURNS"]),
    ("FUNC", &["MEANS", "NEEDS", "OPTIONAL", "RETURNS"]),
];

/// First words of statements in upper case, for messages and completion.
pub const STATEMENT_WORDS: [&str; 29] = [
    "SET",
    "VAR",
    "EMIT",
    "CALL",
    "IF",
    "ELSE",
    "END",
    "ENDBLOCK",
    "WHILE",
    "FOR",
    "BREAK",
    "CONTINUE",
    "RETURN",
    "MUST",
    "FAIL",
    "ON",
    "CLEAR_ERROR",
    "USE",
    "DEFINE",
    "FUNC",
    "COMMAND",
    "ENDIF",
    "ENDWHILE",
    "ENDFOR",
    "ENDON",
    "ENDFUNC",
    "ENDPROCEDURE",
    "ENDCOMMAND",
    "FILE_VERSION",
];

/// Words in upper case that begin a new statement at the start of a line, even inside brackets: reserved words that
/// cannot begin an expression, `DEFINE`, and the closers of specific blocks.
pub const BEGINNING_WORDS: [&str; 20] = [
    "SET",
    "VAR",
    "EMIT",
    "IF",
    "ELSE",
    "END",
    "ENDBLOCK",
    "WHILE",
    "FOR",
    "RETURN",
    "MUST",
    "FAIL",
    "ENDIF",
    "ENDWHILE",
    "ENDFOR",
    "ENDON",
    "ENDFUNC",
    "ENDPROCEDURE",
    "ENDCOMMAND",
    "DEFINE",
];

/// Returns whether a word is spelled like a keyword: entirely in upper or entirely in lower case.
pub fn is_uniform(word: &str) -> bool {
    let lower = word.chars().any(char::is_lowercase);
    let upper = word.chars().any(char::is_uppercase);
    !(lower && upper)
}

/// Returns whether `word` is the keyword, given in upper case, in one of its two spellings.
#[inline]
pub fn is_keyword(word: &str, keyword: &str) -> bool {
    word == keyword || (word.eq_ignore_ascii_case(keyword) && word.bytes().all(|byte| !byte.is_ascii_uppercase()))
}

/// Whether a word begins an assignment.
pub fn begins_assignment(word: &str) -> bool {
    is_keyword(word, "SET") || is_keyword(word, "VAR")
}

/// Whether a word begins a statement, in one of its two spellings.
pub fn is_statement_word(word: &str) -> bool {
    STATEMENT_WORDS.iter().any(|keyword| is_keyword(word, keyword))
}

/// Returns whether a word is reserved and cannot be a name.
pub fn is_reserved(word: &str) -> bool {
    word.len() <= 8 && RESERVED.iter().any(|reserved| is_keyword(word, reserved))
}

/// Returns whether a line that begins with this word starts a new statement even inside brackets.
pub fn begins_statement(word: &str) -> bool {
    BEGINNING_WORDS.iter().any(|keyword| is_keyword(word, keyword))
}

/// Returns the word characters at the start of a text.
pub fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !is_word_char(c)).unwrap_or(text.len());
    &text[..end]
}

/// Returns the word characters and dots at the start of a text: `a.b`.
pub fn dotted_word(text: &str) -> &str {
    let end = text.find(|c: char| !(is_word_char(c) || c == '.')).unwrap_or(text.len());
    &text[..end]
}

/// Returns whether a character can occur in a name.
pub fn is_word_char(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || (!c.is_ascii() && pest::unicode::XID_CONTINUE(c))
}

/// Returns whether a text has the form of a name, reserved or not.
pub fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars
        .next()
        .is_some_and(|c| c == '_' || c.is_ascii_alphabetic() || (!c.is_ascii() && pest::unicode::XID_START(c)));
    first && chars.all(is_word_char)
}
