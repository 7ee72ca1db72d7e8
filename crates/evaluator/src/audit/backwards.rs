//! Reads the lines of a log from the last to the first, in constant memory.

use crate::sandbox::LogFile;

use super::MAX_LINE;
use super::error::AuditError;

/// Number of bytes in the first read, which usually covers the end of a log, and in later reads.
const PIECES: (usize, usize) = (8 << 10, 64 << 10);

/// Maximum number of bytes searched for a line feed; a longer stretch without one is not in any log of ours.
const MAX_STRETCH: u64 = 64 << 20;

/// The lines of a log from the last to the first.
#[derive(Debug)]
pub struct Backwards<'a> {
    file: &'a LogFile,
    /// The offset up to which the file has not been read yet.
    unread: u64,
    /// The bytes read but not returned yet.
    ahead: Vec<u8>,
    piece: usize,
    /// Whether reading has started.
    began: bool,
}

/// The bytes between two line feeds.
#[derive(Debug, PartialEq)]
pub struct Piece {
    /// The bytes without the line feed; `None` if they are longer than any line of ours.
    pub bytes: Option<Vec<u8>>,
    /// Whether a line feed follows it.
    pub is_ended: bool,
}

impl<'a> Backwards<'a> {
    /// Starts at `end`, which is the end of a line or of the file.
    pub fn new(file: &'a LogFile, end: u64) -> Backwards<'a> {
        Backwards { file, unread: end, ahead: Vec::new(), piece: PIECES.0, began: false }
    }

    /// Returns the next piece towards the start of the file. If the file does not end with a line feed, `is_ended` is
    /// false for the first piece.
    pub fn advance(&mut self) -> Result<Option<Piece>, AuditError> {
        if !self.began {
            self.began = true;
            self.fill()?;
            if self.ahead.last().is_some_and(|&last| last != b'\n') {
                return self.stretch(false);
            }
        }
        if self.ahead.is_empty() && self.unread == 0 {
            return Ok(None);
        }
        // Remove the line feed that ends the piece.
        if self.ahead.is_empty() {
            self.fill()?;
        }
        self.ahead.pop();
        self.stretch(true)
    }

    /// Returns the bytes at the end of `ahead` after the last line feed, which stays.
    fn stretch(&mut self, is_ended: bool) -> Result<Option<Piece>, AuditError> {
        let mut is_too_long = false;
        let begin = self.unread;
        let mut looked_at = 0;
        loop {
            let end = self.ahead.len() - looked_at;
            if let Some(at) = self.ahead[..end].iter().rposition(|&byte| byte == b'\n') {
                let bytes = self.ahead.split_off(at + 1);
                return Ok(Some(Piece { bytes: (!is_too_long).then_some(bytes), is_ended }));
            }
            if self.unread == 0 {
                let bytes = std::mem::take(&mut self.ahead);
                return Ok(Some(Piece { bytes: (!is_too_long).then_some(bytes), is_ended }));
            }
            looked_at = self.ahead.len();
            if looked_at > MAX_LINE {
                is_too_long = true;
                if begin - self.unread > MAX_STRETCH {
                    self.unread = 0;
                }
                self.ahead.clear();
                looked_at = 0;
            }
            self.fill()?;
        }
    }

    /// Reads one more piece and puts it before `ahead`.
    fn fill(&mut self) -> Result<(), AuditError> {
        let length = self.unread.min(self.piece as u64);
        self.piece = PIECES.1;
        let mut piece = vec![0; length as usize];
        let read = self.file.read_at(self.unread - length, &mut piece)?;
        piece.truncate(read);
        self.unread -= length;
        piece.append(&mut self.ahead);
        self.ahead = piece;
        Ok(())
    }
}
