//! Positions of the values in a JSON text. The text has been parsed before, so it is valid JSON.

use std::ops::Range;

use crate::limits::{LimitHit, MeteredVec, work};

/// A list or map in a text.
pub struct Container {
    /// The position of its opening bracket.
    pub open: usize,
    /// The position of its closing bracket.
    pub close: usize,
    /// The ranges of the elements, or of the entries including keys.
    pub members: MeteredVec<Range<usize>>,
    /// The ranges of the keys, including quotes; empty for a list.
    pub keys: MeteredVec<Range<usize>>,
    /// The ranges of the values.
    pub values: MeteredVec<Range<usize>>,
}

/// Parses the direct members of the list or map that starts at a byte.
pub fn container(text: &str, open: usize) -> Result<Container, LimitHit> {
    let (mut members, mut keys, mut values) = (MeteredVec::default(), MeteredVec::default(), MeteredVec::default());
    let bytes = text.as_bytes();
    let is_map = bytes[open] == b'{';
    let mut at = skip_blanks(text, open + 1);
    while !matches!(bytes[at], b']' | b'}') {
        let start = at;
        if is_map {
            let end = text_end(bytes, at)?;
            keys.push(at..end)?;
            // Skips the colon.
            at = skip_blanks(text, skip_blanks(text, end) + 1);
        }
        let end = value_end(text, at)?;
        values.push(at..end)?;
        members.push(start..end)?;
        at = skip_blanks(text, end);
        if bytes[at] == b',' {
            at = skip_blanks(text, at + 1);
        }
    }
    Ok(Container { open, close: at, members, keys, values })
}

/// Returns the position of the first byte at or after `from` that is not blank.
pub fn skip_blanks(text: &str, from: usize) -> usize {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    text.as_bytes()[from..].iter().position(|byte| !is_blank(byte)).map_or(text.len(), |length| from + length)
}

/// Returns where the value that starts at a byte ends.
pub fn value_end(text: &str, start: usize) -> Result<usize, LimitHit> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        work::charge(1)?;
        match bytes[at] {
            b'"' => at = text_end(bytes, at)?,
            b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b']' | b'}' => {
                depth -= 1;
                at += 1;
            }
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' => at += 1,
            _ => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                let length = bytes[at..].iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len() - at);
                at += length.max(1);
            }
        }
        if depth == 0 {
            return Ok(at);
        }
    }
}

/// Returns where the text whose opening quote is at a byte ends.
fn text_end(bytes: &[u8], start: usize) -> Result<usize, LimitHit> {
    let mut at = start + 1;
    while let Some(length) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        work::charge_bytes(length)?;
        at += length + 1;
        if bytes[at - 1] == b'"' {
            return Ok(at);
        }
        at += 1;
    }
    Ok(bytes.len())
}
