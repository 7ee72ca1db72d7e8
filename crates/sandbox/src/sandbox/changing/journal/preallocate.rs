//! Disk space that a journal reserves for records that it will have to write.
//!
//! Each byte is reserved only once, however long the journal grows. The kernel visits every page of a range passed to
//! `fallocate`, so reserving from the start of the file each time would take time quadratic in the number of steps.

use std::io;
use std::ops::Range;

use super::super::super::handles::folder::File;

/// Bytes to reserve beyond those needed, so that not every step needs a system call.
const AHEAD: u64 = 1536 * 16;

/// The reserved range of a file.
#[derive(Debug, Default)]
pub struct Preallocation {
    /// The end of the reserved range.
    end: u64,
}

impl Preallocation {
    /// Ensures that the file can grow to `length`. The file size does not change. Does nothing where the system does
    /// not support it.
    pub fn take(&mut self, file: &File, length: u64) -> io::Result<()> {
        if let Some(stretch) = self.missing(length) {
            self.end = stretch.end;
            allocate(file, &stretch).inspect_err(|_| self.lose())?;
        }
        Ok(())
    }

    /// Resets the range after the file was truncated, which released the space beyond its end.
    pub fn lose(&mut self) {
        self.end = 0;
    }

    /// Returns the range to reserve, if any.
    fn missing(&self, length: u64) -> Option<Range<u64>> {
        (length > self.end).then(|| self.end..length + AHEAD)
    }
}

fn allocate(file: &File, stretch: &Range<u64>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = file.on_disk() {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::{Errno, retry_on_intr};
        let length = stretch.end - stretch.start;
        if let Err(error @ (Errno::NOSPC | Errno::DQUOT)) =
            retry_on_intr(|| fallocate(file, FallocateFlags::KEEP_SIZE, stretch.start, length))
        {
            return Err(error.into());
        }
    }
    let _ = (file, stretch);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{File, Preallocation};

    #[test]
    fn no_byte_is_asked_for_twice() {
        let mut room = Preallocation::default();
        let mut asked = 0;
        for step in 0..100_000 {
            let length = 500 + step * 1_900;
            if let Some(stretch) = room.missing(length) {
                assert_eq!(stretch.start, asked, "the stretches touch");
                assert!(stretch.end > length, "there is room ahead");
                asked = stretch.end;
                room.end = stretch.end;
            }
        }
        assert_eq!(room.end, asked);
    }

    #[test]
    fn what_a_cut_took_is_asked_for_again() {
        let file = File::from(tempfile::tempfile().expect("a file"));
        let mut room = Preallocation::default();
        room.take(&file, 5_000).expect("there is room");
        assert_eq!(room.missing(4_000), None);
        room.lose();
        assert_eq!(room.missing(4_000).map(|stretch| stretch.start), Some(0));
    }
}
