//! The boxes of M4A that lofty reads wholly or not at all: pictures beside the tags, and the fragments of a recording.

use super::super::boxes::{Box, box_at, child, children};
use super::super::window::{Fault, Window, unless_damaged};
use super::content::{Content, Piece};
use super::stream::Part;
use super::texts::MAX_PARTS;

/// The boxes of tags that are given.
const WANTED: [&[u8; 4]; 9] =
    [b"\xa9nam", b"\xa9ART", b"\xa9alb", b"aART", b"\xa9gen", b"gnre", b"\xa9day", b"trkn", b"disk"];

/// Returns the parts of a file in which the tags are followed by what is not given of them, as a box of free space.
pub fn without_pictures(window: &mut Window<'_, '_>) -> Result<Vec<Part>, Fault> {
    let whole = Piece { start: 0, end: window.size() };
    let Some(tags) = unless_damaged(tags(window))?.flatten() else { return Ok(vec![Part::Stored(whole)]) };
    let mut kept: Vec<Piece> = Vec::new();
    let mut at = tags.start;
    while let Some(tag) = box_at(window, at, tags)? {
        if WANTED.contains(&&tag.name) {
            match kept.last_mut() {
                Some(before) if before.end == at => before.end = tag.end,
                _ => kept.push(Piece { start: at, end: tag.end }),
            }
        }
        at = tag.end;
    }
    let length: u64 = kept.iter().map(|piece| piece.end - piece.start).sum();
    let free = (tags.end - tags.start).saturating_sub(length);
    let (Ok(size), Ok(free_size)) = (u32::try_from(length + 8), u32::try_from(free)) else {
        return Err(Fault::Exhausted);
    };
    if free < 8 || tags.head != 8 {
        return Ok(vec![Part::Stored(whole)]);
    }
    let head = |size: u32, name: &[u8; 4]| Part::Made([&size.to_be_bytes(), &name[..]].concat());
    let mut parts = vec![Part::Stored(Piece { end: tags.start - 8, ..whole }), head(size, b"ilst")];
    parts.extend(kept.into_iter().map(Part::Stored));
    parts.push(head(free_size, b"free"));
    parts.push(Part::Stored(Piece { start: tags.end - (free - 8), ..whole }));
    Ok(parts)
}

/// Finds the box of the tags.
fn tags(window: &mut Window<'_, '_>) -> Result<Option<Box>, Fault> {
    let Some(film) = child(window, Box::FILE, b"moov")? else { return Ok(None) };
    let Some(user) = child(window, film, b"udta")? else { return Ok(None) };
    let Some(meta) = child(window, user, b"meta")? else { return Ok(None) };
    // QuickTime has no version and flags in this box.
    let is_short = window.up_to(meta.start + 4, 4)? == b"hdlr";
    child(window, if is_short { meta } else { meta.past(4) }, b"ilst")
}

/// Returns the seconds that the fragments of a file play, if it consists of fragments and they can all be read.
pub fn fragments(window: &mut Window<'_, '_>) -> Result<Option<f64>, Fault> {
    Ok(unless_damaged(length_of_fragments(window))?.flatten())
}

fn length_of_fragments(window: &mut Window<'_, '_>) -> Result<Option<f64>, Fault> {
    let Some(film) = child(window, Box::FILE, b"moov")? else { return Ok(None) };
    let Some(scale) = scale(window, film)?.filter(|scale| *scale > 0) else { return Ok(None) };
    let default = default_duration(window, film)?;
    let (mut at, mut units, mut track) = (film.end, 0_u64, None);
    while let Some(part) = box_at(window, at, Box::FILE)? {
        at = part.end;
        if part.name != *b"moof" {
            continue;
        }
        for fragment in children(window, part)?.into_iter().filter(|inner| inner.name == *b"traf") {
            let head = header(window, fragment, default)?;
            // Tracks run side by side, so one is counted.
            if *track.get_or_insert(head.track) == head.track {
                units = units.saturating_add(runs(window, fragment, head)?);
            }
        }
    }
    Ok((units > 0).then(|| units as f64 / f64::from(scale)))
}

/// Returns the units of time in a second, of the first track.
fn scale(window: &mut Window<'_, '_>, film: Box) -> Result<Option<u32>, Fault> {
    let Some(track) = child(window, film, b"trak")? else { return Ok(None) };
    let Some(media) = child(window, track, b"mdia")? else { return Ok(None) };
    let Some(head) = child(window, media, b"mdhd")? else { return Ok(None) };
    let [version] = window.array(head.start)?;
    // Two times stand before it.
    let before = if version == 1 { 4 + 16 } else { 4 + 8 };
    Ok(Some(u32::from_be_bytes(window.array(head.start + before)?)))
}

/// Returns the length of a sample, where fragments do not say it.
fn default_duration(window: &mut Window<'_, '_>, film: Box) -> Result<u32, Fault> {
    let Some(extends) = child(window, film, b"mvex")? else { return Ok(0) };
    let Some(track) = child(window, extends, b"trex")? else { return Ok(0) };
    Ok(u32::from_be_bytes(window.array(track.start + 12)?))
}

/// The track of a fragment, and the length of its samples.
#[derive(Clone, Copy)]
struct Header {
    track: u32,
    duration: u32,
}

fn header(window: &mut Window<'_, '_>, fragment: Box, default: u32) -> Result<Header, Fault> {
    let head = child(window, fragment, b"tfhd")?.ok_or(Fault::Damaged("a fragment has no head"))?;
    let flags = u32::from_be_bytes(window.array(head.start)?);
    let track = u32::from_be_bytes(window.array(head.start + 4)?);
    if flags & 8 == 0 {
        return Ok(Header { track, duration: default });
    }
    let before = 8 + if flags & 1 != 0 { 8 } else { 0 } + if flags & 2 != 0 { 4 } else { 0 };
    Ok(Header { track, duration: u32::from_be_bytes(window.array(head.start + before)?) })
}

/// Returns the length of the samples of a fragment.
fn runs(window: &mut Window<'_, '_>, fragment: Box, head: Header) -> Result<u64, Fault> {
    let mut units = 0_u64;
    for run in children(window, fragment)?.into_iter().filter(|inner| inner.name == *b"trun") {
        let flags = u32::from_be_bytes(window.array(run.start)?);
        let count = u32::from_be_bytes(window.array(run.start + 4)?);
        if flags & 0x100 == 0 {
            units = units.saturating_add(u64::from(count) * u64::from(head.duration));
            continue;
        }
        if count as usize > MAX_PARTS {
            return Err(Fault::Exhausted);
        }
        let before = 8 + if flags & 1 != 0 { 4 } else { 0 } + if flags & 4 != 0 { 4 } else { 0 };
        let others = [0x200, 0x400, 0x800].iter().filter(|flag| flags & **flag != 0).count() as u64;
        let mut samples = Content::new(window, vec![Piece { start: run.start + before, end: run.end }]);
        for _ in 0..count {
            let bytes = samples.exactly(4)?.and_then(|bytes| bytes.try_into().ok());
            units = units.saturating_add(bytes.map_or(0, u32::from_be_bytes).into());
            samples.skip(4 * others)?;
        }
    }
    Ok(units)
}
