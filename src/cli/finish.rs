//! The end of a run: its findings and warnings, and how to undo what it changed.

use std::io::{IsTerminal, stderr};

use crate::engine::{EmitError, EndedRun, Engine, Outcome};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::report::{report_error, report_findings, report_notes, say};
use crate::terminal::undo::{CommandStyle, say_changes};
use crate::text::{safe, shell_word};

/// Reports the findings and warnings of a run. Returns the outcome of the process.
pub fn finish(outcome: &Outcome, flushed: Result<(), EmitError>) -> Exit {
    report_findings(&outcome.findings, &outcome.sources);
    if let Some(usage) = &outcome.usage {
        say(&format!("\n{usage}"));
    }
    report_notes(&outcome.warnings);
    if let Err(EmitError::Io(error)) = flushed {
        report_error(&format!("the output cannot be written: {error}"), "look at what standard output is connected to");
        return Exit::Failed;
    }
    outcome.ending.into()
}

/// Reports on a terminal what the run that just ended has changed, and how to undo it.
pub fn say_ended(global: &Global, engine: &Engine) {
    let Some(EndedRun { steps, .. }) = engine.ended_run() else { return };
    if !global.quiet {
        say_changes(engine, steps, &command_style(global));
    }
}

/// Returns the form of commands that choose the same sandbox.
pub fn command_style(global: &Global) -> CommandStyle {
    // Paths of the machine are only printed to a terminal.
    if !stderr().is_terminal() {
        return CommandStyle::Command(String::new());
    }
    let sandbox = global.sandbox().map(|folder| safe::name(&folder.to_string_lossy()).into_owned());
    CommandStyle::Command(sandbox.map(|folder| format!(" --sandbox {}", shell_word(&folder))).unwrap_or_default())
}
