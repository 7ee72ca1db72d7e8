//! The lines of a log from its last to its first, in constant memory.

use crate::sandbox::LogFile;

use super::MAX_LINE;
use super::error::AuditError;

/// Bytes that are read at first, which the end of a log mostly fits, and later.
const PIECES: (usize, usize) = (8 << 10, 64 << 10);

/// Bytes without a line feed before which nothing more is looked for: no log of ours has such a stretch.
const MAX_STRETCH: u64 = 64 << 20;

/// The lines of a log from its last to its first.
#[derive(Debug)]
pub struct Backwards<'a> {
    file: &'a LogFile,
    /// What is before this offset has not been read yet.
    unread: u64,
    /// What was read and not given.
    ahead: Vec<u8>,
    piece: usize,
    /// Whether the last byte of `ahead` is a line feed that ends a line not given yet.
    began: bool,
}

/// A stretch between two line feeds.
#[derive(Debug, PartialEq)]
pub struct Piece {
    /// Without its line feed; none of a stretch that is longer than any line of ours.
    pub bytes: Option<Vec<u8>>,
    /// Whether a line feed follows it.
    pub is_ended: bool,
}

impl<'a> Backwards<'a> {
    /// From an end on, which is where a line ends or the end of the file.
    pub fn new(file: &'a LogFile, end: u64) -> Backwards<'a> {
        Backwards { file, unread: end, ahead: Vec::new(), piece: PIECES.0, began: false }
    }

    /// The next stretch towards the beginning. At the end of a file that does not end in a line feed
    /// the first one is not ended.
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
        // The line feed that ends the stretch.
        if self.ahead.is_empty() {
            self.fill()?;
        }
        self.ahead.pop();
        self.stretch(true)
    }

    /// What is before the end of `ahead`, back to the line feed before it, which stays.
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

    /// Reads a piece more, in front of what is there.
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
