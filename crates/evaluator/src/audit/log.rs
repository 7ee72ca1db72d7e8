//! A log to which this and other processes append lines in turn.
//!
//! Under the lock the end of the log is read again, unless this process wrote last, so that the chain continues from
//! the actual last line. A line truncated by a crash stays: it is closed with a line feed, and the next line records
//! it.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use crate::limits::Watch;
use crate::sandbox::{AuditEnd, LogFile, LogFolder, LogLock, Root, RootSeal, Timestamp, UserState};
use crate::value::time::rfc3339;

use super::backwards::{Backwards, Piece};
use super::error::AuditError;
use super::line::{Cut, Entry, Line, Link, Torn};

/// Seconds to wait for the lock.
const PATIENCE_S: u64 = 10;
/// Number of bytes of space reserved at once.
const ROOM: u64 = 128 << 10;

/// A log to which lines are appended.
#[derive(Debug)]
pub struct Log {
    folder: LogFolder,
    name: String,
    file: LogFile,
    tail: Option<Tail>,
    /// The offset up to which space is reserved.
    reserved: u64,
    is_synced: bool,
    seal: RootSeal,
    /// The user state in which the end of the log is recorded; `None` if it is not recorded.
    user: Option<Arc<UserState>>,
}

/// The end of a log after the last access.
#[derive(Debug)]
struct Tail {
    size: u64,
    link: Link,
    /// Whether the last line, or the part of it that a crash left, lacks its line feed.
    is_open: bool,
}

impl Log {
    /// Wraps an open log of a root. If a user is given, the end of the log is recorded in that user's ledger.
    pub fn new(folder: LogFolder, name: String, file: LogFile, root: &Root, user: Option<Arc<UserState>>) -> Log {
        let seal = root.seal().clone();
        Log { folder, name, file, tail: None, reserved: 0, is_synced: true, seal, user }
    }

    /// Returns the size of the log, if the open file is still the one with this name.
    pub fn current_size(&self, root: &Root) -> Option<u64> {
        self.folder.current_size(root, &self.name, &self.file)
    }

    /// Returns the size of the open file.
    pub fn size(&self) -> Result<u64, AuditError> {
        Ok(self.file.size()?)
    }

    /// Ensures that a line of `bytes` bytes can follow: that the log ends with a line of ours and that there is space.
    /// `size` is that of the log. Like [`append`](Log::append), sets `lacking` to the number of a line that the log had
    /// and lacks now, if it is not set.
    pub fn prepare(
        &mut self,
        size: u64,
        bytes: u64,
        watch: &Watch,
        lacking: &Cell<Option<u64>>,
    ) -> Result<(), AuditError> {
        if self.tail.is_none() {
            let lock = lock(&self.file, Some(watch))?;
            let tail = self.read_tail(self.file.size()?, lacking);
            drop(lock);
            self.tail = Some(tail?);
        }
        if self.reserved < size + bytes {
            // If there is no space for many lines, there may be some for this one.
            let wanted = ROOM.max(bytes);
            let taken = match self.file.reserve(size, wanted) {
                Ok(()) => wanted,
                Err(_) => self.file.reserve(size, bytes).map(|()| bytes)?,
            };
            self.reserved = size + taken;
        }
        Ok(())
    }

    /// Appends a line. The wait for the lock ignores deadline and interrupt, so that completed changes of an
    /// interrupted run are logged too.
    pub fn append(&mut self, entry: &Entry<'_>, lacking: &Cell<Option<u64>>) -> Result<(), AuditError> {
        let lock = lock(&self.file, None)?;
        let size = self.file.size()?;
        let tail = match self.tail.take() {
            Some(tail) if tail.size == size => tail,
            _ => self.read_tail(size, lacking)?,
        };
        self.tail = Some(write(&lock, &tail, entry, &self.seal)?);
        self.is_synced = false;
        Ok(())
    }

