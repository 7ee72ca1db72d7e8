//! The map of a sparse file: where its stored bytes belong.

use crate::limits::MeteredVec;
use crate::toolkit::ToolError;

use super::super::fault::invalid;
use super::pax::decimal;

/// Maximum number of pieces in one file.
const MAX_PIECES: usize = 1 << 20;

/// The pieces of a file, and the current reading position.
pub struct SparseMap {
    /// The start and end of each piece, in order.
    pieces: MeteredVec<(u64, u64)>,
    size: u64,
    /// The index of the next piece to read, and the position in the file.
    next: usize,
    at: u64,
}

impl SparseMap {
    /// Creates the map of a file of the given size that has no content yet.
    pub fn new(size: u64) -> SparseMap {
        SparseMap { pieces: MeteredVec::default(), size, next: 0, at: 0 }
    }

    /// Appends a piece. Errors: it overlaps an earlier one, exceeds the size of the file, or there are too
    /// many.
    pub fn push(&mut self, start: u64, length: u64) -> Result<(), ToolError> {
        let after = self.pieces.as_slice().last().map_or(0, |(_, end)| *end);
        let end = start.checked_add(length).filter(|end| start >= after && *end <= self.size);
        match end {
            Some(end) if self.pieces.len() < MAX_PIECES => Ok(self.pieces.push((start, end))?),
            _ => Err(invalid("the map of a file with holes is wrong")),
        }
    }

    /// Finishes the map. Errors: the sizes of its pieces do not add up to `stored`.
    pub fn close(self, stored: u64) -> Result<SparseMap, ToolError> {
        let sum: u64 = self.pieces.as_slice().iter().map(|(start, end)| end - start).sum();
        if sum == stored { Ok(self) } else { Err(invalid("the map of a file with holes is wrong")) }
    }

    /// Returns the size of the file, including holes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns whether a hole comes next, and how many bytes, at most `room`, remain in the hole or piece.
    pub fn next_piece(&mut self, room: usize) -> (bool, usize) {
        while self.pieces.as_slice().get(self.next).is_some_and(|(_, end)| *end <= self.at) {
            self.next += 1;
        }
        let (is_hole, until) = match self.pieces.as_slice().get(self.next) {
            Some((start, _)) if self.at < *start => (true, *start),
            Some((_, end)) => (false, *end),
            None => (true, self.size),
        };
        (is_hole, room.min(usize::try_from(until - self.at).unwrap_or(usize::MAX)))
    }

    /// Advances the position by `bytes`.
    pub fn pass(&mut self, bytes: u64) {
        self.at += bytes;
    }
}

/// A parser for the decimal lines of a map: the number of pieces, then the start and length of each.
#[derive(Default)]
pub struct Lines {
    line: Vec<u8>,
    expected: Option<u64>,
    start: Option<u64>,
    taken: u64,
}

impl Lines {
    /// Returns whether all lines have been read.
    pub fn is_done(&self) -> bool {
        self.expected.is_some_and(|expected| self.taken == expected)
    }

    /// Parses a block of lines. Only padding follows the last line in its block.
    pub fn take(&mut self, block: &[u8], map: &mut SparseMap) -> Result<(), ToolError> {
        for byte in block {
            if self.is_done() {
                break;
            }
            match byte {
                b'\n' => self.end_line(map)?,
                _ if self.line.len() < 20 => self.line.push(*byte),
                _ => return Err(invalid("the map of a file with holes is wrong")),
            }
        }
        Ok(())
    }

    fn end_line(&mut self, map: &mut SparseMap) -> Result<(), ToolError> {
        if self.line.is_empty() {
            return Err(invalid("the map of a file with holes is wrong"));
        }
        let number = decimal(&std::mem::take(&mut self.line))?;
        match (self.expected, self.start.take()) {
            (None, _) => self.expected = Some(number),
            (Some(_), None) => self.start = Some(number),
            (Some(_), Some(start)) => {
                map.push(start, number)?;
                self.taken += 1;
            }
        }
        Ok(())
    }
}
