//! Decodes bytes to text in pieces.

use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, UTF_8, UTF_16LE};
use infer::MatcherType;

use super::Charset;
use super::shift::{Shift, ShiftTracker};

/// A decoder for a file that is read in pieces.
pub struct Decoder {
    charset: Charset,
    /// `None` for UTF-8 and Latin-1, which need no state.
    inner: Option<encoding_rs::Decoder>,
    /// Whether UTF-8 is only assumed, so that invalid bytes are an error.
    tentative: bool,
    shift: ShiftTracker,
    /// Whether invalid bytes were replaced by U+FFFD.
    pub malformed: bool,
}

/// The error for bytes that are not UTF-8 although UTF-8 was assumed.
#[derive(Debug)]
pub struct NotTentative;

impl Decoder {
    /// Creates a decoder for an encoding. Invalid bytes become U+FFFD.
    pub fn new(charset: Charset) -> Decoder {
        let inner = match charset {
            Charset::Latin1 => None,
            Charset::Named(encoding) if encoding == UTF_8 => None,
            Charset::Utf16 => Some(UTF_16LE.new_decoder_without_bom_handling()),
            Charset::Named(encoding) => Some(encoding.new_decoder_without_bom_handling()),
        };
        Decoder {
            charset,
            inner,
            tentative: false,
            shift: ShiftTracker::new(charset, Shift::default()),
            malformed: false,
        }
    }

    /// Creates a decoder for UTF-8 that fails at the first invalid byte.
    pub fn tentative() -> Decoder {
        Decoder { tentative: true, ..Decoder::new(Charset::UTF_8) }
    }

    /// Continues as a decoder that has decoded lines before and is in this state.
    pub fn resume(&mut self, shift: Shift, malformed: bool) {
        self.shift = ShiftTracker::new(self.charset, shift);
        if let Some(inner) = self.inner.as_mut().filter(|_| !shift.lead_in().is_empty()) {
            let mut ignored = String::with_capacity(16);
            let _ = inner.decode_to_string(shift.lead_in(), &mut ignored, false);
        }
        self.malformed = malformed;
    }

    /// Returns the shift state at a position in the piece that was decoded last, or `None` if no line can end there.
    pub fn shift_at(&self, piece: &[u8], position: usize) -> Option<Shift> {
        self.shift.at(piece, position)
    }

    /// Returns the encoding.
    pub fn charset(&self) -> Charset {
        self.charset
    }

    /// Returns whether a NUL byte means that the file is binary.
    pub fn refuses_nul(&self) -> bool {
        self.charset.holds_ascii()
    }

    /// Decodes a piece. Returns the text, and the number of bytes at the end that are an incomplete character,
    /// with which the next piece must start. `last` marks the final piece. Valid UTF-8 is borrowed from
    /// `bytes`; anything else is written to `space`.
    pub fn decode<'a>(
        &mut self,
        bytes: &'a [u8],
        last: bool,
        space: &'a mut String,
    ) -> Result<(&'a str, usize), NotTentative> {
        space.clear();
        self.shift.advance(bytes);
        if let Some(inner) = &mut self.inner {
            space.reserve(inner.max_utf8_buffer_length(bytes.len()).unwrap_or(3 * bytes.len()));
            let (result, _, replaced) = inner.decode_to_string(bytes, space, last);
            assert_eq!(result, CoderResult::InputEmpty, "there was room for all of it");
            self.malformed |= replaced;
            return Ok((space, 0));
        }
        if self.charset == Charset::Latin1 {
            space.extend(bytes.iter().map(|&byte| char::from(byte)));
            return Ok((space, 0));
        }
        self.decode_utf8(bytes, last, space)
    }

    fn decode_utf8<'a>(
        &mut self,
        bytes: &'a [u8],
        last: bool,
        space: &'a mut String,
    ) -> Result<(&'a str, usize), NotTentative> {
        let whole = match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => return Ok((text, 0)),
            Err(error) if error.error_len().is_none() && !last => {
                let (text, rest) = bytes.split_at(error.valid_up_to());
                return Ok((str::from_utf8(text).expect("it was just found valid"), rest.len()));
            }
            Err(_) if self.tentative => return Err(NotTentative),
            Err(_) => {
                if last {
                    bytes.len()
                } else {
                    bytes.len() - unfinished(bytes)
                }
            }
        };
        self.malformed = true;
        space.push_str(&String::from_utf8_lossy(&bytes[..whole]));
        Ok((space, bytes.len() - whole))
    }
}

