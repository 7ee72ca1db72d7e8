//! The heads of image formats: the dimensions, and where the EXIF is. Pixels are not read.

use super::super::window::{Fault, Window, unless_damaged};
use super::{Head, TiffRange, heif, profile};

/// Length of the head of a chunk of PNG or WebP, its size and name, in bytes.
const CHUNK: u64 = 8;

/// Reads the head of an image of this media type; nothing for a type that is not read.
pub fn read(window: &mut Window<'_, '_>, mime: &str) -> Result<Option<Head>, Fault> {
    Ok(Some(match mime {
        "image/jpeg" => jpeg(window)?,
        "image/png" => png(window)?,
        "image/webp" => webp(window)?,
        "image/gif" => {
            let [w0, w1, h0, h1] = window.array(6)?;
            Head::of(u16::from_le_bytes([w0, w1]), u16::from_le_bytes([h0, h1]))
        }
        "image/bmp" => bmp(window)?,
        "image/heic" | "image/heif" | "image/avif" => heif::read(window)?,
        "image/tiff" | "image/x-canon-cr2" => {
            Head { exif: Some(TiffRange { start: 0, end: u64::MAX }), ..Head::default() }
        }
        _ => return Ok(None),
    }))
}

/// Returns the head of a chunk, or `None` at the end of the file, or if no more of the file may be read: a large image
/// has many chunks, and the first ones have the dimensions.
fn chunk(window: &mut Window<'_, '_>, at: u64) -> Result<Option<[u8; CHUNK as usize]>, Fault> {
    Ok(unless_damaged(window.up_to(at, CHUNK as usize))?.and_then(|head| head.try_into().ok()))
}

/// Goes through the segments before the frame of a JPEG file.
fn jpeg(window: &mut Window<'_, '_>) -> Result<Head, Fault> {
    let (mut at, mut exif) = (2, None);
    loop {
        let [mark, marker] = window.array(at)?;
        match (mark, marker) {
            // Fill bytes.
            (0xff, 0xff) => {
                at += 1;
                continue;
            }
            (0xff, 0x01 | 0xd0..=0xd8) => {
                at += 2;
                continue;
            }
            (0xff, 0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf) => {
                let [h0, h1, w0, w1] = window.array(at + 5)?;
                let head = Head::of(u16::from_be_bytes([w0, w1]), u16::from_be_bytes([h0, h1]));
                return Ok(Head { exif, ..head });
            }
            (0xff, 0xd9 | 0xda) => return Err(Fault::Damaged("it has no dimensions before its pixels")),
            (0xff, _) => {}
            _ => return Err(Fault::Damaged("a segment does not begin with its marker")),
        }
        let end = at + 2 + u64::from(u16::from_be_bytes(window.array(at + 2)?)).max(2);
        if marker == 0xe1 && exif.is_none() && window.up_to(at + 4, 6)? == b"Exif\0\0" {
            exif = Some(TiffRange { start: at + 10, end });
        }
        at = end;
    }
}

/// Goes through the chunks of a PNG file, whose EXIF may follow the pixels.
fn png(window: &mut Window<'_, '_>) -> Result<Head, Fault> {
    if window.bytes(12, 4)? != b"IHDR" {
        return Err(Fault::Damaged("its first chunk is not `IHDR`"));
    }
    let (width, height) = (window.array(16)?, window.array(20)?);
    let mut head = Head { width: u32::from_be_bytes(width), height: u32::from_be_bytes(height), ..Head::default() };
    // The chunks follow a signature of eight bytes.
    let mut at = 8;
    while let Some([l0, l1, l2, l3, name @ ..]) = chunk(window, at)? {
        let start = at + CHUNK;
        let end = start + u64::from(u32::from_be_bytes([l0, l1, l2, l3]));
        match &name {
            b"eXIf" => head.exif = Some(TiffRange { start, end }),
            b"tEXt" | b"zTXt" if head.profile.is_none() => {
                let length = usize::try_from(end - start).unwrap_or(usize::MAX);
                head.profile = unless_damaged(profile::read(window, start, length))?.flatten();
            }
            b"IEND" => break,
            _ => {}
        }
        // A checksum follows.
        at = end + 4;
    }
    // The chunk for EXIF counts, whatever programs left of older forms.
    let profile = head.profile.take().filter(|_| head.exif.is_none());
    Ok(Head { profile, ..head })
}

/// Goes through the chunks of a WebP file, whose EXIF follows the pixels.
fn webp(window: &mut Window<'_, '_>) -> Result<Head, Fault> {
    let (mut at, mut head) = (12, None);
    while let Some([n0, n1, n2, n3, length @ ..]) = chunk(window, at)? {
        let start = at + CHUNK;
        let length = u64::from(u32::from_le_bytes(length));
        match &[n0, n1, n2, n3] {
            b"VP8X" => head = Some(extended(window.array(start)?)),
            b"VP8L" if head.is_none() => head = Some(lossless(window.array(start)?)),
            b"VP8 " if head.is_none() => head = Some(lossy(window.array(start)?)),
            b"EXIF" => {
                // Some programs write the mark of JPEG here too.
                let marked = if window.up_to(start, 6)? == b"Exif\0\0" { 6 } else { 0 };
                let exif = Some(TiffRange { start: start + marked, end: start + length });
                head = head.map(|head| Head { exif, ..head });
            }
            _ => {}
        }
        // Chunks have an even length.
        at = start + length + length % 2;
    }
    head.ok_or(Fault::Damaged("it has no chunk with dimensions"))
}

fn extended([_, _, _, _, w0, w1, w2, h0, h1, h2]: [u8; 10]) -> Head {
    let less_one = |low, middle, high| u32::from_le_bytes([low, middle, high, 0]);
    Head { width: less_one(w0, w1, w2) + 1, height: less_one(h0, h1, h2) + 1, ..Head::default() }
}

fn lossless([_, bits @ ..]: [u8; 5]) -> Head {
    let bits = u32::from_le_bytes(bits);
    Head { width: (bits & 0x3fff) + 1, height: (bits >> 14 & 0x3fff) + 1, ..Head::default() }
}

fn lossy([_, _, _, _, _, _, w0, w1, h0, h1]: [u8; 10]) -> Head {
    Head::of(u16::from_le_bytes([w0, w1]) & 0x3fff, u16::from_le_bytes([h0, h1]) & 0x3fff)
}

/// Reads the dimensions of a BMP file. The oldest form has 16 bits for each; a negative height means top to bottom.
fn bmp(window: &mut Window<'_, '_>) -> Result<Head, Fault> {
    if u32::from_le_bytes(window.array(14)?) == 12 {
        let [w0, w1, h0, h1] = window.array(18)?;
        return Ok(Head::of(u16::from_le_bytes([w0, w1]), u16::from_le_bytes([h0, h1])));
    }
    let side = |bytes| i32::from_le_bytes(bytes).unsigned_abs();
    Ok(Head { width: side(window.array(18)?), height: side(window.array(22)?), ..Head::default() })
}
