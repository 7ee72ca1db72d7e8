//! M4A: its tags, its sound, and the fragments of a recording (ISO/IEC 14496-12 and 14496-14).

use super::super::boxes::{Box, box_at, child, children};
use super::super::window::{Fault, MAX_PIECE, Window, unless_damaged};
use super::content::{Content, Piece};
use super::flac::StreamInfo;
use super::frames::AAC_RATES;
use super::sound::Sound;
use super::texts::{Field, MAX_PARTS, MAX_TEXT, Texts};
use super::{Song, genres};

/// Returns whether a file is MP4, and no image in that form.
pub fn is_mp4(head: &[u8]) -> bool {
    matches!(head.get(4..12), Some([b'f', b't', b'y', b'p', brand @ ..]) if !matches!(brand, b"avif" | b"avis" | b"heic" | b"heix" | b"mif1" | b"msf1"))
}

/// Reads the file. Damaged tags leave the sound readable, and the other way round.
pub fn read(window: &mut Window<'_, '_>) -> Result<Song, Fault> {
    let film = child(window, Box::FILE, b"moov")?.ok_or(Fault::Damaged("it has no box `moov`"))?;
    let mut texts = Texts::default();
    let has_tags = unless_damaged(tags(window, film, &mut texts))?.is_some();
    let sound = unless_damaged(sound(window, film))?.unwrap_or_default();
    if !has_tags && sound.rate.is_none() {
        return Err(Fault::Damaged("neither its tags nor its sound can be read"));
    }
    Ok(Song { mime_type: "audio/mp4", tags: vec![texts], sound })
}

/// Follows boxes into each other.
fn path(window: &mut Window<'_, '_>, from: Box, names: &[&[u8; 4]]) -> Result<Option<Box>, Fault> {
    let mut inner = from;
    for name in names {
        let Some(found) = child(window, inner, name)? else { return Ok(None) };
        inner = found;
    }
    Ok(Some(inner))
}

/// Reads the texts of the tags.
fn tags(window: &mut Window<'_, '_>, film: Box, texts: &mut Texts) -> Result<(), Fault> {
    let Some(meta) = path(window, film, &[b"udta", b"meta"])? else { return Ok(()) };
    // QuickTime has no version and flags in this box.
    let is_short = window.up_to(meta.start + 4, 4)? == b"hdlr";
    let Some(list) = child(window, if is_short { meta } else { meta.past(4) }, b"ilst")? else { return Ok(()) };
    let mut at = list.start;
    for _ in 0..MAX_PARTS {
        let Some(tag) = box_at(window, at, list)? else { return Ok(()) };
        at = tag.end;
        let Some(field) = field(&tag.name) else { continue };
        for data in children(window, tag)?.into_iter().filter(|inner| inner.name == *b"data") {
            if data.end - data.start > MAX_TEXT as u64 {
                continue;
            }
            let [_, _, _, kind, _, _, _, _, content @ ..] =
                window.bytes(data.start, (data.end - data.start) as usize)?
            else {
                continue;
            };
            if let Some(text) = text(&tag.name, *kind, content) {
                texts.push(field, &String::from_utf8_lossy(&tag.name), &text)?;
            }
        }
    }
    Err(Fault::Exhausted)
}

/// Returns the field of a tag.
fn field(name: &[u8; 4]) -> Option<Field> {
    Some(match name {
        b"\xa9nam" => Field::Title,
        b"\xa9ART" => Field::Artist,
        b"\xa9alb" => Field::Album,
        b"aART" => Field::AlbumArtist,
        b"trkn" => Field::Track,
        b"disk" => Field::Disc,
        b"\xa9day" => Field::Recorded,
        b"\xa9gen" | b"gnre" => Field::Genre,
        _ => return None,
    })
}

