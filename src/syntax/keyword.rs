//! The words of the language: which are reserved, and which begin or close what.

/// Reserved words, upper case; their lower-case forms are reserved too.
const RESERVED: [&str; 25] = [
    "IF", "THEN", "ELSE", "END", "ENDBLOCK", "WHILE", "DO", "FOR", "EACH", "IN", "SET", "VAR", "CALL", "RETURN",
    "EMIT", "LAST", "AND", "OR", "NOT", "MUST", "FAIL", "TRUE", "FALSE", "NIL", "NULL",
];

/// Words with which a statement begins, upper case; for messages and completion.
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

/// Whether a word is spelled as keywords are: all upper or all lower case.
pub fn is_uniform(word: &str) -> bool {
    let lower = word.chars().any(char::is_lowercase);
    let upper = word.chars().any(char::is_uppercase);
    !(lower && upper)
}

/// Whether `word` is the keyword (given in upper case) in one of its two spellings.
pub fn is_keyword(word: &str, keyword: &str) -> bool {
    word == keyword || (word.eq_ignore_ascii_case(keyword) && word.bytes().all(|byte| !byte.is_ascii_uppercase()))
}

/// Whether a word is one with which a statement begins, in one of its two spellings.
pub fn is_statement_word(word: &str) -> bool {
    STATEMENT_WORDS.iter().any(|keyword| is_keyword(word, keyword))
}

/// Whether a word can never be a name.
pub fn is_reserved(word: &str) -> bool {
    word.len() <= 8 && RESERVED.iter().any(|reserved| is_keyword(word, reserved))
}

/// Whether a line inside brackets that begins with this word must be a new statement.
///
/// True for reserved words that cannot begin an expression.
pub fn begins_statement(word: &str) -> bool {
    const WORDS: [&str; 20] = [
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
    WORDS.iter().any(|keyword| is_keyword(word, keyword))
}

/// The longest run of word characters with which a text begins.
pub fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !is_word_char(c)).unwrap_or(text.len());
    &text[..end]
}

/// Whether a character can stand inside a name.
pub fn is_word_char(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || (!c.is_ascii() && pest::unicode::XID_CONTINUE(c))
}

/// Whether a text is a name: reserved or not.
pub fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars
        .next()
        .is_some_and(|c| c == '_' || c.is_ascii_alphabetic() || (!c.is_ascii() && pest::unicode::XID_START(c)));
    first && chars.all(is_word_char)
}
