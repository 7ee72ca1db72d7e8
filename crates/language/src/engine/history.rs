//! Runs for front ends: listing, showing and undoing them.

use crate::gate::{Caller, Gate, SessionMemory, UndoRefusal, UndoRequest};
use crate::limits::{Interrupt, Limits, Meter, Watch, space};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

pub use crate::gate::{
    ChangeKind, ChangeReport, Conflict, Displaced, End, EndedRun, Holds, Origin, Reversal, RunReport, RunSummary,
    Selection, UndoReport,
};
pub use crate::sandbox::{Address, short_name};

use super::changes::{COMPARED_BYTES, Described, Differ};
use super::{Engine, internal_fault, on_large_stack};

/// Maximum number of runs named when none can be undone.
const NAMED: usize = 10;

/// A run that was skipped by an undo, and the reason.
#[derive(Debug)]
pub struct SkippedRun {
    /// The original run, which users know.
    pub origin: Origin,
    /// The reason why it was not undone, without the name of the run, which stands beside it.
    pub reason: String,
}

impl Engine {
    /// Returns up to `most` runs that changed something, newest first.
    pub fn runs(&self, selection: Selection, most: usize) -> Result<Vec<RunSummary>, ToolError> {
        self.gate.runs(selection, most)
    }

    /// Returns a run with all its changes. `run` is its name, or the beginning or end of it.
    pub fn show_run(&self, run: &str) -> Result<RunReport, ToolError> {
        let RunSummary { run, reversal, .. } = self.gate.run_named(run)?;
        Ok(RunReport { reversal, ..self.gate.show_run(&run)? })
    }

    /// Compares the contents of each change of a run.
    pub fn describe_run(&self, run: &RunReport, mut differ: Differ) -> Result<Vec<Described>, ToolError> {
        let _space = space::enter(&self.limits);
        let contents = self.gate.contents(run, COMPARED_BYTES)?;
        let described = run
            .changes
            .iter()
            .zip(contents)
            .map(|(change, (old, new))| Ok(differ.describe(change.clone(), old, new)?));
        described.collect()
    }

    /// Returns a watch for long work outside scripts: only an interrupt stops it.
    pub fn watch(&self) -> Watch {
        Meter::new(&Limits { timeout: None, ..Limits::default() }, self.interrupt.clone()).watch()
    }

    /// Undoes the named run, or the newest that is not undone. With `redo`, redoes the named run or the one that was
    /// undone last. If the tree has changed since, nothing is done; with `force`, every change without a conflict is.
    ///
    /// # Errors
    /// `not_found` if there is no such run; `conflict` if it is still running, is already in the requested state, or
    /// the tree has changed since. In the last case the answer has a row for each path.
    pub fn undo(&self, run: Option<&str>, redo: bool, force: bool) -> Result<UndoReport, ToolError> {
        let run = match run {
            Some(run) => self.gate.run_named(run)?,
            // With `redo`, this undoes the newest undo, which redoes its run.
            None => return Ok(self.undo_run(&self.gate.undoable_runs(redo, 1)?.swap_remove(0), false, force)?),
        };
        Ok(self.undo_run(&run, redo, force)?)
    }

    /// Undoes the newest run that can be undone completely. Also returns the newer runs, each with the reason why it
    /// was skipped.
    ///
    /// # Errors
    /// The errors of [`Engine::undo`]; `conflict` if no run can be undone.
    pub fn undo_past_conflicts(&self) -> Result<(UndoReport, Vec<SkippedRun>), ToolError> {
        let mut passed: Vec<SkippedRun> = Vec::new();
        for run in self.gate.undoable_runs(false, usize::MAX)? {
            match self.undo_run(&run, false, false) {
                Ok(undone) => return Ok((undone, passed)),
                Err(UndoRefusal { of_run: Some(reason), .. }) => {
                    let origin = self.gate.origin(&run)?;
                    passed.push(SkippedRun { origin, reason });
                }
                Err(refusal) => return Err(refusal.error),
            }
        }
        let named =
            passed.iter().take(NAMED).map(|passed| format!("`{}`: {}", short_name(&passed.origin.run), passed.reason));
        let message =
            format!("none of {} runs can be taken back: {}", passed.len(), named.collect::<Vec<_>>().join("; "));
        Err(ToolError::new(ToolCode::Conflict, message).hint("`ns undo RUN --force` takes back of one what can be"))
    }

    fn undo_run(&self, run: &RunSummary, redo: bool, force: bool) -> Result<UndoReport, UndoRefusal> {
        let undone = take_back(&self.gate, &self.limits, &self.interrupt, run, UndoRequest { redo, force });
        self.settle();
        undone
    }
}

/// Undoes a run, or redoes it, in the account of no script.
pub(super) fn take_back(
    gate: &Gate,
    limits: &Limits,
    interrupt: &Interrupt,
    run: &RunSummary,
    UndoRequest { redo, force }: UndoRequest,
) -> Result<UndoReport, UndoRefusal> {
    let _space = space::enter(limits);
    let is_undo = run.begin.as_ref().is_some_and(|begin| begin.is_undo());
    let does_again = redo || is_undo && !run.is_undone();
    let origin = gate.origin(run)?;
    let command = format!("ns {} {}", if does_again { "redo" } else { "undo" }, short_name(&origin.run));
    let session = SessionMemory::new(command);
    // Redoing a run that is itself an undo, and still in effect, means undoing it.
    let redo = redo && (run.is_undone() || !is_undo);
    // The engine's limits apply to scripts only.
    let mut meter = Meter::new(&Limits::default(), interrupt.clone());
    on_large_stack(|| gate.undo(run, UndoRequest { redo, force }, Caller { meter: &mut meter, session: &session }))
        .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message).into()))
}
