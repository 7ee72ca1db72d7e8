//! A compressed file that holds no archive: its content is one file.

use std::io::{Read, Seek, SeekFrom};

use crate::sandbox::File;
use crate::toolkit::ToolError;

use super::super::decompress::Compression;
use super::fault::{invalid, read_error};
use super::open::SingleFile;
use super::{ArchivedKind, Budget, Entry, decompressed};

/// A compressed file that is read several times.
pub struct CompressedFile {
    pub file: File,
    pub format: Compression,
    pub budget: Budget,
}

/// A reader of the only file.
pub struct SingleReader {
    compressed: CompressedFile,
    /// The bytes, until the size is known; then those of a second reading.
    bytes: Box<dyn Read>,
    left: u64,
    /// The entry, until it was given.
    single: Option<SingleFile>,
}

impl SingleReader {
    /// Creates a reader; `bytes` are all bytes of the content.
    pub fn new(compressed: CompressedFile, bytes: Box<dyn Read>, single: SingleFile) -> SingleReader {
        SingleReader { compressed, bytes, left: 0, single: Some(single) }
    }

    /// Advances to the only entry; see [`super::Reader::advance`]. Not every format declares the size, so the bytes are
    /// counted.
    pub fn advance(&mut self) -> Result<Option<Entry>, ToolError> {
        let Some(SingleFile { name, mode, modified, .. }) = self.single.take() else { return Ok(None) };
        let size = self.count()?;
        let CompressedFile { file, format, budget } = &mut self.compressed;
        file.seek(SeekFrom::Start(0)).map_err(read_error)?;
        // Frees the memory of the first decoder before the second takes its own.
        self.bytes = Box::new(std::io::empty());
        self.bytes = decompressed(file, *format, budget)?;
        self.left = size;
        let name = format.stem(&name).to_owned();
        Ok(Some(Entry { name, what: ArchivedKind::File, mode, modified, size, is_text: true }))
    }

    fn count(&mut self) -> Result<u64, ToolError> {
        let mut piece = vec![0; 64 << 10];
        let mut size = 0;
        loop {
            match self.bytes.read(&mut piece).map_err(read_error)? {
                0 => return Ok(size),
                read => size += read as u64,
            }
            self.compressed.budget.check_total(size)?;
        }
    }

    /// Reads content; see [`super::Reader::read`].
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        let room = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.bytes.read(&mut buffer[..room]).map_err(read_error)?;
        if read == 0 && room > 0 {
            return Err(invalid("it became shorter while it was read"));
        }
        self.left -= read as u64;
        Ok(read)
    }
}
