//! The calls that the policy or the sandbox refused while a plan was made. The run goes on without them, so the plan
//! may lack what they would have done.

use serde::{Deserialize, Serialize};

/// Maximum number of calls that a plan names.
const NAMED: usize = 100;
/// Maximum number of characters of a reason.
const REASON_CHARS: usize = 500;

/// The refused calls, in the order of the run; equal ones once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRefusals {
    /// The first of them.
    pub calls: Vec<RefusedCall>,
    /// Number of further ones.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub more: u64,
}

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCall {
    /// The tool, by its name in scripts.
    pub tool: String,
    /// The message of the refusal.
    pub reason: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl PlanRefusals {
    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds a call that was refused, or that went on without some of its paths.
    pub fn add(&mut self, tool: &str, reason: &str) {
        let reason = reason.chars().take(REASON_CHARS).collect();
        let call = RefusedCall { tool: tool.to_owned(), reason };
        if self.calls.contains(&call) {
            return;
        }
        if self.calls.len() < NAMED { self.calls.push(call) } else { self.more += 1 }
    }

    /// Returns one line per call, `TOOL: REASON`, and one for further calls.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| format!("and {} more", self.more));
        self.calls.iter().map(|call| format!("{}: {}", call.tool, call.reason)).chain(more)
    }
}
