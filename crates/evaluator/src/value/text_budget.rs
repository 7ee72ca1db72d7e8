//! Bounds on a text that is being written: its own length, and the memory and time of the run.

use std::io;

use crate::limits::{LimitHit, MeteredVec, space, work};

/// The number of bytes that a text may still grow by, and the limit that applies beyond them.
#[derive(Clone, Copy, Debug)]
pub struct TextBudget {
    left: usize,
    /// The limit that determines the bound.
    bound: LimitHit,
    /// The limit that was hit.
    hit: Option<LimitHit>,
}

impl TextBudget {
    /// Returns the budget of one text.
    pub fn of_text() -> TextBudget {
        let (left, bound) = space::string_room();
        TextBudget { left, bound, hit: None }
    }

    /// Reduces the budget to `bytes` if another limit, `bound`, allows fewer bytes.
    pub fn at_most(self, bytes: u64, bound: LimitHit) -> TextBudget {
        match usize::try_from(bytes) {
            Ok(left) if left < self.left => TextBudget { left, bound, ..self },
            _ => self,
        }
    }

    /// Reserves bytes in a buffer of this length and capacity, which may double to hold them.
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

    /// Returns the limit that stopped a writer: one on the text, or the deadline of the run.
    pub fn hit(&self) -> LimitHit {
        self.hit.or_else(|| work::check().err()).unwrap_or(self.bound)
    }
}

/// A writer that accepts bytes within a [`TextBudget`], then fails. The bytes are charged as live memory while they are
/// written.
#[derive(Debug)]
pub struct Sink {
    bytes: MeteredVec<u8>,
    budget: TextBudget,
}

impl Sink {
    /// Creates an empty text.
    pub fn new(budget: TextBudget) -> Sink {
        Sink { bytes: MeteredVec::default(), budget }
    }

    /// Returns the limit that stopped the writer, provided that the writer had no other reason to fail.
    pub fn hit(&self) -> LimitHit {
        self.budget.hit()
    }

    /// Returns the limit that stopped the writer, if any.
    pub fn limit(&self) -> Option<LimitHit> {
        self.budget.hit.or_else(|| work::check().err())
    }

    /// Returns the written bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_vec()
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), LimitHit> {
        self.budget.left = self.budget.left.checked_sub(bytes.len()).ok_or(self.budget.bound)?;
        let moved = if bytes.len() > self.bytes.spare() { self.bytes.len() } else { 0 };
        work::charge_bytes(moved + bytes.len())?;
        self.bytes.extend_from_slice(bytes)
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.append(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(hit) => {
                self.budget.hit = Some(hit);
                Err(io::Error::other(hit))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
