//! Where lines begin in files that were read in part, so that the next part is found without reading what is before it.
//!
//! An index belongs to one state of a file (identity, size and time of the last change) and to one way of decoding it.
//! It is trusted only if the last change was some time before the index was made: two changes within a tick of the
//! clock have the same time.

use std::cell::RefCell;

use crate::sandbox::{Identity, Metadata, Timestamp};

use super::encoding::{Charset, Shift};

/// Maximum number of indexes kept.
const KEPT: usize = 8;
/// Maximum number of lines in an index.
const MAX_STARTS: usize = 4096;
/// Bytes between two lines of an index, until it is full.
const DISTANCE: u64 = 1 << 16;
/// Age of the last change, in nanoseconds, from which the time of a further change differs.
const SETTLED: i128 = 50_000_000;

thread_local! {
    /// The indexes, the most recent last.
    static KNOWN: RefCell<Vec<LineIndex>> = const { RefCell::new(Vec::new()) };
}

/// How the bytes of a file become text, apart from what a byte order mark decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoding {
    /// UTF-8, and an error where it is not.
    StrictUtf8,
    /// The encoding is guessed from the bytes.
    Guessed,
    /// The encoding was named.
    Named(Charset),
}

/// A state of a file, and the way in which it is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    identity: Identity,
    size: u64,
    changed: Timestamp,
    decoding: Decoding,
}

/// The beginning of a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineStart {
    /// Number of lines before it.
    pub line: usize,
    /// Number of bytes before it.
    pub offset: u64,
    /// Whether bytes before it stood for no character.
    pub malformed: bool,
    /// The state of the decoder.
    pub shift: Shift,
}

/// The index of a file.
#[derive(Debug)]
pub struct LineIndex {
    key: Key,
    /// Ascending.
    starts: Vec<LineStart>,
    distance: u64,
    /// The encoding that was guessed, or that a byte order mark names.
    pub found: Option<Charset>,
    /// Whether the file begins with a byte order mark.
    pub has_mark: bool,
}

impl LineIndex {
    /// Takes the index of an open file out of those that are kept, or creates an empty one. Returns `None` if the file
    /// was changed too recently.
    pub fn of(metadata: &Metadata, decoding: Decoding) -> Option<LineIndex> {
        let key = Key { identity: metadata.identity, size: metadata.size, changed: metadata.changed?, decoding };
        let nanos = |time: Timestamp| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
        if nanos(Timestamp::now()) - nanos(key.changed) < SETTLED {
            return None;
        }
        let known = KNOWN.with_borrow_mut(|known| {
            let place = known.iter().position(|index| index.key == key)?;
            Some(known.remove(place))
        });
        let empty = || LineIndex { key, starts: Vec::new(), distance: DISTANCE, found: None, has_mark: false };
        Some(known.unwrap_or_else(empty))
    }

    /// Puts the index back, in place of the least recent one if there are too many.
    pub fn keep(self) {
        KNOWN.with_borrow_mut(|known| {
            if known.len() == KEPT {
                known.remove(0);
            }
            known.push(self);
        });
    }

    /// Returns the last known start of a line before or at this one.
    pub fn before(&self, line: usize) -> Option<LineStart> {
        let end = self.starts.partition_point(|start| start.line <= line);
        Some(self.starts[end.checked_sub(1)?])
    }

    /// Adds a start, unless it is near one that is known or before the last one.
    pub fn add(&mut self, start: LineStart) {
        if start.offset < self.starts.last().map_or(0, |last| last.offset) + self.distance {
            return;
        }
        if self.starts.len() == MAX_STARTS {
            let mut number = 0;
            self.starts.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.distance *= 2;
        }
        self.starts.push(start);
    }
}

/// Returns the position in a piece of a file after its last line end, if decoding can begin there. There is none if an LF
/// in the next piece may belong to a CR at the end of this one.
pub fn after_last_line(bytes: &[u8], charset: Charset) -> Option<usize> {
    if charset.has_units_of_two() {
        let (lf, cr) = if charset.is_big_endian() { ([0, b'\n'], [0, b'\r']) } else { ([b'\n', 0], [b'\r', 0]) };
        let (units, _) = bytes.as_chunks::<2>();
        let last = units.iter().rposition(|unit| *unit == lf || *unit == cr)?;
        return (units[last] == lf || last + 1 < units.len()).then_some(2 * (last + 1));
    }
    // The bytes of LF and CR are parts of no other character in these encodings; in ISO-2022-JP the shift state tells.
    let last = memchr::memrchr2(b'\n', b'\r', bytes)?;
    (bytes[last] == b'\n' || last + 1 < bytes.len()).then_some(last + 1)
}
