//! The frames of MPEG audio and of AAC (ADTS): where the first is, and how long they play.

use super::super::window::{Fault, MAX_PIECE, Window};
use super::sound::Sound;

/// Bytes in which the first frame begins.
const REACH: usize = MAX_PIECE;
/// Number of frames in a row by which sound is recognized.
const IN_A_ROW: usize = 4;
/// Bytes whose frames are counted; the length of a longer file is estimated from them.
const COUNTED: u64 = 1 << 20;
/// Number of gaps between frames that are passed over.
const MAX_GAPS: usize = 8;
/// Samples of a block of AAC.
const AAC_BLOCK: u64 = 1024;

/// Kilobits per second of a frame, by the number in its head. The numbers 0 and 15 have none.
mod bitrate {
    pub const MPEG_1_LAYER_1: [u32; 14] = [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448];
    pub const MPEG_1_LAYER_2: [u32; 14] = [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
    pub const MPEG_1_LAYER_3: [u32; 14] = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
    pub const MPEG_2_LAYER_1: [u32; 14] = [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];
    pub const MPEG_2_OTHERS: [u32; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
}

/// Samples per second of AAC, by the number in a frame's head.
pub const AAC_RATES: [u32; 13] =
    [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/// How a sound is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// MPEG audio of a version and a layer, as their bits are.
    Mpeg {
        version: u8,
        layer: u8,
    },
    Aac,
}

/// The head of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub kind: Kind,
    rate: u32,
    channels: u8,
    samples: u64,
    /// Length of the frame in bytes.
    length: u64,
}

impl Frame {
    /// Returns the frame that begins with these bytes.
    fn of(head: &[u8]) -> Option<Frame> {
        match head {
            [0xff, b1, b2, b3, b4, b5, b6] if b1 & 0xf6 == 0xf0 => Frame::aac([*b2, *b3, *b4, *b5, *b6]),
            [0xff, b1, b2, b3, ..] if b1 & 0xe0 == 0xe0 => Frame::mpeg([*b1, *b2, *b3]),
            _ => None,
        }
    }

    fn aac([b2, b3, b4, b5, b6]: [u8; 5]) -> Option<Frame> {
        let rate = *AAC_RATES.get(usize::from(b2 >> 2 & 15))?;
        let channels = match (b2 & 1) << 2 | b3 >> 6 {
            7 => 8,
            channels => channels,
        };
        let length = u64::from(b3 & 3) << 11 | u64::from(b4) << 3 | u64::from(b5) >> 5;
        let samples = (u64::from(b6 & 3) + 1) * AAC_BLOCK;
        (length > 7).then_some(Frame { kind: Kind::Aac, rate, channels, samples, length })
    }

    fn mpeg([b1, b2, b3]: [u8; 3]) -> Option<Frame> {
        let (version, layer) = (b1 >> 3 & 3, b1 >> 1 & 3);
        // The bits of the version: 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5. Those of the layer count downwards.
        let (table, samples) = match (version, layer) {
            (1, _) | (_, 0) => return None,
            (3, 3) => (bitrate::MPEG_1_LAYER_1, 384),
            (3, 2) => (bitrate::MPEG_1_LAYER_2, 1_152),
            (3, _) => (bitrate::MPEG_1_LAYER_3, 1_152),
            (_, 3) => (bitrate::MPEG_2_LAYER_1, 384),
            (_, 2) => (bitrate::MPEG_2_OTHERS, 1_152),
            (_, _) => (bitrate::MPEG_2_OTHERS, 576),
        };
        let kilobits = *table.get(usize::from(b2 >> 4).checked_sub(1)?)?;
        let rate = *[44_100, 48_000, 32_000].get(usize::from(b2 >> 2 & 3))?;
        let rate = match version {
            3 => rate,
            2 => rate / 2,
            _ => rate / 4,
        };
        // Layer 1 is padded by four bytes, the others by one.
        let slot = if layer == 3 { 4 } else { 1 };
        let slots = samples / 8 * kilobits * 1_000 / rate / slot + u32::from(b2 >> 1 & 1);
        let (channels, length) = (if b3 >> 6 == 3 { 1 } else { 2 }, u64::from(slots * slot));
        Some(Frame { kind: Kind::Mpeg { version, layer }, rate, channels, samples: samples.into(), length })
    }

    fn at(window: &mut Window<'_, '_>, at: u64) -> Result<Option<Frame>, Fault> {
        Ok(Frame::of(window.up_to(at, 7)?))
    }

