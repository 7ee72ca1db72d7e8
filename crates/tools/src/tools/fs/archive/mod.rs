//! Archives as streams of entries: zip, tar, compressed tar, and a single compressed file. This module reads and writes open files and knows
//! no sandbox paths. The readers return entries exactly as declared in the archive, not yet trusted.
//!
//! The readers are strict: an archive that two readers could interpret differently is refused. They keep at
//! most one entry and one extension header in memory, and never return more bytes of an entry than it declared.
//!
//! We read and write archives ourselves, with the decoders of `decompress`, because two crates were not strict enough. zip
//! 9.4 keeps entries in a map by name and guesses where an archive begins. tar 0.4.46 reads long names whole, so a few
//! KiB of gzip take gigabytes, and it does not know the sparse files of pax. `tests/archives/` builds such archives
//! byte by byte.

mod budget;
mod fault;
mod gzip_write;
mod open;
mod part;
mod plan;
mod single;
mod tar_read;
mod tar_write;
mod unsafe_entry;
mod zip_read;
mod zip_write;

use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};

use crate::sandbox::File;
use crate::toolkit::ToolError;

use super::decompress::{Bounds, Compression, Decompressed};

pub use budget::{Budget, BudgetedReader};
use fault::{display, invalid, read_error, too_large};
pub use gzip_write::GzipWriter;
use open::SingleFile;
pub use open::{ArchivedFile, OpenArchive};
pub use part::chooses;
use plan::parts_of;
pub use plan::{Node, NodeKind, Plan, refusal};
use single::{CompressedFile, SingleReader};
pub use tar_write::TarWriter;
pub use unsafe_entry::{OnUnsafe, UnsafeEntry};
pub use zip_write::ZipWriter;

use tar_read::TarReader;
use zip_read::ZipReader;

/// Number of bytes at the start of a file that tell its format.
const EXAMINED: usize = tar_read::BLOCK;

/// An entry of an archive, as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name, with its parts separated by `/`.
    pub name: String,
    /// The kind of the entry.
    pub what: ArchivedKind,
    /// Permission bits, 0 to 0o777.
    pub mode: u32,
    /// Modification time in seconds since 1970.
    pub modified: Option<i64>,
    /// Size of a file in bytes.
    pub size: u64,
    /// Whether the name and the text of a link are UTF-8. Otherwise they are given with replacement characters.
    pub is_text: bool,
}

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchivedKind {
    /// A file, whose content can be read.
    File,
    /// A directory.
    Folder,
    /// A symbolic link with this text.
    Link(String),
    /// A hard link to the file with this name.
    Same(String),
    /// A pipe or device, which is never made.
    Special,
}

