//! Bytes to text, piece by piece.

use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, DecoderResult, UTF_16LE};
use infer::MatcherType;

use super::Charset;

/// Decodes a file that comes in pieces.
pub struct Decoder {
    charset: Charset,
    /// None for Latin-1, which needs no state.
    inner: Option<encoding_rs::Decoder>,
    /// UTF-8 is only supposed, so that bytes which are not UTF-8 are an error.
    tentative: bool,
    /// Bytes stood for no character, and U+FFFD came instead of them.
    pub malformed: bool,
}

/// The bytes are not UTF-8, which nobody had asked for.
#[derive(Debug)]
pub struct NotTentative;

impl Decoder {
    /// A decoder of an encoding; bytes that it has no character for become U+FFFD.
    pub fn new(charset: Charset) -> Decoder {
        let inner = match charset {
            Charset::Latin1 => None,
            Charset::Utf16 => Some(UTF_16LE.new_decoder_without_bom_handling()),
            Charset::Named(encoding) => Some(encoding.new_decoder_without_bom_handling()),
        };
        Decoder { charset, inner, tentative: false, malformed: false }
    }

    /// A decoder of UTF-8 that gives up at the first bytes which are not.
    pub fn tentative() -> Decoder {
        Decoder { tentative: true, ..Decoder::new(Charset::UTF_8) }
    }

    /// The encoding.
    pub fn charset(&self) -> Charset {
        self.charset
    }

    /// Whether a NUL byte means that the file is no text.
    pub fn refuses_nul(&self) -> bool {
        self.charset.holds_ascii()
    }

    /// Adds the text of a piece; `last` says that no more comes.
    pub fn decode(&mut self, bytes: &[u8], last: bool, text: &mut String) -> Result<(), NotTentative> {
        let Some(inner) = &mut self.inner else {
            text.extend(bytes.iter().map(|&byte| char::from(byte)));
            return Ok(());
        };
        if self.tentative {
            text.reserve(inner.max_utf8_buffer_length_without_replacement(bytes.len()).unwrap_or(bytes.len()));
            return match inner.decode_to_string_without_replacement(bytes, text, last).0 {
                DecoderResult::Malformed(..) => Err(NotTentative),
                DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(()),
            };
        }
        text.reserve(inner.max_utf8_buffer_length(bytes.len()).unwrap_or(3 * bytes.len()));
        let (result, _, replaced) = inner.decode_to_string(bytes, text, last);
        debug_assert_eq!(result, CoderResult::InputEmpty, "there was room for all of it");
        self.malformed |= replaced;
        Ok(())
    }
}

/// The encoding that a file is most likely in.
pub fn detect(file: &mut impl Read) -> io::Result<Charset> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut buffer)?;
        detector.feed(&buffer[..length], length == 0);
        if length == 0 {
            return Ok(Charset::Named(detector.guess(None, Utf8Detection::Allow)));
        }
    }
}

/// Whether the beginning of a file is that of a known kind which is no text.
///
/// A text may begin as such a file does (`BM`, `MZ`), so it must look like no text besides.
pub fn is_binary(start: &[u8]) -> bool {
    let is_known = infer::get(start).is_some_and(|kind| kind.matcher_type() != MatcherType::Text);
    is_known && (start.starts_with(b"%PDF-") || !looks_like_text(start))
}

/// Whether bytes are UTF-8 without the control characters that no text has.
fn looks_like_text(bytes: &[u8]) -> bool {
    let valid = match str::from_utf8(bytes) {
        Ok(_) => true,
        // The piece may end inside a character.
        Err(error) => error.error_len().is_none(),
    };
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    valid && !bytes.iter().any(is_control)
}
