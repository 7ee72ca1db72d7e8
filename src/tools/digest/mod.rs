//! `HASH` and `BASE64`: checksums of bytes, and bytes as text.

mod base64;
mod hash;

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

use crate::limits::space;
use crate::text::hex;
use crate::toolkit::{Tool, ToolError};

use super::place::base64_fault;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = hash::tools();
    tools.extend(base64::tools());
    tools
}

/// Ways in which a text stands for bytes.
const FORMS: &[&str] = &["utf-8", "base64", "hex"];

/// The bytes that a text stands for.
fn bytes_of(text: &str, form: &str) -> Result<Vec<u8>, ToolError> {
    space::check(text.len())?;
    match form {
        "base64" => decoded(text, &STANDARD),
        "hex" => unhexed(text),
        _ => Ok(text.as_bytes().to_vec()),
    }
}

fn decoded(text: &str, engine: &impl ::base64::Engine) -> Result<Vec<u8>, ToolError> {
    let refuse = |error| format!("`text` is not base64: {}", base64_fault(&error));
    engine.decode(text).map_err(|error| ToolError::bad_argument("text", refuse(error)))
}

fn unhexed(text: &str) -> Result<Vec<u8>, ToolError> {
    let refuse = |at: usize, reason: &str| {
        Err(ToolError::bad_argument("text", format!("`text` is not hexadecimal: {reason}, at character {}", at + 1)))
    };
    if let Some(at) = text.chars().position(|c| !c.is_ascii_hexdigit()) {
        return refuse(at, "a character is no digit");
    }
    if !text.len().is_multiple_of(2) {
        return refuse(text.len(), "the last byte has one digit");
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_default() as u8;
    Ok(text.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect())
}

/// Bytes in the form that an argument asks for.
fn shown(bytes: &[u8], form: &str) -> String {
    match form {
        "base64" => STANDARD.encode(bytes),
        _ => hex(bytes),
    }
}