/// A writer of archive entries in some format.
pub trait Writer {
    /// Starts an entry. A file must be followed by `size` bytes of content and a call of [`Writer::end`].
    fn begin(&mut self, entry: &Entry, out: &mut Output<'_>) -> std::io::Result<()>;
    /// Writes content.
    fn write(&mut self, bytes: &[u8], out: &mut Output<'_>) -> std::io::Result<()>;
    /// Ends the content of a file.
    fn end(&mut self, out: &mut Output<'_>) -> std::io::Result<()>;
    /// Ends the archive.
    fn finish(&mut self, out: &mut Output<'_>) -> std::io::Result<()>;
}

/// The file that an archive is written to. Bytes are buffered until they are charged.
pub struct Output<'f> {
    file: &'f mut File,
    /// Buffered bytes, to be written at the end of the file.
    pub pending: Vec<u8>,
    written: u64,
}

impl<'f> Output<'f> {
    /// Creates an output at the start of an empty file.
    pub fn new(file: &'f mut File) -> Output<'f> {
        Output { file, pending: Vec::new(), written: 0 }
    }

    /// Returns the position of the next byte.
    pub fn position(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    /// Writes the buffered bytes.
    pub fn flush(&mut self) -> std::io::Result<()> {
        std::io::Write::write_all(self.file, &self.pending)?;
        self.written += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Overwrites bytes at a position, which may still be buffered.
    fn patch(&mut self, position: u64, bytes: &[u8]) -> std::io::Result<()> {
        if let Some(start) = position.checked_sub(self.written) {
            let start = start as usize;
            self.pending[start..start + bytes.len()].copy_from_slice(bytes);
            return Ok(());
        }
        assert!(position + bytes.len() as u64 <= self.written, "headers are flushed whole");
        self.file.seek(SeekFrom::Start(position))?;
        std::io::Write::write_all(self.file, bytes)?;
        self.file.seek(SeekFrom::Start(self.written)).map(drop)
    }
}

/// An open archive: yields its entries in order, and the content of the current one.
pub enum Reader {
    /// A zip archive.
    Zip(ZipReader),
    /// A tar archive, possibly compressed.
    Tar(TarReader<Box<dyn Read>>),
    /// A single compressed file.
    Single(SingleReader),
}

impl Reader {
    /// Opens an archive. The format is determined by its first bytes.
    pub fn open(mut file: File, budget: &Budget, single: &SingleFile) -> Result<Reader, ToolError> {
        let mut start = [0; EXAMINED];
        file.seek(SeekFrom::Start(0)).map_err(read_error)?;
        let read = fill(&mut file, &mut start).map_err(read_error)?;
        file.seek(SeekFrom::Start(0)).map_err(read_error)?;
        let start = &start[..read];
        if start.starts_with(b"PK") {
            return ZipReader::open(file, budget.archive_bytes, budget.max_entries).map(Reader::Zip);
        }
        match Compression::of(start) {
            Some(format) => Reader::open_compressed(file, format, budget, single),
            None if !tar_read::is_header(start.get(..tar_read::BLOCK).unwrap_or_default())
                && other(start).is_some() =>
            {
                let name = other(start).unwrap_or_default();
                Err(invalid(format!("it is {name}; zip and tar are read, also tar in gzip, zstd, xz or bzip2")))
            }
            None => Ok(Reader::Tar(TarReader::new(Box::new(BudgetedReader::new(BufReader::new(file), budget))))),
        }
    }

    /// Opens a compressed file: a tar archive if it begins with a header of tar or if the name of the file says so.
    fn open_compressed(
        file: File,
        format: Compression,
        budget: &Budget,
        single: &SingleFile,
    ) -> Result<Reader, ToolError> {
        let mut bytes = decompressed(&file, format, budget)?;
        let mut start = vec![0; tar_read::BLOCK];
        let read = fill(&mut bytes, &mut start).map_err(read_error)?;
        start.truncate(read);
        let is_tar = single.is_archive || tar_read::is_header(&start);
        let bytes = Box::new(Cursor::new(start).chain(bytes));
        if is_tar {
            Ok(Reader::Tar(TarReader::new(bytes)))
        } else {
            let compressed = CompressedFile { file, format, budget: budget.clone() };
            Ok(Reader::Single(SingleReader::new(compressed, bytes, single.clone())))
        }
    }

    /// Advances to the next entry, skipping unread content of the current one.
    ///
    /// Returns `None` if the archive has ended properly, with nothing after its end.
    pub fn advance(&mut self) -> Result<Option<Entry>, ToolError> {
        match self {
            Reader::Zip(reader) => reader.advance(),
            Reader::Tar(reader) => reader.advance(),
            Reader::Single(reader) => reader.advance(),
        }
    }

    /// Reads content of the current entry. Returns 0 after as many bytes as it declared.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        match self {
            Reader::Zip(reader) => reader.read(buffer),
            Reader::Tar(reader) => reader.read(buffer),
            Reader::Single(reader) => reader.read(buffer),
        }
    }
}

/// Returns the media type of a file that is known and no archive that is read.
fn other(start: &[u8]) -> Option<&'static str> {
    match start {
        [b'L', b'Z', b'I', b'P', 1, ..] => Some("application/x-lzip"),
        _ => infer::get(start).map(|kind| kind.mime_type()).filter(|name| *name != "application/x-tar"),
    }
}

/// Returns the decompressed bytes of a file, within the budget.
fn decompressed(file: &File, format: Compression, budget: &Budget) -> Result<Box<dyn Read>, ToolError> {
    let file = file.try_clone().map_err(read_error)?;
    let bytes = Decompressed::new(file, Some(format), Bounds::by(budget.watch.clone())).map_err(read_error)?;
    Ok(Box::new(BudgetedReader::new(bytes, budget)))
}

/// Reads until the buffer is full or the source ends. Returns the number of bytes read.
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

/// Decodes a name in an archive, and returns whether it is UTF-8.
fn text_of(bytes: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(bytes);
    let is_text = matches!(text, std::borrow::Cow::Borrowed(_));
    (text.into_owned(), is_text)
}
