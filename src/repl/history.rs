//! `:log`, `:show`, `:undo` and `:redo`: the runs of a session and of the sandbox.

use crate::engine::{Differ, Engine, Selection};
use crate::terminal::report::{print, report_failure, say};
use crate::terminal::runs::{NOTHING, overview, page, run_to_show};
use crate::terminal::undo::{CommandStyle, say_undone};
use crate::toolkit::ToolError;

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

/// `:undo` and `:redo` of a session.
pub fn undo(engine: &Engine, run: Option<&str>, redo: bool) {
    match engine.undo(run, redo, false) {
        Ok(undone) => drop(say_undone(&undone, &CommandStyle::Session)),
        Err(error) => drop(report_failure(ToolError { hint: error.hint.as_deref().map(in_session), ..error })),
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
