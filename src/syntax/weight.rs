//! What a text takes while it is read: known before it is, from its words and marks alone.

/// Bytes that a word or a mark takes at most: its rules while its line is parsed, its nodes in both trees, and its
/// part of the compiled code.
const TOKEN_BYTES: usize = 320;

/// Bytes that reading, lowering and compiling a text takes at most.
pub fn weight(text: &str) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut tokens = 0_usize;
    let mut in_word = false;
    for byte in text.bytes() {
        let is_part = is_word(byte);
        // A mark is a token each, a word one with all that belongs to it.
        tokens += usize::from(if is_part { !in_word } else { byte == b'\n' || byte.is_ascii_punctuation() });
        in_word = is_part;
    }
    tokens.saturating_mul(TOKEN_BYTES).saturating_add(text.len())
}
