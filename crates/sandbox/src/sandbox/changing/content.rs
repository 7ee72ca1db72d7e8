//! Copies the contents of an open file: shares the blocks if the file system can, otherwise copies in the kernel and
//! skips holes.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::limits::Meter;

use super::super::handles::error::SandboxError;
use super::super::handles::folder::File;
use super::super::handles::folder::{next_data, share_content};

/// Bytes copied between two checks of the deadline.
const PIECE: u64 = 16 << 20;

/// Fills a new file with the first `size` bytes of another: its size when it was opened, since another process may
/// still be appending to it.
pub fn copy_content(
    source: &File,
    target: &File,
    size: u64,
    meter: &Meter,
    wrap: impl Fn(&io::Error) -> SandboxError,
) -> Result<(), SandboxError> {
    if share_content(source, target).is_ok() {
        meter.report_written(size);
        return Ok(());
    }
    let mut at = 0;
    let mut written = 0;
    while at < size {
        let Some((start, end)) = next_data(source, at, size).map_err(|error| wrap(&error))? else { break };
        // Count a skipped hole as written.
        meter.report_written(start - at);
        copy_range(source, target, start..end, meter, &wrap)?;
        (at, written) = (end, end);
    }
    if written < size { target.set_len(size).map_err(|error| wrap(&error)) } else { Ok(()) }
}

/// Copies at most `wanted` bytes from one position to the other; in the kernel where possible (`io::copy`).
fn copy_bytes(source: &File, mut target: &File, wanted: u64) -> io::Result<u64> {
    match (source.on_disk(), target.on_disk()) {
        (Ok(source), Ok(target)) => io::copy(&mut source.take(wanted), &mut { target }),
        _ => io::copy(&mut source.take(wanted), &mut target),
    }
}

/// Copies a range of bytes to the same offsets of another file.
fn copy_range(
    mut source: &File,
    mut target: &File,
    range: Range<u64>,
    meter: &Meter,
    wrap: &impl Fn(&io::Error) -> SandboxError,
) -> Result<(), SandboxError> {
    let mut at = range.start;
    let seek = source.seek(SeekFrom::Start(at)).and_then(|_| target.seek(SeekFrom::Start(at)));
    seek.map_err(|error| wrap(&error))?;
    while at < range.end {
        meter.poll()?;
        let wanted = PIECE.min(range.end - at);
        let copied = copy_bytes(source, target, wanted).map_err(|error| wrap(&error))?;
        if copied == 0 {
            break;
        }
        at += copied;
        meter.report_written(copied);
    }
    Ok(())
}
