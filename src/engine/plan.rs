//! Plans for front ends: what a run would change, read and written, and done.

use std::io::Read;

use crate::limits::{Limits, Meter, space};
use crate::text::ToolCode;
use crate::toolkit::{SessionMemory, ToolError, shown_change};

pub use crate::toolkit::{Applied, Plan, PlanError};

use super::changes::{COMPARED_BYTES, Described, Differ};
use super::{Engine, internal_fault, on_large_stack};

impl Engine {
    /// What its runs would have changed; none unless it plans ([`super::Options::plan`]).
    pub fn plan(&self, command: &str, failed: bool) -> Result<Option<Plan>, ToolError> {
        self.gate.plan(command, failed)
    }

    /// What a plan that was made here would change, with how the contents differ.
    pub fn describe_plan(&self, plan: &Plan, mut differ: Differ) -> Result<Vec<Described>, ToolError> {
        let _space = space::enter(&self.limits);
        let described = plan.changes.iter().map(|change| {
            let (old, new) = self.gate.planned_contents(plan, change, COMPARED_BYTES);
            Ok(differ.describe(shown_change(change), old, new)?)
        });
        described.collect()
    }

    /// Whether this user made a plan for this sandbox, and nobody has changed it since. Any other plan is data that
    /// somebody wrote.
    pub fn made(&self, plan: &Plan) -> bool {
        self.gate.made(plan)
    }

    /// Does what a plan says, as one run, or nothing where the directory is no longer what it was made for.
    ///
    /// # Errors
    /// `conflict` where the tree has changed, with a row for each path as its answer.
    pub fn apply(&self, plan: &Plan) -> Result<Applied, ToolError> {
        let _space = space::enter(&self.limits);
        let session = SessionMemory::new(format!("ns apply ({})", plan.about.command));
        // The limits are for scripts.
        let mut meter = Meter::new(&Limits::default(), self.interrupt.clone());
        let applied = on_large_stack(|| self.gate.apply(plan, (&mut meter, &session)))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        self.settle();
        applied
    }
}

/// Reads a plan that was written as JSON.
pub fn read_plan(input: impl Read) -> Result<Plan, PlanError> {
    Plan::read(input)
}
