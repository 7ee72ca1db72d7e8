//! Runs for front ends: listed, shown, taken back.

use crate::limits::{Limits, Meter, Watch, space};
use crate::text::ToolCode;
use crate::toolkit::{SessionMemory, ToolError, UndoRefusal};

pub use crate::sandbox::short_name;
pub use crate::toolkit::{
    Conflict, Displaced, End, Ended, Holds, Listed, Origin, Reversal, Selection, ShownChange, ShownRun, Undone, What,
};

use super::changes::{COMPARED_BYTES, Described, Differ};
use super::{Engine, internal_fault, on_large_stack};

/// So many runs are named where none can be taken back.
const NAMED: usize = 10;

/// A run that was passed over, and what stood in its way.
#[derive(Debug)]
pub struct PassedOver {
    /// The run that people know.
    pub origin: Origin,
    /// Why it was not taken back.
    pub error: ToolError,
}

impl Engine {
    /// The newest runs that changed something, the newest first, at most so many.
    pub fn runs(&self, selection: Selection, most: usize) -> Result<Vec<Listed>, ToolError> {
        self.gate.runs(selection, most)
    }

    /// The run of a name, or of the beginning or end of one, with everything that it changed.
    pub fn show_run(&self, run: &str) -> Result<ShownRun, ToolError> {
        let Listed { run, reversal, .. } = self.gate.run_named(run)?;
        Ok(ShownRun { reversal, ..self.gate.show_run(&run)? })
    }

    /// What a run changed, with how the contents differ.
    pub fn describe_run(&self, run: &ShownRun, mut differ: Differ) -> Result<Vec<Described>, ToolError> {
        let _space = space::enter(&self.limits);
        let contents = self.gate.contents(run, COMPARED_BYTES)?;
        let described = run
            .changes
            .iter()
            .zip(contents)
            .map(|(change, (old, new))| Ok(differ.describe(change.clone(), old, new)?));
        described.collect()
    }

    /// What stops long work that is no script's: an interrupt alone.
    pub fn watch(&self) -> Watch {
        Meter::new(&Limits { timeout: None, ..Limits::default() }, self.interrupt.clone()).watch()
    }

    /// Undoes the named run, or the newest that is not undone. With `redo`, redoes the named run or the one that was
    /// undone last. If the tree has changed since, nothing is done, unless `force`: then the rest is.
    ///
    /// # Errors
    /// `not_found` where there is no such run, `conflict` where it goes on, is in that state already or the
    /// tree has moved on, with a row for each path as its answer.
    pub fn undo(&self, run: Option<&str>, redo: bool, force: bool) -> Result<Undone, ToolError> {
        let run = match run {
            Some(run) => self.gate.run_named(run)?,
            // The newest undo is not taken back: doing so redoes the run.
            None => return Ok(self.undo_run(&self.gate.undoable_runs(redo, 1)?.swap_remove(0), false, force)?),
        };
        Ok(self.undo_run(&run, redo, force)?)
    }

    /// Takes back the newest run that can be taken back whole. Gives the newer ones too, each with what stood
    /// in its way.
    ///
    /// # Errors
    /// The errors of [`Engine::undo`]; `conflict` if no run can be taken back.
    pub fn undo_past_conflicts(&self) -> Result<(Undone, Vec<PassedOver>), ToolError> {
        let mut passed: Vec<PassedOver> = Vec::new();
        for run in self.gate.undoable_runs(false, usize::MAX)? {
            match self.undo_run(&run, false, false) {
                Ok(undone) => return Ok((undone, passed)),
                Err(UndoRefusal { error, is_of_run: true }) => {
                    let origin = self.gate.origin(&run)?;
                    passed.push(PassedOver { origin, error });
                }
                Err(refusal) => return Err(refusal.error),
            }
        }
        let named = passed
            .iter()
            .take(NAMED)
            .map(|passed| format!("`{}`: {}", short_name(&passed.origin.run), passed.error.message));
        let message =
            format!("none of {} runs can be taken back: {}", passed.len(), named.collect::<Vec<_>>().join("; "));
        Err(ToolError::new(ToolCode::Conflict, message).hint("`ns undo RUN --force` takes back of one what can be"))
    }

    fn undo_run(&self, run: &Listed, redo: bool, force: bool) -> Result<Undone, UndoRefusal> {
        let _space = space::enter(&self.limits);
        let is_undo = run.begin.as_ref().is_some_and(|begin| begin.is_undo());
        let does_again = redo || is_undo && !run.is_undone();
        let origin = self.gate.origin(run)?;
        let command = format!("ns {} {}", if does_again { "redo" } else { "undo" }, short_name(&origin.run));
        let session = SessionMemory::new(command);
        // To do a run again that takes another back, while it holds, is to take it back.
        let redo = redo && (run.is_undone() || !is_undo);
        // The limits are for scripts.
        let mut meter = Meter::new(&Limits::default(), self.interrupt.clone());
        let undone = on_large_stack(|| self.gate.undo(run, (redo, force), (&mut meter, &session)))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message).into()));
        self.settle();
        undone
    }
}
