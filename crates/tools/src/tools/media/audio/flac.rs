//! FLAC: the blocks before its sound.

use super::super::window::{Fault, Window};
use super::content::Piece;
use super::sound::Sound;
use super::texts::{MAX_PARTS, Texts};
use super::{Song, comments};

/// The first bytes of a file.
pub const MARK: &[u8] = b"fLaC";
/// Length of the block that describes the sound, in bytes.
pub const STREAM_INFO: usize = 34;

/// The block that describes the sound.
#[derive(Clone, Copy, Debug)]
pub struct StreamInfo {
    pub rate: u32,
    pub channels: u8,
    /// Nothing if the encoder did not know it.
    pub samples: Option<u64>,
}

impl StreamInfo {
    /// Reads the content of the block, or nothing if it is too short.
    pub fn of(block: &[u8]) -> Option<StreamInfo> {
        let packed = u64::from_be_bytes(*block.get(10..)?.first_chunk()?);
        let samples = packed & 0xf_ffff_ffff;
        Some(StreamInfo {
            rate: (packed >> 44) as u32,
            channels: (packed >> 41 & 7) as u8 + 1,
            samples: Some(samples).filter(|samples| *samples > 0),
        })
    }
}

/// Reads the file from its mark on.
pub fn read(window: &mut Window<'_, '_>, start: u64) -> Result<Song, Fault> {
    let (mut at, mut info, mut texts) = (start + MARK.len() as u64, None, Texts::default());
    for _ in 0..MAX_PARTS {
        let Some([kind, length @ ..]) = window.up_to(at, 4)?.first_chunk::<4>().copied() else { break };
        let block =
            Piece { start: at + 4, end: at + 4 + length.iter().fold(0, |size, byte| size << 8 | u64::from(*byte)) };
        match kind & 0x7f {
            0 => info = StreamInfo::of(window.up_to(block.start, STREAM_INFO)?),
            4 => texts = comments::read(window, vec![block])?,
            _ => {}
        }
        at = block.end;
        if kind & 0x80 != 0 {
            break;
        }
    }
    let info = info.ok_or(Fault::Damaged("the block that describes its sound is missing"))?;
    let sound = Sound::new(info.samples, info.rate, info.channels, window.size().saturating_sub(at));
    Ok(Song { mime_type: "audio/flac", tags: vec![texts], sound })
}
