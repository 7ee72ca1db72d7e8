//! WAV and AIFF, which consist of chunks: their sound, and where their tags are.

use super::super::window::{Fault, Window};
use super::content::{Content, Piece};
use super::sound::Sound;
use super::texts::{Field, MAX_TEXT, Texts, of_bytes};
use super::{Song, id3};

/// Maximum number of chunks that are looked at.
const MAX_CHUNKS: usize = 4_096;
/// Bytes before the first chunk: the name of the container, its size and the form.
const HEAD: u64 = 12;
/// The size of a chunk whose writer did not know it, or wrote it elsewhere.
const UNKNOWN: u32 = u32::MAX;

/// The sorts of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Numbers have the lowest byte first.
    Wav,
    /// Numbers have the highest byte first.
    Aiff,
}

impl Form {
    /// Returns the form of a file that begins with these bytes.
    pub fn of(start: &[u8]) -> Option<Form> {
        match (start.first_chunk::<4>()?, start.get(8..12)?) {
            (b"RIFF" | b"RF64" | b"BW64", b"WAVE") => Some(Form::Wav),
            (b"FORM", b"AIFF" | b"AIFC") => Some(Form::Aiff),
            _ => None,
        }
    }

    fn u32(self, bytes: [u8; 4]) -> u32 {
        if self == Form::Wav { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }
}

/// The contents of the chunks.
#[derive(Debug, Default)]
struct Found {
    format: Option<Format>,
    /// The number of samples, where a chunk has it.
    samples: Option<u64>,
    /// Size of the sound in bytes, as a chunk of large files has it.
    large: Option<u64>,
    /// Size of the sound in bytes.
    bytes: Option<u64>,
    id3: Vec<Texts>,
    texts: Texts,
}

/// The format of the sound.
#[derive(Clone, Copy, Debug, Default)]
struct Format {
    rate: u32,
    channels: u16,
    bytes_per_second: u32,
    /// Bytes of a sample of all channels, if each takes as many.
    per_sample: Option<u16>,
}

/// Reads the file at a position.
pub fn read(window: &mut Window<'_, '_>, start: u64, form: Form) -> Result<Song, Fault> {
    let mut found = Found::default();
    let mut at = start + HEAD;
    for _ in 0..MAX_CHUNKS {
        let Some([n0, n1, n2, n3, size @ ..]) = window.up_to(at, 8)?.first_chunk::<8>().copied() else { break };
        let (begin, size) = (at + 8, form.u32(size));
        let left = window.size().saturating_sub(begin);
        let name = [n0, n1, n2, n3];
        let length = match size {
            UNKNOWN if &name == b"data" => found.large.unwrap_or(left),
            size => size.into(),
        };
        let piece = Piece { start: begin, end: begin + length.min(left) };
        match form {
            Form::Wav => found.wav(window, &name, piece)?,
            Form::Aiff => found.aiff(window, &name, piece)?,
        }
        // Chunks have an even length.
        at = begin.saturating_add(length).saturating_add(length % 2);
    }
    let mime_type = if form == Form::Wav { "audio/wav" } else { "audio/aiff" };
    let sound = found.sound();
    Ok(Song { mime_type, tags: found.id3.into_iter().chain([found.texts]).collect(), sound })
}

impl Found {
    fn wav(&mut self, window: &mut Window<'_, '_>, name: &[u8; 4], piece: Piece) -> Result<(), Fault> {
        match name {
            b"fmt " => self.format = format(Content::new(window, vec![piece]).take(16)?.as_slice()),
            b"ds64" => {
                let bytes = Content::new(window, vec![piece]).take(24)?;
                self.large = bytes.get(8..).and_then(|size| size.first_chunk()).copied().map(u64::from_le_bytes);
            }
            b"fact" => {
                let samples = Content::new(window, vec![piece]).u32_le()?;
                self.samples = samples.filter(|samples| *samples > 0 && *samples != UNKNOWN).map(u64::from);
            }
            b"data" => self.bytes = self.bytes.or(Some(piece.end - piece.start)),
            b"LIST" => self.list(window, piece)?,
            b"ID3 " | b"id3 " => self.id3.extend(id3::read(window, piece.start)?.map(|tag| tag.texts)),
            _ => {}
        }
        Ok(())
    }

