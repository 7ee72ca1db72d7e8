//! Runs for front ends: listed, shown, taken back.

use crate::limits::{Limits, Meter, Watch, space};
use crate::toolkit::{SessionMemory, ToolError};

pub use crate::toolkit::{Conflict, End, Listed, ShownChange, ShownRun, Undone, What};

use super::changes::{COMPARED_BYTES, Described, Differ};
use super::{Engine, internal_fault, on_large_stack};

impl Engine {
    /// The newest runs that changed something, the newest first, at most so many.
    pub fn runs(&self, most: usize) -> Result<Vec<Listed>, ToolError> {
        self.gate.runs(most)
    }

    /// The run of a name, or of the beginning or end of one, with everything that it changed.
    pub fn show_run(&self, run: &str) -> Result<ShownRun, ToolError> {
        self.gate.show_run(&self.gate.run_named(run)?.run)
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

    /// Takes a run back: that of a name, or the newest that was not taken back; with `redo` the newest that
    /// took one back. Where the tree is no longer as the run left it nothing is done, unless `force`: then
    /// the rest is.
    ///
    /// # Errors
    /// `not_found` where there is no such run, `conflict` where it goes on, was taken back already or the
    /// tree has moved on, with a row for each path as its answer.
    pub fn undo(&self, run: Option<&str>, redo: bool, force: bool) -> Result<Undone, ToolError> {
        let _space = space::enter(&self.limits);
        let run = run.map_or_else(|| self.gate.newest_run(redo), |run| self.gate.run_named(run))?;
        let session = SessionMemory::new(format!("ns {} {}", if redo { "redo" } else { "undo" }, run.run));
        // The limits are for scripts.
        let mut meter = Meter::new(&Limits::default(), self.interrupt.clone());
        let undone = on_large_stack(|| self.gate.undo(&run, force, (&mut meter, &session))).unwrap_or_else(|panic| {
            Err(ToolError::new(crate::text::ToolCode::IoError, internal_fault(&panic).message))
        });
        self.settle();
        undone
    }
}
