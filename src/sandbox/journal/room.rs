//! The room on the disk that a journal takes ahead of what it will have to write.
//!
//! Each byte is asked for once, however long the journal grows: the system looks at every page of a stretch
//! that it is asked for, so that asking from the beginning each time would cost the square of the steps.

use std::fs::File;
use std::io;
use std::ops::Range;

/// Bytes taken beyond what is needed, so that not every step asks.
const AHEAD: u64 = 1536 * 16;

/// How far a file has room.
#[derive(Debug, Default)]
pub struct Room {
    /// Where the room ends; nobody asked for what lies behind.
    end: u64,
}

impl Room {
    /// Makes sure that the file can grow to a length; its size stays. Where the system cannot do that,
    /// nothing happens.
    pub fn take(&mut self, file: &File, length: u64) -> io::Result<()> {
        if let Some(stretch) = self.missing(length) {
            self.end = stretch.end;
            allocate(file, &stretch).inspect_err(|_| self.lose())?;
        }
        Ok(())
    }

    /// The file was cut, and the room behind its end went with that.
    pub fn lose(&mut self) {
        self.end = 0;
    }

    /// The stretch to ask for.
    fn missing(&self, length: u64) -> Option<Range<u64>> {
        (length > self.end).then(|| self.end..length + AHEAD)
    }
}

fn allocate(file: &File, stretch: &Range<u64>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
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
    use super::Room;

    #[test]
    fn no_byte_is_asked_for_twice() {
        let mut room = Room::default();
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
        let file = tempfile::tempfile().expect("a file");
        let mut room = Room::default();
        room.take(&file, 5_000).expect("there is room");
        assert_eq!(room.missing(4_000), None);
        room.lose();
        assert_eq!(room.missing(4_000).map(|stretch| stretch.start), Some(0));
    }
}
