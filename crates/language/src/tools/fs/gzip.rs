//! Files in gzip: how they are recognized, read and reported if they are damaged.

use std::io::{self, BufReader, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;

use crate::text::ToolCode;
use crate::toolkit::ToolError;

/// The first bytes of a file in gzip, with the only method there is.
const START: [u8; 3] = [0x1f, 0x8b, 8];

/// The bytes of a stream, decompressed if it is in gzip. Its members follow one another, as `cat a.gz b.gz` makes them.
pub enum Decompressed<R> {
    /// Another stream, as it is.
    AsStored(R),
    /// A stream in gzip.
    Gzip(Box<MultiGzDecoder<BufReader<R>>>),
}

/// Returns whether a file that begins with these bytes is in gzip.
pub fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&START)
}

/// Returns whether a stream is in gzip, by its next bytes. The caller must go back to where they began.
pub fn begins_with_gzip(stream: &mut impl Read) -> io::Result<bool> {
    let mut start = Vec::with_capacity(START.len());
    stream.take(START.len() as u64).read_to_end(&mut start)?;
    Ok(is_gzip(&start))
}

impl<R: Read> Decompressed<R> {
    /// Wraps a stream at its start.
    pub fn new(stored: R, is_gzip: bool) -> Decompressed<R> {
        if is_gzip {
            Decompressed::Gzip(Box::new(MultiGzDecoder::new(BufReader::new(stored))))
        } else {
            Decompressed::AsStored(stored)
        }
    }

    /// Returns the stream of the stored bytes.
    pub fn stored(&mut self) -> &mut R {
        match self {
            Decompressed::AsStored(stored) => stored,
            Decompressed::Gzip(decoder) => decoder.get_mut().get_mut(),
        }
    }

    /// Whether the stream is decompressed.
    pub fn is_gzip(&self) -> bool {
        matches!(self, Decompressed::Gzip(_))
    }

    /// Returns the error for a file whose compressed data is damaged, or `None` if the error has another reason.
    pub fn damage(&self, shown: &str, error: &io::Error) -> Option<ToolError> {
        let reason = match error.kind() {
            _ if !self.is_gzip() => return None,
            ErrorKind::UnexpectedEof => {
                "ends within its gzip data: it was cut off, or something else follows that data"
            }
            ErrorKind::InvalidData | ErrorKind::InvalidInput => {
                "has damaged gzip data, or something else follows that data"
            }
            _ => return None,
        };
        Some(ToolError::new(ToolCode::InvalidArchive, format!("`{shown}` {reason}")).path(shown))
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decompressed::AsStored(stored) => stored.read(buffer),
            Decompressed::Gzip(decoder) => decoder.read(buffer),
        }
    }
}
