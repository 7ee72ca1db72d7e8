//! Decompression of files in gzip, zstd, xz and bzip2: how they are recognized, read and reported if they are damaged.
//!
//! A format is recognized by the first bytes of a file, never by its name. Streams of one format may follow one another,
//! as `cat a.gz b.gz` makes them, and zeros may follow the last one in gzip and xz; anything else after a stream is an error,
//! because other programs disagree about it.
//! Memory that a file claims is charged before it is allocated, and long work checks the deadline.

mod bounds;
mod fault;
mod members;
mod xz;
mod zstd;

use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::limits::MemoryCharge;
use crate::toolkit::ToolError;

pub use bounds::Bounds;
use bounds::{Polled, charge_to};
pub use fault::fault_of;
use members::{Format, MembersDecoder};
use xz::XzDecoder;
use zstd::ZstdDecoder;

/// A format of compressed files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// The .xz file format 1.2.1.
    Xz,
    /// The format of bzip2 1.0.
    Bzip2,
}

/// Memory that a decoder of bzip2 takes for the largest blocks, in bytes.
const BZIP2_BYTES: u64 = 4 << 20;

impl Compression {
    const ALL: [Compression; 4] = [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2];
    /// Number of bytes that decide about the format.
    pub const START: usize = 10;

    /// Returns the format of a file that begins with these bytes, or `None` if it is not compressed.
    pub fn of(start: &[u8]) -> Option<Compression> {
        Compression::ALL.into_iter().find(|format| format.begins(start))
    }

    /// Returns the format of a stream by its next bytes. The caller must go back to where they began.
    pub fn of_stream(stream: &mut impl Read) -> io::Result<Option<Compression>> {
        let mut start = Vec::with_capacity(Compression::START);
        stream.take(Compression::START as u64).read_to_end(&mut start)?;
        Ok(Compression::of(&start))
    }

    /// Returns the name as results and messages have it.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
        }
    }

    /// Returns the hint for a compressed file that was read as text, perhaps out of another one.
    pub fn hint(self, was_decompressed: bool) -> String {
        let name = self.name();
        if was_decompressed {
            return format!(
                "it holds a file in {name}: unpack it with `FS.Extract`, and read that with `decompress: true`"
            );
        }
        format!("it is in {name}: read it with `decompress: true`")
    }

    /// Returns the name that a file had before it was compressed.
    pub fn stem(self, name: &str) -> &str {
        let end = self.extension();
        let dot = name.len().saturating_sub(end.len());
        match name.get(dot..) {
            Some(found) if found.eq_ignore_ascii_case(end) => &name[..dot],
            _ => name,
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
            Compression::Xz => ".xz",
            Compression::Bzip2 => ".bz2",
        }
    }

    fn begins(self, start: &[u8]) -> bool {
        match self {
            // Deflate is the only method there is.
            Compression::Gzip => start.starts_with(&[0x1f, 0x8b, 8]),
            Compression::Zstd => zstd::begins(start),
            Compression::Xz => start.starts_with(&xz::MAGIC),
            // Letters alone could begin a text, so the mark of a block or of the end must follow.
            Compression::Bzip2 => match start {
                [b'B', b'Z', b'h', b'1'..=b'9', mark @ ..] => {
                    mark.starts_with(&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
                        || mark.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
                }
                _ => false,
            },
        }
    }
}

/// The bytes of a stream, decompressed if it has a format.
pub struct Decompressed<R: Read> {
    stream: Stream<R>,
    /// Whether the stored bytes could not be read.
    has_failed: Arc<AtomicBool>,
    /// Memory of the decoder, while it is there.
    _held: MemoryCharge,
}

/// The stored bytes of a compressed stream.
type Input<R> = BufReader<Polled<R>>;

enum Stream<R: Read> {
    AsStored(R),
    Members(Box<MembersDecoder<Input<R>>>),
    Zstd(Box<ZstdDecoder<Input<R>>>),
    Xz(Box<XzDecoder<Input<R>>>),
}

impl<R: Read> Decompressed<R> {
    /// Wraps a stream at its start. Errors: the decoder takes more memory than is left.
    pub fn new(stored: R, format: Option<Compression>, bounds: Bounds) -> io::Result<Decompressed<R>> {
        let Some(format) = format else {
            let stream = Stream::AsStored(stored);
            return Ok(Decompressed { stream, has_failed: Arc::default(), _held: MemoryCharge::default() });
        };
        let polled = Polled::new(stored, bounds.watch.clone());
        let has_failed = polled.failure();
        let input = BufReader::new(polled);
        let mut held = MemoryCharge::default();
        let stream = match format {
            Compression::Gzip => Stream::Members(Box::new(MembersDecoder::new(input, Format::Gzip))),
            Compression::Zstd => Stream::Zstd(Box::new(ZstdDecoder::new(input, bounds))),
            Compression::Xz => Stream::Xz(Box::new(XzDecoder::new(input, bounds))),
            Compression::Bzip2 => {
                charge_to(&mut held, BZIP2_BYTES)?;
                Stream::Members(Box::new(MembersDecoder::new(input, Format::Bzip2)))
            }
        };
        Ok(Decompressed { stream, has_failed, _held: held })
    }

    /// Returns the stream of the stored bytes.
    pub fn stored(&mut self) -> &mut R {
        let input = match &mut self.stream {
            Stream::AsStored(stored) => return stored,
            Stream::Members(decoder) => decoder.input(),
            Stream::Zstd(decoder) => decoder.input(),
            Stream::Xz(decoder) => decoder.input(),
        };
        input.get_mut().inner()
    }

    /// Returns the format, or `None` for a stream that is read as it is stored.
    pub fn format(&self) -> Option<Compression> {
        match &self.stream {
            Stream::AsStored(_) => None,
            Stream::Members(decoder) if decoder.format() == Format::Gzip => Some(Compression::Gzip),
            Stream::Members(_) => Some(Compression::Bzip2),
            Stream::Zstd(_) => Some(Compression::Zstd),
            Stream::Xz(_) => Some(Compression::Xz),
        }
    }

    /// Returns an error with a kind that tells damaged data: decoders give it several kinds.
    fn settled(&self, error: io::Error) -> io::Error {
        let is_known = fault::is_known(&error)
            || matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::Interrupted);
        if is_known || self.has_failed.load(Ordering::Relaxed) { error } else { ErrorKind::InvalidData.into() }
    }

    /// Returns the error for a file whose compressed data cannot be read, or `None` if the error has another reason.
    pub fn damage(&self, shown: &str, error: &io::Error) -> Option<ToolError> {
        fault::damage(self.format()?, shown, error)
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.stream {
            Stream::AsStored(stored) => return stored.read(buffer),
            Stream::Members(decoder) => decoder.read(buffer),
            Stream::Zstd(decoder) => decoder.read(buffer),
            Stream::Xz(decoder) => decoder.read(buffer),
        };
        read.map_err(|error| self.settled(error))
    }
}
