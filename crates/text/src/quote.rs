//! Texts as literals of the language.

use std::fmt::{self, Write};

/// Returns a text in double quotes.
pub fn quoted(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    quote(text, &mut literal).expect("writing to a string cannot fail");
    literal
}

/// Writes a text in double quotes, and escapes the characters that a quoted text may not contain.
pub fn quote(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '\\' || c.is_control()) {
        out.write_str(&rest[..at])?;
        let c = rest[at..].chars().next().expect("a character was just found");
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            _ => write!(out, "\\u{{{:x}}}", c as u32)?,
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}
