//! The bytes that `FS.ReadFile` and `FS.Lines` read: those of a file or of an entry of an archive, decompressed if that is asked for.

use std::io::{self, Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use crate::sandbox::File;
use crate::toolkit::ToolError;

use super::archive::ArchivedFile;
use super::decompress::{Bounds, Compression, Decompressed};

/// A stream that can begin again.
pub struct Source {
    stream: Decompressed<Stored>,
    bounds: Bounds,
}

/// Where the stored bytes are.
pub enum Origin {
    /// A file of the sandbox.
    File(File),
    /// A file of an archive.
    Entry(Box<ArchivedFile>),
}

/// The stored bytes, whose checksum is computed as they are read.
struct Stored {
    origin: Origin,
    hash: Option<Sha256>,
    /// Number of bytes at which it ends.
    most: Option<u64>,
    /// Number of bytes read.
    read: u64,
    /// Whether the end was reached.
    ended: bool,
    /// Why the archive could not be read.
    failed: Option<ToolError>,
}

/// How a source is read.
#[derive(Clone, Debug)]
pub struct SourceOptions {
    /// Whether to compute the checksum of the stored bytes.
    pub checksum: bool,
    /// Whether to decompress a compressed file.
    pub decompress: bool,
    /// The bounds of the decompression.
    pub bounds: Bounds,
    /// Number of stored bytes at which the source ends, although the file may grow; `None` for its end.
    pub most: Option<u64>,
}

impl Source {
    /// Creates a source at the start of a file or an entry.
    pub fn new(origin: Origin, options: SourceOptions) -> io::Result<Source> {
        let mut stored = Stored::new(origin, options.checksum, options.most);
        let mut format = None;
        if options.decompress {
            format = Compression::of_stream(&mut stored)?;
            stored.go_to(0)?;
        }
        let stream = Decompressed::new(stored, format, options.bounds.clone())?;
        Ok(Source { stream, bounds: options.bounds })
    }

    /// Continues at a position, which must be 0 unless the source [`can_seek`](Source::can_seek).
    pub fn go_to(&mut self, offset: u64) -> io::Result<()> {
        let format = self.format();
        if format.is_none() {
            return self.stream.stored().go_to(offset);
        }
        let fresh = self.stream.stored().begin_again()?;
        self.stream = Decompressed::new(fresh, format, self.bounds.clone())?;
        Ok(())
    }

    /// Whether any position can be reached without reading what is before it.
    pub fn can_seek(&mut self) -> bool {
        self.format().is_none() && matches!(self.stream.stored().origin, Origin::File(_))
    }

    /// Whether the checksum is computed.
    pub fn has_checksum(&mut self) -> bool {
        self.stream.stored().hash.is_some()
    }

    /// Returns the format from which the bytes are decompressed, or `None` if they are read as they are stored.
    pub fn format(&self) -> Option<Compression> {
        self.stream.format()
    }

    /// Reads the rest of the stored bytes, which the checksum covers. `poll` is called for each piece.
    pub fn finish(&mut self, mut poll: impl FnMut(usize) -> Result<(), ToolError>) -> Result<(), SourceError> {
        let stored = self.stream.stored();
        let mut piece = vec![0; 1 << 16];
        while stored.hash.is_some() && !stored.ended {
            let read = stored.read(&mut piece)?;
            poll(read)?;
        }
        Ok(())
    }

    /// Returns the number of stored bytes, if all of them were read.
    pub fn size(&mut self) -> Option<u64> {
        let stored = self.stream.stored();
        stored.ended.then_some(stored.read)
    }

    /// Returns the checksum of the stored bytes, if it was asked for.
    pub fn checksum(&mut self) -> Option<String> {
        let hash = self.stream.stored().hash.take();
        hash.map(|hash| super::hex(&hash.finalize()))
    }

    /// Returns the error for an error of reading, if damaged data is the reason.
    pub fn damage(&mut self, shown: &str, error: &io::Error) -> Option<ToolError> {
        let failed = self.stream.stored().failed.take();
        failed.or_else(|| self.stream.damage(shown, error))
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

/// Why a source cannot be read to its end.
pub enum SourceError {
    /// The operating system reported an error.
    Io(io::Error),
    /// The run must stop.
    Tool(ToolError),
}

impl From<io::Error> for SourceError {
    fn from(error: io::Error) -> SourceError {
        SourceError::Io(error)
    }
}

impl From<ToolError> for SourceError {
    fn from(error: ToolError) -> SourceError {
        SourceError::Tool(error)
    }
}

impl Stored {
    fn new(origin: Origin, checksum: bool, most: Option<u64>) -> Stored {
        Stored { origin, hash: checksum.then(Sha256::new), most, read: 0, ended: false, failed: None }
    }

    fn begin_again(&self) -> io::Result<Stored> {
        let origin = match &self.origin {
            Origin::File(file) => Origin::File(file.try_clone()?),
            Origin::Entry(entry) => Origin::Entry(Box::new(entry.duplicate()?)),
        };
        let mut stored = Stored::new(origin, self.hash.is_some(), self.most);
        stored.go_to(0)?;
        Ok(stored)
    }

    fn go_to(&mut self, offset: u64) -> io::Result<()> {
        match &mut self.origin {
            Origin::File(file) => drop(file.seek(SeekFrom::Start(offset))?),
            Origin::Entry(entry) => {
                let begun = entry.begin();
                self.keep(begun)?;
            }
        }
        self.read = offset;
        self.ended = false;
        if let Some(hash) = &mut self.hash {
            *hash = Sha256::new();
        }
        Ok(())
    }

    /// Errors: the file ends before it should, because somebody cut it off.
    fn check_length(&mut self) -> io::Result<()> {
        let (Origin::File(file), Some(most)) = (&mut self.origin, self.most) else { return Ok(()) };
        let length = file.seek(SeekFrom::End(0))?;
        if length < most { Err(io::Error::other("it became shorter while it was read")) } else { Ok(()) }
    }

    /// Keeps the error of an archive, which no `io::Error` can hold.
    fn keep<T>(&mut self, done: Result<T, ToolError>) -> io::Result<T> {
        done.map_err(|error| {
            self.failed = Some(error);
            io::Error::other("the archive cannot be read")
        })
    }
}

impl Read for Stored {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.most.map_or(usize::MAX, |most| usize::try_from(most - self.read).unwrap_or(usize::MAX));
        let wanted = buffer.len().min(left);
        let buffer = &mut buffer[..wanted];
        let read = match &mut self.origin {
            Origin::File(file) => file.read(buffer)?,
            Origin::Entry(entry) => {
                let read = entry.read(buffer);
                self.keep(read)?
            }
        };
        if read == 0 && !buffer.is_empty() {
            self.check_length()?;
        }
        self.ended |= read == 0 && (left == 0 || !buffer.is_empty());
        self.read += read as u64;
        if let Some(hash) = &mut self.hash {
            hash.update(&buffer[..read]);
        }
        Ok(read)
    }
}
