//! The central directory of a zip archive, and the local header of each entry.

use std::io::{BufReader, Read, Seek, SeekFrom};

use flate2::Crc;

use crate::limits::MemoryCharge;
use crate::sandbox::File;
use crate::toolkit::ToolError;

use super::super::fault::{invalid, read_error};
use super::super::{ArchivedKind, Entry, text_of};
use super::end::End;
use super::fields::Fields;

const LISTED: [u8; 4] = *b"PK\x01\x02";
const LISTED_BYTES: usize = 46;
const OWN: [u8; 4] = *b"PK\x03\x04";
const OWN_BYTES: usize = 30;

/// Bytes that a name uses in addition to its text.
const NAME_BYTES: usize = 16;
/// Maximum length of a name in bytes; no path is longer.
const MAX_NAME: usize = 4096;
/// Systems with Unix file modes: Unix and macOS.
const UNIX_SYSTEMS: [u16; 2] = [3, 19];

/// Flags: encrypted in one of three ways, patched, sizes after the data.
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
const PATCHED: u16 = 1 << 5;
const SIZES_BEHIND: u16 = 1 << 3;

/// An entry of the central directory.
pub struct CentralEntry {
    pub entry: Entry,
    pub is_deflated: bool,
    pub crc: u32,
    /// Size of the stored data in bytes.
    pub stored: u64,
    /// The position of the local header.
    pub header: u64,
    /// The position of the data, known after the local header is read.
    pub data: u64,
    flags: u16,
    name: Vec<u8>,
}

/// Reads the central directory.
pub fn read_directory(file: &mut File, end: &End, held: &mut MemoryCharge) -> Result<Vec<CentralEntry>, ToolError> {
    file.seek(SeekFrom::Start(end.directory)).map_err(read_error)?;
    let mut list = BufReader::new(file).take(end.directory_end - end.directory);
    let mut listed = Vec::new();
    for _ in 0..end.entries {
        let entry = read_listed(&mut list)?;
        // The list may have twice the capacity that it uses, and each name is stored as bytes and as a text.
        held.grow(2 * size_of::<CentralEntry>() + 2 * (entry.name.len() + NAME_BYTES))?;
        listed.push(entry);
    }
    match list.limit() {
        0 => Ok(listed),
        _ => Err(invalid("its list holds more than its end says")),
    }
}

fn read_listed(list: &mut impl Read) -> Result<CentralEntry, ToolError> {
    let mut record = [0; LISTED_BYTES];
    list.read_exact(&mut record).map_err(read_error)?;
    let mut fields = Fields(&record);
    if fields.bytes(4)? != LISTED {
        return Err(invalid("its list of entries is damaged"));
    }
    let (made_by, _needs, flags, method) = (fields.u16()?, fields.u16()?, fields.u16()?, fields.u16()?);
    let (time, date, crc) = (fields.u16()?, fields.u16()?, fields.u32()?);
    let (stored, size) = (fields.u32()?, fields.u32()?);
    let (name_bytes, extra_bytes, comment_bytes) = (fields.u16()?, fields.u16()?, fields.u16()?);
    let (disk, _internal, external, header) = (fields.u16()?, fields.u16()?, fields.u32()?, fields.u32()?);
    let mut variable = vec![0; usize::from(name_bytes) + usize::from(extra_bytes) + usize::from(comment_bytes)];
    list.read_exact(&mut variable).map_err(read_error)?;
    let mut variable = Fields(&variable);
    let (raw_name, extra) = (variable.bytes(name_bytes.into())?, variable.bytes(extra_bytes.into())?);
    let extra = Extra::read(extra, [size, stored, header])?;
    let (name, is_text) = extra.name_of(raw_name)?;
    check_readable(&name, flags, method, disk)?;
    let [size, stored, header] = extra.wide;
    if method == 0 && stored != size {
        return Err(invalid(format!("`{name}` is stored as it is, in another size")));
    }
    let (what, mode) = kind_and_mode(&name, made_by >> 8, external, size)?;
    let modified = extra.modified.or_else(|| from_dos(date, time));
    let entry = Entry { name, what, mode, modified, size, is_text };
    Ok(CentralEntry { entry, is_deflated: method == 8, crc, stored, header, data: 0, flags, name: raw_name.to_vec() })
}

fn check_readable(name: &str, flags: u16, method: u16, disk: u16) -> Result<(), ToolError> {
    let reason = match method {
        _ if flags & ENCRYPTED != 0 => "is encrypted",
        _ if flags & PATCHED != 0 => "is a patch of another file",
        _ if !matches!(disk, 0 | 0xffff) => "lies in another file of the archive",
        0 | 8 => return Ok(()),
        _ => "is packed in a way other than deflate",
    };
    Err(invalid(format!("`{name}` {reason}")))
}

