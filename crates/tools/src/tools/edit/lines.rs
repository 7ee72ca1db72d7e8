//! Finds lines of a text by byte position.

use crate::limits::{LimitHit, work};

/// A byte order mark, which is preserved at the start of a text.
pub const MARK: &str = "\u{feff}";

/// Returns where a text starts behind its byte order mark.
pub fn text_start(text: &str) -> usize {
    if text.starts_with(MARK) { MARK.len() } else { 0 }
}

/// Returns where the line of a byte starts.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Returns where the line of a byte ends, without its line break.
pub fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    if end > at && text.as_bytes()[end - 1] == b'\r' && end < text.len() { end - 1 } else { end }
}

/// Returns where the next line starts, or the end of the text.
pub fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

/// Returns the indentation of the line of a byte.
pub fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns whether only blanks precede a byte on its line.
pub fn is_first(text: &str, at: usize) -> bool {
    is_blank(&text[line_start(text, at)..at])
}

/// Returns whether a text consists of blanks and line breaks only.
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Returns the line break that a text uses: that of its first line.
pub fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Converts the line breaks of `lines` to `line_break` and indents each line but the first.
pub fn indented(lines: &str, indent: &str, line_break: &str) -> Result<String, LimitHit> {
    work::charge_bytes(lines.len())?;
    Ok(lines.replace('\n', &format!("{line_break}{indent}")))
}

/// Returns the position of the first byte in `from..to` that is not a blank, a line break or in a comment; `to`
/// if there is none.
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
