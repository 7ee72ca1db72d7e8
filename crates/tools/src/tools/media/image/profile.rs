//! EXIF in texts of PNG: hexadecimal digits after a name, as ImageMagick and Exiv2 wrote it before PNG had a chunk for it.

use std::io::Read;

use flate2::bufread::ZlibDecoder;

use super::super::window::{Fault, Window};

/// The names of such a text. The second may hold XMP too.
const NAMES: [&[u8]; 2] = [b"Raw profile type exif", b"Raw profile type APP1"];
/// Maximum length of a text in bytes.
const MAX_TEXT: u64 = 256 << 10;
/// The mark before the EXIF of JPEG files, which some programs keep.
const MARK: &[u8] = b"Exif\0\0";

/// Reads the text of a chunk, and returns the TIFF structure in it, if there is one.
pub fn read(window: &mut Window<'_, '_>, start: u64, length: usize) -> Result<Option<Vec<u8>>, Fault> {
    let name = window.up_to(start, NAMES[0].len().min(length))?;
    if !NAMES.contains(&name) {
        return Ok(None);
    }
    let chunk = window.bytes(start, length)?;
    let text = match chunk.get(NAMES[0].len()..) {
        // A method, of which there is one, and not the line end with which these texts begin.
        Some([0, 0, packed @ ..]) => inflated(packed),
        Some([0, text @ ..]) => text.to_vec(),
        _ => return Ok(None),
    };
    Ok(decoded(&text))
}

fn inflated(packed: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    // A damaged text is cut off there, and its beginning is kept.
    drop(ZlibDecoder::new(packed).take(MAX_TEXT).read_to_end(&mut text));
    text
}

/// Decodes a text: a line with a name, one with the number of bytes, and their digits on further lines.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let mut lines = text.trim_start().lines();
    let (_name, count) = (lines.next()?, lines.next()?);
    let count: usize = count.trim().parse().ok()?;
    let digits: Vec<u8> =
        lines.flat_map(str::chars).filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    let (pairs, _) = digits.as_chunks::<2>();
    let bytes: Vec<u8> = pairs.iter().take(count).map(|[high, low]| high << 4 | low).collect();
    let bytes = bytes.strip_prefix(MARK).unwrap_or(&bytes);
    matches!(bytes, [b'I', b'I', ..] | [b'M', b'M', ..]).then(|| bytes.to_vec())
}
