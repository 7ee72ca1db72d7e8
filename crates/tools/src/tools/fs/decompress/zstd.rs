//! Files in zstd (RFC 8878), frame by frame. `ruzstd` decodes the blocks of a frame; the sequence of frames, skippable
//! ones among them, the checksums and the declared sizes are checked here.

use std::io::{self, BufRead, Cursor, ErrorKind, Read};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::limits::MemoryCharge;

use super::bounds::{Bounds, charge_to};
use super::fault::Fault;

/// The first bytes of a frame with data.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of a frame to skip, except for the lower half of the first byte.
const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// Maximum number of bytes that a block becomes.
const BLOCK: u64 = 128 << 10;
/// Memory for tables and for the block that is decoded, in bytes.
const TABLES: u64 = 1 << 20;

/// Returns whether a file that begins with these bytes begins with a frame.
pub fn begins(start: &[u8]) -> bool {
    start.starts_with(&MAGIC) || start.first_chunk().is_some_and(|magic| is_skippable(*magic))
}

fn is_skippable([first, rest @ ..]: [u8; 4]) -> bool {
    first & 0xf0 == SKIPPABLE[0] && rest == SKIPPABLE[1..]
}

/// A decoder of frames that follow one another.
pub struct ZstdDecoder<R> {
    input: R,
    bounds: Bounds,
    frame: Option<Frame>,
    held: MemoryCharge,
}

/// A frame that is being decoded.
struct Frame {
    decoder: FrameDecoder,
    window: u64,
    /// The size that the header declares.
    declared: Option<u64>,
    /// Number of bytes that were decoded.
    decoded: u64,
    /// Number of bytes that were returned.
    returned: u64,
}

impl<R: BufRead> ZstdDecoder<R> {
    /// Creates a decoder at the start of a file.
    pub fn new(input: R, bounds: Bounds) -> ZstdDecoder<R> {
        ZstdDecoder { input, bounds, frame: None, held: MemoryCharge::default() }
    }

    /// Returns the stream of the stored bytes.
    pub fn input(&mut self) -> &mut R {
        &mut self.input
    }

    /// Goes to the next frame with data. Returns `None` at the end of the file.
    fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        while !self.input.fill_buf()?.is_empty() {
            let magic = self.bytes()?;
            if magic == MAGIC {
                return self.begin_frame().map(Some);
            }
            if !is_skippable(magic) {
                return Err(ErrorKind::InvalidData.into());
            }
            let length = u32::from_le_bytes(self.bytes()?);
            self.skip(u64::from(length))?;
        }
        Ok(None)
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn skip(&mut self, mut bytes: u64) -> io::Result<()> {
        while bytes > 0 {
            let available = self.input.fill_buf()?.len();
            if available == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let passed = available.min(usize::try_from(bytes).unwrap_or(usize::MAX));
            self.input.consume(passed);
            bytes -= passed as u64;
        }
        Ok(())
    }

    /// Reads the header of a frame, after its first four bytes. The decoder reads it again.
    fn begin_frame(&mut self) -> io::Result<Frame> {
        let [descriptor] = self.bytes()?;
        let mut header = MAGIC.to_vec();
        header.push(descriptor);
        let shape = Shape::of(descriptor);
        let mut rest = vec![0; shape.window + shape.dictionary + shape.size];
        self.input.read_exact(&mut rest)?;
        header.extend_from_slice(&rest);
        let (window, rest) = rest.split_at(shape.window);
        let (dictionary, size) = rest.split_at(shape.dictionary);
        if dictionary.iter().any(|byte| *byte != 0) {
            return Err(Fault::Dictionary.into());
        }
        let declared = declared_size(size);
        let window = window.first().map(|byte| window_size(*byte)).or(declared).unwrap_or(0);
        self.bounds.check_window(window)?;
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(window);
        decoder.init(Cursor::new(header)).map_err(|_| ErrorKind::InvalidData)?;
        Ok(Frame { decoder, window, declared, decoded: 0, returned: 0 })
    }

    /// Decodes one block of a frame, whose memory is charged first.
    fn decode_block(&mut self, frame: &mut Frame) -> io::Result<()> {
        self.bounds.watch.poll().map_err(io::Error::other)?;
        // The buffer of a decoder doubles when it is full, and the old one is there until it is copied.
        let buffered = frame.decoded.saturating_sub(frame.returned).min(frame.window);
        charge_to(&mut self.held, 3 * (buffered + BLOCK) + TABLES)?;
        let mut input = Noting { inner: &mut self.input, failure: None };
        let decoded = frame.decoder.decode_blocks(&mut input, BlockDecodingStrategy::UptoBlocks(1));
        let failure = input.failure.take();
        decoded.map_err(|_| failure.unwrap_or_else(|| ErrorKind::InvalidData.into()))?;
        frame.decoded = (frame.decoded + BLOCK).min(frame.declared.unwrap_or(u64::MAX));
        Ok(())
    }
}

impl Frame {
    fn is_over(&self) -> bool {
        self.decoder.is_finished() && self.decoder.can_collect() == 0
    }

    /// Checks what the frame says of its content.
    fn check(&self) -> io::Result<()> {
        let stored = self.decoder.get_checksum_from_data();
        let is_intact = stored.is_none() || stored == self.decoder.get_calculated_checksum();
        if is_intact && self.declared.is_none_or(|size| size == self.returned) {
            Ok(())
        } else {
            Err(ErrorKind::InvalidData.into())
        }
    }
}

impl<R: BufRead> Read for ZstdDecoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let mut frame = match self.frame.take() {
                Some(frame) => frame,
                None => match self.next_frame()? {
                    Some(frame) => frame,
                    None => return Ok(0),
                },
            };
            let read = frame.decoder.read(buffer)?;
            frame.returned += read as u64;
            // The decoder goes on after the size that the frame declares.
            if frame.declared.is_some_and(|size| frame.returned > size) {
                return Err(ErrorKind::InvalidData.into());
            }
            if read == 0 {
                if frame.is_over() {
                    frame.check()?;
                    continue;
                }
                self.decode_block(&mut frame)?;
            }
            self.frame = Some(frame);
            if read > 0 {
                return Ok(read);
            }
        }
    }
}

/// Lengths of the fields of a frame header in bytes.
struct Shape {
    window: usize,
    dictionary: usize,
    size: usize,
}

impl Shape {
    fn of(descriptor: u8) -> Shape {
        let is_single = descriptor & 0x20 != 0;
        let size = match descriptor >> 6 {
            0 => usize::from(is_single),
            flag => 1 << flag,
        };
        Shape { window: usize::from(!is_single), dictionary: [0, 1, 2, 4][usize::from(descriptor & 3)], size }
    }
}

fn declared_size(field: &[u8]) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes.get_mut(..field.len())?.copy_from_slice(field);
    let size = u64::from_le_bytes(bytes);
    match field.len() {
        0 => None,
        2 => Some(size + 256),
        _ => Some(size),
    }
}

fn window_size(descriptor: u8) -> u64 {
    let base = 1 << (10 + (descriptor >> 3));
    base + base / 8 * u64::from(descriptor & 7)
}

/// A reader that keeps its error, because the errors of the decoder do not contain it.
struct Noting<'a, R> {
    inner: &'a mut R,
    failure: Option<io::Error>,
}

impl<R: Read> Read for Noting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Ok(0) if !buffer.is_empty() => {
                self.failure = Some(ErrorKind::UnexpectedEof.into());
                Ok(0)
            }
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                let kind = error.kind();
                self.failure = Some(error);
                Err(kind.into())
            }
            done => done,
        }
    }
}
