//! Decides whether a tool may run: by the policy, and by the replies of a person where the policy asks one.

use std::rc::Rc;

use crate::limits::Meter;
use crate::toolkit::{Bound, Declaration, Registry, ToolError};

use super::approval::{Approvals, Reason};
use super::policy::{Approval, Policy};

/// The declarations of the tools, the policy, and the replies of a person so far: together they decide about calls.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The declarations of all tools.
    pub(super) registry: Rc<Registry>,
    /// The rules that the user sets.
    pub(super) policy: Policy,
    /// The approver and its replies so far.
    pub(super) approvals: Rc<Approvals>,
}

impl Admission {
    /// Asks a person whether a tool may run with these arguments, if the policy needs that.
    ///
    /// # Errors
    /// `policy_denied` if it may not.
    pub(super) fn approve(
        &self,
        tool: &Declaration,
        bound: &Bound<'_>,
        approval: &Approval,
        meter: &Meter,
    ) -> Result<(), ToolError> {
        let Approval::Needed { reason, instead, lifted_by } = approval else { return Ok(()) };
        let why = Reason { reason, instead, lifted_by: *lifted_by };
        self.approvals.approve(tool, bound, why, meter)
    }
}
