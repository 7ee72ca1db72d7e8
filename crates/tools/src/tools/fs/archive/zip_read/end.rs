//! The end record of a zip archive, which locates the central directory.

use std::io::{Read, Seek, SeekFrom};

use crate::sandbox::File;
use crate::toolkit::ToolError;

use super::super::fault::{invalid, read_error};
use super::fields::Fields;

const END: [u8; 4] = *b"PK\x05\x06";
const END_BYTES: usize = 22;
const LOCATOR: [u8; 4] = *b"PK\x06\x07";
const LOCATOR_BYTES: u64 = 20;
const END_64: [u8; 4] = *b"PK\x06\x06";
const END_64_BYTES: u64 = 56;
/// Maximum length of the comment after the end record.
const MAX_COMMENT: u64 = 0xffff;

/// The location of the central directory.
pub struct End {
    /// Number of entries.
    pub entries: u64,
    /// Where it starts.
    pub directory: u64,
    /// Where it ends.
    pub directory_end: u64,
}

/// Finds the end record of an archive that fills its file.
pub fn find(file: &mut File, size: u64) -> Result<End, ToolError> {
    let tail_start = size.saturating_sub(END_BYTES as u64 + MAX_COMMENT);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(tail_start)).map_err(read_error)?;
    file.take(size - tail_start).read_to_end(&mut tail).map_err(read_error)?;
    // A comment may contain something that looks like an end record. If both fit, they describe different
    // archives.
    let ends_there = |at: usize| {
        let record = tail.get(at..at + END_BYTES)?;
        let comment = usize::from(u16::from_le_bytes([record[20], record[21]]));
        (record.starts_with(&END) && at + END_BYTES + comment == tail.len()).then_some(record)
    };
    let mut found = (0..tail.len()).rev().filter_map(|at| Some((at, ends_there(at)?)));
    let (at, record) = found.next().ok_or_else(|| invalid("it has no end: it was cut off, or something follows it"))?;
    if found.next().is_some() {
        return Err(invalid("it has two ends"));
    }
    let at = tail_start + at as u64;
    let end = read_end(file, record, at)?;
    if end.directory <= end.directory_end {
        Ok(end)
    } else {
        Err(invalid("its list of entries is not where its end says"))
    }
}

fn read_end(file: &mut File, record: &[u8], at: u64) -> Result<End, ToolError> {
    let mut fields = Fields(&record[4..]);
    let (disk, list_disk) = (fields.u16()?, fields.u16()?);
    let (here, entries) = (fields.u16()?, fields.u16()?);
    let (bytes, directory) = (fields.u32()?, fields.u32()?);
    if let Some(end) = read_end_64(file, at)? {
        let agrees = |narrow: u64, all_ones: u64, wide: u64| narrow == wide || narrow == all_ones;
        let fits = agrees(entries.into(), 0xffff, end.entries)
            && agrees(bytes.into(), 0xffff_ffff, end.directory_end - end.directory)
            && agrees(directory.into(), 0xffff_ffff, end.directory);
        return if fits { Ok(end) } else { Err(invalid("its two ends say different things")) };
    }
    if disk != 0 || list_disk != 0 || here != entries {
        return Err(invalid("it is a part of an archive of several files"));
    }
    check_place(directory.into(), bytes.into(), at)?;
    Ok(End { entries: entries.into(), directory: directory.into(), directory_end: at })
}

/// Reads the zip64 end record, if there is one before the end record at `at`.
fn read_end_64(file: &mut File, at: u64) -> Result<Option<End>, ToolError> {
    let Some(locator_at) = at.checked_sub(LOCATOR_BYTES) else { return Ok(None) };
    let locator = read_at(file, locator_at, LOCATOR_BYTES)?;
    if !locator.starts_with(&LOCATOR) {
        return Ok(None);
    }
    let mut fields = Fields(&locator[4..]);
    let (disk, record_at, disks) = (fields.u32()?, fields.u64()?, fields.u32()?);
    let fits = record_at.checked_add(END_64_BYTES).is_some_and(|end| end <= locator_at);
    if disk != 0 || disks > 1 || !fits {
        return Err(invalid("its zip64 end is not where it should be"));
    }
    let record = read_at(file, record_at, END_64_BYTES)?;
    let mut fields = Fields(&record);
    let (signature, length) = (fields.bytes(4)?, fields.u64()?);
    if signature != END_64 || record_at.checked_add(length).and_then(|end| end.checked_add(12)) != Some(locator_at) {
        return Err(invalid("its zip64 end is not where it should be"));
    }
    let (_, _, disk, list_disk) = (fields.u16()?, fields.u16()?, fields.u32()?, fields.u32()?);
    let (here, entries, bytes, directory) = (fields.u64()?, fields.u64()?, fields.u64()?, fields.u64()?);
    if disk != 0 || list_disk != 0 || here != entries {
        return Err(invalid("it is a part of an archive of several files"));
    }
    check_place(directory, bytes, record_at)?;
    Ok(Some(End { entries, directory, directory_end: record_at }))
}

/// Checks that the central directory ends at its end record, so that nothing precedes the archive or lies in
/// between.
fn check_place(directory: u64, bytes: u64, end: u64) -> Result<(), ToolError> {
    if directory.checked_add(bytes) == Some(end) {
        Ok(())
    } else {
        Err(invalid("its list of entries is not where its end says"))
    }
}

fn read_at(file: &mut File, at: u64, length: u64) -> Result<Vec<u8>, ToolError> {
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(at)).map_err(read_error)?;
    file.read_exact(&mut bytes).map_err(read_error)?;
    Ok(bytes)
}
