//! A whole file in memory as text.

use super::{Charset, Choice, Decoder, detect, is_binary};

/// Bytes that show what kind of file it is.
const START: usize = 1 << 16;

/// A text, and how it was read.
#[derive(Debug)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// The encoding that was used.
    pub charset: Charset,
    /// Bytes stood for no character, and U+FFFD came instead of them.
    pub malformed: bool,
}

/// The text of a file's bytes as `FS.ReadFile` reads it; none when the file is binary.
pub fn decode_whole(bytes: &[u8], choice: Option<Choice>) -> Option<Decoded> {
    let (charset, mark) = match (Charset::of_mark(bytes), choice) {
        (Some((charset, mark)), _) => (Some(charset), mark),
        (None, Some(Choice::Text(charset))) => (Some(charset), 0),
        (None, _) => (None, 0),
    };
    let is_tentative = charset.is_none() && choice.is_none();
    let charset = match charset {
        Some(charset) => charset,
        None if is_tentative && str::from_utf8(bytes).is_ok() => Charset::UTF_8,
        None => {
            let mut rest = bytes;
            detect(&mut rest).ok()?
        }
    };
    let body = &bytes[mark..];
    let mut decoder = Decoder::new(charset);
    if decoder.refuses_nul() && (body.contains(&0) || is_binary(&body[..body.len().min(START)])) {
        return None;
    }
    let mut space = String::new();
    let (text, _) = decoder.decode(body, true, &mut space).ok()?;
    Some(Decoded { text: text.to_owned(), charset, malformed: decoder.malformed })
}