/// Returns the number of bytes at the end that are an incomplete UTF-8 character.
fn unfinished(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len() - bytes.len().min(3)..];
    let Some(lead) = tail.iter().rposition(|byte| byte & 0xc0 == 0xc0) else { return 0 };
    match str::from_utf8(&tail[lead..]) {
        Err(error) if error.error_len().is_none() => tail.len() - lead,
        _ => 0,
    }
}

/// Number of bytes that are used to guess an encoding.
pub const EXAMINED_FOR_GUESS: usize = 1 << 16;
/// Number of bytes that are looked at together.
pub const EXAMINED_AT_ONCE: usize = 1 << 12;

/// Returns the encoding that the XML declaration of a file names, or guesses it from the bytes.
///
/// Leading pieces that are all ASCII carry no information and do not count toward the `EXAMINED_FOR_GUESS` bytes that
/// are examined.
pub fn detect(file: &mut impl Read) -> io::Result<Charset> {
    const ESCAPE: u8 = 0x1b;
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let mut buffer = vec![0; EXAMINED_AT_ONCE];
    let (mut left, mut is_start) = (EXAMINED_FOR_GUESS, true);
    while left > 0 {
        let length = file.read(&mut buffer)?;
        let piece = &buffer[..length];
        if is_start && let Some(charset) = Charset::declared(piece) {
            return Ok(charset);
        }
        is_start = false;
        // ISO-2022-JP is ASCII with escape sequences.
        if length == 0 || left < EXAMINED_FOR_GUESS || !piece.is_ascii() || piece.contains(&ESCAPE) {
            detector.feed(piece, length == 0);
            left = left.saturating_sub(length);
        }
        if length == 0 {
            break;
        }
    }
    Ok(Charset::Named(detector.guess(None, Utf8Detection::Allow)))
}

/// Returns whether the start of a file identifies a known binary format.
///
/// A text can start with the magic number of such a format (`BM`, `MZ`), so it must also not look like text.
pub fn is_binary(start: &[u8]) -> bool {
    let is_known = infer::get(start).is_some_and(|kind| kind.matcher_type() != MatcherType::Text);
    is_known && (start.starts_with(b"%PDF-") || !looks_like_text(start))
}

/// Returns whether bytes are UTF-8 without control characters that do not occur in texts.
pub fn looks_like_text(bytes: &[u8]) -> bool {
    let valid = match str::from_utf8(bytes) {
        Ok(_) => true,
        // The piece may end inside a character.
        Err(error) => error.error_len().is_none(),
    };
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    valid && !bytes.iter().any(is_control)
}

#[cfg(test)]
mod tests {
    use super::{Charset, Decoder};

    /// Decodes bytes in pieces of the given size.
    fn decoded(bytes: &[u8], size: usize) -> (String, bool) {
        let mut decoder = Decoder::new(Charset::UTF_8);
        let (mut text, mut space, mut held) = (String::new(), String::new(), Vec::new());
        let pieces = bytes.len().div_ceil(size);
        for (number, piece) in bytes.chunks(size).enumerate() {
            held.extend_from_slice(piece);
            let (part, left) = decoder.decode(&held, number + 1 == pieces, &mut space).expect("not tentative");
            text.push_str(part);
            held.drain(..held.len() - left);
        }
        (text, decoder.malformed)
    }

    #[test]
    fn utf8_does_not_depend_on_the_pieces() {
        let mixed = "aé€🙂z".as_bytes();
        let broken = [b"a\xff\xe2\x82".as_slice(), "é".as_bytes(), b"\xf0\x9f\x99\xc3\x28\xe2\x82"].concat();
        for size in 1..12 {
            assert_eq!(decoded(mixed, size), ("aé€🙂z".to_owned(), false), "pieces of {size}");
            let expected = String::from_utf8_lossy(&broken).into_owned();
            assert_eq!(decoded(&broken, size), (expected, true), "pieces of {size}");
        }
    }
}
