//! HEIC and AVIF: the dimensions of the primary item, how it is turned, and where the EXIF is (ISO/IEC 23008-12).
//!
//! Only boxes that are known are entered, so nothing here recurses.

use super::super::boxes::{Box, child, children};
use super::super::window::{Fault, MAX_PIECE, Window, unless_damaged};
use super::{Head, TiffRange};

/// Maximum number of items and associations that are looked at.
const MAX_ITEMS: u32 = 4_096;

/// Reads the head of an image.
pub fn read(window: &mut Window<'_, '_>) -> Result<Head, Fault> {
    let file = Box::FILE;
    let meta = child(window, file, b"meta")?.ok_or(Fault::Damaged("it has no box `meta`"))?;
    let meta = meta.past(4);
    let primary = primary(window, meta)?;
    let mut head = Head::default();
    let (mut flips, mut turns) = (false, 0_u8);
    for property in properties(window, meta, primary)? {
        match &property.name {
            b"ispe" => {
                head.width = u32::from_be_bytes(window.array(property.start + 4)?);
                head.height = u32::from_be_bytes(window.array(property.start + 8)?);
            }
            // Encoders fill up the sides of images; the box has the displayed width and height, as fractions.
            b"clap" => {
                let mut sides = Numbers::of(window, Box { end: property.end.min(property.start + 16), ..property })?;
                head.width = sides.fraction(head.width)?;
                head.height = sides.fraction(head.height)?;
            }
            // Turns are against the clock here.
            b"irot" => turns = (turns + 4 - (window.array::<1>(property.start)?[0] & 3)) % 4,
            b"imir" => {
                // The axis: 0 mirrors top and bottom, which is left and right turned by half.
                let is_upright = window.array::<1>(property.start)?[0] & 1 == 1;
                turns = if is_upright { 4 - turns } else { 6 - turns } % 4;
                flips = !flips;
            }
            _ => {}
        }
    }
    head.orientation = Some(orientation(flips, turns));
    head.exif = unless_damaged(exif(window, meta))?.flatten();
    Ok(head)
}

/// Returns the number that EXIF has for an image that is mirrored left to right, and then turned clockwise.
fn orientation(flips: bool, quarter_turns: u8) -> u8 {
    let (plain, mirrored) = ([1, 6, 3, 8], [2, 7, 4, 5]);
    if flips { mirrored[usize::from(quarter_turns)] } else { plain[usize::from(quarter_turns)] }
}

/// Numbers of a box, read one after the other.
struct Numbers {
    bytes: Vec<u8>,
    at: usize,
}

impl Numbers {
    /// Reads the content of a box.
    fn of(window: &mut Window<'_, '_>, content: Box) -> Result<Numbers, Fault> {
        let length = usize::try_from(content.end.saturating_sub(content.start)).unwrap_or(usize::MAX);
        if length > MAX_PIECE {
            return Err(Fault::Damaged("a table of its items is too large"));
        }
        Ok(Numbers { bytes: window.bytes(content.start, length)?.to_vec(), at: 0 })
    }

