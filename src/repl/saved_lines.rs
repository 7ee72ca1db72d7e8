//! The lines of a session, as `:save` writes them: a script that does what the session did.
//!
//! Lines whose changes were undone, or planned and discarded, become comments, so that running the script does not
//! change what the session left alone.

use crate::engine::EndedRun;

/// The lines that succeeded.
#[derive(Debug, Default)]
pub struct SavedLines {
    lines: Vec<SavedLine>,
    /// The first line of the active plan.
    planned_from: Option<usize>,
}

#[derive(Debug)]
struct SavedLine {
    /// The line, in the form that a script would have.
    text: String,
    /// The run that it was, if it changed something.
    run: Option<String>,
    /// Why its changes are not in effect.
    revoked: Option<&'static str>,
}

impl SavedLines {
    /// Adds a line. `ended` is the run that it was, if it changed something.
    pub fn push(&mut self, text: String, ended: Option<&EndedRun>) {
        let run = ended.map(|ended| ended.run.clone());
        self.lines.push(SavedLine { text, run, revoked: None });
    }

    /// Removes all lines.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.planned_from = self.planned_from.map(|_| 0);
    }

    /// Notes that the next lines only plan their changes.
    pub fn begin_plan(&mut self) {
        self.planned_from = Some(self.lines.len());
    }

    /// Notes that the plan was applied or discarded.
    pub fn end_plan(&mut self, is_applied: bool) {
        let Some(first) = self.planned_from.take().filter(|_| !is_applied) else { return };
        for line in &mut self.lines[first..] {
            line.revoked = Some("planned and discarded");
        }
    }

    /// Notes that a run was undone, or redone.
    pub fn set_undone(&mut self, run: &str, is_undone: bool) {
        for line in self.lines.iter_mut().filter(|line| line.run.as_deref() == Some(run)) {
            line.revoked = is_undone.then_some("undone");
        }
    }

    /// Returns the script.
    pub fn script(&self) -> String {
        self.lines.iter().map(SavedLine::in_script).collect()
    }
}

impl SavedLine {
    fn in_script(&self) -> String {
        match self.revoked {
            None => format!("{}\n", self.text),
            Some(reason) => self.text.lines().map(|line| format!("# {reason}: {line}\n")).collect(),
        }
    }
}
