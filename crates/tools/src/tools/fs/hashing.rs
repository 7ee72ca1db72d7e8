//! The SHA-256 of the content of files, on any thread of a call.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::limits::LimitHit;

use super::super::parallel::Pace;

/// Number of bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// The hash of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The SHA-256.
    pub digest: [u8; 32],
    /// Number of bytes that were read.
    pub size: u64,
}

/// Why a content could not be hashed.
#[derive(Debug)]
pub enum HashError {
    /// The operating system reported an error.
    Io(io::Error),
    /// The run must stop.
    Limit(LimitHit),
}

/// Returns a buffer for [`hash`].
pub fn buffer() -> Vec<u8> {
    vec![0; PIECE]
}

/// Reads a content to its end and returns its hash.
pub fn hash(content: &mut impl Read, buffer: &mut [u8], pace: Pace<'_>) -> Result<Hashed, HashError> {
    let mut hasher = Sha256::new();
    let mut size = 0;
    loop {
        let length = content.read(buffer).map_err(HashError::Io)?;
        if length == 0 {
            return Ok(Hashed { digest: hasher.finalize().into(), size });
        }
        pace.poll().map_err(HashError::Limit)?;
        pace.report_read(length);
        hasher.update(&buffer[..length]);
        size += length as u64;
    }
}
