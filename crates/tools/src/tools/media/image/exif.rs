//! EXIF: the fields of a TIFF structure, which other formats hold as a part (CIPA DC-008).
//!
//! No crate reads them: kamadak-exif 0.6 makes an entry for every field of every directory at once, so directories that
//! overlap in 64 KB take hundreds of megabytes; nom-exif 3.8 brings a second nom, regular expressions and geometry. This
//! reader goes through the first directory, one EXIF directory, one GPS directory and [`MAX_SUBS`] images below the first,
//! each once, and reads the values of the fields that it knows. No directory can lead it in a circle.

use super::super::window::{Fault, Window, unless_damaged};
use super::TiffRange;

/// Maximum number of fields of a directory that are looked at.
const MAX_FIELDS: usize = 1_024;
/// Bytes of a field in a directory.
const FIELD: usize = 12;
/// Maximum number of images below the first whose dimensions are read.
const MAX_SUBS: usize = 8;
/// Maximum length of a text in bytes; the rest is left out.
const MAX_TEXT: usize = 256;

/// The numbers of the fields that are read.
mod tag {
    pub const REDUCED: u16 = 0x00fe;
    pub const WIDTH: u16 = 0x0100;
    pub const HEIGHT: u16 = 0x0101;
    pub const MAKE: u16 = 0x010f;
    pub const MODEL: u16 = 0x0110;
    pub const ORIENTATION: u16 = 0x0112;
    pub const SUB_IMAGES: u16 = 0x014a;
    pub const EXIF: u16 = 0x8769;
    pub const GPS: u16 = 0x8825;
    pub const TAKEN: u16 = 0x9003;
    pub const DIGITIZED: u16 = 0x9004;
    pub const OFFSET_TAKEN: u16 = 0x9011;
    pub const OFFSET_DIGITIZED: u16 = 0x9012;
    pub const PIXEL_WIDTH: u16 = 0xa002;
    pub const PIXEL_HEIGHT: u16 = 0xa003;
    pub const LENS: u16 = 0xa434;
    pub const GPS_LATITUDE_SIDE: u16 = 1;
    pub const GPS_LATITUDE: u16 = 2;
    pub const GPS_LONGITUDE_SIDE: u16 = 3;
    pub const GPS_LONGITUDE: u16 = 4;
    pub const GPS_ALTITUDE_SIDE: u16 = 5;
    pub const GPS_ALTITUDE: u16 = 6;
}

/// The fields of an image that are given, as they were written.
#[derive(Debug, Default)]
pub struct Exif {
    /// How the image is turned and mirrored, 1 to 8.
    pub orientation: Option<u8>,
    /// When the picture was taken, and when it was digitized. A clock that was not set is one of zeros or blanks.
    pub clocks: Vec<Clock>,
    /// The maker of the camera.
    pub make: Option<String>,
    /// The model of the camera.
    pub model: Option<String>,
    /// The model of the lens.
    pub lens: Option<String>,
    /// The position, if it is asked for.
    pub position: Option<Position>,
    /// Width and height of the largest image, for files that are TIFF as a whole.
    pub dimensions: Option<(u32, u32)>,
}

/// A time as it was written.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The time: `2024:05:12 10:15:00`.
    pub time: String,
    /// The offset of the clock from UTC: `+02:00`.
    pub offset: Option<String>,
}

/// Where a picture was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// Degrees, positive to the north.
    pub latitude: f64,
    /// Degrees, positive to the east.
    pub longitude: f64,
    /// Metres above the sea.
    pub altitude: Option<f64>,
}

/// The order of bytes in numbers.
#[derive(Clone, Copy, Debug)]
enum Order {
    Little,
    Big,
}

/// A field of a directory.
#[derive(Clone, Copy, Debug)]
struct Field {
    tag: u16,
    /// The type of its values: 2 text, 3 and 4 whole numbers, 5 and 10 fractions.
    kind: u16,
    count: u32,
    /// The position of the values in the file.
    at: u64,
}

/// The fields of a directory.
type Directory = Vec<Field>;

/// Reads a TIFF structure at a place of a file. A part that is damaged counts as missing.
pub fn read(window: &mut Window<'_, '_>, place: TiffRange, with_position: bool) -> Result<Exif, Fault> {
    let mut tiff = Tiff::open(window, place)?;
    let first = tiff.first()?;
    let camera = tiff.below(&first, tag::EXIF)?;
    let position = if with_position { tiff.below(&first, tag::GPS)? } else { Directory::default() };
    Ok(Exif {
        orientation: tiff.number(&first, tag::ORIENTATION)?.and_then(|number| u8::try_from(number).ok()),
        clocks: tiff.clocks(&first, &camera)?,
        make: tiff.text(&first, tag::MAKE)?,
        model: tiff.text(&first, tag::MODEL)?,
        lens: tiff.text(&camera, tag::LENS)?,
        position: tiff.position(&position)?,
        dimensions: tiff.dimensions(&first, &camera)?,
    })
}

