//! ID3v2, versions 2.2 to 2.4, as files of real programs have it.
//!
//! A frame that cannot be read is left out, and pictures are passed over by their sizes. The reader follows the usual ones
//! where writers broke the format: sizes in version 2.4 that are plain numbers, years of version 2.3 in version 2.4, UTF-16
//! without a mark.

use std::io::Read;

use flate2::bufread::ZlibDecoder;

use super::super::window::{Fault, Window};
use super::content::{Content, Piece, without_escapes};
use super::genres;
use super::texts::{Field, MAX_PARTS, MAX_TEXT, Texts, latin_1};

/// Length of the head of a tag, and of that at its end, in bytes.
const HEAD: u64 = 10;

/// A tag of a file.
#[derive(Debug)]
pub struct Id3 {
    pub texts: Texts,
    /// The position after the tag.
    pub end: u64,
}

/// The head of a tag.
#[derive(Clone, Copy, Debug)]
struct Head {
    version: u8,
    flags: u8,
    /// Where the frames are.
    frames: Piece,
    end: u64,
}

/// Reads the tag at a position, if there is one.
pub fn read(window: &mut Window<'_, '_>, at: u64) -> Result<Option<Id3>, Fault> {
    let Some(head) = head(window, at)? else { return Ok(None) };
    let texts = if (2..=4).contains(&head.version) { frames(window, head)? } else { Texts::default() };
    Ok(Some(Id3 { texts, end: head.end }))
}

fn head(window: &mut Window<'_, '_>, at: u64) -> Result<Option<Head>, Fault> {
    let Some([b'I', b'D', b'3', version, _, flags, size @ ..]) = window.up_to(at, HEAD as usize)?.first_chunk::<10>()
    else {
        return Ok(None);
    };
    let Some(size) = seven_bits(*size) else { return Ok(None) };
    let (version, flags, start) = (*version, *flags, at + HEAD);
    let frames = Piece { start, end: start.saturating_add(size.into()) };
    let foot = if version == 4 && flags & 0x10 != 0 { HEAD } else { 0 };
    Ok(Some(Head { version, flags, frames, end: frames.end.saturating_add(foot) }))
}

/// Returns a number of which each byte has seven bits, or nothing if a byte has eight.
pub fn seven_bits(bytes: [u8; 4]) -> Option<u32> {
    let is_number = bytes.iter().all(|byte| *byte < 0x80);
    is_number.then(|| bytes.iter().fold(0, |number, byte| number << 7 | u32::from(*byte)))
}

/// Goes through the frames of a tag.
fn frames(window: &mut Window<'_, '_>, head: Head) -> Result<Texts, Fault> {
    let content = Content::new(window, vec![head.frames]);
    let is_escaped = head.flags & 0x80 != 0;
    let content = if is_escaped && head.version < 4 { content.escaped() } else { content };
    let mut tag = Reader { content, head, texts: Texts::default(), date: Date::default() };
    // In version 2.2 the flag means a compression that nobody defined.
    if head.flags & 0x40 != 0 && head.version > 2 {
        tag.skip_extension()?;
    }
    for _ in 0..MAX_PARTS {
        let Some(frame) = tag.next()? else { return tag.into_texts() };
        let Some(kind) = Kind::of(&frame.id).filter(|_| frame.size as usize <= MAX_TEXT) else {
            tag.content.skip(frame.size.into())?;
            continue;
        };
        let bytes = tag.content.take(frame.size as usize)?;
        if let Some(bytes) = tag.plain(&frame, bytes) {
            tag.add(&frame, kind, &bytes)?;
        }
    }
    Err(Fault::Exhausted)
}

/// The head of a frame.
#[derive(Debug)]
struct Frame {
    id: Vec<u8>,
    size: u32,
    flags: u8,
}

/// The content of a frame that is given.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Field(Field),
    /// Day and month, of tags before version 2.4.
    Day,
    /// Hour and minute, of tags before version 2.4.
    Time,
    /// A text with a name of its own.
    Named,
}

impl Kind {
    /// Returns the kind of a frame by its name, which has three letters in version 2.2.
    fn of(id: &[u8]) -> Option<Kind> {
        Some(match id {
            b"TIT2" | b"TT2" => Kind::Field(Field::Title),
            b"TPE1" | b"TP1" => Kind::Field(Field::Artist),
            b"TALB" | b"TAL" => Kind::Field(Field::Album),
            b"TPE2" | b"TP2" => Kind::Field(Field::AlbumArtist),
            b"TRCK" | b"TRK" => Kind::Field(Field::Track),
            b"TPOS" | b"TPA" => Kind::Field(Field::Disc),
            b"TDRC" | b"TRD" => Kind::Field(Field::Recorded),
            b"TYER" | b"TYE" => Kind::Field(Field::Year),
            b"TDRL" => Kind::Field(Field::Released),
            b"TCON" | b"TCO" => Kind::Field(Field::Genre),
            b"TDAT" | b"TDA" => Kind::Day,
            b"TIME" | b"TIM" => Kind::Time,
            b"TXXX" | b"TXX" => Kind::Named,
            _ => return None,
        })
    }
}