/// Returns the text of a tag, whose content is of this kind.
fn text(name: &[u8; 4], kind: u8, content: &[u8]) -> Option<String> {
    match (name, kind, content) {
        (b"trkn" | b"disk", _, [_, _, number @ ..]) => {
            let (number, rest) = number.split_first_chunk::<2>()?;
            let total = rest.first_chunk().copied().map_or(0, u16::from_be_bytes);
            let shown = |number: u16| if number == 0 { String::new() } else { number.to_string() };
            Some(format!("{}/{}", shown(u16::from_be_bytes(*number)), shown(total)))
        }
        (b"gnre", _, [high, low]) => {
            let number = usize::from(u16::from_be_bytes([*high, *low])).checked_sub(1)?;
            genres::name(number).map(str::to_owned)
        }
        (_, 2, bytes) => {
            let (pairs, _) = bytes.as_chunks::<2>();
            String::from_utf16(&pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect::<Vec<_>>()).ok()
        }
        (_, 0 | 1, bytes) => std::str::from_utf8(bytes).ok().map(str::to_owned),
        _ => None,
    }
}

/// A track with sound.
#[derive(Clone, Copy)]
struct Track {
    number: u32,
    /// Units of time in a second.
    scale: u32,
    /// Units of time that it plays, 0 if the fragments say it.
    units: u64,
    rate: u32,
    channels: u8,
}

fn sound(window: &mut Window<'_, '_>, film: Box) -> Result<Sound, Fault> {
    let Some(track) = track(window, film)? else { return Ok(Sound::default()) };
    let length = unless_damaged(length(window, film, track))?.unwrap_or(Length { units: track.units, bytes: 0 });
    let sound = Sound::new(Some(length.units), track.scale, track.channels, length.bytes);
    Ok(Sound { rate: Some(track.rate).filter(|rate| *rate > 0), ..sound })
}

/// Returns the first track with sound.
fn track(window: &mut Window<'_, '_>, film: Box) -> Result<Option<Track>, Fault> {
    for track in children(window, film)?.into_iter().filter(|inner| inner.name == *b"trak") {
        let Some(media) = child(window, track, b"mdia")? else { continue };
        let Some(handler) = child(window, media, b"hdlr")? else { continue };
        if window.up_to(handler.start + 8, 4)? != b"soun" {
            continue;
        }
        let Some(head) = child(window, media, b"mdhd")? else { continue };
        let times = Times::read(window, head)?;
        let number = match child(window, track, b"tkhd")? {
            Some(head) => Times::read(window, head)?.scale,
            None => 0,
        };
        let table = path(window, media, &[b"minf", b"stbl", b"stsd"])?;
        let format = table.map(|table| unless_damaged(format(window, table))).transpose()?.flatten();
        let Format { rate, channels } = format.unwrap_or_default();
        // A rate of more than 16 bits is only in the scale.
        let rate = if rate == 0 { times.scale } else { rate };
        return Ok(Some(Track { number, scale: times.scale, units: times.units, rate, channels }));
    }
    Ok(None)
}

/// The numbers after the times of the heads of a track and of its media. In the first the scale is the number of the track.
struct Times {
    scale: u32,
    units: u64,
}

impl Times {
    fn read(window: &mut Window<'_, '_>, head: Box) -> Result<Times, Fault> {
        if window.array::<1>(head.start)? == [1] {
            let scale = u32::from_be_bytes(window.array(head.start + 20)?);
            let units = u64::from_be_bytes(window.array(head.start + 24)?);
            return Ok(Times { scale, units: if units == u64::MAX { 0 } else { units } });
        }
        let scale = u32::from_be_bytes(window.array(head.start + 12)?);
        let units = u32::from_be_bytes(window.array(head.start + 16)?);
        Ok(Times { scale, units: if units == u32::MAX { 0 } else { units.into() } })
    }
}

/// The format of the sound.
#[derive(Clone, Copy, Default)]
struct Format {
    rate: u32,
    channels: u8,
}

