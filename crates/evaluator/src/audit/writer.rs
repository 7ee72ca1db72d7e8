//! The audit log of one gate: opens it when first needed and refuses further changes after a line was lost.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::limits::Watch;
use crate::sandbox::{Durability, Journal, LogFile, LogFolder, Root};
use crate::text::hex;

use super::error::AuditError;
use super::line::Entry;
use super::log::Log;

/// The name of the log in `.ns`.
const NAME: &str = "audit.jsonl";

/// Whether and where a log is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLocation {
    /// No log is kept.
    Off,
    /// The log is in `.ns`.
    Root,
    /// The log is in the user state, because nothing below the root may change.
    State,
}

/// The location of the log and the conditions that end waiting.
#[derive(Clone, Debug)]
pub struct LogContext<'a> {
    /// The sandbox whose calls are logged.
    pub root: &'a Root,
    /// Whether and where the log is kept.
    pub keeping: LogLocation,
    /// The deadline and interrupt that end waiting.
    pub watch: Watch,
}

/// The audit log of one gate. It stays open after its first use.
#[derive(Debug, Default)]
pub struct Audit {
    /// The user's state directory, if there is one.
    state: Option<PathBuf>,
    log: RefCell<Option<Log>>,
    /// Whether the log was prepared for the line of a change that was not appended yet.
    is_prepared: Cell<bool>,
    lost: RefCell<Option<String>>,
    has_warned: Cell<bool>,
    /// The number of a line that the log had and lacks now, until that is reported. It is not
    /// in `log`, which may be replaced meanwhile.
    lacking: Cell<Option<u64>>,
}

impl Audit {
    /// Creates a log that is kept in a state directory if it cannot be kept below the root.
    pub fn new(state: Option<PathBuf>) -> Audit {
        Audit { state, ..Audit::default() }
    }

    /// Creates a log that is kept in the same state directory.
    pub fn beside(&self) -> Audit {
        Audit::new(self.state.clone())
    }

    /// Ensures, before a change, that a line of `bytes` bytes can be appended after it.
    pub fn prepare(&self, context: &LogContext<'_>, bytes: u64) -> Result<(), AuditError> {
        if let Some(reason) = &*self.lost.borrow() {
            return Err(AuditError::Lost(reason.clone()));
        }
        self.with_log(context, |log, size| log.prepare(size, bytes, &context.watch, &self.lacking))?;
        self.is_prepared.set(true);
        Ok(())
    }

    /// Creates the directory of the log in the user state, before the lockdown. Returns `None` if that fails.
    pub fn folder_in_state(&self, root: &Root) -> Option<LogFolder> {
        LogFolder::make_in_state(self.state.as_deref()?, root).ok()
    }

    /// Appends a line. The line of a change goes to the log that was prepared for it: one that is moved away in between
    /// is the same as one that is moved away afterwards.
    pub fn append(&self, context: &LogContext<'_>, entry: &Entry<'_>) -> Result<(), AuditError> {
        if let (true, Some(log)) = (self.is_prepared.take(), &mut *self.log.borrow_mut()) {
            return log.append(entry, &self.lacking);
        }
        self.with_log(context, |log, _| log.append(entry, &self.lacking))
    }

    /// Records that the line of a change was lost, so that further changes are refused.
    pub fn lose(&self, error: &AuditError) {
        self.lost.borrow_mut().get_or_insert_with(|| error.to_string());
    }

    /// Returns true on the first call only, for messages that are shown once.
    pub fn is_first_warning(&self) -> bool {
        !self.has_warned.replace(true)
    }

    /// Syncs the lines at the end of a run, so that they survive a power failure.
    pub fn sync(&self) -> Result<(), AuditError> {
        self.log.borrow_mut().as_mut().map_or(Ok(()), Log::sync)
    }

    /// Opens the log for reading, in `.ns` or in the user state. Returns `None` if it does not exist.
    pub fn open_to_read(&self, root: &Root, keeping: LogLocation) -> Result<Option<LogFile>, AuditError> {
        let (folder, name) = match keeping {
            LogLocation::Off => return Ok(None),
            LogLocation::Root => (root.own_folder()?.map(|own| own.into_logs()), NAME.to_owned()),
            LogLocation::State => {
                let base = self.state.as_deref().ok_or(AuditError::NoState)?;
                (LogFolder::find_in_state(base)?, name_in_state(root))
            }
        };
        match folder {
            Some(folder) => Ok(folder.open_to_read(&name)?),
            None => Ok(None),
        }
    }

    /// Returns the path of the log, for display.
    pub fn place(&self, root: &Root, keeping: LogLocation) -> Option<PathBuf> {
        match keeping {
            LogLocation::Off => None,
            LogLocation::Root => Some(Path::new(".ns").join(NAME)),
            LogLocation::State => Some(LogFolder::path_in_state(self.state.as_deref()?).join(name_in_state(root))),
        }
    }

    fn with_log(
        &self,
        context: &LogContext<'_>,
        work: impl FnOnce(&mut Log, u64) -> Result<(), AuditError>,
    ) -> Result<(), AuditError> {
        let mut slot = self.log.borrow_mut();
        if let Some(log) = &mut *slot
            && let Some(size) = log.current_size(context.root)
        {
            return work(log, size);
        }
        // It must be closed even if no other can be opened.
        *slot = None;
        let log = slot.insert(self.open(context)?);
        let size = log.size()?;
        work(log, size)
    }

    /// Returns a warning if the log lacks a line that this user wrote, on the first call only.
    pub fn take_warning(&self) -> Option<String> {
        let line = self.lacking.take()?;
        Some(format!(
            "the end of the audit log was removed: it had line {line}, which you wrote; `ns audit verify` says more"
        ))
    }

    fn open(&self, context: &LogContext<'_>) -> Result<Log, AuditError> {
        if context.keeping == LogLocation::State {
            let base = self.state.as_deref().ok_or(AuditError::NoState)?;
            let (folder, name) = (LogFolder::make_in_state(base, context.root)?, name_in_state(context.root));
            let file = folder.make(&name, None)?;
            return Ok(Log::new(folder, name, file, context.root, None));
        }
        let own = Journal::writable(Durability::default()).begin_own()?;
        let folder = context.root.make_own_folder(&own)?.into_logs();
        let file = folder.make(NAME, Some(&own))?;
        let user = context.root.user().clone();
        Ok(Log::new(folder, NAME.to_owned(), file, context.root, Some(user)))
    }
}

/// Returns the name of a root's log in the user state: a hash of the root's path.
fn name_in_state(root: &Root) -> String {
    let hash = hex(&Sha256::digest(root.path().as_os_str().as_encoded_bytes()));
    format!("{}.jsonl", &hash[..16])
}
