//! Small pieces of a file, read at any position.
//!
//! Files decide where their metadata is, so the bound is on all that is read through one window, and on each piece. A
//! chain of pieces that leads in a circle ends at that bound.

use std::io::{self, Read, Seek, SeekFrom};

use crate::gate::Context;
use crate::limits::LimitHit;
use crate::sandbox::{OpenFile, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

/// Bytes that are read at once; a piece takes as many blocks as it touches.
const BLOCK: usize = 4 << 10;
/// Maximum length of a piece in bytes.
pub const MAX_PIECE: usize = 64 << 10;

/// A file, and the bytes of it that were read last.
pub struct Window<'a, 'c> {
    context: &'a mut Context<'c>,
    source: Source,
    /// The position of `block` in the file.
    start: u64,
    block: Vec<u8>,
    /// Number of bytes that may still be read.
    left: usize,
}

/// The bytes that are read.
enum Source {
    File(OpenFile),
    /// Bytes that were decoded before.
    Decoded(Vec<u8>),
}

/// Why a piece cannot be read.
#[derive(Debug)]
pub enum Fault {
    /// The operating system reported an error.
    Io(io::Error),
    /// The run must stop.
    Limit(LimitHit),
    /// The file is not what its first bytes say, or was cut off.
    Damaged(&'static str),
    /// More of the file would have to be read than is allowed.
    Exhausted,
}

impl From<LimitHit> for Fault {
    fn from(hit: LimitHit) -> Fault {
        Fault::Limit(hit)
    }
}

impl Fault {
    /// Converts to the error of a tool that reads `path`.
    pub fn into_error(self, path: &SandboxPath) -> ToolError {
        let error = match self {
            Fault::Io(error) => path.error(&error).into(),
            Fault::Limit(hit) => return hit.into(),
            Fault::Exhausted => {
                let reason = "its metadata is spread over too many places";
                ToolError::new(ToolCode::InvalidMedia, format!("`{}` is damaged: {reason}", path.display()))
            }
            Fault::Damaged(reason) => {
                ToolError::new(ToolCode::InvalidMedia, format!("`{}` is damaged: {reason}", path.display()))
            }
        };
        error.argument("path").path(path.display())
    }
}

/// Returns `None` for a part that is damaged. Errors: the other faults.
pub fn unless_damaged<T>(part: Result<T, Fault>) -> Result<Option<T>, Fault> {
    match part {
        Err(Fault::Damaged(_) | Fault::Exhausted) => Ok(None),
        part => part.map(Some),
    }
}

impl<'a, 'c> Window<'a, 'c> {
    /// Creates a window on an open file, through which `most` bytes are read at most.
    pub fn new(context: &'a mut Context<'c>, open: OpenFile, most: usize) -> Window<'a, 'c> {
        Window { context, source: Source::File(open), start: 0, block: Vec::new(), left: most }
    }

    /// Returns the size of the file in bytes, as it was when the file was opened.
    pub fn size(&self) -> u64 {
        match &self.source {
            Source::File(open) => open.metadata.size,
            Source::Decoded(bytes) => bytes.len() as u64,
        }
    }

    /// Reads these bytes from now on, instead of the file. Returns their number.
    pub fn replace_by(&mut self, bytes: Vec<u8>) -> u64 {
        self.source = Source::Decoded(bytes);
        self.block.clear();
        self.start = 0;
        self.size()
    }

    /// Returns the bytes from a position on, `length` of them.
    pub fn bytes(&mut self, at: u64, length: usize) -> Result<&[u8], Fault> {
        let held = self.up_to(at, length)?.len();
        if held < length {
            return Err(Fault::Damaged("the file ends before what its head announces"));
        }
        self.up_to(at, length)
    }

    /// Returns the bytes from a position on: `length` of them, or fewer at the end of the file.
    pub fn up_to(&mut self, at: u64, length: usize) -> Result<&[u8], Fault> {
        if length > MAX_PIECE {
            return Err(Fault::Damaged("a part of its metadata is too large"));
        }
        if !self.holds(at, length) {
            // From the start of a block, so that a search backwards does not read each byte anew.
            let start = at - at % BLOCK as u64;
            self.read(start, ((at - start) as usize + length).next_multiple_of(BLOCK))?;
        }
        let held = &self.block[self.block.len().min((at - self.start) as usize)..];
        Ok(&held[..held.len().min(length)])
    }

    /// Returns the same bytes as `up_to`, and reads none beside them, for heads of parts that are passed over.
    pub fn head(&mut self, at: u64, length: usize) -> Result<&[u8], Fault> {
        if !self.holds(at, length) {
            self.read(at, length.min(MAX_PIECE))?;
        }
        self.up_to(at, length.min(self.block.len()))
    }

    /// Returns the bytes from a position on, `N` of them.
    pub fn array<const N: usize>(&mut self, at: u64) -> Result<[u8; N], Fault> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(at, N)?);
        Ok(array)
    }

    fn holds(&self, at: u64, length: usize) -> bool {
        let end = at.saturating_add(length as u64);
        at >= self.start && end <= self.start + self.block.len() as u64
    }

    fn read(&mut self, at: u64, length: usize) -> Result<(), Fault> {
        self.context.meter.poll()?;
        // A read at the end of the file counts too, so that a circle of such reads ends.
        let Some(left) = self.left.checked_sub(length) else {
            return Err(Fault::Exhausted);
        };
        self.left = left;
        self.context.spend_text(length)?;
        self.block.clear();
        self.start = at;
        // A seek to a position that no file can have is an error.
        if at >= self.size() {
            return Ok(());
        }
        match &mut self.source {
            Source::File(open) => {
                open.file.seek(SeekFrom::Start(at)).map_err(Fault::Io)?;
                open.file.by_ref().take(length as u64).read_to_end(&mut self.block).map_err(Fault::Io)?;
            }
            Source::Decoded(bytes) => self.block.extend(bytes.iter().skip(at as usize).take(length)),
        }
        Ok(())
    }
}
