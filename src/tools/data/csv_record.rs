//! The records of a CSV text, one after another, as `csv-core` finds them.
//!
//! Fields of one record lie end to end in a buffer that grows only as far as the run's memory allows, so a text of
//! separators alone cannot take more.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::limits::{Charged, LimitHit};
use crate::toolkit::{Context, ToolError};

use super::super::place::at;

/// Bytes of the text that are read between two looks at the clock.
const PIECE: usize = 1 << 16;
/// Room for a record of usual length.
const ROOM: usize = 256;

/// Reads a text record by record.
pub struct Records<'t> {
    core: Reader,
    rest: &'t [u8],
    /// How many fields each record has, once the first was read.
    width: Option<usize>,
    fields: Fields,
}

/// The fields of one record.
#[derive(Default)]
struct Fields {
    bytes: Charged<u8>,
    ends: Charged<usize>,
    /// How much of both is filled.
    filled: usize,
    count: usize,
}

impl<'t> Records<'t> {
    /// Reads the records of a text.
    pub fn of(text: &'t str, separator: u8) -> Records<'t> {
        let core = ReaderBuilder::new().delimiter(separator).build();
        Records { core, rest: text.as_bytes(), width: None, fields: Fields::default() }
    }

    /// Reads the next record; false at the end of the text. A record of another length than the first is an error.
    pub fn advance(&mut self, context: &mut Context<'_>) -> Result<bool, ToolError> {
        let line = self.core.line();
        self.fields.filled = 0;
        self.fields.count = 0;
        loop {
            let piece = &self.rest[..self.rest.len().min(PIECE)];
            let (bytes, ends) = self.fields.room();
            let (result, read, written, ended) = self.core.read_record(piece, bytes, ends);
            self.rest = &self.rest[read..];
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

    /// How many fields the newest record has.
    pub fn len(&self) -> usize {
        self.fields.count
    }

    /// The fields of the newest record.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.fields.ends.as_slice()[..self.fields.count].iter().map(move |&end| {
            let bytes = &self.fields.bytes.as_slice()[std::mem::replace(&mut start, end)..end];
            str::from_utf8(bytes).expect("separators are ASCII, so a field of a text is a text")
        })
    }
}

/// Makes a buffer twice as long.
fn double<T: Clone + Default>(buffer: &mut Charged<T>) -> Result<(), LimitHit> {
    buffer.resize((2 * buffer.len()).max(ROOM), T::default())
}

impl Fields {
    /// The room that is left for bytes and for ends of fields.
    fn room(&mut self) -> (&mut [u8], &mut [usize]) {
        (&mut self.bytes.as_mut_slice()[self.filled..], &mut self.ends.as_mut_slice()[self.count..])
    }
}