/// A TIFF structure.
struct Tiff<'w, 'a, 'c> {
    window: &'w mut Window<'a, 'c>,
    place: TiffRange,
    order: Order,
}

impl<'w, 'a, 'c> Tiff<'w, 'a, 'c> {
    fn open(window: &'w mut Window<'a, 'c>, place: TiffRange) -> Result<Tiff<'w, 'a, 'c>, Fault> {
        let order = match window.array(place.start)? {
            [b'I', b'I', 42, 0] => Order::Little,
            [b'M', b'M', 0, 42] => Order::Big,
            _ => return Err(Fault::Damaged("its EXIF is in no known byte order")),
        };
        Ok(Tiff { window, place, order })
    }

    /// Returns the position in the file of an offset in the structure, where `length` bytes must follow.
    fn position_of(&self, offset: u32, length: usize) -> Result<u64, Fault> {
        let at = self.place.start.saturating_add(offset.into());
        if at.saturating_add(length as u64) > self.place.end {
            return Err(Fault::Damaged("its EXIF points outside of itself"));
        }
        Ok(at)
    }

    fn first(&mut self) -> Result<Directory, Fault> {
        let offset = self.u32(self.place.start.saturating_add(4))?;
        self.directory(offset)
    }

    /// Returns the directory that a field points to, which is empty if it is missing or damaged.
    fn below(&mut self, directory: &Directory, tag: u16) -> Result<Directory, Fault> {
        let Some(offset) = self.number(directory, tag)? else { return Ok(Directory::default()) };
        Ok(unless_damaged(self.directory(offset))?.unwrap_or_default())
    }

    fn directory(&mut self, offset: u32) -> Result<Directory, Fault> {
        let at = self.position_of(offset, 2)?;
        let count = usize::from(self.u16(at)?).min(MAX_FIELDS);
        let mut fields = Directory::with_capacity(count);
        for index in 0..count {
            let at = at + 2 + (index * FIELD) as u64;
            // The fields before a cut stay.
            match unless_damaged(self.field(at))? {
                Some(field) => fields.extend(field),
                None => break,
            }
        }
        Ok(fields)
    }

    /// Reads a field, or nothing if its values are not within the structure.
    fn field(&mut self, at: u64) -> Result<Option<Field>, Fault> {
        let (tag, kind, count) = (self.u16(at)?, self.u16(at + 2)?, self.u32(at + 4)?);
        let length = size_of_kind(kind).saturating_mul(u64::from(count));
        let value = if length <= 4 { at + 8 } else { self.place.start.saturating_add(self.u32(at + 8)?.into()) };
        let is_within = value.saturating_add(length) <= self.place.end;
        Ok(is_within.then_some(Field { tag, kind, count, at: value }))
    }

    /// Returns the text of a field, without blanks around it, or nothing if there is no text in it.
    fn text(&mut self, directory: &Directory, tag: u16) -> Result<Option<String>, Fault> {
        // Newer cameras write UTF-8, type 129.
        let Some(field) = find(directory, tag, &[2, 129]) else { return Ok(None) };
        let Some(bytes) = self.values(field, (field.count as usize).min(MAX_TEXT))? else { return Ok(None) };
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        let text = text.trim_end_matches('\u{fffd}').trim();
        Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
    }

    /// Returns the times, the preferred one first.
    fn clocks(&mut self, first: &Directory, camera: &Directory) -> Result<Vec<Clock>, Fault> {
        let mut clocks = Vec::new();
        for (directory, time, offset) in [
            (camera, tag::TAKEN, tag::OFFSET_TAKEN),
            // DNG and other raw files have it in the first directory.
            (first, tag::TAKEN, tag::OFFSET_TAKEN),
            (camera, tag::DIGITIZED, tag::OFFSET_DIGITIZED),
        ] {
            if let Some(time) = self.text(directory, time)? {
                clocks.push(Clock { time, offset: self.text(camera, offset)? });
            }
        }
        Ok(clocks)
    }

    /// Returns the first number of a field.
    fn number(&mut self, directory: &Directory, tag: u16) -> Result<Option<u32>, Fault> {
        let Some(field) = find(directory, tag, &[3, 4, 13]) else { return Ok(None) };
        Ok(self.numbers(field, 1)?.first().copied())
    }

    /// Returns the first numbers of a field, at most `most`.
    fn numbers(&mut self, field: Field, most: usize) -> Result<Vec<u32>, Fault> {
        let size = size_of_kind(field.kind) as usize;
        let Some(bytes) = self.values(field, (field.count as usize).min(most) * size)? else { return Ok(Vec::new()) };
        let bytes = bytes.to_vec();
        Ok(bytes.chunks_exact(size).map(|bytes| self.whole(bytes)).collect())
    }

    fn values(&mut self, field: Field, length: usize) -> Result<Option<&[u8]>, Fault> {
        unless_damaged(self.window.bytes(field.at, length))
    }

    /// Returns the degrees of three fractions: degrees, minutes and seconds.
    fn degrees(&mut self, directory: &Directory, tag: u16, side: u16) -> Result<Option<f64>, Fault> {
        let side = self.text(directory, side)?;
        let parts = self.fractions(directory, tag)?;
        let [degrees, minutes, seconds] = parts[..] else { return Ok(None) };
        let size = degrees + minutes / 60.0 + seconds / 3600.0;
        Ok(match side.as_deref() {
            Some("N" | "E") => Some(size),
            Some("S" | "W") => Some(-size),
            _ => None,
        })
    }

    /// Returns the fractions of a field, at most three. Those that are no numbers are left out.
    fn fractions(&mut self, directory: &Directory, tag: u16) -> Result<Vec<f64>, Fault> {
        let Some(field) = find(directory, tag, &[5]) else { return Ok(Vec::new()) };
        let Some(bytes) = self.values(field, (field.count as usize).min(3) * 8)? else { return Ok(Vec::new()) };
        let bytes = bytes.to_vec();
        let parts = bytes.chunks_exact(8).map(|part| (self.whole(&part[..4]), self.whole(&part[4..])));
        Ok(parts.filter(|(_, below)| *below > 0).map(|(above, below)| f64::from(above) / f64::from(below)).collect())
    }

    fn position(&mut self, directory: &Directory) -> Result<Option<Position>, Fault> {
        let latitude = self.degrees(directory, tag::GPS_LATITUDE, tag::GPS_LATITUDE_SIDE)?;
        let longitude = self.degrees(directory, tag::GPS_LONGITUDE, tag::GPS_LONGITUDE_SIDE)?;
        let altitude = self.fractions(directory, tag::GPS_ALTITUDE)?.first().copied();
        let side = find(directory, tag::GPS_ALTITUDE_SIDE, &[1]);
        let is_below_sea = match side {
            Some(field) => self.values(field, 1)?.is_some_and(|side| *side == [1]),
            None => false,
        };
        let (Some(latitude), Some(longitude)) = (latitude, longitude) else { return Ok(None) };
        let is_on_earth = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
        let altitude = altitude.map(|altitude| if is_below_sea { -altitude } else { altitude });
        Ok(is_on_earth.then_some(Position { latitude, longitude, altitude }))
    }

    /// Returns the dimensions of the largest image. In raw files the first is a small one.
    fn dimensions(&mut self, first: &Directory, camera: &Directory) -> Result<Option<(u32, u32)>, Fault> {
        let mut found = Vec::new();
        found.extend(self.pair(first, tag::WIDTH, tag::HEIGHT)?);
        found.extend(self.pair(camera, tag::PIXEL_WIDTH, tag::PIXEL_HEIGHT)?);
        if let Some(field) = find(first, tag::SUB_IMAGES, &[4, 13]) {
            for offset in self.numbers(field, MAX_SUBS)? {
                let below = unless_damaged(self.directory(offset))?.unwrap_or_default();
                if self.number(&below, tag::REDUCED)?.is_none_or(|reduced| reduced & 1 == 0) {
                    found.extend(self.pair(&below, tag::WIDTH, tag::HEIGHT)?);
                }
            }
        }
        Ok(found.into_iter().max_by_key(|(width, height)| u64::from(*width) * u64::from(*height)))
    }

    fn pair(&mut self, directory: &Directory, width: u16, height: u16) -> Result<Option<(u32, u32)>, Fault> {
        Ok(self.number(directory, width)?.zip(self.number(directory, height)?))
    }

    fn u16(&mut self, at: u64) -> Result<u16, Fault> {
        let bytes: [u8; 2] = self.window.array(at)?;
        Ok(match self.order {
            Order::Little => u16::from_le_bytes(bytes),
            Order::Big => u16::from_be_bytes(bytes),
        })
    }

    fn u32(&mut self, at: u64) -> Result<u32, Fault> {
        let bytes: [u8; 4] = self.window.array(at)?;
        Ok(self.whole(&bytes))
    }

    /// Returns the number that two or four bytes represent.
    fn whole(&self, bytes: &[u8]) -> u32 {
        let put = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
        match self.order {
            Order::Little => bytes.iter().rev().fold(0, put),
            Order::Big => bytes.iter().fold(0, put),
        }
    }
}

/// Returns the first field with a tag, if its values are of one of these types.
fn find(directory: &Directory, tag: u16, kinds: &[u16]) -> Option<Field> {
    let field = directory.iter().find(|field| field.tag == tag)?;
    (kinds.contains(&field.kind) && field.count > 0).then_some(*field)
}

/// Returns the size of a value of a type in bytes, 0 for an unknown type.
fn size_of_kind(kind: u16) -> u64 {
    match kind {
        1 | 2 | 6 | 7 | 129 => 1,
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 => 8,
        _ => 0,
    }
}
