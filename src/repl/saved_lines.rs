//! The lines of a session, as `:save` writes them: a script that does what the session did.
//!
//! Only lines that are in force are live. Lines whose changes were undone, or planned and not applied, become
//! comments, so that running the script does not change what the session left alone.

use crate::engine::EndedRun;

const UNDONE: &str = "undone";
const PLANNED: &str = "planned and not applied";
const DISCARDED: &str = "planned and discarded";

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
    /// The run in the journal that made its changes, if it changed something.
    run: Option<String>,
    /// Why its planned changes were never made.
    discarded: Option<&'static str>,
    /// Whether the active plan takes its changes back.
    is_undone_in_plan: bool,
    /// The run that took its changes back by applying a plan.
    taken_back_by: Option<String>,
}

impl SavedLines {
    /// Adds a line. `ended` is the run that it was, if it changed something.
    pub fn push(&mut self, text: String, ended: Option<&EndedRun>) {
        let run = ended.map(|ended| ended.run.clone());
        let line = SavedLine { text, run, discarded: None, is_undone_in_plan: false, taken_back_by: None };
        self.lines.push(line);
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

    /// Notes that the plan was discarded.
    pub fn discard_plan(&mut self) {
        let first = self.planned_from.take().unwrap_or(self.lines.len());
        for line in &mut self.lines[first..] {
            line.discarded = Some(DISCARDED);
        }
        self.lines.iter_mut().for_each(|line| line.is_undone_in_plan = false);
    }

    /// Notes that the plan was applied by this run, or that there was nothing to apply.
    pub fn apply_plan(&mut self, by: Option<&str>) {
        let first = self.planned_from.take().unwrap_or(self.lines.len());
        for (at, line) in self.lines.iter_mut().enumerate() {
            if std::mem::take(&mut line.is_undone_in_plan) {
                // A planned line that was undone in its plan is no part of the run that applied it.
                line.discarded = (at >= first).then_some(UNDONE);
                line.taken_back_by = by.map(str::to_owned);
            } else if at >= first && line.run.is_some() {
                line.run = by.map(str::to_owned);
            }
        }
    }

    /// Notes that a run was undone, or redone, while a plan is active. Otherwise the journal tells it.
    pub fn set_undone(&mut self, run: &str, is_undone: bool) {
        if self.planned_from.is_none() {
            return;
        }
        for line in self.lines.iter_mut().filter(|line| line.run.as_deref() == Some(run)) {
            line.is_undone_in_plan = is_undone;
        }
    }

    /// Returns the script. `is_undone` tells whether the journal has a run as undone.
    pub fn script(&self, is_undone: impl Fn(&str) -> bool) -> String {
        let planned_from = self.planned_from.unwrap_or(self.lines.len());
        let lines = self.lines.iter().enumerate();
        lines.map(|(at, line)| line.in_script(line.revoked(at >= planned_from, &is_undone))).collect()
    }
}

impl SavedLine {
    /// Returns why its changes are not in force, or `None` if they are.
    fn revoked(&self, is_planned: bool, is_undone: impl Fn(&str) -> bool) -> Option<&'static str> {
        let is_taken_back = self.taken_back_by.as_deref().is_some_and(|by| !is_undone(by));
        match self.discarded {
            Some(reason) => Some(reason),
            _ if is_planned => Some(PLANNED),
            _ if is_taken_back || self.run.as_deref().is_some_and(is_undone) => Some(UNDONE),
            _ => None,
        }
    }

    fn in_script(&self, revoked: Option<&str>) -> String {
        match revoked {
            None => format!("{}\n", self.text),
            Some(reason) => self.text.lines().map(|line| format!("# {reason}: {line}\n")).collect(),
        }
    }
}
