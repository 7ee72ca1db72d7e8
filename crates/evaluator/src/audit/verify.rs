//! Verifies a whole chain in constant memory, up to the first line that breaks it.

use std::time::Duration;

use crate::sandbox::{AuditEnd, LogFile, RootSeal};

use super::MAX_LINE;
use super::error::AuditError;
use super::line::{Flaw, Line, Link, Torn};

/// Number of bytes read at once.
const PIECE: usize = 64 << 10;
/// How long to wait for the lock of a log that others are writing to.
const PATIENCE: Duration = Duration::from_secs(2);

/// The result of verifying a chain.
#[derive(Debug, PartialEq)]
pub struct Verdict {
    /// Number of valid lines from the start.
    pub lines: u64,
    /// The hash of the last valid line.
    pub last: Option<String>,
    /// Number of lines among them that a crash truncated and that later lines account for.
    pub torn: u64,
    /// The number of the first line that breaks the chain, counted from 1, and the reason.
    pub fault: Option<(u64, Fault)>,
    /// Whether the expected hash was found.
    pub met: bool,
    /// Number of lines sealed with the user's key for this root.
    pub sealed: u64,
    /// The line that this user wrote last, if it is missing.
    pub cut: Option<AuditEnd>,
    /// Number of lines of the log that was there before this one began, if the first line records it.
    pub before: Option<u64>,
}

/// The expected contents of a chain.
#[derive(Clone, Debug, Default)]
pub struct Expected<'a> {
    /// A hash that one of the lines must have.
    pub hash: Option<&'a str>,
    /// The line that this user wrote last.
    pub end: Option<AuditEnd>,
}

/// The reason why a line breaks a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not a line of an audit log.
    Foreign,
    /// Its hash does not match its text.
    Edited,
    /// Lines before it are missing.
    Missing {
        /// The expected sequence number.
        expected: u64,
        /// The sequence number of the line.
        found: u64,
    },
    /// It is in the wrong position.
    Moved {
        /// The expected sequence number.
        expected: u64,
        /// The sequence number of the line.
        found: u64,
    },
    /// Its sequence number is right, but it follows a different line.
    Unlinked,
    /// It is the last line of the file, and is truncated.
    Torn,
    /// It has no valid seal although earlier lines are sealed with the user's key.
    Unsealed,
    /// The end of the log was removed before it was written.
    Cut {
        /// Number of lines that the log had.
        lines: u64,
    },
}

/// Verifies the chain of a log of the root with these seals.
pub fn verify(
    log: &LogFile,
    expected: &Expected<'_>,
    seal: &RootSeal,
    mut poll: impl FnMut() -> Result<(), AuditError>,
) -> Result<Verdict, AuditError> {
    let end = settled_size(log)?;
    let mut lines = Forwards { log, end, offset: 0, ahead: Vec::new(), from: 0 };
    let mut walk = Walk::new(expected, seal);
    while let Some((bytes, is_ended)) = lines.advance()? {
        poll()?;
        if walk.take(&bytes, is_ended) {
            break;
        }
    }
    let Walk { link, torn, broken, met, sealed, has_end, before, .. } = walk;
    let fault = broken.map(|broken| (broken.number, broken.fault));
    let cut = expected.end.clone().filter(|_| fault.is_none() && !has_end);
    Ok(Verdict { lines: link.seq, last: link.hash, torn, fault, met, sealed, cut, before })
}

/// Returns the size of a log while nobody is appending to it. Lines appended later are ignored.
fn settled_size(log: &LogFile) -> Result<u64, AuditError> {
    // If the log cannot be locked, a line that is just being written may look truncated.
    let lock = log.lock(PATIENCE, None);
    let size = log.size();
    drop(lock);
    Ok(size?)
}

/// The state of a verification.
struct Walk<'a> {
    /// The last valid line.
    link: Link,
    /// The number of the current line, counted from 1.
    number: u64,
    torn: u64,
    broken: Option<Broken>,
    expected: &'a Expected<'a>,
    met: bool,
    /// Whether the line that this user wrote last was found.
    has_end: bool,
    seal: &'a RootSeal,
    sealed: u64,
    before: Option<u64>,
}

/// An invalid line, unless the next line accounts for it.
struct Broken {
    number: u64,
    fault: Fault,
    torn: Torn,
}

