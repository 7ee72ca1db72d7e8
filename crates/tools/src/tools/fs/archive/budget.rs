//! Limits on the unpacked size of an archive, so that a few bytes cannot fill a disk or run for a day.
//!
//! Declared sizes are counted before anything is unpacked, and no reader returns more bytes than were declared,
//! so false headers have no effect. Compressed data is counted as it is decompressed.

use std::io::{self, Read};

use crate::gate::Context;
use crate::limits::Watch;
use crate::toolkit::ToolError;

use super::fault::{OverRatio, too_large};

/// Number of bytes that are exempt from the ratio: small archives of very regular files are common.
const FREE: u64 = 10 << 20;

/// The ratio up to which archives are looked into, and unpacked unless the caller raises it.
const RATIO: u64 = 200;

/// The limits of one call.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Maximum number of bytes in all files.
    pub max_total_bytes: u64,
    /// Maximum number of files, directories and links, including directories that the archive only implies.
    pub max_entries: u64,
    /// Maximum ratio of the unpacked size to the size of the archive.
    pub max_ratio: u64,
    /// Size of the archive in bytes.
    pub archive_bytes: u64,
    /// The deadline and the interrupt.
    pub watch: Watch,
}

impl Budget {
    /// Returns the limits for looking into an archive, of which nothing is unpacked.
    pub fn for_looking(archive_bytes: u64, context: &Context<'_>) -> Budget {
        Budget {
            max_total_bytes: u64::MAX,
            max_entries: context.files_per_operation(),
            max_ratio: RATIO,
            archive_bytes,
            watch: context.meter.watch(),
        }
    }

    /// Checks the total number of bytes so far.
    pub fn check_total(&self, bytes: u64) -> Result<(), ToolError> {
        if bytes > self.max_total_bytes {
            let message = format!("the archive comes to more than {} bytes", self.max_total_bytes);
            return Err(too_large(message, "max_total_bytes"));
        }
        self.check_ratio(bytes).map_err(ToolError::from)
    }

    /// Checks the number of entries so far.
    pub fn check_entries(&self, entries: u64) -> Result<(), ToolError> {
        if entries > self.max_entries {
            let message = format!("the archive holds more than {} files and directories", self.max_entries);
            return Err(too_large(message, "max_entries"));
        }
        Ok(())
    }

    fn check_ratio(&self, bytes: u64) -> Result<(), OverRatio> {
        if bytes > FREE && bytes > self.archive_bytes.saturating_mul(self.max_ratio) {
            return Err(OverRatio { archive_bytes: self.archive_bytes, max_ratio: self.max_ratio });
        }
        Ok(())
    }
}

/// A stream that counts its bytes and fails once they exceed the budget.
pub struct BudgetedReader<R> {
    inner: R,
    budget: Budget,
    read: u64,
}

impl<R: Read> BudgetedReader<R> {
    /// Wraps `inner`.
    pub fn new(inner: R, budget: &Budget) -> BudgetedReader<R> {
        BudgetedReader { inner, budget: budget.clone(), read: 0 }
    }
}

impl<R: Read> Read for BudgetedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.budget.watch.poll().map_err(io::Error::other)?;
        let read = self.inner.read(buffer)?;
        self.read += read as u64;
        self.budget.check_ratio(self.read).map_err(io::Error::other)?;
        Ok(read)
    }
}
