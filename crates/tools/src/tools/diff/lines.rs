//! Lines of bytes, counted and found without splitting a text; every scan is charged.

use crate::limits::{LimitHit, work};

/// Bytes that are scanned between two charges.
const STRETCH: usize = 1 << 16;

/// Returns the number of lines of a text.
pub fn line_count(text: &[u8]) -> Result<usize, LimitHit> {
    let mut ends = 0;
    for stretch in text.chunks(STRETCH) {
        work::charge_bytes(stretch.len())?;
        ends += memchr::memchr_iter(b'\n', stretch).count();
    }
    Ok(ends + usize::from(text.last().is_some_and(|last| *last != b'\n')))
}

/// Returns the length in bytes of the whole lines that both texts start with.
pub fn common_start(old: &[u8], new: &[u8]) -> Result<usize, LimitHit> {
    let mut same = 0;
    for (one, other) in old.chunks(STRETCH).zip(new.chunks(STRETCH)) {
        work::charge_bytes(one.len())?;
        if one != other {
            same += one.iter().zip(other).take_while(|(one, other)| one == other).count();
            break;
        }
        same += one.len();
    }
    if same == old.len() && same == new.len() {
        return Ok(same);
    }
    Ok(last_line_end(&old[..same])?.map_or(0, |at| at + 1))
}

/// Returns the length in bytes of the whole lines that both texts end with. Both texts start at a line start.
pub fn common_end(old: &[u8], new: &[u8]) -> Result<usize, LimitHit> {
    let mut same = 0;
    for (one, other) in old.rchunks(STRETCH).zip(new.rchunks(STRETCH)) {
        work::charge_bytes(one.len())?;
        if one != other {
            same += one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
            break;
        }
        same += one.len();
    }
    let begins_line = |text: &[u8]| match text.len() - same {
        0 => true,
        start => text[start - 1] == b'\n',
    };
    if begins_line(old) && begins_line(new) {
        return Ok(same);
    }
    let start = old.len() - same;
    Ok(line_end(&old[start..])?.map_or(0, |at| same - at - 1))
}

/// Some lines at one end of a text.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// Their length in bytes.
    pub bytes: usize,
    /// Their number.
    pub count: usize,
}

/// Returns the last lines of a text, at most `most`.
pub fn lines_before(text: &[u8], most: usize) -> Result<Lines, LimitHit> {
    let mut start = text.len();
    for count in 0..most {
        if start == 0 {
            return Ok(Lines { bytes: text.len(), count });
        }
        start = last_line_end(&text[..start - 1])?.map_or(0, |at| at + 1);
    }
    Ok(Lines { bytes: text.len() - start, count: most })
}

/// Returns the first lines of a text, at most `most`.
pub fn lines_after(text: &[u8], most: usize) -> Result<Lines, LimitHit> {
    let mut end = 0;
    for count in 0..most {
        if end == text.len() {
            return Ok(Lines { bytes: end, count });
        }
        end = line_end(&text[end..])?.map_or(text.len(), |at| end + at + 1);
    }
    Ok(Lines { bytes: end, count: most })
}

/// Returns the position of the first line feed.
fn line_end(text: &[u8]) -> Result<Option<usize>, LimitHit> {
    for (number, stretch) in text.chunks(STRETCH).enumerate() {
        if let Some(at) = memchr::memchr(b'\n', stretch) {
            return Ok(Some(number * STRETCH + at));
        }
        work::charge_bytes(stretch.len())?;
    }
    Ok(None)
}

/// Returns the position of the last line feed.
fn last_line_end(text: &[u8]) -> Result<Option<usize>, LimitHit> {
    let mut end = text.len();
    for stretch in text.rchunks(STRETCH) {
        let start = end - stretch.len();
        if let Some(at) = memchr::memrchr(b'\n', stretch) {
            return Ok(Some(start + at));
        }
        work::charge_bytes(stretch.len())?;
        end = start;
    }
    Ok(None)
}
