//! Planning sessions: lines run under an overlay, and their changes are applied at the end, or discarded.
//!
//! Variables, procedures and session memory belong to the session and are not affected.

use crate::toolkit::ToolError;

use super::super::{Applied, Engine, Plan, SetupError};
use super::Session;

impl Session<'_> {
    /// Whether lines are planned and change nothing on disk.
    pub fn is_planning(&self) -> bool {
        self.plan.is_some()
    }

    /// Starts planning: from here on, lines change nothing on disk.
    ///
    /// # Errors
    /// An error if there is no place to store the planned contents.
    pub fn begin_plan(&mut self) -> Result<(), SetupError> {
        let engine = self.base.planning()?;
        self.machine.set_gate(engine.gate.clone());
        self.plan = Some(engine);
        Ok(())
    }

    /// Returns the changes that the planned lines would make; `None` unless the session is planning.
    pub fn planned(&self) -> Result<Option<Plan>, ToolError> {
        self.engine().plan("ns repl", false)
    }

    /// Whether planned lines have changed project memory, which is not part of a plan.
    pub fn has_planned_memory(&self) -> bool {
        self.engine().gate.has_planned_memory()
    }

    /// Removes temporary directories that planned lines created, which must not be in the plan.
    pub fn remove_planned_temporary(&self) {
        self.plan.iter().for_each(|engine| engine.gate.remove_temporary());
    }

    /// Applies a plan as one run and stops planning. If it cannot be applied, planning continues.
    pub fn apply_plan(&mut self, plan: &Plan) -> Result<Applied, ToolError> {
        let applied = self.base.apply(plan)?;
        self.end_plan();
        Ok(applied)
    }

    /// Stops planning: lines change the disk again. Returns pending warnings.
    pub fn end_plan(&mut self) -> Vec<String> {
        self.machine.set_gate(self.base.gate.clone());
        let Some(engine): Option<Engine> = self.plan.take() else { return Vec::new() };
        engine.gate.remove_temporary();
        engine.gate.take_notes()
    }
}
