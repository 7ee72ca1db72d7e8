//! Places in texts that are data: line and column, as every reader of a format names them.

/// A sentence with the line and column of a byte.
pub fn at_byte(text: &str, byte: usize, reason: &str) -> String {
    let before = text.get(..byte).unwrap_or(text);
    let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    at(line, column, reason)
}

/// A sentence with a line and a column, both from 1.
pub fn at(line: usize, column: usize, reason: &str) -> String {
    format!("line {line}, column {column}: {reason}")
}
