//! The audit log for front ends: showing and verifying it.

use std::path::PathBuf;

use crate::audit::{AuditError, Backwards, Expected, Line, LogLocation, verify};
use crate::limits::{Meter, Watch, space};
use crate::sandbox::{File, LogFile};
use crate::toolkit::ToolError;
use crate::value::{Value, json};

use super::Engine;

pub use crate::audit::{Fault as AuditFault, Verdict as AuditVerdict};

/// An audit log to read.
#[derive(Debug)]
pub enum AuditLog {
    /// The log of the root, in `.ns`.
    Root,
    /// The log of read-only runs, in the user state.
    State,
    /// A log file that was moved elsewhere, and its name.
    File(File, String),
}

/// A filter for audit lines.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Only lines of runs whose name begins like this.
    pub run: Option<String>,
    /// Only lines of this tool, by any of its names.
    pub tool: Option<String>,
    /// Only lines from this time on, in the format of the lines.
    pub since: Option<String>,
    /// Maximum number of lines; the newest are kept.
    pub limit: usize,
}

/// The lines found.
#[derive(Debug)]
pub struct AuditLines {
    /// The lines, oldest first.
    pub lines: Vec<Value>,
    /// Number of stretches between them that are not valid lines.
    pub flawed: usize,
}

impl Engine {
    /// Returns the path of the audit log of this engine's runs; `None` if logging is off.
    pub fn audit_place(&self) -> Option<PathBuf> {
        self.gate.audit().place(self.gate.root(), self.gate.log_location())
    }

    /// Returns whether a log exists, and its path.
    pub fn find_audit_log(&self, log: &AuditLog) -> (bool, Option<PathBuf>) {
        let keeping = match log {
            AuditLog::Root => LogLocation::Root,
            AuditLog::State => LogLocation::State,
            AuditLog::File(_, name) => return (true, Some(name.into())),
        };
        let (audit, root) = (self.gate.audit(), self.gate.root());
        (audit.open_to_read(root, keeping).is_ok_and(|file| file.is_some()), audit.place(root, keeping))
    }

    /// Returns the newest lines of a log that pass the filter; `None` if there is no log.
    pub fn audit_lines(&self, log: AuditLog, filter: &AuditFilter) -> Result<Option<AuditLines>, ToolError> {
        let _space = space::enter(&self.limits);
        let Some(file) = self.open_audit_log(log)? else { return Ok(None) };
        let tool = filter.tool.as_deref().map(|name| self.canonical(name));
        let fits = |line: &Line| {
            filter.run.as_ref().is_none_or(|run| line.run.starts_with(run))
                && tool.as_ref().is_none_or(|tool| tool.eq_ignore_ascii_case(&line.tool))
                && filter.since.as_ref().is_none_or(|since| *since <= line.time)
        };
        let watch = self.audit_watch();
        let mut found = AuditLines { lines: Vec::new(), flawed: 0 };
        let mut pieces = Backwards::new(&file, file.size().map_err(AuditError::from)?);
        while found.lines.len() < filter.limit
            && let Some(piece) = pieces.advance()?
        {
            watch.poll()?;
            let bytes = piece.bytes.unwrap_or_default();
            match Line::read(&bytes) {
                Ok(line) if fits(&line) => found.lines.push(value_of(&bytes)?),
                Ok(_) => {}
                Err(_) => found.flawed += 1,
            }
        }
        found.lines.reverse();
        Ok(Some(found))
    }

    /// Verifies the hash chain of a log; returns `None` if there is no log. `kept` is a hash that some line must
    /// have.
    pub fn verify_audit(&self, log: AuditLog, kept: Option<&str>) -> Result<Option<AuditVerdict>, ToolError> {
        let (root, is_root) = (self.gate.root(), matches!(log, AuditLog::Root));
        let ledger = root.user().ledger.as_ref().filter(|_| is_root);
        let end = ledger.and_then(|ledger| ledger.audit_end(root.seal().id()).ok().flatten());
        let expected = Expected { hash: kept, end };
        let Some(file) = self.open_audit_log(log)? else { return Ok(None) };
        let watch = self.audit_watch();
        Ok(Some(verify(&file, &expected, root.seal(), || Ok(watch.poll()?))?))
    }

    fn open_audit_log(&self, log: AuditLog) -> Result<Option<LogFile>, ToolError> {
        let keeping = match log {
            AuditLog::Root => LogLocation::Root,
            AuditLog::State => LogLocation::State,
            AuditLog::File(file, name) => return Ok(Some(LogFile::given(file, name)?)),
        };
        Ok(self.gate.audit().open_to_read(self.gate.root(), keeping)?)
    }

    fn audit_watch(&self) -> Watch {
        Meter::new(&self.limits, self.interrupt.clone()).watch()
    }

    /// Returns the name of a tool as the log records it.
    fn canonical(&self, name: &str) -> String {
        let registry = self.gate.registry();
        registry.find(name).map_or_else(|| name.to_owned(), |id| registry.get(id).spec.name.to_owned())
    }
}

fn value_of(line: &[u8]) -> Result<Value, ToolError> {
    space::check(line.len())?;
    let text = std::str::from_utf8(line).expect("a line that was read is a text");
    Ok(json::from_text(text).unwrap_or_default())
}