    /// Returns the next number, of up to eight bytes.
    fn next(&mut self, bytes: usize) -> Result<u64, Fault> {
        let piece = self.bytes.get(self.at..self.at + bytes).filter(|_| bytes <= 8);
        let piece = piece.ok_or(Fault::Damaged("a table of its items was cut off"))?;
        self.at += bytes;
        Ok(piece.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Returns a fraction as a whole number that is at most `most`, or `most` if the fraction is none.
    fn fraction(&mut self, most: u32) -> Result<u32, Fault> {
        let (above, below) = (self.next(4)?, self.next(4)?);
        let whole = above.checked_div(below).and_then(|whole| u32::try_from(whole).ok());
        Ok(whole.filter(|whole| (1..=most).contains(whole)).unwrap_or(most))
    }

    fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Returns the version of the box, which its flags follow.
    fn version(&mut self) -> Result<u64, Fault> {
        let version = self.next(1)?;
        self.skip(3);
        Ok(version)
    }
}

fn primary(window: &mut Window<'_, '_>, meta: Box) -> Result<u64, Fault> {
    let found = child(window, meta, b"pitm")?.ok_or(Fault::Damaged("it has no primary image"))?;
    let mut numbers = Numbers::of(window, found)?;
    let is_short = numbers.version()? == 0;
    numbers.next(if is_short { 2 } else { 4 })
}

/// Returns the properties of an item, in the order in which they apply.
fn properties(window: &mut Window<'_, '_>, meta: Box, item: u64) -> Result<Vec<Box>, Fault> {
    let missing = Fault::Damaged("its primary image has no properties");
    let Some(all) = child(window, meta, b"iprp")? else { return Err(missing) };
    let Some(container) = child(window, all, b"ipco")? else { return Err(missing) };
    let known = children(window, container)?;
    let Some(table) = child(window, all, b"ipma")? else { return Err(missing) };
    let mut numbers = Numbers::of(window, table)?;
    let is_short = numbers.version()? == 0;
    let is_wide = numbers.bytes.get(3).is_some_and(|flags| flags & 1 == 1);
    for _ in 0..numbers.next(4)?.min(MAX_ITEMS.into()) {
        let number = numbers.next(if is_short { 2 } else { 4 })?;
        let mut of_item = Vec::new();
        for _ in 0..numbers.next(1)? {
            // The highest bit says that readers must know the property.
            let index = if is_wide { numbers.next(2)? & 0x7fff } else { numbers.next(1)? & 0x7f };
            of_item.extend((index as usize).checked_sub(1).and_then(|index| known.get(index)));
        }
        if number == item {
            return Ok(of_item);
        }
    }
    Err(missing)
}

/// Returns the place of the TIFF structure in the item that holds the EXIF.
fn exif(window: &mut Window<'_, '_>, meta: Box) -> Result<Option<TiffRange>, Fault> {
    let Some(item) = exif_item(window, meta)? else { return Ok(None) };
    let Some(place) = location(window, meta, item)? else { return Ok(None) };
    // The item begins with the number of bytes before the structure.
    let skipped = u64::from(u32::from_be_bytes(window.array(place.start)?));
    let start = place.start.saturating_add(4 + skipped);
    Ok(Some(TiffRange { start, ..place }).filter(|place| place.start < place.end))
}

/// Returns the number of the item of type `Exif`.
fn exif_item(window: &mut Window<'_, '_>, meta: Box) -> Result<Option<u64>, Fault> {
    let Some(table) = child(window, meta, b"iinf")? else { return Ok(None) };
    let is_short = window.array::<1>(table.start)?[0] == 0;
    for entry in children(window, table.past(if is_short { 6 } else { 8 }))? {
        let start = entry.start;
        let ([version], id) = (window.array(start)?, start + 4);
        let (number, after) = match version {
            2 => (u64::from(u16::from_be_bytes(window.array(id)?)), id + 2),
            3 => (u64::from(u32::from_be_bytes(window.array(id)?)), id + 4),
            _ => continue,
        };
        // Its protection stands before its type.
        if window.bytes(after + 2, 4)? == b"Exif" {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Returns where an item is, if it is in one piece of this file.
fn location(window: &mut Window<'_, '_>, meta: Box, item: u64) -> Result<Option<TiffRange>, Fault> {
    let Some(table) = child(window, meta, b"iloc")? else { return Ok(None) };
    let mut numbers = Numbers::of(window, table)?;
    let version = numbers.version()?;
    let sizes = numbers.next(2)? as usize;
    let (offset, length, base) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15);
    let index = if version == 0 { 0 } else { sizes & 15 };
    let wide = if version < 2 { 2 } else { 4 };
    for _ in 0..numbers.next(wide)?.min(MAX_ITEMS.into()) {
        let number = numbers.next(wide)?;
        let method = if version == 0 { 0 } else { numbers.next(2)? & 15 };
        let source = numbers.next(2)?;
        let start = numbers.next(base)?;
        let extents = numbers.next(2)? as usize;
        if number != item {
            numbers.skip(extents * (index + offset + length));
            continue;
        }
        if extents != 1 || source != 0 {
            return Ok(None);
        }
        numbers.skip(index);
        let (offset, length) = (numbers.next(offset)?, numbers.next(length)?);
        return placed(window, meta, Extent { method, start: start.saturating_add(offset), length });
    }
    Ok(None)
}

/// The piece of an item.
struct Extent {
    /// Where its start counts from: 0 the file, 1 the box `idat`.
    method: u64,
    start: u64,
    length: u64,
}

fn placed(window: &mut Window<'_, '_>, meta: Box, extent: Extent) -> Result<Option<TiffRange>, Fault> {
    let from = match extent.method {
        0 => 0,
        1 => child(window, meta, b"idat")?.map_or(u64::MAX, |data| data.start),
        _ => return Ok(None),
    };
    let start = from.saturating_add(extent.start);
    Ok(Some(TiffRange { start, end: start.saturating_add(extent.length) }))
}
