//! Archives as streams of entries: zip, tar, and tar in gzip. Nothing here touches the disk or
//! knows a path of the sandbox; what comes out is exactly what the archive says, and not yet trusted.
//!
//! The readers are strict: where two readers could see two different archives, it is refused. They
//! keep at most one entry and one extension header in memory, and never give more bytes of an entry
//! than it declared.

mod budget;
mod fault;
mod plan;
mod tar_read;
mod tar_write;
mod zip_read;
mod zip_write;

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;

use crate::toolkit::ToolError;

pub use budget::{Budget, Watched};
use fault::{invalid, read_error, too_large};
pub use plan::{Node, NodeKind, Plan, link_stays};
pub use tar_write::TarWriter;
pub use zip_write::ZipWriter;

use tar_read::TarReader;
use zip_read::ZipReader;

/// An entry of an archive, as it is declared there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name, with `/` between its parts.
    pub name: String,
    /// What it is.
    pub what: What,
    /// Permission bits, 0 to 0o777.
    pub mode: u32,
    /// Seconds since 1970.
    pub modified: Option<i64>,
    /// Bytes of a file.
    pub size: u64,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A file, whose content can be read.
    File,
    /// A folder.
    Folder,
    /// A link with this text.
    Link(String),
    /// A further name of the file with this name (a hard link).
    Same(String),
}

/// Entries to be written, in any format.
pub trait Writer {
    /// Begins an entry; where it is a file its `size` bytes of content follow, and its end.
    fn begin(&mut self, entry: &Entry, out: &mut Output<'_>) -> std::io::Result<()>;
    /// Adds content.
    fn write(&mut self, bytes: &[u8], out: &mut Output<'_>) -> std::io::Result<()>;
    /// Ends the content of a file.
    fn end(&mut self, out: &mut Output<'_>) -> std::io::Result<()>;
    /// Ends the archive.
    fn finish(&mut self, out: &mut Output<'_>) -> std::io::Result<()>;
}

/// The file that an archive is written to: bytes wait here until they are counted.
pub struct Output<'f> {
    file: &'f mut File,
    /// Bytes that go to the end of the file next.
    pub pending: Vec<u8>,
    written: u64,
}

impl<'f> Output<'f> {
    /// An archive at the beginning of an empty file.
    pub fn new(file: &'f mut File) -> Output<'f> {
        Output { file, pending: Vec::new(), written: 0 }
    }

    /// Where the next byte goes.
    pub fn position(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    /// Writes what waits.
    pub fn flush(&mut self) -> std::io::Result<()> {
        std::io::Write::write_all(self.file, &self.pending)?;
        self.written += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Puts bytes over those at a position, which may wait still.
    fn patch(&mut self, position: u64, bytes: &[u8]) -> std::io::Result<()> {
        if let Some(start) = position.checked_sub(self.written) {
            let start = start as usize;
            self.pending[start..start + bytes.len()].copy_from_slice(bytes);
            return Ok(());
        }
        debug_assert!(position + bytes.len() as u64 <= self.written, "headers are flushed whole");
        self.file.seek(SeekFrom::Start(position))?;
        std::io::Write::write_all(self.file, bytes)?;
        self.file.seek(SeekFrom::Start(self.written)).map(drop)
    }
}

/// An open archive: its entries one after another, and the content of the newest.
pub enum Reader {
    /// A zip archive.
    Zip(ZipReader),
    /// A tar archive, perhaps in gzip.
    Tar(TarReader<Box<dyn Read>>),
}

impl Reader {
    /// Opens an archive by what its bytes say, from their beginning.
    pub fn open(mut file: File, size: u64, budget: &Budget) -> Result<Reader, ToolError> {
        let mut start = [0; 4];
        file.seek(SeekFrom::Start(0)).map_err(read_error)?;
        let read = fill(&mut file, &mut start).map_err(read_error)?;
        file.seek(SeekFrom::Start(0)).map_err(read_error)?;
        let start = &start[..read];
        if start.starts_with(b"PK") {
            return ZipReader::open(file, size, budget.max_entries).map(Reader::Zip);
        }
        let bytes: Box<dyn Read> = match start.starts_with(&[0x1f, 0x8b]) {
            true => Box::new(Watched::new(MultiGzDecoder::new(BufReader::new(file)), budget)),
            false => Box::new(Watched::new(BufReader::new(file), budget)),
        };
        Ok(Reader::Tar(TarReader::new(bytes)))
    }

    /// The next entry; what is left of the content of the one before is passed over.
    ///
    /// None once the archive has ended as it should, with nothing behind its end.
    pub fn advance(&mut self) -> Result<Option<Entry>, ToolError> {
        match self {
            Reader::Zip(reader) => reader.advance(),
            Reader::Tar(reader) => reader.advance(),
        }
    }

    /// The next bytes of the newest entry; none once it has given as many as it declared.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        match self {
            Reader::Zip(reader) => reader.read(buffer),
            Reader::Tar(reader) => reader.read(buffer),
        }
    }
}

/// Reads until a buffer is full or the source ends, and says how much that was.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The text of a name in an archive; what is not UTF-8 is refused.
fn text_of(bytes: &[u8]) -> Result<String, ToolError> {
    let text = std::str::from_utf8(bytes).map(str::to_owned);
    text.map_err(|_| invalid(format!("the name `{}` is not UTF-8", String::from_utf8_lossy(bytes))))
}
