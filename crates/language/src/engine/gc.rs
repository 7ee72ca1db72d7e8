//! Garbage collection: removes backups and journals of old runs to free space.

use crate::gate::{Caller, SessionMemory};
use crate::limits::{Limits, Meter};
use crate::sandbox::{GcRules, JOURNALS, Retention, UNDOABLE};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

pub use crate::sandbox::{Amount, ReclaimReason, Reclaimed, SweepReport, Tally};

use super::{Engine, internal_fault, on_large_stack};

/// A request for garbage collection. Omitted values come from the policy; 0 means no limit.
#[derive(Clone, Debug, Default)]
pub struct GcRequest {
    /// Maximum number of backups per file.
    pub count: Option<u64>,
    /// Maximum age of backups, in days.
    pub days: Option<u64>,
    /// Maximum number of bytes of backups.
    pub bytes: Option<u64>,
    /// Maximum number of journals.
    pub journals: Option<u64>,
    /// Maximum age of journals, in days; unlimited by default.
    pub journal_days: Option<u64>,
    /// Maximum number of bytes of journals; unlimited by default.
    pub journal_bytes: Option<u64>,
    /// Number of newest runs that lose nothing.
    pub keep_runs: Option<usize>,
    /// Whether everything is removed that the newest runs do not need.
    pub everything: bool,
    /// Whether to only report what would be removed.
    pub is_dry: bool,
}

impl Engine {
    /// Removes backups and journals of old runs, and reports what was removed and what remains.
    ///
    /// # Errors
    /// `policy_denied` in a read-only engine, unless this is a dry run.
    pub fn collect(&self, request: &GcRequest) -> Result<SweepReport, ToolError> {
        let rules = self.gc_rules(request);
        let session = SessionMemory::new("ns gc");
        // The engine's limits apply to scripts only.
        let mut meter = Meter::new(&Limits { timeout: None, ..Limits::default() }, self.interrupt.clone());
        let swept = on_large_stack(|| self.gate.collect(&rules, Caller { meter: &mut meter, session: &session }))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        if !request.is_dry {
            self.settle();
        }
        swept
    }

    fn gc_rules(&self, request: &GcRequest) -> GcRules {
        let policy = self.gate.policy().retention;
        let GcRequest { count, days, bytes, journals, journal_days, journal_bytes, .. } = *request;
        GcRules {
            kept: Retention {
                count: count.unwrap_or(policy.count),
                days: days.unwrap_or(policy.days),
                bytes: bytes.unwrap_or(policy.bytes),
            },
            journals: Retention {
                count: journals.unwrap_or(JOURNALS as u64),
                days: journal_days.unwrap_or(0),
                bytes: journal_bytes.unwrap_or(0),
            },
            keep_runs: request.keep_runs.unwrap_or(UNDOABLE),
            everything: request.everything,
            is_dry: request.is_dry,
        }
    }
}
