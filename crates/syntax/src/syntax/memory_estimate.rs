//! An estimate of the memory needed to load a text, computed before parsing from its words and marks.

/// Maximum number of bytes per word or mark: its pest tokens while the line is parsed, its nodes in both trees, and its
/// share of the compiled code.
const TOKEN_BYTES: usize = 320;

/// Returns the maximum number of bytes needed to parse, lower and compile a text.
pub fn weight(text: &str) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut tokens = 0_usize;
    let mut in_word = false;
    for byte in text.bytes() {
        let is_part = is_word(byte);
        // Each mark is a token; a word with all its characters is one token.
        tokens += usize::from(if is_part { !in_word } else { byte == b'\n' || byte.is_ascii_punctuation() });
        in_word = is_part;
    }
    tokens.saturating_mul(TOKEN_BYTES).saturating_add(text.len())
}
