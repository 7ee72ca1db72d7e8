//! Vorbis comments, as FLAC and Ogg have them.
//!
//! Comments that are not given are passed over by their sizes, so a picture in them costs nothing.

use lofty::tag::{ItemKey, TagType};

use super::super::window::{Fault, Window};
use super::content::{Content, Piece};
use super::texts::{MAX_PARTS, MAX_TEXT, Texts, wanted};

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
        let Some((name, key)) = field(&bytes).filter(|_| rest <= MAX_TEXT) else {
            content.skip(rest as u64)?;
            continue;
        };
        let Some(after) = content.exactly(rest)? else { break };
        bytes.extend(after);
        // A text that is not UTF-8 is left out.
        if let Ok(text) = std::str::from_utf8(&bytes[name.len() + 1..]) {
            texts.push(key, &name, text)?;
        }
    }
    Ok(texts)
}

/// Returns the name that a comment begins with, if it is given.
fn field(start: &[u8]) -> Option<(String, ItemKey)> {
    let end = start.iter().position(|byte| *byte == b'=')?;
    let name = std::str::from_utf8(&start[..end]).ok()?.to_ascii_uppercase();
    let key = wanted(ItemKey::from_key(TagType::VorbisComments, &name))?;
    Some((name, key))
}
