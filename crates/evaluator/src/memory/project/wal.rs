//! Applies SQLite's write-ahead log to the image of a database in memory.
//!
//! This reads a consistent state through handles alone, without creating or locking a file. The format is described in
//! sqlite.org/fileformat2.html#the_write_ahead_log. Incomplete transactions and frames with a wrong checksum are
//! ignored, as SQLite does after a crash.

/// Size of the header of a log in bytes.
pub const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// The running checksum of a log.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum {
    big_endian: bool,
    words: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let (first, second) = (self.word(&pair[..4]), self.word(&pair[4..]));
            self.words.0 = self.words.0.wrapping_add(first).wrapping_add(self.words.1);
            self.words.1 = self.words.1.wrapping_add(second).wrapping_add(self.words.0);
        }
    }

    fn word(self, bytes: &[u8]) -> u32 {
        let bytes = bytes.try_into().expect("four bytes");
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    /// Whether the checksum equals the one stored in eight bytes.
    fn is(self, bytes: &[u8]) -> bool {
        self.words == (number(&bytes[..4]), number(&bytes[4..]))
    }
}

/// Applies the committed transactions of a log to an image.
pub fn apply(image: &mut Vec<u8>, log: &[u8]) {
    let Some((header, frames)) = log.split_at_checked(HEADER) else { return };
    let magic = number(&header[..4]);
    let page_size = number(&header[8..12]) as usize;
    if magic & !1 != MAGIC || !page_size.is_power_of_two() || !(512..=65_536).contains(&page_size) {
        return;
    }
    let mut sum = Sum { big_endian: magic & 1 == 1, words: (0, 0) };
    sum.add(&header[..24]);
    if !sum.is(&header[24..32]) {
        return;
    }
    let mut waiting: Vec<(usize, &[u8])> = Vec::new();
    for frame in frames.chunks_exact(FRAME_HEADER + page_size) {
        let (head, page) = frame.split_at(FRAME_HEADER);
        sum.add(&head[..8]);
        sum.add(page);
        if head[8..16] != header[16..24] || !sum.is(&head[16..24]) {
            return;
        }
        waiting.push((number(&head[..4]) as usize, page));
        let pages = number(&head[4..8]) as usize;
        if pages != 0 {
            image.resize(pages.saturating_mul(page_size).min(image.len() + waiting.len() * page_size), 0);
            for (page_number, page) in waiting.drain(..) {
                let start = page_number.saturating_sub(1) * page_size;
                if let Some(place) = image.get_mut(start..start + page_size) {
                    place.copy_from_slice(page);
                }
            }
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes.try_into().expect("four bytes"))
}