/// Day, and hour and minute, of tags before version 2.4.
#[derive(Debug, Default)]
struct Date {
    day: Option<String>,
    time: Option<String>,
}

struct Reader<'w, 'a, 'c> {
    content: Content<'w, 'a, 'c>,
    head: Head,
    texts: Texts,
    date: Date,
}

impl Reader<'_, '_, '_> {
    /// Passes over the extended head. Some writers set its flag and write none, so that a frame follows at once.
    fn skip_extension(&mut self) -> Result<(), Fault> {
        let ahead = self.content.window.up_to(self.head.frames.start, 4)?;
        if is_id(ahead) {
            return Ok(());
        }
        let Some(size) = self.content.exactly(4)? else { return Ok(()) };
        let size: [u8; 4] = size.try_into().unwrap_or_default();
        let rest = match self.head.version {
            4 => seven_bits(size).unwrap_or(0).saturating_sub(4),
            _ => u32::from_be_bytes(size),
        };
        self.content.skip(rest.into())
    }

    /// Reads the head of the next frame. There is none where the padding or the end is.
    fn next(&mut self) -> Result<Option<Frame>, Fault> {
        let is_short = self.head.version == 2;
        let Some(bytes) = self.content.exactly(if is_short { 6 } else { 10 })? else { return Ok(None) };
        if bytes[0] == 0 {
            return Ok(None);
        }
        let (id, rest) = bytes.split_at(if is_short { 3 } else { 4 });
        let (size, flags) = match *rest {
            [high, middle, low] => (u32::from_be_bytes([0, high, middle, low]), 0),
            [s0, s1, s2, s3, _, flags] => (self.size([s0, s1, s2, s3])?, flags),
            _ => return Ok(None),
        };
        let is_within = u64::from(size) <= self.content.left();
        Ok(is_within.then(|| Frame { id: id.to_vec(), size, flags }))
    }

    /// Returns the size that four bytes of a frame's head represent. Version 2.4 has seven bits in a byte, but some programs
    /// write eight: what follows the frame decides.
    fn size(&mut self, bytes: [u8; 4]) -> Result<u32, Fault> {
        let plain = u32::from_be_bytes(bytes);
        let Some(size) = seven_bits(bytes).filter(|_| self.head.version == 4) else { return Ok(plain) };
        if size == plain || self.is_end(size)? || !self.is_end(plain)? {
            return Ok(size);
        }
        Ok(plain)
    }

    /// Returns whether a frame of this size would end where another begins, the padding or the end is.
    fn is_end(&mut self, size: u32) -> Result<bool, Fault> {
        let at = self.content.position().saturating_add(size.into());
        if at >= self.head.frames.end {
            return Ok(at == self.head.frames.end);
        }
        let after = self.content.window.up_to(at, 4)?;
        Ok(is_id(after) || after.iter().all(|byte| *byte == 0))
    }

    /// Returns the bytes of a frame without what its flags say of them, or nothing if it is encrypted or damaged.
    fn plain(&self, frame: &Frame, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let flags = Flags::of(self.head, frame);
        if flags.is_encrypted {
            return None;
        }
        let bytes = bytes.get(flags.before..)?;
        let bytes = if flags.is_escaped { without_escapes(bytes) } else { bytes.to_vec() };
        if !flags.is_compressed {
            return Some(bytes);
        }
        let mut inflated = Vec::new();
        ZlibDecoder::new(&bytes[..]).take(MAX_TEXT as u64).read_to_end(&mut inflated).ok()?;
        Some(inflated)
    }

    /// Adds the texts of a frame. A frame that cannot be read is left out.
    fn add(&mut self, frame: &Frame, kind: Kind, bytes: &[u8]) -> Result<(), Fault> {
        let Some(texts) = bytes.split_first().and_then(|(encoding, bytes)| decode(*encoding, bytes)) else {
            return Ok(());
        };
        let mut texts = texts.split('\0').map(str::trim);
        let field = match kind {
            Kind::Field(field) => field,
            Kind::Day => {
                self.date.day = self.date.day.take().or_else(|| four_digits(texts.next()));
                return Ok(());
            }
            Kind::Time => {
                self.date.time = self.date.time.take().or_else(|| four_digits(texts.next()));
                return Ok(());
            }
            Kind::Named => match texts.next().unwrap_or_default().to_ascii_uppercase().as_str() {
                "ALBUMARTIST" | "ALBUM ARTIST" => Field::AlbumArtist,
                _ => return Ok(()),
            },
        };
        // Of two frames of one kind the first counts.
        if self.texts.has(field) {
            return Ok(());
        }
        let name = String::from_utf8_lossy(&frame.id);
        for text in texts {
            if field == Field::Genre {
                genres(text).iter().try_for_each(|genre| self.texts.push(field, &name, genre))?;
            } else {
                self.texts.push(field, &name, text)?;
            }
        }
        Ok(())
    }

    /// Returns the texts, with the year of old versions completed by day and time.
    fn into_texts(mut self) -> Result<Texts, Fault> {
        let year = self.texts.of_field(Field::Year).first().filter(|year| year.len() == 4);
        let (Some(year), Some(day), false) = (year, &self.date.day, self.texts.has(Field::Recorded)) else {
            return Ok(self.texts);
        };
        let mut date = format!("{year}-{}-{}", &day[2..], &day[..2]);
        if let Some(time) = &self.date.time {
            date = format!("{date}T{}:{}", &time[..2], &time[2..]);
        }
        self.texts.push(Field::Recorded, "", &date)?;
        Ok(self.texts)
    }
}

