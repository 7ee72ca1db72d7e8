//! A reader for zip: stored and deflated entries, zip64, sizes before or after the data.
//!
//! The central directory is authoritative, and everything else must agree with it: the archive fills its file
//! from the first byte to the last, the directory ends at its end record, every local header agrees with it,
//! and no two entries share a byte.

mod directory;
mod end;
mod fields;

use std::io::{BufReader, Read, Seek, SeekFrom, Take};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use crate::limits::MemoryCharge;
use crate::sandbox::File;
use crate::toolkit::ToolError;

use super::fault::{invalid, read_error};
use super::{ArchivedKind, Entry, text_of};
use directory::{CentralEntry, read_directory};

/// Maximum length of a link text in bytes.
const MAX_LINK: u64 = 4096;

/// A reader of a zip archive.
pub struct ZipReader {
    file: File,
    listed: std::vec::IntoIter<CentralEntry>,
    content: Option<Box<Content>>,
    /// The memory charge for the central directory.
    _held: MemoryCharge,
}

/// The content of the current entry.
struct Content {
    bytes: Bytes,
    crc: Crc,
    left: u64,
    stated_crc: u32,
}

enum Bytes {
    Stored(Take<BufReader<File>>),
    Deflated(DeflateDecoder<BufReader<Take<File>>>),
}

impl ZipReader {
    /// Opens an archive: reads its central directory and validates all of it.
    pub fn open(mut file: File, size: u64, max_entries: u64) -> Result<ZipReader, ToolError> {
        let end = end::find(&mut file, size)?;
        if end.entries > max_entries {
            let message = format!("the archive holds more than {max_entries} files and directories");
            return Err(super::too_large(message, "max_entries"));
        }
        let mut held = MemoryCharge::default();
        let mut listed = read_directory(&mut file, &end, &mut held)?;
        for entry in &mut listed {
            entry.check_own_header(&mut file)?;
        }
        check_overlaps(&listed, end.directory)?;
        Ok(ZipReader { file, listed: listed.into_iter(), content: None, _held: held })
    }

    /// Advances to the next entry; see [`super::Reader::advance`].
    pub fn advance(&mut self) -> Result<Option<Entry>, ToolError> {
        let Some(CentralEntry { mut entry, .. }) = self.begin_next()? else { return Ok(None) };
        if let ArchivedKind::Link(text) = &mut entry.what {
            if entry.size > MAX_LINK {
                return Err(invalid(format!("`{}` is a link of {} bytes", entry.name, entry.size)));
            }
            let mut bytes = vec![0; entry.size as usize];
            let mut filled = 0;
            while filled < bytes.len() {
                filled += self.read(&mut bytes[filled..])?;
            }
            let is_text;
            (*text, is_text) = text_of(&bytes);
            (entry.size, entry.is_text) = (0, entry.is_text && is_text);
        }
        Ok(Some(entry))
    }

    fn begin_next(&mut self) -> Result<Option<CentralEntry>, ToolError> {
        let Some(listed) = self.listed.next() else { return Ok(None) };
        let mut file = self.file.try_clone().map_err(read_error)?;
        file.seek(SeekFrom::Start(listed.data)).map_err(read_error)?;
        let bytes = if listed.is_deflated {
            Bytes::Deflated(DeflateDecoder::new(BufReader::new(file.take(listed.stored))))
        } else {
            Bytes::Stored(BufReader::new(file).take(listed.stored))
        };
        let (left, stated_crc) = (listed.entry.size, listed.crc);
        self.content = Some(Box::new(Content { bytes, crc: Crc::new(), left, stated_crc }));
        if left == 0 {
            // An empty entry is never read, so its end is checked here.
            self.read(&mut [0])?;
        }
        Ok(Some(listed))
    }

    /// Reads content of the current entry; see [`super::Reader::read`].
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        match &mut self.content {
            Some(content) => content.read(buffer),
            None => Ok(0),
        }
    }
}

impl Content {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        if self.left > 0 {
            let room = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
            let read = self.bytes.read(&mut buffer[..room]).map_err(read_error)?;
            if read == 0 && room > 0 {
                return Err(invalid("an entry has fewer bytes than it says"));
            }
            self.crc.update(&buffer[..read]);
            self.left -= read as u64;
            if self.left == 0 {
                self.end()?;
            }
            return Ok(read);
        }
        // An entry without content is checked on its first read.
        if self.crc.amount() == 0 {
            self.end()?;
        }
        Ok(0)
    }

    /// Checks that the entry ends here and that the checksum of its bytes is right.
    fn end(&mut self) -> Result<(), ToolError> {
        if self.bytes.read(&mut [0]).map_err(read_error)? > 0 {
            return Err(invalid("an entry has more bytes than it says"));
        }
        if !self.bytes.is_used_up() {
            return Err(invalid("an entry has bytes behind its end"));
        }
        if self.crc.sum() == self.stated_crc { Ok(()) } else { Err(invalid("an entry has a wrong checksum")) }
    }
}

impl Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Bytes::Stored(bytes) => bytes.read(buffer),
            Bytes::Deflated(bytes) => bytes.read(buffer),
        }
    }

    /// Returns whether all stored bytes belonged to the content.
    fn is_used_up(&self) -> bool {
        match self {
            Bytes::Stored(bytes) => bytes.limit() == 0,
            Bytes::Deflated(bytes) => bytes.get_ref().get_ref().limit() == 0 && bytes.get_ref().buffer().is_empty(),
        }
    }
}

/// Refuses entries that overlap each other or the central directory, a technique to unpack the same bytes many
/// times.
fn check_overlaps(listed: &[CentralEntry], directory: u64) -> Result<(), ToolError> {
    let mut extents: Vec<(u64, u64)> = listed.iter().map(|entry| (entry.header, entry.data + entry.stored)).collect();
    extents.sort_unstable();
    let limits = extents.iter().skip(1).map(|(start, _)| *start).chain([directory]);
    if extents.iter().zip(limits).all(|((_, end), limit)| *end <= limit) {
        Ok(())
    } else {
        Err(invalid("entries overlap"))
    }
}