    /// Reads the end of the log under its lock, and looks whether the line is there that the user wrote last.
    fn read_tail(&self, size: u64, lacking: &Cell<Option<u64>>) -> Result<Tail, AuditError> {
        let mut tail = read_tail(&self.file, size)?;
        let ledger = self.user.as_ref().and_then(|user| user.ledger.as_ref());
        // A ledger that cannot be read knows of no line.
        let last = ledger.and_then(|ledger| ledger.audit_end(self.seal.id()).ok().flatten());
        if let Some(last) = last.filter(|last| tail.link.lacks(last.seq, &last.hash)) {
            // A log that begins anew is no fault: the old one may have been moved away.
            if tail.link.seq > 0 && lacking.get().is_none() {
                lacking.set(Some(last.seq));
            }
            tail.link.cut = Some(Cut { seq: last.seq, hash: last.hash });
        }
        Ok(tail)
    }

    /// Syncs the lines, so that they survive a power failure.
    pub fn sync(&mut self) -> Result<(), AuditError> {
        if !self.is_synced {
            self.file.sync()?;
            self.is_synced = true;
            self.remember_end();
        }
        Ok(())
    }

    /// Records the last line in the user's ledger, so that truncation of the log is detected.
    fn remember_end(&self) {
        let ledger = self.user.as_ref().and_then(|user| user.ledger.as_ref());
        let link = self.tail.as_ref().map(|tail| &tail.link);
        if let (Some(ledger), Some(Link { seq, hash: Some(hash), .. })) = (ledger, link) {
            // Best effort: the chain is valid without it.
            let _ = ledger.end_audit(self.seal.id(), &AuditEnd { seq: *seq, hash: hash.clone() });
        }
    }
}

fn write(lock: &LogLock<'_>, tail: &Tail, entry: &Entry<'_>, seal: &RootSeal) -> Result<Tail, AuditError> {
    let (line, hash) = entry.write(&tail.link, &now(), seal);
    let bytes = if tail.is_open { [b"\n", line.as_slice()].concat() } else { line };
    lock.append(&bytes, tail.size)?;
    let link = Link { seq: tail.link.seq + 1, hash: Some(hash), ..Link::default() };
    Ok(Tail { size: tail.size + bytes.len() as u64, link, is_open: false })
}

fn lock<'a>(file: &'a LogFile, watch: Option<&Watch>) -> Result<LogLock<'a>, AuditError> {
    let lock = file.lock(Duration::from_secs(PATIENCE_S), watch)?;
    lock.ok_or_else(|| AuditError::Busy { path: file.display().to_owned(), seconds: PATIENCE_S })
}

/// Reads the end of a log, which the next line follows.
fn read_tail(file: &LogFile, size: u64) -> Result<Tail, AuditError> {
    let mut pieces = Backwards::new(file, size);
    let damaged = || AuditError::Damaged { path: file.display().to_owned() };
    let mut last = pieces.advance()?;
    let mut torn = None;
    let is_open = last.as_ref().is_some_and(|piece| !piece.is_ended);
    if let Some(Piece { bytes, is_ended: false }) = &last {
        let bytes = bytes.as_deref().ok_or_else(damaged)?;
        // The crash may have lost only the line feed.
        if Line::read(bytes).is_err() {
            torn = Some(Torn::of(bytes));
            last = pieces.advance()?;
        }
    }
    let link = match last {
        None => Link { torn, ..Link::default() },
        Some(piece) => {
            let line = piece.bytes.as_deref().and_then(|bytes| Line::read(bytes).ok()).ok_or_else(damaged)?;
            Link { seq: line.seq, hash: Some(line.hash), torn, cut: None }
        }
    };
    Ok(Tail { size, link, is_open })
}

/// Returns the current time in the format of the log: RFC 3339, UTC, microseconds.
fn now() -> String {
    let Timestamp { seconds, nanos } = Timestamp::now();
    format!("{}.{:06}Z", rfc3339(seconds).trim_end_matches('Z'), nanos / 1_000)
}
