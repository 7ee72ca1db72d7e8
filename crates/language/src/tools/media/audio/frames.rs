//! The frames of MPEG audio and of AAC (ADTS): where the first is, and how long a file of AAC plays.

use super::super::window::{Fault, MAX_PIECE, Window};
use super::sound::Sound;

/// Bytes in which the first frame begins.
const REACH: usize = MAX_PIECE;
/// Number of frames in a row by which sound is recognized.
const IN_A_ROW: usize = 4;
/// Bytes of AAC whose frames are counted; the length of a longer file is estimated from them.
const COUNTED: u64 = 1 << 20;
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
const AAC_RATES: [u32; 13] =
    [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/// How a sound is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// MPEG audio of a version and a layer, as their bits are.
    Mpeg {
        version: u8,
        layer: u8,
    },
    Aac {
        channels: u8,
    },
}

/// The head of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub kind: Kind,
    rate: u32,
    /// Length of the frame in bytes.
    length: u64,
    /// Number of blocks of AAC.
    blocks: u64,
}

impl Frame {
    /// Returns the frame that begins with these bytes.
    fn of(head: &[u8]) -> Option<Frame> {
        match head {
            [0xff, b1, b2, b3, b4, b5, b6] if b1 & 0xf6 == 0xf0 => Frame::aac([*b2, *b3, *b4, *b5, *b6]),
            [0xff, b1, b2, ..] if b1 & 0xe0 == 0xe0 => Frame::mpeg(*b1, *b2),
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
        let kind = Kind::Aac { channels };
        (length > 7).then_some(Frame { kind, rate, length, blocks: u64::from(b6 & 3) + 1 })
    }

    fn mpeg(b1: u8, b2: u8) -> Option<Frame> {
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
        Some(Frame { kind: Kind::Mpeg { version, layer }, rate, length: u64::from(slots * slot), blocks: 0 })
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

/// Measures AAC from its first frame on.
pub fn aac(window: &mut Window<'_, '_>, start: Start, channels: u8) -> Result<Sound, Fault> {
    let (size, mut at, mut blocks) = (window.size(), start.at, 0);
    let mut is_whole = true;
    while let Some(frame) = Frame::at(window, at)?.filter(|frame| frame.follows(&start.frame)) {
        at += frame.length;
        blocks += frame.blocks;
        if at - start.at > COUNTED {
            is_whole = false;
            break;
        }
    }
    let samples = blocks * AAC_BLOCK;
    if is_whole {
        return Ok(Sound::new(Some(samples), start.frame.rate, channels, at - start.at));
    }
    let (counted, all) = (at - start.at, size.saturating_sub(start.at));
    let samples = (samples as f64 * all as f64 / counted as f64).round() as u64;
    Ok(Sound::new(Some(samples), start.frame.rate, channels, all))
}
