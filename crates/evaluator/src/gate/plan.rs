//! Plans for front ends: what a run would change, and applying it.

use std::io;

use crate::limits::Meter;
use crate::sandbox::{
    Address, Applied, ApplyError, ChangeKind, ChangeReport, Content, Kind, Plan, PlanAbout, PlanAction, PlannedChange,
    attribute_change,
};
use crate::text::ToolCode;
use crate::toolkit::{Access, ToolError};
use crate::value::Value;

use super::assembly::Gate;
use super::call_record::{CallRecord, LoggedArgument, LoggedForm};
use super::caller::Caller;
use super::conflict::conflicted;
use super::history::about;

impl Gate {
    /// Creates a gate for the same sandbox, with the same policy and approvals, whose runs change nothing: their
    /// changes go to an overlay over the roots.
    ///
    /// # Errors
    /// A system error if there is no place to store the planned contents.
    pub fn planning(&self) -> io::Result<Gate> {
        let Gate { toolbox, admission, world } = self;
        let world = world.covered(admission.policy.journal().for_client(world.journal.client().map(str::to_owned)))?;
        Ok(Gate { toolbox: toolbox.clone(), admission: admission.clone(), world })
    }

    /// Returns the changes that the runs of a planning gate would make. `None` if the gate does not plan.
    pub fn plan(&self, command: &str, failed: bool) -> Result<Option<Plan>, ToolError> {
        let Some(overlay) = &self.world.overlay else { return Ok(None) };
        let refused = self.world.refusals.borrow().clone();
        let plan = Plan::of(overlay, self.root(), PlanAbout { refused, ..PlanAbout::new(command, failed) });
        plan.map(Some).map_err(|error| {
            let message = format!("what would be changed cannot be told: {error}");
            ToolError::new(ToolCode::IoError, message).hint("try again when nobody else changes the directory")
        })
    }

    /// Returns the contents before and after a change of a plan that was made in this process, at most `limit` bytes
    /// each. Content that the policy protects is not read.
    pub fn planned_contents(&self, plan: &Plan, change: &PlannedChange, limit: u64) -> (Content, Content) {
        match self.admission.policy.admit_path(&change.path.display(), false, Access::Read) {
            Ok(()) => plan.contents(change, limit),
            Err(_) => {
                let refused = || Content::Unknown("the policy refuses to read it".to_owned());
                (refused(), refused())
            }
        }
    }

    /// Whether this user made the plan for this sandbox and it is unchanged since.
    pub fn made(&self, plan: &Plan) -> bool {
        plan.is_of(self.root())
    }

    /// Applies a plan, completely or not at all.
    pub fn apply(&self, plan: &Plan, Caller { meter, session }: Caller<'_>) -> Result<Applied, ToolError> {
        let arguments = vec![LoggedArgument::new("plan", Value::text(&plan.about.command), LoggedForm::Plain)];
        let record = CallRecord::new("apply", arguments, session);
        let applied = self.carry_out_plan(plan, meter, &record);
        match self.world.conclude(&record, true, meter, applied.as_ref().err()) {
            Some(lost) => Err(*lost),
            None => applied,
        }
    }

    fn carry_out_plan(&self, plan: &Plan, meter: &mut Meter, record: &CallRecord<'_>) -> Result<Applied, ToolError> {
        // Ensures first that the audit log can take its line; otherwise nothing is changed.
        self.world.begin_change(0, meter, record)?;
        let admit = |address: &Address, is_folder: bool| self.admit_change(address, is_folder, record);
        let (about, rules) = (about(record.session().command()), self.change_rules(&admit));
        let applied = plan.apply(&self.world.journal, about, &rules, meter);
        applied.map_err(refused)
    }
}

fn refused(error: ApplyError) -> ToolError {
    let message = error.to_string();
    match error {
        ApplyError::Sandbox(error) => error.into(),
        ApplyError::Failed => ToolError::new(ToolCode::Conflict, message).hint("mend the script, and plan it again"),
        ApplyError::OtherRoot => {
            ToolError::new(ToolCode::Conflict, message).hint("name the directory that it was made for: `--sandbox DIR`")
        }
        ApplyError::Refused(conflicts) => {
            let error = conflicted(&message, &conflicts, "nothing was done; look at what the plan says there");
            ToolError { code: ToolCode::PolicyDenied, ..error }
        }
        ApplyError::Contradiction(conflicts) => {
            let error = conflicted(&message, &conflicts, "nothing was done; mend the plan, or plan it again");
            ToolError { code: ToolCode::BadArgs, ..error }
        }
        ApplyError::MovedOn(conflicts) => conflicted(&message, &conflicts, "nothing was done; plan it again"),
    }
}

/// Converts a planned change to the form in which changes of runs are shown.
pub fn shown_change(change: &PlannedChange) -> ChangeReport {
    let (was, now) = (change.was.as_ref(), change.now.as_ref());
    let from = change.from.as_ref().map(|(from, _)| from.clone());
    let what = match (change.change, from) {
        (PlanAction::Moved, Some(from)) => ChangeKind::Moved(from),
        (PlanAction::Deleted, _) => ChangeKind::Deleted,
        (PlanAction::Mode, _) => {
            was.zip(now).and_then(|(was, now)| attribute_change(was, now)).unwrap_or(ChangeKind::Changed)
        }
        _ if was.is_some() => ChangeKind::Changed,
        _ => ChangeKind::Created,
    };
    let is_folder = now.or(was).is_some_and(|state| state.kind == Kind::Folder);
    let sizes = (was.map(|state| state.size), now.map(|state| state.size));
    ChangeReport { path: change.path.clone(), what, is_folder, sizes, kept: None, holds: change.holds }
}
