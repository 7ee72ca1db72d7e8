//! Encodes text to bytes.

use encoding_rs::{EncoderResult, UTF_16BE, UTF_16LE};

use super::Charset;

/// A character that an encoding does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unencodable {
    /// The character.
    pub character: char,
    /// The line of the character, from 1.
    pub line: usize,
}

/// Encodes a text. Only `utf-16` writes a byte order mark.
pub fn encode(text: &str, charset: Charset) -> Result<Vec<u8>, Unencodable> {
    let encoding = match charset {
        Charset::Utf16 => {
            let mut bytes = vec![0xff, 0xfe];
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            return Ok(bytes);
        }
        Charset::Named(encoding) if encoding == UTF_16LE => {
            return Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        Charset::Named(encoding) if encoding == UTF_16BE => {
            return Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        Charset::Latin1 => return latin1(text),
        Charset::Named(encoding) => encoding,
    };
    let mut encoder = encoding.new_encoder();
    let room = encoder.max_buffer_length_from_utf8_without_replacement(text.len()).unwrap_or(text.len() * 4);
    let mut bytes = Vec::with_capacity(room);
    let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true);
    match result {
        EncoderResult::Unmappable(character) => Err(unencodable(text, read - character.len_utf8(), character)),
        EncoderResult::InputEmpty | EncoderResult::OutputFull => Ok(bytes),
    }
}

fn latin1(text: &str) -> Result<Vec<u8>, Unencodable> {
    let byte = |(at, character): (usize, char)| {
        u8::try_from(u32::from(character)).map_err(|_| unencodable(text, at, character))
    };
    text.char_indices().map(byte).collect()
}

fn unencodable(text: &str, at: usize, character: char) -> Unencodable {
    Unencodable { character, line: text[..at].matches('\n').count() + 1 }
}
