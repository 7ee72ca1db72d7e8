//! A whole file in memory as text.

use crate::limits::{LimitHit, MemoryCharge};

use super::super::super::build::TextBuilder;
use super::{Charset, Choice, Decoder, MarkedCharset, detect, is_binary};

/// Number of bytes that are examined to identify the file format.
const START: usize = 1 << 16;
/// Bytes that are decoded at a time.
const PIECE: usize = 1 << 16;

/// A text, and how it was decoded.
#[derive(Debug)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// The encoding that was used.
    pub charset: Charset,
    /// Whether invalid bytes were replaced by U+FFFD.
    pub malformed: bool,
    /// The memory charge for the text.
    _held: MemoryCharge,
}

/// Decodes the content of a file as `FS.ReadFile` does. Returns `None` if the file is binary.
pub fn decode_whole(bytes: &[u8], choice: Option<Choice>) -> Result<Option<Decoded>, LimitHit> {
    let (charset, mark) = match (Charset::of_mark(bytes), choice) {
        (Some(MarkedCharset { charset, mark }), _) => (Some(charset), mark),
        (None, Some(Choice::Text(charset))) => (Some(charset), 0),
        (None, _) => (None, 0),
    };
    let charset = match charset {
        Some(charset) => charset,
        None if choice.is_none() && str::from_utf8(bytes).is_ok() => Charset::UTF_8,
        None => {
            let mut rest = bytes;
            let Ok(charset) = detect(&mut rest) else { return Ok(None) };
            charset
        }
    };
    let body = &bytes[mark..];
    let mut decoder = Decoder::new(charset);
    if decoder.refuses_nul() && (body.contains(&0) || is_binary(&body[..body.len().min(START)])) {
        return Ok(None);
    }
    let (text, held) = decoded(body, &mut decoder)?.into_held();
    Ok(Some(Decoded { text, charset, malformed: decoder.malformed, _held: held }))
}

/// Decodes bytes in pieces, each charged before it is decoded.
fn decoded(body: &[u8], decoder: &mut Decoder) -> Result<TextBuilder, LimitHit> {
    let mut text = TextBuilder::default();
    let mut space = String::new();
    let mut from = 0;
    while from < body.len() {
        let end = body.len().min(from + PIECE);
        let (piece, left) = decoder
            .decode(&body[from..end], end == body.len(), &mut space)
            .expect("a decoder that is not tentative takes all bytes");
        text.push(piece)?;
        from = end - left;
    }
    Ok(text)
}
