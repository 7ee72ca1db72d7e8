//! The bytes of a tag, which may lie in several pieces of a file and may be escaped.

use super::super::window::{Fault, MAX_PIECE, Window};

/// Bytes that are read at once.
const STEP: usize = 4 << 10;

/// A piece of a file.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub start: u64,
    pub end: u64,
}

/// Reads the bytes of some pieces one after the other.
pub struct Content<'w, 'a, 'c> {
    pub window: &'w mut Window<'a, 'c>,
    pieces: Vec<Piece>,
    /// The piece that is read.
    index: usize,
    at: u64,
    /// Whether a zero after 255 was put in by the writer (ID3's unsynchronisation).
    is_escaped: bool,
    /// Whether the byte before was 255.
    after_mark: bool,
}

impl<'w, 'a, 'c> Content<'w, 'a, 'c> {
    /// Creates a reader at the start of the first piece.
    pub fn new(window: &'w mut Window<'a, 'c>, pieces: Vec<Piece>) -> Content<'w, 'a, 'c> {
        let at = pieces.first().map_or(0, |piece| piece.start);
        Content { window, pieces, index: 0, at, is_escaped: false, after_mark: false }
    }

    /// Reads bytes that are escaped.
    pub fn escaped(self) -> Content<'w, 'a, 'c> {
        Content { is_escaped: true, ..self }
    }

    /// Returns the position in the file.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Returns the number of bytes that follow, as they are stored.
    pub fn left(&self) -> u64 {
        let later = self.pieces.iter().skip(self.index + 1).map(|piece| piece.end.saturating_sub(piece.start));
        let here = self.pieces.get(self.index).map_or(0, |piece| piece.end.saturating_sub(self.at));
        later.fold(here, u64::saturating_add)
    }

    /// Returns the next bytes, fewer at the end.
    pub fn take(&mut self, count: usize) -> Result<Vec<u8>, Fault> {
        let mut taken = Vec::with_capacity(count.min(MAX_PIECE));
        while taken.len() < count && self.step(count - taken.len(), Some(&mut taken))? > 0 {}
        Ok(taken)
    }

    /// Returns the next bytes, or nothing if fewer follow.
    pub fn exactly(&mut self, count: usize) -> Result<Option<Vec<u8>>, Fault> {
        Ok(Some(self.take(count)?).filter(|taken| taken.len() == count))
    }

    /// Returns the next number of four bytes, the lowest first.
    pub fn u32_le(&mut self) -> Result<Option<u32>, Fault> {
        Ok(self.exactly(4)?.and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes))
    }

    /// Passes over bytes without reading them, where they are not escaped.
    pub fn skip(&mut self, count: u64) -> Result<(), Fault> {
        let mut left = count;
        while left > 0 {
            let passed = if self.is_escaped {
                self.step(usize::try_from(left).unwrap_or(STEP).min(STEP), None)? as u64
            } else {
                self.pass(left)
            };
            if passed == 0 {
                break;
            }
            left -= passed;
        }
        Ok(())
    }

    /// Passes over bytes of one piece, and returns how many.
    fn pass(&mut self, count: u64) -> u64 {
        let Some(piece) = self.piece() else { return 0 };
        let passed = count.min(piece.end - self.at);
        self.at += passed;
        passed
    }

    /// Returns the piece that is read, which has bytes left.
    fn piece(&mut self) -> Option<Piece> {
        while let Some(piece) = self.pieces.get(self.index) {
            if self.at < piece.end {
                return Some(*piece);
            }
            self.index += 1;
            self.at = self.pieces.get(self.index).map_or(self.at, |piece| piece.start);
        }
        None
    }

    /// Reads at most `most` bytes, and returns how many, without those that were put in.
    fn step(&mut self, most: usize, taken: Option<&mut Vec<u8>>) -> Result<usize, Fault> {
        let mut plain = Vec::new();
        while plain.is_empty() {
            let Some(piece) = self.piece() else { return Ok(0) };
            let length = most.min(STEP).min(usize::try_from(piece.end - self.at).unwrap_or(STEP));
            let bytes = self.window.up_to(self.at, length)?;
            if bytes.is_empty() {
                return Ok(0);
            }
            self.at += bytes.len() as u64;
            for byte in bytes {
                let is_put_in = self.is_escaped && self.after_mark && *byte == 0;
                self.after_mark = *byte == 0xff;
                if !is_put_in {
                    plain.push(*byte);
                }
            }
        }
        if let Some(taken) = taken {
            taken.extend_from_slice(&plain);
        }
        Ok(plain.len())
    }
}

/// Returns bytes without those that were put in.
pub fn without_escapes(bytes: &[u8]) -> Vec<u8> {
    let mut after_mark = false;
    let is_own = |byte: &u8| {
        let is_put_in = after_mark && *byte == 0;
        after_mark = *byte == 0xff;
        !is_put_in
    };
    bytes.iter().copied().filter(is_own).collect()
}