impl<'a> Walk<'a> {
    fn new(expected: &'a Expected<'a>, seal: &'a RootSeal) -> Walk<'a> {
        let (link, met) = (Link::default(), expected.hash.is_none());
        Walk { link, number: 0, torn: 0, broken: None, expected, met, has_end: false, seal, sealed: 0, before: None }
    }

    /// Checks a line. Returns true at the first one that definitely breaks the chain.
    fn take(&mut self, bytes: &[u8], is_ended: bool) -> bool {
        self.number += 1;
        let read = Line::read(bytes);
        let fault = match &read {
            Ok(line) => {
                let is_sealed = line.is_sealed(self.seal);
                match self.fault(line, is_sealed) {
                    None => return self.hold(read.expect("it was just looked at"), is_sealed),
                    Some(fault) => fault,
                }
            }
            Err(_) if !is_ended => Fault::Torn,
            Err(Flaw::Foreign) => Fault::Foreign,
            Err(Flaw::Edited) => Fault::Edited,
        };
        match &mut self.broken {
            None => {
                self.broken = Some(Broken { number: self.number, fault, torn: Torn::of(bytes) });
                return false;
            }
            // The line that seemed to be missing follows: the two lines are in the wrong order.
            Some(Broken { fault: broken, .. }) => {
                if let (Fault::Missing { expected, found }, Ok(line)) = (&*broken, &read)
                    && line.seq == *expected
                {
                    *broken = Fault::Moved { expected: *expected, found: *found };
                }
            }
        }
        true
    }

    fn hold(&mut self, line: Line, is_sealed: bool) -> bool {
        if self.broken.take().is_some() {
            self.torn += 1;
        }
        self.met |= self.expected.hash == Some(line.hash.as_str());
        self.has_end |= self.expected.end.as_ref().is_some_and(|end| (end.seq, &end.hash) == (line.seq, &line.hash));
        self.sealed += u64::from(is_sealed);
        self.before = self.before.or(line.cut.map(|cut| cut.seq));
        self.link = Link { seq: line.seq, hash: Some(line.hash), ..Link::default() };
        false
    }

    fn fault(&self, line: &Line, is_sealed: bool) -> Option<Fault> {
        // A broken line is acceptable only if the line after it records exactly that one.
        if line.torn.as_ref() != self.broken.as_ref().map(|broken| &broken.torn) {
            return Some(Fault::Unlinked);
        }
        let (expected, found) = (self.link.seq + 1, line.seq);
        if found > expected {
            Some(Fault::Missing { expected, found })
        } else if found < expected {
            Some(Fault::Moved { expected, found })
        } else if line.previous != self.link.hash {
            Some(Fault::Unlinked)
        } else if self.sealed > 0 && !is_sealed {
            Some(Fault::Unsealed)
        } else {
            // The first line says what was there before the log began.
            line.cut.as_ref().filter(|_| line.seq > 1).map(|cut| Fault::Cut { lines: cut.seq })
        }
    }
}

/// The lines of a log from the first to the last.
struct Forwards<'a> {
    log: &'a LogFile,
    end: u64,
    offset: u64,
    ahead: Vec<u8>,
    /// The offset in `ahead` at which the next line begins.
    from: usize,
}

impl Forwards<'_> {
    /// Returns the next line without its line feed, and whether it has one. For a line that is longer than any of ours,
    /// returns its beginning, which is not a valid line.
    fn advance(&mut self) -> Result<Option<(Vec<u8>, bool)>, AuditError> {
        let mut looked_at = self.from;
        loop {
            if let Some(at) = self.ahead[looked_at..].iter().position(|&byte| byte == b'\n') {
                let line = self.ahead[self.from..looked_at + at].to_vec();
                self.from = looked_at + at + 1;
                return Ok(Some((line, true)));
            }
            let waiting = self.ahead.len() - self.from;
            let is_too_long = waiting > MAX_LINE;
            if is_too_long || !self.fill()? {
                let rest = self.ahead.split_off(self.from);
                return Ok((!rest.is_empty()).then_some((rest, is_too_long)));
            }
            looked_at = waiting;
        }
    }

    /// Reads the next piece. Returns false at the end of the file. Afterwards the next line begins at the start of
    /// `ahead`.
    fn fill(&mut self) -> Result<bool, AuditError> {
        self.ahead.drain(..self.from);
        self.from = 0;
        let before = self.ahead.len();
        let length = (self.end - self.offset).min(PIECE as u64) as usize;
        self.ahead.resize(before + length, 0);
        let read = self.log.read_at(self.offset, &mut self.ahead[before..])?;
        self.ahead.truncate(before + read);
        self.offset += read as u64;
        Ok(read > 0)
    }
}
