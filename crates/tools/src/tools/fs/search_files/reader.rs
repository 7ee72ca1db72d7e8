//! Reads a file for a search: charges its bytes, and observes whether they are UTF-8.

use std::io::{self, Read};

use crate::limits::{Limit, LimitHit, Meter};
use crate::sandbox::File;
use crate::toolkit::ToolError;

use super::super::super::parallel::Pace;
use super::super::decompress::Decompressed;

/// The account to which bytes are charged.
pub enum Account<'a> {
    /// The run.
    Run(&'a mut Meter),
    /// A helper: the steps that the run will be charged, and their maximum.
    Helper { pace: Pace<'a>, steps: u64, most: u64 },
}

impl Account<'_> {
    fn charge(&mut self, bytes: usize) -> Result<(), LimitHit> {
        match self {
            Account::Run(meter) => meter.step_text(bytes).and_then(|()| meter.poll()),
            Account::Helper { pace, steps, most } => {
                pace.report_read(bytes);
                *steps += bytes as u64 / 1024;
                if steps > most { Err(LimitHit { limit: Limit::Steps, allowed: *most }) } else { pace.poll() }
            }
        }
    }
}

/// A reader that charges what it reads, and checks the deadline and interrupts.
pub struct MeteredReader<'f, 'a> {
    file: Decompressed<io::Take<&'f File>>,
    account: Account<'a>,
    watch: Option<Utf8Watch>,
    /// Number of bytes that were read.
    read: u64,
    /// The limit that ended the reading.
    pub hit: Option<LimitHit>,
    /// Whether the file could not be read.
    pub failed: bool,
}

impl<'f, 'a> MeteredReader<'f, 'a> {
    pub fn new(
        file: Decompressed<io::Take<&'f File>>,
        account: Account<'a>,
        watch: Option<Utf8Watch>,
    ) -> MeteredReader<'f, 'a> {
        MeteredReader { file, account, watch, read: 0, hit: None, failed: false }
    }

    /// Returns the error for a file whose compressed data is damaged, or `None` if the error has another reason.
    pub fn damage(&self, shown: &str, error: &io::Error) -> Option<ToolError> {
        self.file.damage(shown, error)
    }

    /// Whether what was read is UTF-8, or UTF-16 by its byte order mark, as far as that was observed.
    pub fn is_utf8(&self) -> bool {
        self.watch.as_ref().is_none_or(|watch| !watch.is_malformed)
    }

    /// Returns whether more bytes were read than this.
    pub fn has_read_more_than(&self, bytes: u64) -> bool {
        self.read > bytes
    }

    /// Returns the steps that a helper counted.
    pub fn steps(&self) -> u64 {
        match &self.account {
            Account::Run(_) => 0,
            Account::Helper { steps, .. } => *steps,
        }
    }
}

impl Read for MeteredReader<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read =
            self.file.read(buffer).inspect_err(|error| self.failed = error.kind() != io::ErrorKind::Interrupted)?;
        self.read += read as u64;
        self.account.charge(read).map_err(|hit| {
            self.hit = Some(hit);
            io::Error::other(hit)
        })?;
        if let Some(watch) = &mut self.watch {
            watch.observe(&buffer[..read]);
        }
        Ok(read)
    }
}

/// Validates UTF-8 piece by piece.
#[derive(Default)]
pub struct Utf8Watch {
    /// The bytes of a character that the last piece cut off.
    cut: Vec<u8>,
    has_begun: bool,
    /// A byte order mark says that the file is UTF-16.
    is_wide: bool,
    is_malformed: bool,
}

impl Utf8Watch {
    fn observe(&mut self, piece: &[u8]) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.is_wide = piece.starts_with(&[0xFF, 0xFE]) || piece.starts_with(&[0xFE, 0xFF]);
        }
        if self.is_wide || self.is_malformed {
            return;
        }
        // An empty piece is the end of the file.
        if piece.is_empty() {
            self.is_malformed = !self.cut.is_empty();
            return;
        }
        let missing = self.missing().min(piece.len());
        let (head, rest) = piece.split_at(missing);
        self.cut.extend_from_slice(head);
        if !self.cut.is_empty() && self.missing() == 0 {
            self.is_malformed = std::str::from_utf8(&self.cut).is_err();
            self.cut.clear();
        }
        match std::str::from_utf8(rest) {
            Ok(_) => {}
            Err(error) if error.error_len().is_none() => self.cut.extend_from_slice(&rest[error.valid_up_to()..]),
            Err(_) => self.is_malformed = true,
        }
    }

    /// Returns the number of bytes that the cut-off character lacks, by its first byte.
    fn missing(&self) -> usize {
        let length = match self.cut.first() {
            None => 0,
            Some(0xF0..) => 4,
            Some(0xE0..) => 3,
            Some(_) => 2,
        };
        length - self.cut.len().min(length)
    }
}

#[cfg(test)]
mod tests {
    use super::Utf8Watch;

    /// Every cut of a text into pieces gives the answer that the whole text has.
    #[test]
    fn pieces_are_judged_like_the_whole() {
        let texts: [&[u8]; 8] = [
            b"ascii",
            "h\u{e9}llo \u{20ac} \u{1F600}".as_bytes(),
            b"caf\xe9",
            b"caf\xe9 and more",
            b"\xe2\x82",
            b"\xf0\x9f\x98",
            b"\xc3\x28",
            b"\xed\xa0\x80",
        ];
        for text in texts {
            for first in 0..=text.len() {
                for second in first..=text.len() {
                    let mut watch = Utf8Watch::default();
                    for piece in [&text[..first], &text[first..second], &text[second..]] {
                        if !piece.is_empty() {
                            watch.observe(piece);
                        }
                    }
                    watch.observe(&[]);
                    let is_whole = std::str::from_utf8(text).is_err();
                    assert_eq!(watch.is_malformed, is_whole, "{text:?} at {first}, {second}");
                }
            }
        }
    }
}
