//! Scratch directories where there is no disk: in memory.

use std::io;
use std::path::PathBuf;

use super::scratch::Scratch;

/// Bytes of a scratch directory at most.
const CAPACITY: u64 = 256 << 20;

/// Does nothing: there is no directory for temporary files.
pub fn settle_scratch() -> io::Result<()> {
    Ok(())
}

/// Does nothing: see [`settle_scratch`].
pub fn leave_scratch() {}

/// Returns `None`: see [`settle_scratch`].
pub fn scratch_home() -> Option<PathBuf> {
    None
}

/// Creates a scratch directory.
pub fn new_scratch() -> io::Result<Scratch> {
    Scratch::in_memory(CAPACITY)
}