    fn follows(&self, before: &Frame) -> bool {
        self.rate == before.rate && self.kind == before.kind
    }
}

/// Where the sound of a file begins, and its first frame.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    pub at: u64,
    pub frame: Frame,
}

/// Finds the first of some frames in a row, at a position or soon after it.
pub fn find(window: &mut Window<'_, '_>, from: u64) -> Result<Option<Start>, Fault> {
    let length = window.up_to(from, REACH)?.len() as u64;
    for at in from..from + length {
        if window.up_to(at, 1)? != [0xff] {
            continue;
        }
        let Some(frame) = Frame::at(window, at)? else { continue };
        if is_sound(window, at, frame, at == from)? {
            return Ok(Some(Start { at, frame }));
        }
        // The frames that were looked at may lie behind the bytes that are held.
        window.up_to(from, REACH)?;
    }
    Ok(None)
}

/// Returns whether frames follow a frame. At the end of the file there may be fewer.
fn is_sound(window: &mut Window<'_, '_>, at: u64, first: Frame, is_near: bool) -> Result<bool, Fault> {
    let mut at = at;
    for number in 1..IN_A_ROW {
        at += first_or(window, at, first)?.length;
        match Frame::at(window, at)? {
            Some(frame) if frame.follows(&first) => {}
            Some(_) => return Ok(false),
            None if window.up_to(at, 4)?.len() < 4 => return Ok(is_near || number > 1),
            // A tag may follow the last frame.
            None => return Ok(is_near && matches!(window.up_to(at, 3)?, b"TAG" | b"APE" | b"ID3")),
        }
    }
    Ok(true)
}

fn first_or(window: &mut Window<'_, '_>, at: u64, first: Frame) -> Result<Frame, Fault> {
    Ok(Frame::at(window, at)?.unwrap_or(first))
}

/// Measures the sound from its first frame to a position.
pub fn sound(window: &mut Window<'_, '_>, start: Start, end: u64) -> Result<Sound, Fault> {
    let Frame { rate, channels, .. } = start.frame;
    let measured = match announced(window, start)? {
        Some(frames) => Measured { samples: frames * start.frame.samples, bytes: end.saturating_sub(start.at) },
        None => counted(window, start, end)?,
    };
    Ok(Sound::new(Some(measured.samples), rate, channels, measured.bytes))
}

/// The length of a sound.
struct Measured {
    samples: u64,
    bytes: u64,
}

/// Counts the frames.
fn counted(window: &mut Window<'_, '_>, start: Start, end: u64) -> Result<Measured, Fault> {
    let (mut at, mut samples, mut gaps) = (start.at, 0, 0);
    while at < end && at - start.at <= COUNTED {
        let frame = match Frame::at(window, at)?.filter(|frame| frame.follows(&start.frame)) {
            Some(frame) => frame,
            None if gaps == MAX_GAPS => break,
            None => {
                let Some(next) = find(window, at)?.filter(|next| next.frame.follows(&start.frame)) else { break };
                (at, gaps) = (next.at, gaps + 1);
                next.frame
            }
        };
        at += frame.length;
        samples += frame.samples;
    }
    let bytes = at.min(end) - start.at;
    if bytes <= COUNTED {
        return Ok(Measured { samples, bytes });
    }
    let all = end - start.at;
    Ok(Measured { samples: (samples as f64 * all as f64 / bytes as f64).round() as u64, bytes: all })
}

/// Returns the number of frames that the first frame of MPEG audio announces, as encoders of varying bit rates write it.
fn announced(window: &mut Window<'_, '_>, start: Start) -> Result<Option<u64>, Fault> {
    let Frame { kind: Kind::Mpeg { version, .. }, channels, .. } = start.frame else { return Ok(None) };
    // The frame has no sound, so its other contents are empty. Their length depends on version and channels.
    let empty = match (version, channels) {
        (3, 1) | (0 | 2, 2) => 17,
        (3, _) => 32,
        _ => 9,
    };
    let frames = match window.up_to(start.at + 4 + empty, 12)? {
        [b'X', b'i', b'n', b'g', _, _, _, flags, frames @ ..]
        | [b'I', b'n', b'f', b'o', _, _, _, flags, frames @ ..]
            if flags & 1 != 0 =>
        {
            frames.first_chunk().copied()
        }
        _ => match window.up_to(start.at + 36, 18)? {
            [b'V', b'B', b'R', b'I', .., f0, f1, f2, f3] => Some([*f0, *f1, *f2, *f3]),
            _ => None,
        },
    };
    Ok(frames.map(|frames| u32::from_be_bytes(frames).into()).filter(|frames| *frames > 0))
}
