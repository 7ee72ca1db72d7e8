//! A file in gzip that holds no archive: its content is one file.

use std::io::{Chain, Cursor, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;

use crate::sandbox::File;
use crate::toolkit::ToolError;

use super::fault::{invalid, read_error};
use super::open::SingleFile;
use super::{ArchivedKind, Budget, BudgetedReader, Entry};

/// The bytes of a file in gzip, of which the first were read before.
pub type Unpacked = Chain<Cursor<Vec<u8>>, Box<dyn Read>>;

/// A reader of the only file.
pub struct SingleReader {
    file: File,
    budget: Budget,
    /// The bytes, until the size is known; then those of a second reading.
    bytes: Box<dyn Read>,
    left: u64,
    /// The entry, until it was given.
    single: Option<SingleFile>,
}

impl SingleReader {
    /// Creates a reader; `bytes` are all bytes of the content.
    pub fn new(file: File, budget: &Budget, bytes: Unpacked, single: SingleFile) -> SingleReader {
        SingleReader { file, budget: budget.clone(), bytes: Box::new(bytes), left: 0, single: Some(single) }
    }

    /// Advances to the only entry; see [`super::Reader::advance`]. Gzip does not say how many bytes follow, so they are
    /// counted.
    pub fn advance(&mut self) -> Result<Option<Entry>, ToolError> {
        let Some(SingleFile { name, mode, modified, .. }) = self.single.take() else { return Ok(None) };
        let size = self.count()?;
        self.file.seek(SeekFrom::Start(0)).map_err(read_error)?;
        let file = self.file.try_clone().map_err(read_error)?;
        self.bytes = Box::new(BudgetedReader::new(MultiGzDecoder::new(std::io::BufReader::new(file)), &self.budget));
        self.left = size;
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
            self.budget.check_total(size)?;
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
