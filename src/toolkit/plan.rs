//! Plans as front ends know them: what a run would change, and doing that.

use std::cell::RefCell;
use std::io;

use crate::audit::Audit;
use crate::limits::Meter;
use crate::memory::Project;
use crate::sandbox::{
    Address, Applied, ApplyError, Content, Deed, Kind, Overlay, Plan, PlannedChange, Root, ShownChange,
    TemporaryFolders, What,
};
use crate::text::ToolCode;
use crate::value::Value;

use super::call_record::{CallRecord, Shown, Told};
use super::error::ToolError;
use super::gate::Gate;
use super::history::{about, conflicted};
use super::memory::SessionMemory;
use super::spec::Access;

impl Gate {
    /// A gate to the same sandbox, with the same policy and the same people, whose runs change nothing: what
    /// they would change lies over the roots.
    ///
    /// # Errors
    /// The system's, when there is no place for what would be written.
    pub fn planning(&self) -> io::Result<Gate> {
        let overlay = Overlay::new()?;
        let further: io::Result<Vec<Root>> = self.further.iter().map(|root| root.covered(&overlay)).collect();
        Ok(Gate {
            registry: self.registry.clone(),
            root: self.root.covered(&overlay)?,
            further: further?,
            libraries: self.libraries.clone(),
            policy: self.policy.clone(),
            settings: self.settings.clone(),
            notes: RefCell::default(),
            project: Project::default(),
            approvals: self.approvals.clone(),
            lookout: self.lookout.clone(),
            temporary: TemporaryFolders::default(),
            audit: Audit::default(),
            clock: self.clock,
            chance: self.chance.clone(),
            consoles: self.consoles.clone(),
            journal: self.policy.journal(),
            overlay: Some(overlay),
        })
    }

    /// What the runs of a gate that plans would have changed; none where it does not plan.
    pub fn plan(&self, command: &str, failed: bool) -> Result<Option<Plan>, ToolError> {
        let Some(overlay) = &self.overlay else { return Ok(None) };
        Plan::of(overlay, &self.root, command, failed).map(Some).map_err(|error| {
            let message = format!("what would be changed cannot be told: {error}");
            ToolError::new(ToolCode::IoError, message).hint("try again when nobody else changes the directory")
        })
    }

    /// The contents on both sides of a change of a plan that was made here, at most so many bytes each. What
    /// the policy lets nobody read is not read.
    pub fn planned_contents(&self, plan: &Plan, change: &PlannedChange, limit: u64) -> (Content, Content) {
        match self.policy.admit_path(&change.path.shown(), false, Access::Read) {
            Ok(()) => plan.contents(change, limit),
            Err(_) => {
                let refused = || Content::Unknown("the policy refuses to read it".to_owned());
                (refused(), refused())
            }
        }
    }

    /// Whether this user made a plan for this sandbox, and nobody has changed it since.
    pub fn made(&self, plan: &Plan) -> bool {
        plan.is_of(&self.root)
    }

    /// Does what a plan says, or nothing.
    pub fn apply(&self, plan: &Plan, (meter, session): (&mut Meter, &SessionMemory)) -> Result<Applied, ToolError> {
        let told = vec![Told::new("plan", Value::text(&plan.about.command), Shown::Plain)];
        let record = CallRecord::new("apply", told, session);
        let applied = self.apply_here(plan, meter, &record);
        match self.conclude(&record, true, meter, applied.as_ref().err()) {
            Some(lost) => Err(*lost),
            None => applied,
        }
    }

    fn apply_here(&self, plan: &Plan, meter: &mut Meter, record: &CallRecord<'_>) -> Result<Applied, ToolError> {
        // The audit log takes its line, or nothing is changed.
        self.begin_change(0, meter, record)?;
        let admit = |address: &Address, is_folder: bool| self.admit_change(address, is_folder);
        let place = (self.roots(), self.policy.retention);
        let applied = plan.apply(&self.journal, about(record.session().command()), &admit, place, meter);
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
        ApplyError::MovedOn(conflicts) => conflicted(&message, &conflicts, "nothing was done; plan it again"),
    }
}

/// A change of a plan as changes of runs are shown.
pub fn shown_change(change: &PlannedChange) -> ShownChange {
    let (was, now) = (change.was.as_ref(), change.now.as_ref());
    let from = change.from.as_ref().map(|(from, _)| from.clone());
    let what = match (change.change, from) {
        (Deed::Moved, Some(from)) => What::Moved(from),
        (Deed::Deleted, _) => What::Deleted,
        (Deed::Mode, _) => What::Mode(was.map_or(0, |was| was.mode), now.map_or(0, |now| now.mode)),
        _ if was.is_some() => What::Changed,
        _ => What::Created,
    };
    let is_folder = now.or(was).is_some_and(|state| state.kind == Kind::Folder);
    let sizes = (was.map(|state| state.size), now.map(|state| state.size));
    ShownChange { path: change.path.clone(), what, is_folder, sizes, kept: None, holds: change.holds }
}
