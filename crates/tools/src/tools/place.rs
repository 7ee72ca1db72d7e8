//! Positions in structured texts: line and column in error messages.

use base64::DecodeError;

use crate::text::{Position, position_in};

/// Prefixes a message with the line and column of a byte.
pub fn at_byte(text: &str, byte: usize, reason: &str) -> String {
    let Position { line, column } = position_in(text, byte);
    at(line, column, reason)
}

/// Prefixes a message with a line and a column, both from 1.
pub fn at(line: usize, column: usize, reason: &str) -> String {
    format!("line {line}, column {column}: {reason}")
}

/// Returns the message for invalid base64.
pub fn base64_fault(error: &DecodeError) -> String {
    match error {
        DecodeError::InvalidByte(at, byte) => format!("`{}` at character {}", char::from(*byte).escape_debug(), at + 1),
        DecodeError::InvalidLength(length) => format!("{length} characters cannot be all of it"),
        DecodeError::InvalidLastSymbol { .. } => "its last character has bits that stand for nothing".to_owned(),
        DecodeError::InvalidPadding => "its `=` are missing, or too many".to_owned(),
    }
}
