//! Lines of a text by their bytes.

use crate::limits::{LimitHit, work};

/// A byte order mark, which stays at the beginning of a text.
pub const MARK: &str = "\u{feff}";

/// Where the line of a byte begins.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Where the line of a byte ends, its line break left out.
pub fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    if end > at && text.as_bytes()[end - 1] == b'\r' && end < text.len() { end - 1 } else { end }
}

/// Where the next line begins; the end of the text in its last.
pub fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

/// The blanks with which the line of a byte begins.
pub fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether nothing but blanks stands before a byte in its line.
pub fn is_first(text: &str, at: usize) -> bool {
    is_blank(&text[line_start(text, at)..at])
}

/// Whether a text holds nothing but blanks and line breaks.
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// The line break that a text uses.
pub fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// A text of several lines with the line break of another, and with blanks before each line but the first.
pub fn indented(lines: &str, indent: &str, line_break: &str) -> Result<String, LimitHit> {
    work::charge_bytes(lines.len())?;
    Ok(lines.replace('\n', &format!("{line_break}{indent}")))
}

/// The first byte from a place on that is neither blank nor line break nor in a comment, up to an end.
pub fn skip_gap(text: &str, from: usize, to: usize, has_comments: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to {
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' if has_comments => at = next_line(text, at).min(to),
            _ => return at,
        }
    }
    to
}
