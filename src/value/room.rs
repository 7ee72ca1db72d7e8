//! Bounds a text while it is written: by its own length, the memory of the run and its time.

use std::io;

use crate::limits::{Charged, LimitHit, space, work};

/// The bytes that a text may still take, and the limit that is met when they are not enough.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    left: usize,
    /// The limit that bounds it.
    bound: LimitHit,
    /// The limit that was met.
    hit: Option<LimitHit>,
}

impl Room {
    /// The room of one text.
    pub fn of_text() -> Room {
        let (left, bound) = space::string_room();
        Room { left, bound, hit: None }
    }

    /// The same room, or one of so many bytes that another limit allows, if they are fewer.
    pub fn at_most(self, bytes: u64, bound: LimitHit) -> Room {
        match usize::try_from(bytes) {
            Ok(left) if left < self.left => Room { left, bound, ..self },
            _ => self,
        }
    }

    /// Takes so many bytes for a buffer of this length and capacity, which may double to hold them.
    #[inline]
    pub fn take(&mut self, bytes: usize, length: usize, capacity: usize) -> Result<(), LimitHit> {
        match self.left.checked_sub(bytes) {
            Some(left) if bytes <= capacity - length => {
                self.left = left;
                Ok(())
            }
            left => self.grow(bytes, length, left),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize, length: usize, left: Option<usize>) -> Result<(), LimitHit> {
        let fits = match left {
            None => Err(self.bound),
            Some(left) => {
                self.left = left;
                space::check((length + bytes).saturating_mul(2)).and_then(|()| work::charge_bytes(length))
            }
        };
        fits.inspect_err(|hit| self.hit = Some(*hit))
    }

    /// The limit that stopped a writer: one of the text, or the end of the run's time.
    pub fn hit(&self) -> LimitHit {
        self.hit.or_else(|| work::check().err()).unwrap_or(self.bound)
    }
}

/// Takes the bytes of a text as far as there is room, then refuses. They are counted as live while they are written.
#[derive(Debug)]
pub struct Sink {
    bytes: Charged<u8>,
    room: Room,
}

impl Sink {
    /// An empty text.
    pub fn new(room: Room) -> Sink {
        Sink { bytes: Charged::default(), room }
    }

    /// The limit that stopped the writer, where the writer has no reason of its own to fail.
    pub fn hit(&self) -> LimitHit {
        self.room.hit()
    }

    /// The limit that stopped the writer, if one did.
    pub fn limit(&self) -> Option<LimitHit> {
        self.room.hit.or_else(|| work::check().err())
    }

    /// The bytes that were written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_vec()
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), LimitHit> {
        self.room.left = self.room.left.checked_sub(bytes.len()).ok_or(self.room.bound)?;
        if bytes.len() > self.bytes.spare() {
            work::charge_bytes(self.bytes.len())?;
        }
        self.bytes.extend_from_slice(bytes)
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.take(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(hit) => {
                self.room.hit = Some(hit);
                Err(io::Error::other(hit))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
