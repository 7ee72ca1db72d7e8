//! A file as lofty reads it: `Read` and `Seek` over a [`Window`].
//!
//! lofty can allocate more memory than it reads bytes: a comment of six bytes becomes two texts with their places. So
//! each byte is charged several times, before it is handed over. What lofty must not see is left out or replaced.

use std::io::{self, Read, Seek, SeekFrom};

use crate::limits::MemoryCharge;

use super::super::window::{Fault, MAX_PIECE, Window};
use super::content::Piece;
use super::texts::MAX_PARTS;

/// Upper bound for the memory in bytes that a byte of tags takes.
const GROWTH: usize = 16;

/// A part of what lofty reads.
#[derive(Debug)]
pub enum Part {
    /// A piece of the file.
    Stored(Piece),
    /// Other bytes.
    Made(Vec<u8>),
}

impl Part {
    fn length(&self) -> u64 {
        match self {
            Part::Stored(piece) => piece.end.saturating_sub(piece.start),
            Part::Made(bytes) => bytes.len() as u64,
        }
    }
}

/// A position in a file.
pub struct Stream<'w, 'a, 'c> {
    window: &'w mut Window<'a, 'c>,
    parts: Vec<Part>,
    /// The position after each part.
    ends: Vec<u64>,
    at: u64,
    /// Number of reads so far. Each field of a tag takes at least one, and lofty compares fields with those before them.
    reads: usize,
    /// The charge for bytes that were handed over.
    held: MemoryCharge,
    /// Why reading failed. lofty may pass over errors, so the first is kept, and everything fails after it.
    fault: Option<Fault>,
}

impl<'w, 'a, 'c> Stream<'w, 'a, 'c> {
    /// Creates a stream at the start of some parts.
    pub fn new(window: &'w mut Window<'a, 'c>, parts: Vec<Part>) -> Stream<'w, 'a, 'c> {
        let mut end = 0_u64;
        let after = |part: &Part| {
            end = end.saturating_add(part.length());
            end
        };
        let ends = parts.iter().map(after).collect();
        Stream { window, parts, ends, at: 0, reads: 0, held: MemoryCharge::default(), fault: None }
    }

    /// Goes back to the start.
    pub fn rewind(&mut self) {
        self.at = 0;
    }

    /// Takes the reason why reading failed, if it did. The stream is not read after that.
    pub fn fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    fn size(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn bytes(&mut self, length: usize) -> Result<&[u8], Fault> {
        self.reads += 1;
        if self.reads > MAX_PARTS {
            return Err(Fault::Exhausted);
        }
        let wanted = length.min(MAX_PIECE);
        self.held.grow(wanted.saturating_mul(GROWTH))?;
        let index = self.ends.partition_point(|end| *end <= self.at);
        let Some(part) = self.parts.get(index) else { return Ok(&[]) };
        let before = self.at - (self.ends[index] - part.length());
        let wanted = wanted.min(usize::try_from(self.ends[index] - self.at).unwrap_or(wanted));
        match part {
            Part::Stored(piece) => self.window.up_to(piece.start + before, wanted),
            Part::Made(bytes) => Ok(bytes.get(before as usize..).unwrap_or_default().get(..wanted).unwrap_or_default()),
        }
    }
}

impl Read for Stream<'_, '_, '_> {
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

impl Seek for Stream<'_, '_, '_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let at = match position {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::other("a position before the start"))?;
        Ok(self.at)
    }
}
