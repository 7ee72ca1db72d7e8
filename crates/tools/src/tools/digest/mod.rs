//! `HASH` and `BASE64`: checksums, and bytes encoded as text.

mod base64;
mod hash;

use ::base64::engine::general_purpose::STANDARD;
use ::base64::{DecodeError, Engine as _};

use crate::gate::Tool;
use crate::limits::{space, work};
use crate::text::hex;
use crate::toolkit::ToolError;

use super::locate;
use super::place::base64_fault;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = hash::tools();
    tools.extend(base64::tools());
    tools
}

/// Encodings in which a text represents bytes.
const FORMS: &[&str] = &["utf-8", "base64", "hex"];

/// Returns the bytes that a text represents.
fn bytes_of(text: &str, form: &str) -> Result<Vec<u8>, ToolError> {
    space::check(text.len())?;
    match form {
        "base64" => decoded(text, &STANDARD),
        "hex" => unhexed(text),
        _ => Ok(text.as_bytes().to_vec()),
    }
}

/// Base64 characters that are decoded between two charges; a multiple of four.
const STRETCH: usize = 4 << 14;

fn decoded(text: &str, engine: &impl ::base64::Engine) -> Result<Vec<u8>, ToolError> {
    let text = text.as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for start in (0..text.len()).step_by(STRETCH) {
        let end = text.len().min(start + STRETCH);
        work::charge_bytes(4 * (end - start))?;
        // A `=` before the end of the text is an error. Decoding the whole rest reports it.
        let is_ended = end < text.len() && text[start..end].contains(&b'=');
        let piece = if is_ended { &text[start..] } else { &text[start..end] };
        engine.decode_vec(piece, &mut bytes).map_err(|error| {
            let reason = base64_fault(&further(error, start));
            ToolError::bad_argument("text", format!("`text` is not base64: {reason}"))
        })?;
    }
    Ok(bytes)
}

/// Shifts the position in an error by `start`.
fn further(error: DecodeError, start: usize) -> DecodeError {
    match error {
        DecodeError::InvalidByte(at, byte) => DecodeError::InvalidByte(start + at, byte),
        DecodeError::InvalidLength(length) => DecodeError::InvalidLength(start + length),
        other => other,
    }
}

fn unhexed(text: &str) -> Result<Vec<u8>, ToolError> {
    let refuse = |at: usize, reason: &str| {
        Err(ToolError::bad_argument("text", format!("`text` is not hexadecimal: {reason}, at character {}", at + 1)))
    };
    let mut characters = 0;
    for piece in locate::pieces(text) {
        work::charge_bytes(8 * piece.len())?;
        if let Some(at) = piece.chars().position(|c| !c.is_ascii_hexdigit()) {
            return refuse(characters + at, "a character is no digit");
        }
        characters += piece.len();
    }
    if !text.len().is_multiple_of(2) {
        return refuse(text.len(), "the last byte has one digit");
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_default() as u8;
    let mut bytes = Vec::with_capacity(text.len() / 2);
    for stretch in text.as_bytes().chunks(STRETCH) {
        work::charge_bytes(8 * stretch.len())?;
        bytes.extend(stretch.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])));
    }
    Ok(bytes)
}

/// Encodes bytes in the form that an argument names.
fn encode(bytes: &[u8], form: &str) -> String {
    match form {
        "base64" => STANDARD.encode(bytes),
        _ => hex(bytes),
    }
}
