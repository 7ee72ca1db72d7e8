//! A file as lofty reads it: `Read` and `Seek` over a [`Window`].
//!
//! lofty can allocate more memory than it reads bytes: a comment of six bytes becomes two texts with their places. So
//! each byte is charged several times, before it is handed over.

use std::io::{self, Read, Seek, SeekFrom};

use crate::limits::MemoryCharge;

use super::super::window::{Fault, MAX_PIECE, Window};

/// Maximum number of bytes that are read of a file.
pub const MAX_READ: usize = 8 << 20;
/// Maximum number of reads. Each field of a tag takes at least one, and lofty compares each frame of ID3 with those before
/// it, so that their number must have a bound of its own.
pub const MAX_READS: usize = 100_000;
/// Upper bound for the memory in bytes that a byte of tags takes.
const GROWTH: usize = 16;
/// Number of bytes at the start of a file that tell its kind.
const EXAMINED: usize = 4 << 10;

/// A position in a file.
pub struct Stream<'a, 'c> {
    window: Window<'a, 'c>,
    at: u64,
    /// Number of reads so far.
    reads: usize,
    /// The charge for bytes that were handed over.
    held: MemoryCharge,
    /// Why reading failed. lofty may pass over errors, so the first is kept, and everything fails after it.
    fault: Option<Fault>,
}

impl<'a, 'c> Stream<'a, 'c> {
    /// Creates a stream at the start of a file.
    pub fn new(window: Window<'a, 'c>) -> Stream<'a, 'c> {
        Stream { window, at: 0, reads: 0, held: MemoryCharge::default(), fault: None }
    }

    /// Goes back to the start.
    pub fn rewind(&mut self) {
        self.at = 0;
    }

    /// Returns the bytes at the start.
    pub fn start(&mut self) -> Result<&[u8], Fault> {
        self.window.up_to(0, EXAMINED)
    }

    /// Takes the reason why reading failed, if it did. The stream is not read after that.
    pub fn fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    fn bytes(&mut self, length: usize) -> Result<&[u8], Fault> {
        self.reads += 1;
        if self.reads > MAX_READS {
            return Err(Fault::Damaged("its tags have too many fields"));
        }
        let wanted = length.min(MAX_PIECE);
        self.held.grow(wanted.saturating_mul(GROWTH))?;
        self.window.up_to(self.at, wanted)
    }
}

impl Read for Stream<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.fault.is_some() {
            return Err(io::Error::other("the file cannot be read on"));
        }
        match self.bytes(buffer.len()) {
            Ok(bytes) => {
                let read = bytes.len();
                buffer[..read].copy_from_slice(bytes);
                self.at += read as u64;
                Ok(read)
            }
            Err(fault) => {
                self.fault = Some(fault);
                Err(io::Error::other("the file cannot be read on"))
            }
        }
    }
}

impl Seek for Stream<'_, '_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let at = match position {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.window.size().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::other("a position before the start"))?;
        Ok(self.at)
    }
}
