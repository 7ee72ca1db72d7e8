//! A writer for zip: deflated files, links as on Unix, times in whole seconds, zip64 where needed.
//!
//! The same entries always produce the same bytes, regardless of when and where they are packed.

use std::io::{self, Write as _};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::{ArchivedKind, Entry, Output, Writer};

/// Size from which an entry gets 64-bit fields; a little less than 4 GiB, because compressed data can be
/// larger.
const WIDE: u64 = 0xff00_0000;
/// "Made by" Unix, and versions 2.0 and 4.5 of the format.
const UNIX: u16 = 3 << 8;
const PLAIN_VERSION: u16 = 20;
const WIDE_VERSION: u16 = 45;
/// The flag for a name in UTF-8.
const UTF_8: u16 = 1 << 11;
/// Offset of the checksum and sizes in a local header.
const SIZES_AT: u64 = 14;
/// The earliest and the latest MS-DOS time, in seconds since 1970.
const DOS_EPOCH: i64 = 315_532_800;
const DOS_END: i64 = 4_354_819_199;

/// A writer of a zip archive.
#[derive(Default)]
pub struct ZipWriter {
    listed: Vec<u8>,
    entries: u64,
    current: Option<Current>,
}

/// The entry whose content is being written.
struct Current {
    header: Header,
    at: u64,
    data_at: u64,
    encoder: Option<DeflateEncoder<Vec<u8>>>,
    crc: Crc,
}

/// The values in both headers of an entry.
struct Header {
    name: String,
    is_wide: bool,
    is_deflated: bool,
    mode: u32,
    modified: i64,
    crc: u32,
    stored: u64,
    size: u64,
}

impl Writer for ZipWriter {
    fn begin(&mut self, entry: &Entry, out: &mut Output<'_>) -> io::Result<()> {
        let (kind, content) = match &entry.what {
            ArchivedKind::Folder => (0o040_000, &b""[..]),
            ArchivedKind::Link(text) => (0o120_000, text.as_bytes()),
            ArchivedKind::Special => unreachable!("pipes and devices are never packed"),
            ArchivedKind::File | ArchivedKind::Same(_) => (0o100_000, &b""[..]),
        };
        let mut name = entry.name.clone();
        if entry.what == ArchivedKind::Folder {
            name.push('/');
        }
        let is_deflated = entry.what == ArchivedKind::File && entry.size > 0;
        let header = Header {
            name,
            is_wide: entry.size >= WIDE,
            is_deflated,
            mode: kind | entry.mode,
            modified: entry.modified.unwrap_or(DOS_EPOCH),
            crc: 0,
            stored: 0,
            size: 0,
        };
        let at = out.position();
        header.write_own(&mut out.pending);
        let data_at = out.position();
        let encoder = is_deflated.then(|| DeflateEncoder::new(Vec::new(), Compression::default()));
        self.current = Some(Current { header, at, data_at, encoder, crc: Crc::new() });
        match content {
            [] if entry.what == ArchivedKind::File => Ok(()),
            content => self.write(content, out).and_then(|()| self.end(out)),
        }
    }

