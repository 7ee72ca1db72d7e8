//! `:plan`: a mode in which lines change nothing on the disk until the user applies or discards the plan.

use crate::engine::{Differ, Engine, Plan};
use crate::terminal::changes;
use crate::terminal::paint::paint;
use crate::terminal::question::{Answer, asked};
use crate::terminal::report::{print, report_failure, report_notes, report_setup, say};
use crate::terminal::runs::say_applied;
use crate::toolkit::ToolError;

use super::Repl;

const BEGUN: &str =
    "from now on, lines see their changes, but the disk stays as it is; `:plan` shows them, `:plan off` ends the plan";

/// The decision about a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decided {
    /// The plan was applied or discarded.
    Over,
    /// The plan continues.
    Not,
}

impl Repl<'_> {
    /// `:plan`
    pub fn plan(&mut self, what: Option<&str>) {
        let is_planning = self.session.borrow().is_planning();
        match (what, is_planning) {
            (Some("on"), false) => self.begin_plan(),
            (Some("on"), true) => self.print("a plan is already active; `:plan` shows it, `:plan off` ends it"),
            (None, true) => drop(self.show_plan()),
            (Some("off"), true) => drop(self.decide("Ctrl-C continues the plan")),
            (None | Some("off"), false) => self.print("no plan is active; `:plan on` starts one"),
            (Some(_), _) => self.print(&super::commands::usage("plan")),
        }
    }

    /// Whether the session can end. Asks first whether to apply a plan with changes.
    pub fn may_leave(&mut self) -> bool {
        if !self.session.borrow().is_planning() {
            return true;
        }
        self.engine.interrupt().clear();
        match self.planned() {
            Some(plan) if plan.changes.is_empty() => true,
            // Allow leaving even if the directory of the plan has disappeared.
            None => true,
            Some(_) => self.decide("Ctrl-C stays") == Decided::Over,
        }
    }

    /// Reports that leaving the session discards a plan.
    pub fn leave_at_once(&self) {
        if self.session.borrow().is_planning() && self.planned().is_some_and(|plan| !plan.changes.is_empty()) {
            say("the plan was not applied, and is discarded\n");
        }
    }

    fn begin_plan(&mut self) {
        let begun = self.session.borrow_mut().begin_plan();
        match begun {
            Ok(()) => {
                self.done.begin_plan();
                self.print(BEGUN);
            }
            Err(error) => report_setup(&error),
        }
    }

    /// Returns the current plan. Reports the error and returns `None` if it cannot be determined.
    fn planned(&self) -> Option<Plan> {
        self.session.borrow().planned().map_err(report_failure).ok().flatten()
    }

    /// Shows the current plan and returns it.
    fn show_plan(&self) -> Option<Plan> {
        let plan = self.planned()?;
        let session = self.session.borrow();
        show_changes(session.engine(), &plan).map_err(report_failure).ok()?;
        if session.has_planned_memory() {
            say("warning: changes of project memory are not part of the plan, and are discarded with it\n");
        }
        Some(plan)
    }

    /// Shows the plan, asks whether to apply it, and applies exactly what was shown.
    fn decide(&mut self, otherwise: &str) -> Decided {
        self.session.borrow().remove_planned_temporary();
        let Some(plan) = self.show_plan() else {
            say("the plan remains active\n");
            return Decided::Not;
        };
        let answer = if plan.changes.is_empty() {
            Answer::No
        } else {
            asked(self.engine, &format!("Do it? [y]es, [n]o; {otherwise}: "))
        };
        match answer {
            Answer::Yes => return self.apply(&plan),
            Answer::Interrupted => {
                say("\nthe plan remains active\n");
                return Decided::Not;
            }
            Answer::No | Answer::Nobody => {}
        }
        report_notes(&self.session.borrow_mut().end_plan());
        self.done.discard_plan();
        self.print("the plan is discarded; nothing was changed");
        Decided::Over
    }

    fn apply(&mut self, plan: &Plan) -> Decided {
        let applied = self.session.borrow_mut().apply_plan(plan);
        match applied {
            Ok(applied) => {
                say_applied(&applied);
                self.done.apply_plan(applied.by.as_deref());
                Decided::Over
            }
            Err(error) => {
                report_failure(error);
                say("the plan remains active\n");
                Decided::Not
            }
        }
    }
}

/// Shows the changes of a plan.
fn show_changes(engine: &Engine, plan: &Plan) -> Result<(), ToolError> {
    if plan.changes.is_empty() {
        say("plan: nothing would be changed\n");
        return Ok(());
    }
    let described = engine.describe_plan(plan, Differ::showing(engine.watch()))?;
    // A closed output is not an error.
    let _ = print(&format!("plan: this would be changed\n{}", changes::page(&described, paint())));
    Ok(())
}
