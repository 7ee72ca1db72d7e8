//! The lines of a text file, one at a time, as `STR.Lines` returns those of its text.

use crate::gate::Context;
use crate::limits::{LimitHit, MemoryCharge, space};
use crate::toolkit::ToolError;

use super::TextStream;

/// The lines of a text file. Holds the block that the next line is in, or that line if it is longer.
pub struct LineStream {
    file: TextStream,
    /// The text that was read.
    text: String,
    held: MemoryCharge,
    /// Where the next line begins in the text.
    start: usize,
    /// Where the search for its end continues.
    searched: usize,
    /// Number of lines returned.
    count: usize,
}

impl LineStream {
    /// Returns the lines of an open file.
    pub fn of(file: TextStream) -> LineStream {
        let held = MemoryCharge::default();
        LineStream { file, text: String::new(), held, start: 0, searched: 0, count: 0 }
    }

    /// Returns the file.
    pub fn file(&self) -> &TextStream {
        &self.file
    }

    /// Returns the number of lines returned so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the next line without its end, or `None` after the last one. Lines end in LF or CRLF; what follows the
    /// last end is a line, unless it is empty.
    pub fn next(&mut self, context: &mut Context<'_>) -> Result<Option<&str>, ToolError> {
        let (from, to, next) = loop {
            if let Some(length) = memchr::memchr(b'\n', &self.text.as_bytes()[self.searched..]) {
                let end = self.searched + length;
                let has_cr = self.text.as_bytes()[self.start..end].ends_with(b"\r");
                break (self.start, end - usize::from(has_cr), end + 1);
            }
            self.searched = self.text.len();
            if !self.read(context)? {
                if self.start == self.text.len() {
                    return Ok(None);
                }
                // A CR without its LF belongs to the line.
                break (self.start, self.text.len(), self.text.len());
            }
        };
        self.start = next;
        self.searched = next;
        self.count += 1;
        space::check_string(to - from)?;
        Ok(Some(&self.text[from..to]))
    }

    /// Adds the next block to the text. Returns whether there was one.
    fn read(&mut self, context: &mut Context<'_>) -> Result<bool, ToolError> {
        let length = self.text.len() - self.start;
        space::check_string(length)?;
        let Some(block) = self.file.next(context)? else { return Ok(false) };
        self.text.drain(..self.start);
        (self.start, self.searched) = (0, length);
        reserve(&mut self.text, &mut self.held, block.len())?;
        self.text.push_str(block);
        Ok(true)
    }
}

/// Charges and allocates room for `more` bytes.
fn reserve(text: &mut String, held: &mut MemoryCharge, more: usize) -> Result<(), LimitHit> {
    let needed = text.len() + more;
    if needed > text.capacity() {
        let capacity = needed.max(2 * text.capacity());
        held.grow_to(capacity)?;
        text.reserve_exact(capacity - text.len());
    }
    Ok(())
}
