//! Making room: what is kept of old runs is given up.

use crate::limits::{Limits, Meter};
use crate::sandbox::{GcRules, JOURNALS, Retention, UNDOABLE};
use crate::text::ToolCode;
use crate::toolkit::{SessionMemory, ToolError};

pub use crate::sandbox::{Amount, GivenUp, Swept, Tally, Why};

use super::{Engine, internal_fault, on_large_stack};

/// What is asked for; what is left out says the policy. A zero is no limit.
#[derive(Clone, Debug, Default)]
pub struct GcRequest {
    /// The most backups of one file.
    pub count: Option<u64>,
    /// Days after which old content is given up.
    pub days: Option<u64>,
    /// The most bytes of old content.
    pub bytes: Option<u64>,
    /// The most journals of runs.
    pub journals: Option<u64>,
    /// Days after which a journal is given up; for good when left out.
    pub journal_days: Option<u64>,
    /// The most bytes of journals; any when left out.
    pub journal_bytes: Option<u64>,
    /// So many of the newest runs lose nothing.
    pub keep_runs: Option<usize>,
    /// Everything goes that these do not need.
    pub everything: bool,
    /// Nothing is done, and only said what would be.
    pub is_dry: bool,
}

impl Engine {
    /// Gives up what is kept of old runs, and says what went and what stays.
    ///
    /// # Errors
    /// `policy_denied` where nothing may be changed, unless nothing is done.
    pub fn collect(&self, request: &GcRequest) -> Result<Swept, ToolError> {
        let rules = self.gc_rules(request);
        let session = SessionMemory::new("ns gc");
        // The limits are for scripts.
        let mut meter = Meter::new(&Limits { timeout: None, ..Limits::default() }, self.interrupt.clone());
        let swept = on_large_stack(|| self.gate.collect(&rules, (&mut meter, &session)))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        if !request.is_dry {
            self.settle();
        }
        swept
    }

    fn gc_rules(&self, request: &GcRequest) -> GcRules {
        let policy = self.gate.policy.retention;
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
