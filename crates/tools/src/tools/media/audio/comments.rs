//! Vorbis comments, as FLAC and Ogg have them.
//!
//! Comments that are not given are passed over by their sizes, so a picture in them costs nothing.

use super::super::window::{Fault, Window};
use super::content::{Content, Piece};
use super::texts::{Field, MAX_PARTS, MAX_TEXT, Texts};

/// Number of bytes in which the name of a comment that is given ends.
const NAME: usize = 32;

/// Reads the comments that lie in these pieces. Where they were cut off, those before the cut are given.
pub fn read(window: &mut Window<'_, '_>, pieces: Vec<Piece>) -> Result<Texts, Fault> {
    let mut content = Content::new(window, pieces);
    let mut texts = Texts::default();
    let Some(vendor) = content.u32_le()? else { return Ok(texts) };
    content.skip(vendor.into())?;
    let count = content.u32_le()?.unwrap_or(0);
    for index in 0..count {
        if index as usize >= MAX_PARTS {
            return Err(Fault::Exhausted);
        }
        let Some(length) = content.u32_le()? else { break };
        let Some(mut bytes) = content.exactly(NAME.min(length as usize))? else { break };
        let rest = length as usize - bytes.len();
        let Some(name) = Name::of(&bytes).filter(|_| rest <= MAX_TEXT) else {
            content.skip(rest as u64)?;
            continue;
        };
        let Some(after) = content.exactly(rest)? else { break };
        bytes.extend(after);
        // A text that is not UTF-8 is left out.
        if let Ok(text) = std::str::from_utf8(&bytes[name.text.len() + 1..]) {
            texts.push(name.field, &name.text, text)?;
        }
    }
    Ok(texts)
}

/// The name that a comment begins with.
struct Name {
    /// The name in upper case.
    text: String,
    field: Field,
}

impl Name {
    /// Returns the name at the start of a comment, if its field is given.
    fn of(start: &[u8]) -> Option<Name> {
        let end = start.iter().position(|byte| *byte == b'=')?;
        let text = std::str::from_utf8(&start[..end]).ok()?.to_ascii_uppercase();
        let field = match &*text {
            "TITLE" => Field::Title,
            "ARTIST" => Field::Artist,
            "ALBUM" => Field::Album,
            "ALBUMARTIST" | "ALBUM ARTIST" => Field::AlbumArtist,
            "TRACKNUMBER" => Field::Track,
            "TRACKTOTAL" | "TOTALTRACKS" => Field::TrackTotal,
            "DISCNUMBER" => Field::Disc,
            "DISCTOTAL" | "TOTALDISCS" => Field::DiscTotal,
            "DATE" => Field::Recorded,
            "YEAR" => Field::Year,
            "RELEASEDATE" => Field::Released,
            "GENRE" => Field::Genre,
            _ => return None,
        };
        Some(Name { text, field })
    }
}
