//! Plans for front ends: making, showing, reading and applying them.

use std::io::Read;

use crate::gate::{Caller, SessionMemory, shown_change};
use crate::limits::{Limits, Meter, space};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

pub use crate::gate::{Applied, Plan, PlanAbout, PlanError};

use super::changes::{COMPARED_BYTES, Described, Differ};
use super::{Engine, internal_fault, on_large_stack};

impl Engine {
    /// Returns the changes that runs of this engine would make; `None` unless it plans ([`super::Options::plan`]).
    pub fn plan(&self, command: &str, failed: bool) -> Result<Option<Plan>, ToolError> {
        self.gate.plan(command, failed)
    }

    /// Compares the contents of each change of a plan that was made in this process.
    pub fn describe_plan(&self, plan: &Plan, mut differ: Differ) -> Result<Vec<Described>, ToolError> {
        let _space = space::enter(&self.limits);
        let described = plan.changes.iter().map(|change| {
            let (old, new) = self.gate.planned_contents(plan, change, COMPARED_BYTES);
            Ok(differ.describe(shown_change(change), old, new)?)
        });
        described.collect()
    }

    /// Whether this user made the plan for this sandbox and it is unchanged since. Any other plan is untrusted data.
    pub fn made(&self, plan: &Plan) -> bool {
        self.gate.made(plan)
    }

    /// Applies a plan as one run. If the directory has changed since the plan was made, nothing is done.
    ///
    /// # Errors
    /// `conflict` if the tree has changed; the answer has a row for each path.
    pub fn apply(&self, plan: &Plan) -> Result<Applied, ToolError> {
        let _space = space::enter(&self.limits);
        let session = SessionMemory::new(format!("ns apply ({})", plan.about.command));
        // The engine's limits apply to scripts only.
        let mut meter = Meter::new(&Limits::default(), self.interrupt.clone());
        let applied = on_large_stack(|| self.gate.apply(plan, Caller { meter: &mut meter, session: &session }))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        self.settle();
        applied
    }
}

/// Reads a plan in JSON.
pub fn read_plan(input: impl Read) -> Result<Plan, PlanError> {
    Plan::read(input)
}
