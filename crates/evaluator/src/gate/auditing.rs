//! Changes and their lines in the audit log: no change begins before the log can take its line.

use crate::audit::{AuditError, LogContext, LogLocation};
use crate::limits::Meter;
use crate::sandbox::Change;
use crate::toolkit::ToolError;

use super::call_record::{CallRecord, is_refusal};
use super::world::World;

impl World {
    /// Begins a change, after checking that the audit log can take its line.
    pub(super) fn begin_change<'a>(
        &'a self,
        files: u64,
        meter: &mut Meter,
        record: &CallRecord<'_>,
    ) -> Result<Change<'a>, ToolError> {
        let change = self.journal.begin(&self.root, files, meter)?;
        // A planned change needs no line, because it is none.
        if self.log_location != LogLocation::Off && self.overlay.is_none() && !record.begins() {
            self.audit.prepare(&self.log_context(meter), record.bytes()).map_err(unwritable)?;
            if let Some(warning) = self.audit.take_warning() {
                self.note(warning);
            }
        }
        record.changes();
        Ok(change)
    }

    /// Adds the audit line of a call that changed something or was refused. Returns an error if the call may have
    /// changed something and its line could not be written.
    pub(super) fn conclude(
        &self,
        record: &CallRecord<'_>,
        changes: bool,
        meter: &Meter,
        failure: Option<&ToolError>,
    ) -> Option<Box<ToolError>> {
        let is_refused = failure.is_some_and(|error| is_refusal(error.code)) || record.has_refused();
        if is_refused && self.overlay.is_some() {
            let reason =
                failure.map_or_else(|| format!("the policy refuses {}", record.refused_paths().join(", ")), with_path);
            self.refusals.borrow_mut().add(record.tool(), &reason);
        }
        let is_logged = is_refused || self.overlay.is_none() && (changes || record.has_begun());
        if !is_logged || self.log_location == LogLocation::Off {
            return None;
        }
        let appended = record
            .with_entry(failure, self.overlay.is_some(), |entry| self.audit.append(&self.log_context(meter), entry));
        match appended {
            Ok(()) => None,
            Err(error) if record.has_begun() => {
                self.audit.lose(&error);
                Some(Box::new(lost(&error, failure.is_none())))
            }
            // Nothing was changed, so an unwritable log hides nothing.
            Err(error) => {
                if self.audit.is_first_warning() {
                    self.note(format!("the audit log cannot be written: {error}"));
                }
                None
            }
        }
    }

    fn log_context(&self, meter: &Meter) -> LogContext<'_> {
        LogContext { root: &self.root, keeping: self.log_location, watch: meter.watch() }
    }
}

/// Returns the message of a refusal, with its path.
fn with_path(error: &ToolError) -> String {
    match &error.path {
        Some(path) if !error.message.contains(&**path) => format!("`{path}`: {}", error.message),
        _ => error.message.clone(),
    }
}

/// Returns the error for a change that is not made because its audit line could not be written.
fn unwritable(error: AuditError) -> ToolError {
    let message = format!("nothing is changed, since the audit log cannot be written: {error}");
    hinted(ToolError::new(error.code(), message), &error)
}

/// Returns the error for a change whose audit line was lost: the change was made, or may have been made in part if
/// the call failed.
fn lost(error: &AuditError, is_done: bool) -> ToolError {
    let change = if is_done { "the change was made" } else { "the change may be made" };
    let message = format!("{change}, but the audit log cannot be written: {error}");
    hinted(ToolError::new(error.code(), message), error)
}

fn hinted(failure: ToolError, error: &AuditError) -> ToolError {
    match error {
        AuditError::Limit(hit) => (*hit).into(),
        AuditError::Place { stops_changes: true, help, .. } => failure.hint(help.unwrap_or_default()),
        error => {
            let without =
                "set `enable_audit_logging = false` in `[policy]` of your own policy file to work without a log";
            failure.hint(error.help().map_or(without.to_owned(), |help| format!("{help}; or {without}")))
        }
    }
}

impl From<AuditError> for ToolError {
    fn from(error: AuditError) -> ToolError {
        match error {
            AuditError::Limit(hit) => hit.into(),
            error => {
                let hint = error.help().map(str::to_owned);
                ToolError { hint, ..ToolError::new(error.code(), error.to_string()) }
            }
        }
    }
}
