//! A session that plans: its lines run under an overlay, and what they would change is done at the end, or not.
//!
//! Variables, procedures and session memory belong to the session and know nothing of it.

use crate::toolkit::ToolError;

use super::super::{Applied, Engine, Plan, SetupError};
use super::Session;

impl Session<'_> {
    /// Whether lines change nothing on the disk.
    pub fn is_planning(&self) -> bool {
        self.plan.is_some()
    }

    /// From here on lines change nothing on the disk.
    ///
    /// # Errors
    /// Where there is no place for what would be written.
    pub fn begin_plan(&mut self) -> Result<(), SetupError> {
        let engine = self.base.planning()?;
        self.machine.set_gate(engine.gate.clone());
        self.plan = Some(engine);
        Ok(())
    }

    /// What the lines since then would have changed; none when no plan goes on.
    pub fn planned(&self) -> Result<Option<Plan>, ToolError> {
        self.engine().plan("ns repl", false)
    }

    /// Whether they have put something into project memory, which is no part of a plan.
    pub fn has_planned_memory(&self) -> bool {
        self.engine().gate.project.has_planned_changes()
    }

    /// Removes the temporary directories that they have made, which are not to be in the plan.
    pub fn remove_planned_temporary(&self) {
        self.plan.iter().for_each(|engine| engine.gate.remove_temporary());
    }

    /// Does what a plan says, as one run, and ends it; where it cannot be done, it goes on.
    pub fn apply_plan(&mut self, plan: &Plan) -> Result<Applied, ToolError> {
        let applied = self.base.apply(plan)?;
        self.end_plan();
        Ok(applied)
    }

    /// From here on lines change the disk again. Gives what the end of the plan has to say.
    pub fn end_plan(&mut self) -> Vec<String> {
        self.machine.set_gate(self.base.gate.clone());
        let Some(engine): Option<Engine> = self.plan.take() else { return Vec::new() };
        engine.gate.remove_temporary();
        engine.gate.take_notes()
    }
}
