//! The bytes that characters take in JSON, counted without writing it.

use super::safe::is_unsafe;

/// Returns the number of bytes that a character takes in a text of JSON.
pub fn json_length(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..' ' => ESCAPE,
        c => c.len_utf8(),
    }
}

/// Returns the number of bytes that a character takes in a text of JSON that [`safe::json`](super::safe::json) escaped.
pub fn safe_json_length(c: char) -> usize {
    // JSON itself escapes the control characters before the blank.
    if c >= ' ' && is_unsafe(c) { ESCAPE * c.len_utf16() } else { json_length(c) }
}

/// The length of `\u0000`.
const ESCAPE: usize = 6;

#[cfg(test)]
mod tests {
    use super::{json_length, safe_json_length};
    use crate::safe;

    #[test]
    fn characters_take_what_is_written() {
        let others = ['\u{d7ff}', '\u{feff}', '\u{110bd}', '\u{e0001}', '\u{10ffff}', '🦀'];
        for c in ('\0'..='\u{2fff}').chain(others) {
            let json = serde_json::to_string(&c).expect("a character is JSON");
            assert_eq!(json_length(c) + 2, json.len(), "{c:?}");
            assert_eq!(safe_json_length(c) + 2, safe::json(&json).len(), "{c:?}");
        }
    }

    #[test]
    fn a_text_takes_what_its_characters_take() {
        for text in ["", "plain", "\"\\\u{1}\n\u{7f}", "👨\u{200d}👩", "a\u{2028}b", "\u{e0001}é🦀"] {
            let json = serde_json::to_string(text).expect("a text is JSON");
            assert_eq!(text.chars().map(json_length).sum::<usize>() + 2, json.len(), "{text:?}");
            let escaped = safe::json(&json);
            assert_eq!(text.chars().map(safe_json_length).sum::<usize>() + 2, escaped.len(), "{text:?}");
        }
    }
}
