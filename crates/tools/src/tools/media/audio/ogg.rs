//! Ogg with Vorbis, Opus or FLAC: its first packets, and the number of samples in its last page (RFC 3533).

use super::super::window::{Fault, MAX_PIECE, Window};
use super::content::{Content, Piece};
use super::flac::StreamInfo;
use super::sound::Sound;
use super::texts::MAX_PARTS;
use super::{Song, comments};

/// The first bytes of a page.
pub const MARK: &[u8] = b"OggS";
/// Length of the head of a page without its table, in bytes.
const HEAD: usize = 27;
/// Maximum length of the table in bytes.
const MAX_TABLE: usize = 255;
/// Number of bytes of the first packet that are looked at.
const FIRST: usize = 64;
/// Number of samples that a page has that ends no packet.
const NO_SAMPLES: u64 = u64::MAX;

/// How the sound is encoded.
struct Codec {
    rate: u32,
    channels: u8,
    /// Samples that are not played.
    skipped: u64,
    /// Number of bytes before the comments in their packet.
    before: u64,
}

impl Codec {
    /// Reads the first packet, or nothing if it is of a codec that is not read.
    fn of(first: &[u8]) -> Option<Codec> {
        if let Some(info) = first.strip_prefix(b"\x01vorbis") {
            let rate = u32::from_le_bytes(*info.get(5..)?.first_chunk()?);
            return Some(Codec { rate, channels: *info.get(4)?, skipped: 0, before: 7 });
        }
        if let Some(info) = first.strip_prefix(b"OpusHead") {
            let skipped = u16::from_le_bytes(*info.get(2..)?.first_chunk()?);
            return Some(Codec { rate: 48_000, channels: *info.get(1)?, skipped: skipped.into(), before: 8 });
        }
        // Version, number of packets, the mark of FLAC and the head of a block.
        let info = StreamInfo::of(first.strip_prefix(b"\x7fFLAC")?.get(12..)?)?;
        Some(Codec { rate: info.rate, channels: info.channels, skipped: 0, before: 4 })
    }
}

/// A page of a stream.
struct Page {
    stream: [u8; 4],
    /// The lengths of the parts of packets in it.
    table: Vec<u8>,
    /// Where those parts begin.
    start: u64,
    end: u64,
}

/// Reads a file, or nothing if its first stream is of a codec that is not read.
pub fn read(window: &mut Window<'_, '_>, start: u64) -> Result<Option<Song>, Fault> {
    let mut packets = Packets { at: start, stream: None, open: Vec::new(), ready: Vec::new() };
    let first = packets.next(window)?.ok_or(Fault::Damaged("it ends within its first packet"))?;
    let Some(codec) = Codec::of(&Content::new(window, first).take(FIRST)?) else { return Ok(None) };
    // Where the packet was cut off, the comments before the cut are given.
    let second = match packets.next(window)? {
        Some(pieces) => pieces,
        None => packets.open.clone(),
    };
    let texts = comments::read(window, without_start(second, codec.before))?;
    let samples = packets.last(window)?.map(|samples| samples.saturating_sub(codec.skipped));
    let sound = Sound::new(samples, codec.rate, codec.channels, window.size().saturating_sub(packets.at));
    Ok(Some(Song { mime_type: "audio/ogg", tags: vec![texts], sound }))
}

/// Leaves out bytes at the start of pieces.
fn without_start(pieces: Vec<Piece>, mut bytes: u64) -> Vec<Piece> {
    let mut rest = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let left_out = bytes.min(piece.end - piece.start);
        bytes -= left_out;
        rest.push(Piece { start: piece.start + left_out, ..piece });
    }
    rest
}

/// The packets of the first stream of a file.
struct Packets {
    /// The position of the next page.
    at: u64,
    stream: Option<[u8; 4]>,
    /// The pieces of the packet that is not complete.
    open: Vec<Piece>,
    /// The packets of the last page that was read, the last one first.
    ready: Vec<Vec<Piece>>,
}

impl Packets {
    /// Returns the pieces of the next packet, or nothing at the end.
    fn next(&mut self, window: &mut Window<'_, '_>) -> Result<Option<Vec<Piece>>, Fault> {
        for _ in 0..MAX_PARTS {
            if let Some(packet) = self.ready.pop() {
                return Ok(Some(packet));
            }
            let Some(page) = page(window, self.at)? else { return Ok(None) };
            self.at = page.end;
            if *self.stream.get_or_insert(page.stream) == page.stream {
                self.add(&page);
            }
        }
        Err(Fault::Exhausted)
    }

    /// Divides a page into packets. A part of less than 255 bytes ends one.
    fn add(&mut self, page: &Page) {
        let (mut start, mut end) = (page.start, page.start);
        for length in &page.table {
            end += u64::from(*length);
            if *length < 255 {
                self.open.push(Piece { start, end });
                self.ready.push(std::mem::take(&mut self.open));
                start = end;
            }
        }
        if start < end {
            self.open.push(Piece { start, end });
        }
        self.ready.reverse();
    }

    /// Returns the number of samples until the last page of the stream, which begins in the last bytes of the file.
    fn last(&self, window: &mut Window<'_, '_>) -> Result<Option<u64>, Fault> {
        let from = window.size().saturating_sub(MAX_PIECE as u64);
        let bytes = window.up_to(from, MAX_PIECE)?;
        let samples = |at: usize| {
            let head = bytes.get(at..)?.first_chunk::<HEAD>()?;
            let is_page =
                head.starts_with(MARK) && head[4] == 0 && self.stream.is_some_and(|stream| head[14..18] == stream);
            let samples = u64::from_le_bytes(*head[6..].first_chunk()?);
            (is_page && samples != NO_SAMPLES).then_some(samples)
        };
        Ok((0..bytes.len()).rev().find_map(samples))
    }
}

/// Reads the head of the page at a position, or nothing at the end of the file.
fn page(window: &mut Window<'_, '_>, at: u64) -> Result<Option<Page>, Fault> {
    let head = window.head(at, HEAD + MAX_TABLE)?;
    let Some((fixed, table)) = head.split_first_chunk::<HEAD>().filter(|(fixed, _)| fixed.starts_with(MARK)) else {
        return Ok(None);
    };
    let stream = [fixed[14], fixed[15], fixed[16], fixed[17]];
    let table = table[..table.len().min(fixed[26].into())].to_vec();
    let start = at + (HEAD + table.len()) as u64;
    let end = start + table.iter().map(|length| u64::from(*length)).sum::<u64>();
    Ok(Some(Page { stream, table, start, end }))
}
