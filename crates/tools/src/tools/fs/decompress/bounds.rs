//! Limits on decompression: the memory that a file may claim, and the deadline.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::limits::{MemoryCharge, Meter, Watch};

use super::fault::Fault;

/// The deadline and the memory of a decompression.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The deadline and the interrupt.
    pub watch: Watch,
    /// Maximum window of earlier output that a stream refers to, in bytes.
    pub max_window: u64,
}

impl Bounds {
    /// The largest window of the usual programs: `zstd --ultra -22` and `zstd --long` have it, `xz -9` has half of it.
    pub const MAX_WINDOW: u64 = 128 << 20;

    /// Returns the bounds for work on the thread of a run.
    pub fn of(meter: &Meter) -> Bounds {
        Bounds::by(meter.watch())
    }

    /// Returns the bounds for a run with this deadline.
    pub fn by(watch: Watch) -> Bounds {
        Bounds { watch, max_window: Bounds::MAX_WINDOW }
    }

    /// Checks the window that a stream claims.
    pub fn check_window(&self, window: u64) -> io::Result<()> {
        if window > self.max_window {
            return Err(Fault::Window { needed: window, allowed: self.max_window }.into());
        }
        Ok(())
    }
}

/// Charges the memory of a decoder, up to this number of bytes.
pub fn charge_to(held: &mut MemoryCharge, bytes: u64) -> io::Result<()> {
    held.grow_to(usize::try_from(bytes).unwrap_or(usize::MAX)).map_err(io::Error::other)
}

/// A reader that checks the deadline, since a decoder may read much before it returns anything.
pub struct Polled<R> {
    inner: R,
    watch: Watch,
    /// Whether an error came from here, and not from the decoder.
    has_failed: Arc<AtomicBool>,
}

impl<R> Polled<R> {
    pub fn new(inner: R, watch: Watch) -> Polled<R> {
        Polled { inner, watch, has_failed: Arc::default() }
    }

    /// Returns the flag that is set when the stored bytes cannot be read.
    pub fn failure(&self) -> Arc<AtomicBool> {
        self.has_failed.clone()
    }

    pub fn inner(&mut self) -> &mut R {
        &mut self.inner
    }
}

impl<R: Read> Read for Polled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let polled = self.watch.poll().map_err(io::Error::other);
        polled.and_then(|()| self.inner.read(buffer)).inspect_err(|error| {
            if error.kind() != ErrorKind::Interrupted {
                self.has_failed.store(true, Ordering::Relaxed);
            }
        })
    }
}