/// Determines the kind and mode of an entry from its name and, if the archive comes from Unix, its mode.
fn kind_and_mode(name: &str, system: u16, external: u32, size: u64) -> Result<(ArchivedKind, u32), ToolError> {
    let is_unix = UNIX_SYSTEMS.contains(&system) && external >> 16 != 0;
    let mode = if is_unix { external >> 16 } else { 0 };
    let by_name = if name.ends_with('/') { ArchivedKind::Folder } else { ArchivedKind::File };
    let what = match mode & 0o170_000 {
        0 => by_name,
        0o040_000 => ArchivedKind::Folder,
        0o100_000 => ArchivedKind::File,
        0o120_000 => ArchivedKind::Link(String::new()),
        _ => return Ok((ArchivedKind::Special, mode & 0o777)),
    };
    if name.ends_with('/') != (what == ArchivedKind::Folder) && (name.ends_with('/') || size > 0) {
        return Err(invalid(format!("`{name}` is a directory by its name or by its mode, but not by both")));
    }
    if what == ArchivedKind::Folder && size > 0 {
        return Err(invalid(format!("`{name}` is a directory with content")));
    }
    let default = if what == ArchivedKind::Folder { 0o755 } else { 0o644 };
    Ok((what, if is_unix { mode & 0o777 } else { default }))
}

impl CentralEntry {
    /// Reads the local header, which must agree with the central directory, and locates the data.
    pub fn check_own_header(&mut self, file: &mut File) -> Result<(), ToolError> {
        let mut record = [0; OWN_BYTES];
        file.seek(SeekFrom::Start(self.header)).map_err(read_error)?;
        file.read_exact(&mut record).map_err(read_error)?;
        let mut fields = Fields(&record);
        let (signature, _needs, flags, method) = (fields.bytes(4)?, fields.u16()?, fields.u16()?, fields.u16()?);
        let (_time, _date, crc) = (fields.u16()?, fields.u16()?, fields.u32()?);
        let (stored, size) = (fields.u32()?, fields.u32()?);
        let (name_bytes, extra_bytes) = (fields.u16()?, fields.u16()?);
        let mut variable = vec![0; usize::from(name_bytes) + usize::from(extra_bytes)];
        file.read_exact(&mut variable).map_err(read_error)?;
        let (name, extra) = variable.split_at(name_bytes.into());
        let [size, stored, _] = Extra::read(extra, [size, stored, 0])?.wide;
        let same_sizes = (crc, stored, size) == (self.crc, self.stored, self.entry.size);
        let is_same = signature == OWN
            && name == self.name
            && flags & (ENCRYPTED | SIZES_BEHIND) == self.flags & (ENCRYPTED | SIZES_BEHIND)
            && method == if self.is_deflated { 8 } else { 0 }
            && (same_sizes || flags & SIZES_BEHIND != 0);
        self.data = self.header + (OWN_BYTES + variable.len()) as u64;
        if is_same && self.data.checked_add(self.stored).is_some() {
            Ok(())
        } else {
            Err(invalid(format!("`{}` has a header that differs from the list", self.entry.name)))
        }
    }
}

/// The extra fields of a header that are used.
struct Extra {
    /// Size, stored size and header position in 64 bits.
    wide: [u64; 3],
    /// The name in UTF-8, and the checksum of the name that it replaces.
    name: Option<(u32, Vec<u8>)>,
    modified: Option<i64>,
}

impl Extra {
    /// Parses the extra fields; a 32-bit number of all ones is read from the zip64 field.
    fn read(extra: &[u8], narrow: [u32; 3]) -> Result<Extra, ToolError> {
        let mut read = Extra { wide: narrow.map(u64::from), name: None, modified: None };
        let mut seen_wide = false;
        let mut fields = Fields(extra);
        // Some writers pad with up to three zeros.
        while fields.0.len() >= 4 {
            let (id, length) = (fields.u16()?, fields.u16()?);
            let mut content = Fields(fields.bytes(length.into())?);
            match id {
                0x0001 if seen_wide => return Err(invalid("an entry has two zip64 fields")),
                0x0001 => {
                    seen_wide = true;
                    for (wide, narrow) in read.wide.iter_mut().zip(narrow) {
                        if narrow == u32::MAX {
                            *wide = content.u64()?;
                        }
                    }
                }
                0x5455 if content.bytes(1)?[0] & 1 != 0 => read.modified = Some((content.u32()? as i32).into()),
                0x7075 if content.bytes(1)? == [1] => read.name = Some((content.u32()?, content.0.to_vec())),
                _ => {}
            }
        }
        Ok(read)
    }

    /// Returns the name of an entry, and whether it is UTF-8. A second name in UTF-8 must equal it, unless the first is
    /// not UTF-8.
    fn name_of(&self, raw: &[u8]) -> Result<(String, bool), ToolError> {
        if raw.len() > MAX_NAME {
            return Err(invalid(format!("a name of {} bytes", raw.len())));
        }
        if raw.contains(&0) {
            return Err(invalid("a name holds a zero byte"));
        }
        let mut crc = Crc::new();
        crc.update(raw);
        match &self.name {
            Some((sum, name)) if *sum == crc.sum() && name != raw => match std::str::from_utf8(raw) {
                Ok(raw) => Err(invalid(format!("`{raw}` has two names"))),
                Err(_) => Ok(text_of(name)),
            },
            _ => Ok(text_of(raw)),
        }
    }
}

/// Converts an MS-DOS time, which has no time zone and is interpreted as UTC.
fn from_dos(date: u16, time: u16) -> Option<i64> {
    let (year, month, day) = (1980 + i64::from(date >> 9), i64::from(date >> 5 & 15), i64::from(date & 31));
    let (hour, minute, second) = (i64::from(time >> 11), i64::from(time >> 5 & 63), i64::from(time & 31) * 2);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Returns the days since 1970-01-01 of a Gregorian date; years start in March, as in [`crate::value::time`].
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = if month > 2 { month - 3 } else { month + 9 };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}
