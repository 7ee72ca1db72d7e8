//! Tags after the sound of MP3 and AAC: ID3, APE, and lyrics, which are passed over.

use super::super::window::{Fault, Window};
use super::content::Piece;
use super::texts::{Field, MAX_PARTS, MAX_TEXT, Texts, of_bytes};
use super::{genres, id3};

/// Maximum number of tags after the sound.
const MAX_TRAILING: usize = 16;
/// Length of the tag of ID3's first version in bytes.
const ID3_1: usize = 128;
/// Length of the head of an APE tag, and of that at its end, in bytes.
const APE_HEAD: u64 = 32;
/// Maximum length of the name of an item of an APE tag, in bytes.
const APE_NAME: usize = 255;
/// Length of the head and foot of an ID3 tag in bytes.
const ID3_HEAD: u64 = 10;
/// Length of what follows lyrics in bytes: their length and a mark.
const LYRICS_FOOT: u64 = 15;

/// The tags after the sound of a file.
pub struct Trailing {
    /// The tags in the order of the file.
    pub tags: Vec<Texts>,
    /// Where the sound ends.
    pub end: u64,
}

/// Reads the tags after the sound, which begins at `start`.
pub fn read(window: &mut Window<'_, '_>, start: u64) -> Result<Trailing, Fault> {
    let mut trailing = Trailing { tags: Vec::new(), end: window.size() };
    for _ in 0..MAX_TRAILING {
        let Some(last) = last(window, trailing.end)?.filter(|last| last.start >= start) else { break };
        trailing.tags.insert(0, last.texts);
        trailing.end = last.start;
    }
    Ok(trailing)
}

/// A tag, and where it begins.
struct Last {
    texts: Texts,
    start: u64,
}

/// Reads the tag that ends at a position, if there is one.
fn last(window: &mut Window<'_, '_>, end: u64) -> Result<Option<Last>, Fault> {
    if let Some(start) = end.checked_sub(ID3_1 as u64)
        && let Some([b'T', b'A', b'G', tag @ ..]) = window.up_to(start, ID3_1)?.first_chunk::<ID3_1>()
    {
        return Ok(Some(Last { texts: id3_1(tag)?, start }));
    }
    if let Some(foot) = end.checked_sub(APE_HEAD)
        && let Some(ApeFoot { size, count, flags }) = ApeFoot::of(window.up_to(foot, APE_HEAD as usize)?)
    {
        let Some(start) = end.checked_sub(size.into()) else { return Ok(None) };
        let texts = ape(window, Piece { start, end: foot }, count)?;
        let head = if flags & 1 << 31 == 0 { 0 } else { APE_HEAD };
        return Ok(Some(Last { texts, start: start.saturating_sub(head) }));
    }
    let Some(foot) = end.checked_sub(LYRICS_FOOT) else { return Ok(None) };
    let bytes = window.up_to(foot, LYRICS_FOOT as usize)?;
    if let Some(size) = bytes.strip_suffix(b"LYRICS200") {
        let size: Option<u64> = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        let start = size.and_then(|size| foot.checked_sub(size));
        return Ok(start.map(|start| Last { texts: Texts::default(), start }));
    }
    let Some([b'3', b'D', b'I', _, _, _, size @ ..]) = bytes.last_chunk::<10>() else { return Ok(None) };
    let start = id3::seven_bits(*size).and_then(|size| end.checked_sub(2 * ID3_HEAD + u64::from(size)));
    let Some(start) = start else { return Ok(None) };
    Ok(id3::read(window, start)?.map(|tag| Last { texts: tag.texts, start }))
}

/// Reads the first version of ID3, after its mark.
fn id3_1(tag: &[u8; ID3_1 - 3]) -> Result<Texts, Fault> {
    let mut texts = Texts::default();
    for (field, bytes) in [
        (Field::Title, &tag[..30]),
        (Field::Artist, &tag[30..60]),
        (Field::Album, &tag[60..90]),
        (Field::Year, &tag[90..94]),
    ] {
        let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        texts.push(field, "", &of_bytes(bytes))?;
    }
    // The last bytes of the comment may be the number of the track.
    if let [0, track] = tag[122..124]
        && track > 0
    {
        texts.push(Field::Track, "", &track.to_string())?;
    }
    texts.push(Field::Genre, "", genres::name(tag[124].into()).unwrap_or_default())?;
    Ok(texts)
}

/// The last bytes of an APE tag.
struct ApeFoot {
    /// Length of the items and of the foot in bytes.
    size: u32,
    /// Number of items.
    count: u32,
    flags: u32,
}

impl ApeFoot {
    fn of(bytes: &[u8]) -> Option<ApeFoot> {
        let (numbers, _) = bytes.strip_prefix(b"APETAGEX")?.as_chunks::<4>();
        let [_, size, count, flags, ..] = numbers else { return None };
        let [size, count, flags] = [size, count, flags].map(|bytes| u32::from_le_bytes(*bytes));
        Some(ApeFoot { size, count, flags })
    }
}

/// Reads the items of an APE tag.
fn ape(window: &mut Window<'_, '_>, items: Piece, count: u32) -> Result<Texts, Fault> {
    let (mut texts, mut at) = (Texts::default(), items.start);
    for index in 0..count {
        if index as usize >= MAX_PARTS {
            return Err(Fault::Exhausted);
        }
        let head = window.up_to(at, 8 + APE_NAME + 1)?;
        let Some(([s0, s1, s2, s3, flags, ..], name)) = head.split_first_chunk::<8>() else { break };
        let (size, flags) = (u32::from_le_bytes([*s0, *s1, *s2, *s3]), *flags);
        let Some(length) = name.iter().position(|byte| *byte == 0) else { break };
        let name = String::from_utf8_lossy(&name[..length]).to_ascii_uppercase();
        let value = at + 8 + length as u64 + 1;
        at = value + u64::from(size);
        if at > items.end {
            break;
        }
        // Other items than texts have flags for that.
        let Some(field) = ape_field(&name).filter(|_| flags & 6 == 0 && size as usize <= MAX_TEXT) else { continue };
        let bytes = window.up_to(value, size as usize)?;
        if let Ok(values) = std::str::from_utf8(bytes) {
            values.split('\0').try_for_each(|text| texts.push(field, &name, text))?;
        }
    }
    Ok(texts)
}

/// Returns the field of an item of an APE tag, if it is given.
fn ape_field(name: &str) -> Option<Field> {
    Some(match name {
        "TITLE" => Field::Title,
        "ARTIST" => Field::Artist,
        "ALBUM" => Field::Album,
        "ALBUM ARTIST" | "ALBUMARTIST" => Field::AlbumArtist,
        "TRACK" => Field::Track,
        "DISC" => Field::Disc,
        "YEAR" => Field::Recorded,
        "RELEASEDATE" => Field::Released,
        "GENRE" => Field::Genre,
        _ => return None,
    })
}