    fn write(&mut self, bytes: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        let current = self.current.as_mut().expect("an entry was begun");
        current.crc.update(bytes);
        current.header.size += bytes.len() as u64;
        match &mut current.encoder {
            Some(encoder) => {
                encoder.write_all(bytes)?;
                out.pending.append(encoder.get_mut());
            }
            None => out.pending.extend_from_slice(bytes),
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Output<'_>) -> io::Result<()> {
        let mut current = self.current.take().expect("an entry was begun");
        if let Some(encoder) = current.encoder.take() {
            out.pending.append(&mut encoder.finish()?);
        }
        let header = &mut current.header;
        header.crc = current.crc.sum();
        header.stored = out.position() - current.data_at;
        if header.is_wide {
            out.patch(current.at + SIZES_AT, &header.crc.to_le_bytes())?;
            let extra_at = current.data_at - TIME_FIELD - WIDE_FIELD + 4;
            out.patch(extra_at, &[header.size.to_le_bytes(), header.stored.to_le_bytes()].concat())?;
        } else {
            let narrow = [header.crc, header.stored as u32, header.size as u32];
            out.patch(current.at + SIZES_AT, narrow.map(u32::to_le_bytes).as_flattened())?;
        }
        header.write_listed(&mut self.listed, current.at);
        self.entries += 1;
        Ok(())
    }

    fn finish(&mut self, out: &mut Output<'_>) -> io::Result<()> {
        let directory = out.position();
        out.pending.append(&mut self.listed);
        let bytes = out.position() - directory;
        let end = out.position();
        let is_wide = self.entries >= 0xffff || bytes >= 0xffff_ffff || directory >= 0xffff_ffff;
        if is_wide {
            put(&mut out.pending, b"PK\x06\x06");
            put(&mut out.pending, &44_u64.to_le_bytes());
            put_u16(&mut out.pending, &[UNIX | WIDE_VERSION, WIDE_VERSION, 0, 0, 0, 0]);
            [self.entries, self.entries, bytes, directory].iter().for_each(|n| put(&mut out.pending, &n.to_le_bytes()));
            put(&mut out.pending, b"PK\x06\x07\0\0\0\0");
            put(&mut out.pending, &end.to_le_bytes());
            put(&mut out.pending, &1_u32.to_le_bytes());
        }
        let entries = self.entries.min(0xffff) as u16;
        put(&mut out.pending, b"PK\x05\x06");
        put_u16(&mut out.pending, &[0, 0, entries, entries]);
        put(&mut out.pending, &(bytes.min(0xffff_ffff) as u32).to_le_bytes());
        put(&mut out.pending, &(directory.min(0xffff_ffff) as u32).to_le_bytes());
        put_u16(&mut out.pending, &[0]);
        Ok(())
    }
}

/// Sizes in bytes of the field with the time, and of the one with 64-bit sizes.
const TIME_FIELD: u64 = 9;
const WIDE_FIELD: u64 = 20;

impl Header {
    /// Writes the local header; the sizes are filled in later.
    fn write_own(&self, out: &mut Vec<u8>) {
        put(out, b"PK\x03\x04");
        self.write_common(out, false);
        let sizes = if self.is_wide { [0, u32::MAX, u32::MAX] } else { [0; 3] };
        put(out, sizes.map(u32::to_le_bytes).as_flattened());
        let extra = TIME_FIELD + if self.is_wide { WIDE_FIELD } else { 0 };
        put_u16(out, &[self.name.len() as u16, extra as u16]);
        put(out, self.name.as_bytes());
        if self.is_wide {
            put_u16(out, &[1, 16]);
            put(out, &[0; 16]);
        }
        self.write_time(out);
    }

    /// Writes the entry of the central directory.
    fn write_listed(&self, out: &mut Vec<u8>, at: u64) {
        let mut wide = Vec::new();
        let mut narrow = |number: u64, forced: bool| {
            if forced || number >= u64::from(u32::MAX) {
                wide.push(number);
                u32::MAX
            } else {
                number as u32
            }
        };
        let (size, stored) = (narrow(self.size, self.is_wide), narrow(self.stored, self.is_wide));
        let header = narrow(at, false);
        put(out, b"PK\x01\x02");
        put_u16(out, &[UNIX | if wide.is_empty() { PLAIN_VERSION } else { WIDE_VERSION }]);
        self.write_common(out, !wide.is_empty());
        put(out, [self.crc, stored, size].map(u32::to_le_bytes).as_flattened());
        let extra = TIME_FIELD + if wide.is_empty() { 0 } else { 4 + 8 * wide.len() as u64 };
        put_u16(out, &[self.name.len() as u16, extra as u16, 0, 0, 0]);
        // The low bits are MS-DOS attributes, for systems without modes; only the directory bit is used.
        let attributes = if self.name.ends_with('/') { 0x10 } else { 0 };
        put(out, &(self.mode << 16 | attributes).to_le_bytes());
        put(out, &header.to_le_bytes());
        put(out, self.name.as_bytes());
        if !wide.is_empty() {
            put_u16(out, &[1, 8 * wide.len() as u16]);
            wide.iter().for_each(|number| put(out, &number.to_le_bytes()));
        }
        self.write_time(out);
    }

    fn write_common(&self, out: &mut Vec<u8>, is_wide: bool) {
        let version = if is_wide || self.is_wide { WIDE_VERSION } else { PLAIN_VERSION };
        let flags = if self.name.is_ascii() { 0 } else { UTF_8 };
        let (date, time) = to_dos(self.modified);
        put_u16(out, &[version, flags, if self.is_deflated { 8 } else { 0 }, time, date]);
    }

    fn write_time(&self, out: &mut Vec<u8>) {
        put_u16(out, &[0x5455, 5]);
        put(out, &[1]);
        let seconds = self.modified.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        put(out, &seconds.to_le_bytes());
    }
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(bytes);
}

fn put_u16(out: &mut Vec<u8>, numbers: &[u16]) {
    numbers.iter().for_each(|number| put(out, &number.to_le_bytes()));
}

/// Returns the MS-DOS date and time in UTC: even seconds from 1980 to 2107.
fn to_dos(seconds: i64) -> (u16, u16) {
    let seconds = seconds.clamp(DOS_EPOCH, DOS_END);
    let (year, month, day) = crate::value::time::civil_date(seconds.div_euclid(86_400));
    let rest = seconds.rem_euclid(86_400);
    let (hour, minute, even_second) = (rest / 3600, rest / 60 % 60, rest % 60 / 2);
    let date = (year - 1980) << 9 | month << 5 | day;
    let time = hour << 11 | minute << 5 | even_second;
    (date as u16, time as u16)
}
