//! Reads the records of a CSV text one at a time with `csv-core`, from the text itself or from a file.
//!
//! The fields of a record are concatenated in a buffer that grows only as far as the memory limit of the run
//! allows, so a text that consists of separators alone cannot exceed it.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::gate::Context;
use crate::limits::{LimitHit, MeteredVec};
use crate::toolkit::ToolError;

use super::super::place::at;

/// Bytes of the text that are read between two checks of the deadline.
const PIECE: usize = 1 << 16;
/// Initial capacity, enough for a record of typical length.
const ROOM: usize = 256;

/// The bytes of a CSV text.
pub trait Input {
    /// Returns the next unread bytes; none at the end of the text.
    fn unread(&mut self, context: &mut Context<'_>) -> Result<&[u8], ToolError>;

    /// Marks bytes as read.
    fn consume(&mut self, bytes: usize);
}

/// A text in memory.
impl Input for &[u8] {
    fn unread(&mut self, _: &mut Context<'_>) -> Result<&[u8], ToolError> {
        Ok(&self[..self.len().min(PIECE)])
    }

    fn consume(&mut self, bytes: usize) {
        *self = &self[bytes..];
    }
}

/// A reader that yields the records of a text.
pub struct Records<I> {
    core: Reader,
    input: I,
    /// Number of fields in each record; `None` before the first record is read.
    width: Option<usize>,
    fields: Fields,
}

/// The fields of one record.
#[derive(Default)]
struct Fields {
    bytes: MeteredVec<u8>,
    ends: MeteredVec<usize>,
    /// Number of bytes used in `bytes`.
    filled: usize,
    count: usize,
}

impl<I: Input> Records<I> {
    /// Creates a reader for a text.
    pub fn of(input: I, separator: u8) -> Records<I> {
        let core = ReaderBuilder::new().delimiter(separator).build();
        Records { core, input, width: None, fields: Fields::default() }
    }

    /// Returns the text.
    pub fn input(&self) -> &I {
        &self.input
    }

    /// Reads the next record. Returns `false` at the end of the text. Errors: the record has a different number
    /// of fields than the first.
    pub fn advance(&mut self, context: &mut Context<'_>) -> Result<bool, ToolError> {
        let line = self.core.line();
        self.fields.filled = 0;
        self.fields.count = 0;
        loop {
            let piece = self.input.unread(context)?;
            let (bytes, ends) = self.fields.room();
            let (result, read, written, ended) = self.core.read_record(piece, bytes, ends);
            self.input.consume(read);
            self.fields.filled += written;
            self.fields.count += ended;
            match result {
                ReadRecordResult::InputEmpty => context.meter.poll()?,
                ReadRecordResult::OutputFull => double(&mut self.fields.bytes)?,
                ReadRecordResult::OutputEndsFull => double(&mut self.fields.ends)?,
                ReadRecordResult::Record => return self.check_width(line).map(|()| true),
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    fn check_width(&mut self, line: u64) -> Result<(), ToolError> {
        let length = self.len();
        match self.width.replace(length) {
            Some(width) if width != length => {
                let reason = format!("the row has {length} fields, and the first one has {width}");
                Err(ToolError::bad_argument("text", at(line as usize, 1, &reason)))
            }
            _ => Ok(()),
        }
    }

    /// Returns the number of fields in the current record.
    pub fn len(&self) -> usize {
        self.fields.count
    }

    /// Returns the fields of the current record.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.fields.ends.as_slice()[..self.fields.count].iter().map(move |&end| {
            let bytes = &self.fields.bytes.as_slice()[std::mem::replace(&mut start, end)..end];
            str::from_utf8(bytes).expect("separators are ASCII, so a field of a text is a text")
        })
    }
}

/// Doubles the length of a buffer.
fn double<T: Clone + Default>(buffer: &mut MeteredVec<T>) -> Result<(), LimitHit> {
    buffer.resize((2 * buffer.len()).max(ROOM), T::default())
}

impl Fields {
    /// Returns the unused parts of both buffers.
    fn room(&mut self) -> (&mut [u8], &mut [usize]) {
        (&mut self.bytes.as_mut_slice()[self.filled..], &mut self.ends.as_mut_slice()[self.count..])
    }
}
