//! `:log`, `:show`, `:undo` and `:redo`: the runs of a session and of the sandbox.

use crate::engine::{Differ, Engine, Selection};
use crate::terminal::report::{print, report_failure, say};
use crate::terminal::runs::{NOTHING, overview, page, run_to_show};
use crate::terminal::undo::{CommandStyle, say_undone};
use crate::toolkit::ToolError;

use super::Repl;

/// Number of runs that `:log` shows.
const SHOWN_IN_SESSION: usize = 10;

/// `:log` of a session.
pub fn log(engine: &Engine) {
    match engine.runs(Selection::Folded, SHOWN_IN_SESSION) {
        Ok(runs) if runs.is_empty() => say(&format!("{NOTHING}\n")),
        // A closed output is not an error.
        Ok(runs) => drop(print(&overview(&runs))),
        Err(error) => drop(report_failure(error)),
    }
}

/// `:show` of a session: shows the named run, or the newest.
pub fn show(engine: &Engine, run: Option<&str>) {
    let shown = run_to_show(engine, run).and_then(|run| match run {
        None => Ok(format!("{NOTHING}\n")),
        Some(run) => {
            let described = engine.describe_run(&run, Differ::showing(engine.watch()))?;
            Ok(page(&run, &described, true))
        }
    });
    match shown {
        Ok(page) => drop(print(&page)),
        Err(error) => drop(report_failure(error)),
    }
}

impl Repl<'_> {
    /// `:undo` and `:redo` of a session.
    pub fn undo(&mut self, run: Option<&str>, redo: bool) {
        let undone = self.session.borrow().engine().undo(run, redo, false);
        match undone {
            Ok(undone) => {
                self.done.set_undone(&undone.origin.run, !undone.is_redo);
                say_undone(&undone, &CommandStyle::Session);
            }
            Err(error) => drop(report_failure(ToolError { hint: error.hint.as_deref().map(in_session), ..error })),
        }
    }
}

/// Replaces shell commands in a hint with commands of a session, where they exist.
fn in_session(hint: &str) -> String {
    let parts = hint.split('`').enumerate().map(|(at, part)| match part.strip_prefix("ns ") {
        Some(command) if at % 2 == 1 && !command.contains("--") => format!(":{command}"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}
