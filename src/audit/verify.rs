//! Walks a whole chain, in constant memory, up to the first line that breaks it.

use std::time::Duration;

use crate::sandbox::{AuditEnd, LogFile, RootSeal};

use super::MAX_LINE;
use super::error::AuditError;
use super::line::{Flaw, Line, Link, Torn};

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// How long a log is waited for whose lines others are writing.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a walk through a chain found.
#[derive(Debug, PartialEq)]
pub struct Verdict {
    /// Lines that hold, from the first on.
    pub lines: u64,
    /// The hash of the last of them.
    pub last: Option<String>,
    /// Lines between them that crashes cut short and later lines tell of.
    pub torn: u64,
    /// The first line that breaks the chain, counted from 1, and how.
    pub fault: Option<(u64, Fault)>,
    /// Whether a hash that somebody kept was met.
    pub met: bool,
    /// Lines that the user's key sealed for this root.
    pub sealed: u64,
    /// The line that this user wrote last, where it is no longer there.
    pub cut: Option<AuditEnd>,
}

/// What a chain must hold.
#[derive(Clone, Debug, Default)]
pub struct Expected<'a> {
    /// A hash that one of its lines has.
    pub hash: Option<&'a str>,
    /// The line that this user wrote last.
    pub end: Option<AuditEnd>,
}

/// How a line breaks a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no line of an audit log.
    Foreign,
    /// Its hash does not fit its text.
    Edited,
    /// Lines are missing before it.
    Missing {
        /// The number that should have come.
        expected: u64,
        /// Its number.
        found: u64,
    },
    /// It belongs elsewhere.
    Moved {
        /// The number that should have come.
        expected: u64,
        /// Its number.
        found: u64,
    },
    /// It has the right number and follows another line.
    Unlinked,
    /// The end of the file, cut short.
    Torn,
    /// Lines before it have the seal of the user's key, and it has none.
    Unsealed,
}

/// Walks the chain of a log of the root that has these seals.
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
    let Walk { link, torn, broken, met, sealed, has_end, .. } = walk;
    let fault = broken.map(|broken| (broken.number, broken.fault));
    let cut = expected.end.clone().filter(|_| fault.is_none() && !has_end);
    Ok(Verdict { lines: link.seq, last: link.hash, torn, fault, met, sealed, cut })
}

/// The size of a log while nobody is adding to it: what is added later is not looked at.
fn settled_size(log: &LogFile) -> Result<u64, AuditError> {
    // Where it cannot be locked, a line that is just being written may look cut short.
    let lock = log.lock(PATIENCE, None);
    let size = log.size();
    drop(lock);
    Ok(size?)
}

/// The state of a walk.
struct Walk<'a> {
    /// The last line that holds.
    link: Link,
    /// The line looked at, counted from 1.
    number: u64,
    torn: u64,
    broken: Option<Broken>,
    expected: &'a Expected<'a>,
    met: bool,
    /// Whether the line that this user wrote last was met.
    has_end: bool,
    seal: &'a RootSeal,
    sealed: u64,
}

/// A line that does not hold, unless the next one tells of it.
struct Broken {
    number: u64,
    fault: Fault,
    torn: Torn,
}

impl<'a> Walk<'a> {
    fn new(expected: &'a Expected<'a>, seal: &'a RootSeal) -> Walk<'a> {
        let (link, met) = (Link::default(), expected.hash.is_none());
        Walk { link, number: 0, torn: 0, broken: None, expected, met, has_end: false, seal, sealed: 0 }
    }

    /// Looks at a line; true at the first that breaks the chain for good.
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
            // The line that seemed to be missing comes later: the two stand in the wrong order.
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
        self.link = Link { seq: line.seq, hash: Some(line.hash), torn: None };
        false
    }

    fn fault(&self, line: &Line, is_sealed: bool) -> Option<Fault> {
        // A broken line before it is excused only by a line that tells of just that one.
        if line.torn.as_ref() != self.broken.as_ref().map(|broken| &broken.torn) {
            return Some(Fault::Unlinked);
        }
        let (expected, found) = (self.link.seq + 1, line.seq);
        match () {
            () if found > expected => Some(Fault::Missing { expected, found }),
            () if found < expected => Some(Fault::Moved { expected, found }),
            () if line.previous != self.link.hash => Some(Fault::Unlinked),
            () if self.sealed > 0 && !is_sealed => Some(Fault::Unsealed),
            () => None,
        }
    }
}

/// The lines of a log from its first to its last.
struct Forwards<'a> {
    log: &'a LogFile,
    end: u64,
    offset: u64,
    ahead: Vec<u8>,
    /// Where in `ahead` the next line begins.
    from: usize,
}

impl Forwards<'_> {
    /// The next line without its line feed, and whether it has one. Of a line that is longer than any
    /// of ours the beginning is given, which is no line of ours.
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

    /// Reads a piece more; false at the end. The next line begins at the start of `ahead` then.
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
