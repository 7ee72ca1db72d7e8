//! The boxes of MP4, HEIC and AVIF (ISO/IEC 14496-12).
//!
//! The boxes of one level are gone through once each.

use super::window::{Fault, Window};

/// Maximum number of boxes of one level that are looked at.
const MAX_BOXES: usize = 4_096;

/// A box of a file: its content, without its size and name.
#[derive(Clone, Copy, Debug)]
pub struct Box {
    pub name: [u8; 4],
    pub start: u64,
    pub end: u64,
}

impl Box {
    /// The file as a whole.
    pub const FILE: Box = Box { name: *b"file", start: 0, end: u64::MAX };

    /// Leaves out bytes before the content, such as version and flags.
    pub fn past(self, bytes: u64) -> Box {
        Box { start: self.start.saturating_add(bytes), ..self }
    }
}

/// Reads the box at a position of a parent, or nothing at its end.
pub fn box_at(window: &mut Window<'_, '_>, at: u64, parent: Box) -> Result<Option<Box>, Fault> {
    if at.saturating_add(8) > parent.end || window.up_to(at, 8)?.len() < 8 {
        return Ok(None);
    }
    let [s0, s1, s2, s3, name @ ..] = window.array::<8>(at)?;
    let (head, size) = match u32::from_be_bytes([s0, s1, s2, s3]) {
        0 => (8, parent.end - at),
        1 => (16, u64::from_be_bytes(window.array(at + 8)?)),
        size => (8, u64::from(size)),
    };
    let end = at.saturating_add(size);
    if size < head || end > parent.end {
        return Err(Fault::Damaged("a box is larger than the one that it is in, or smaller than its head"));
    }
    Ok(Some(Box { name, start: at + head, end }))
}

/// Returns the boxes in a box.
pub fn children(window: &mut Window<'_, '_>, parent: Box) -> Result<Vec<Box>, Fault> {
    let mut found = Vec::new();
    let mut at = parent.start;
    while let Some(inner) = box_at(window, at, parent)? {
        found.push(inner);
        at = inner.end;
        if found.len() > MAX_BOXES {
            return Err(Fault::Damaged("it has too many boxes"));
        }
    }
    Ok(found)
}

/// Returns the first box with a name in a box.
pub fn child(window: &mut Window<'_, '_>, parent: Box, name: &[u8; 4]) -> Result<Option<Box>, Fault> {
    let mut at = parent.start;
    for _ in 0..MAX_BOXES {
        match box_at(window, at, parent)? {
            Some(inner) if inner.name == *name => return Ok(Some(inner)),
            Some(inner) => at = inner.end,
            None => return Ok(None),
        }
    }
    Err(Fault::Damaged("it has too many boxes"))
}