/// Reads the first description of a table of them.
fn format(window: &mut Window<'_, '_>, table: Box) -> Result<Format, Fault> {
    let entry = box_at(window, table.start + 8, table)?.ok_or(Fault::Damaged("the sound is not described"))?;
    let head: [u8; 28] = window.array(entry.start)?;
    let format = Format { rate: u16::from_be_bytes([head[24], head[25]]).into(), channels: head[17] };
    // QuickTime has more in its versions 1 and 2.
    let inner = entry.past(28 + if head[9] == 1 { 16 } else { 0 });
    let own = match &entry.name {
        b"mp4a" => child(window, inner, b"esds")?,
        b"alac" => child(window, inner, b"alac")?,
        b"fLaC" => child(window, inner, b"dfLa")?,
        _ => None,
    };
    let Some(own) = own else { return Ok(format) };
    let bytes = window.up_to(own.start, MAX_PIECE.min((own.end - own.start) as usize))?;
    let own = match &entry.name {
        b"mp4a" => Format::of_aac(bytes),
        b"alac" => Format::of_alac(bytes),
        _ => bytes.get(8..).and_then(StreamInfo::of).map(|info| Format { rate: info.rate, channels: info.channels }),
    };
    Ok(own.unwrap_or(format))
}

impl Format {
    fn of_alac(bytes: &[u8]) -> Option<Format> {
        Some(Format { rate: u32::from_be_bytes(*bytes.get(24..)?.first_chunk()?), channels: bytes[13] })
    }

    /// Reads the configuration of AAC, which lies in three descriptors inside each other.
    fn of_aac(bytes: &[u8]) -> Option<Format> {
        let stream = descriptor(bytes.get(4..)?, 3)?;
        let decoder = descriptor(stream.get(3..)?, 4)?;
        let first = descriptor(decoder.get(13..)?, 5)?.iter().chain(&[0; 8]).take(8);
        let mut bits = Bits(first.fold(0, |bits, byte| bits << 8 | u64::from(*byte)));
        let kind = match bits.take(5) {
            31 => 32 + bits.take(6),
            kind => kind,
        };
        let rate = bits.rate()?;
        let channels = match bits.take(4) {
            0 => return None,
            7 => 8,
            // Two channels are made of one.
            1 if kind == 29 => 2,
            channels => channels as u8,
        };
        // Kinds that double the rate say the doubled one after the other.
        let rate = if matches!(kind, 5 | 29) { bits.rate()? } else { rate };
        Some(Format { rate, channels })
    }
}

/// Returns the content of a descriptor at the start of some bytes. Each byte of its length but the last has the highest bit.
fn descriptor(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let length = bytes.strip_prefix(&[tag])?;
    let last = length.iter().position(|byte| *byte < 0x80)?;
    length.get(last + 1..)
}

/// Bits, the highest first.
struct Bits(u64);

impl Bits {
    fn take(&mut self, count: u32) -> u32 {
        let taken = self.0 >> (64 - count);
        self.0 <<= count;
        taken as u32
    }

    fn rate(&mut self) -> Option<u32> {
        match self.take(4) {
            15 => Some(self.take(24)),
            index => AAC_RATES.get(index as usize).copied(),
        }
    }
}

/// The length of a track, and of the sound and film of its file.
struct Length {
    units: u64,
    bytes: u64,
}

/// Measures what follows the description of the film: all in one piece, or in fragments.
fn length(window: &mut Window<'_, '_>, film: Box, track: Track) -> Result<Length, Fault> {
    let default = default_duration(window, film, track.number)?;
    let (mut length, mut at) = (Length { units: track.units, bytes: 0 }, 0);
    while let Some(part) = box_at(window, at, Box::FILE)? {
        at = part.end;
        match &part.name {
            b"mdat" => length.bytes += part.end.min(window.size()).saturating_sub(part.start),
            b"moof" if track.units == 0 => {
                for fragment in children(window, part)?.into_iter().filter(|inner| inner.name == *b"traf") {
                    let head = header(window, fragment, default)?;
                    if head.track == track.number {
                        length.units = length.units.saturating_add(runs(window, fragment, head)?);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(length)
}

/// Returns the length of a sample of a track, where fragments do not say it.
fn default_duration(window: &mut Window<'_, '_>, film: Box, track: u32) -> Result<u32, Fault> {
    let Some(extends) = child(window, film, b"mvex")? else { return Ok(0) };
    for entry in children(window, extends)?.into_iter().filter(|inner| inner.name == *b"trex") {
        if u32::from_be_bytes(window.array(entry.start + 4)?) == track {
            return Ok(u32::from_be_bytes(window.array(entry.start + 12)?));
        }
    }
    Ok(0)
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