fn four_digits(text: Option<&str>) -> Option<String> {
    let text = text?;
    (text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
}

fn is_id(bytes: &[u8]) -> bool {
    bytes.len() == 4 && bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// The flags of a frame that say how its text is stored.
struct Flags {
    is_escaped: bool,
    is_compressed: bool,
    is_encrypted: bool,
    /// Number of bytes before the text.
    before: usize,
}

impl Flags {
    fn of(head: Head, frame: &Frame) -> Flags {
        let has = |flag: u8| frame.flags & flag != 0;
        if head.version == 4 {
            Flags {
                is_escaped: has(0x02) || head.flags & 0x80 != 0,
                is_compressed: has(0x08),
                is_encrypted: has(0x04),
                // The group, and the length of the text. Some programs compress without the flag for the length.
                before: usize::from(has(0x40)) + if has(0x01) || has(0x08) { 4 } else { 0 },
            }
        } else {
            Flags {
                is_escaped: false,
                is_compressed: has(0x80),
                is_encrypted: has(0x40),
                before: usize::from(has(0x20)) + if has(0x80) { 4 } else { 0 },
            }
        }
    }
}

/// Returns the text of bytes in an encoding of ID3, or nothing if they are not in it.
fn decode(encoding: u8, bytes: &[u8]) -> Option<String> {
    match encoding {
        0 => Some(latin_1(bytes)),
        1 => utf_16(bytes, None),
        2 => utf_16(bytes, Some(u16::from_be_bytes)),
        3 => std::str::from_utf8(bytes).ok().map(str::to_owned),
        _ => None,
    }
}

/// Decodes UTF-16. Each text of a list may begin with a mark; without any, the side on which Latin letters have their zeros
/// decides.
fn utf_16(bytes: &[u8], order: Option<fn([u8; 2]) -> u16>) -> Option<String> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let order = order.unwrap_or_else(|| match pairs.first() {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => {
            let zeros = |side: usize| pairs.iter().filter(|pair| pair[side] == 0).count();
            if zeros(0) > zeros(1) { u16::from_be_bytes } else { u16::from_le_bytes }
        }
    });
    let units = pairs.iter().map(|pair| order(*pair)).filter(|unit| *unit != 0xfeff);
    char::decode_utf16(units).collect::<Result<String, _>>().ok()
}

/// Returns the genres of a text: names, numbers, or numbers in parentheses that a name may follow.
fn genres(text: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((code, after)) = rest.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
        let Some(name) = genre(code) else { break };
        found.push(name.to_owned());
        rest = after.trim();
    }
    // Two parentheses stand for one that belongs to the name.
    let rest = if rest.starts_with("((") { &rest[1..] } else { rest };
    let name = genre(rest).unwrap_or(rest);
    if !name.is_empty() && !found.iter().any(|genre| genre == name) {
        found.push(name.to_owned());
    }
    found
}

/// Returns the genre that a number or an abbreviation stands for.
fn genre(code: &str) -> Option<&'static str> {
    match code {
        "RX" => Some("Remix"),
        "CR" => Some("Cover"),
        number => genres::name(number.parse().ok()?),
    }
}