    fn aiff(&mut self, window: &mut Window<'_, '_>, name: &[u8; 4], piece: Piece) -> Result<(), Fault> {
        let field = match name {
            b"COMM" => {
                let common = Content::new(window, vec![piece]).take(18)?;
                self.common(&common);
                return Ok(());
            }
            b"SSND" => {
                self.bytes = Some((piece.end - piece.start).saturating_sub(8));
                return Ok(());
            }
            b"ID3 " | b"id3 " => {
                self.id3.extend(id3::read(window, piece.start)?.map(|tag| tag.texts));
                return Ok(());
            }
            b"NAME" => Field::Title,
            b"AUTH" => Field::Artist,
            _ => return Ok(()),
        };
        let text = of_bytes(&Content::new(window, vec![piece]).take(MAX_TEXT + 1)?);
        self.texts.push(field, "", &text)
    }

    /// Takes over the chunk of AIFF that describes the sound. Its rate has 80 bits.
    fn common(&mut self, chunk: &[u8]) {
        let [c0, c1, s0, s1, s2, s3, _, _, e0, e1, whole @ ..] = chunk else { return };
        let Some(whole) = whole.first_chunk::<8>() else { return };
        // The exponent of the first bit of the number.
        let first = (u32::from(*e0 & 0x7f) << 8 | u32::from(*e1)).wrapping_sub(16_383);
        let rate = u64::from_be_bytes(*whole).checked_shr(63_u32.wrapping_sub(first)).unwrap_or(0);
        let channels = u16::from_be_bytes([*c0, *c1]);
        let rate = u32::try_from(rate).unwrap_or(0);
        self.samples = Some(u32::from_be_bytes([*s0, *s1, *s2, *s3]).into());
        self.format = Some(Format { rate, channels, ..Format::default() });
    }

    /// Reads the texts of a list, if it is that of the tags.
    fn list(&mut self, window: &mut Window<'_, '_>, piece: Piece) -> Result<(), Fault> {
        let mut content = Content::new(window, vec![piece]);
        if content.take(4)? != b"INFO" {
            return Ok(());
        }
        for _ in 0..MAX_CHUNKS {
            let Some(name) = content.exactly(4)? else { break };
            let Some(size) = content.u32_le()? else { break };
            match field(&name).filter(|_| size as usize <= MAX_TEXT) {
                Some(field) => {
                    let text = of_bytes(&content.take(size as usize)?);
                    self.texts.push(field, &String::from_utf8_lossy(&name), &text)?;
                }
                None => content.skip(size.into())?,
            }
            content.skip(u64::from(size % 2))?;
        }
        Ok(())
    }

    fn sound(&self) -> Sound {
        let Some(format) = self.format else { return Sound::default() };
        let bytes = self.bytes.unwrap_or(0);
        let by_size = format.per_sample.filter(|size| *size > 0).map(|size| bytes / u64::from(size));
        let samples = by_size.or(self.samples).or_else(|| {
            let scaled = u128::from(bytes) * u128::from(format.rate);
            scaled.checked_div(format.bytes_per_second.into()).and_then(|samples| u64::try_from(samples).ok())
        });
        let channels = u8::try_from(format.channels).unwrap_or(0);
        let sound = Sound::new(samples, format.rate, channels, bytes);
        let stated = (u64::from(format.bytes_per_second) * 8 + 500) / 1000;
        Sound { bitrate: u32::try_from(stated).ok().filter(|rate| *rate > 0).or(sound.bitrate), ..sound }
    }
}

/// Returns the field of a text of INFO, if it is given.
fn field(name: &[u8]) -> Option<Field> {
    Some(match name {
        b"INAM" => Field::Title,
        b"IART" => Field::Artist,
        b"IPRD" => Field::Album,
        b"IPRT" | b"ITRK" => Field::Track,
        b"IFRM" => Field::TrackTotal,
        b"ICRD" => Field::Recorded,
        b"IGNR" => Field::Genre,
        _ => return None,
    })
}

/// Reads the chunk of WAV that describes the sound.
fn format(chunk: &[u8]) -> Option<Format> {
    let [f0, f1, c0, c1, r0, r1, r2, r3, b0, b1, b2, b3, a0, a1, _, _] = chunk else { return None };
    let is_plain = matches!(u16::from_le_bytes([*f0, *f1]), 1 | 3 | 6 | 7 | 0xfffe);
    Some(Format {
        rate: u32::from_le_bytes([*r0, *r1, *r2, *r3]),
        channels: u16::from_le_bytes([*c0, *c1]),
        bytes_per_second: u32::from_le_bytes([*b0, *b1, *b2, *b3]),
        per_sample: is_plain.then_some(u16::from_le_bytes([*a0, *a1])),
    })
}
