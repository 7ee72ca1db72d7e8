//! Reports on undos, redos and ended runs, with the commands that take them back.

use std::io::{IsTerminal, stderr};

use crate::engine::{Displaced, Engine, Origin, UndoReport, short_name};
use crate::text::safe;
use crate::value::print::shortened;

use super::exit::Exit;
use super::report::{counted, say};

/// Maximum number of characters of a command in a message.
const COMMAND_CHARS: usize = 72;

/// The form of suggested commands: for a shell or for a session.
pub enum CommandStyle {
    /// Options that choose the same sandbox, appended to a command.
    Command(String),
    /// Commands of a session.
    Session,
}

impl CommandStyle {
    /// Formats a command.
    pub fn command(&self, verb: &str) -> String {
        match self {
            CommandStyle::Command(options) => format!("ns {verb}{options}"),
            CommandStyle::Session => format!(":{verb}"),
        }
    }
}

/// Reports on a terminal how many changes were made, and how to undo them.
pub fn say_changes(engine: &Engine, steps: u32, style: &CommandStyle) {
    if steps == 0 || !stderr().is_terminal() {
        return;
    }
    let changes = counted(steps as usize, "change");
    let planned = if engine.is_planning() { " planned" } else { "" };
    let them = if steps == 1 { "it" } else { "them" };
    // If undo is impossible, a note has given the reason.
    let remedy =
        if engine.can_undo() { format!("; {} takes {them} back", style.command("undo")) } else { String::new() };
    say(&format!("{changes}{planned}{remedy}\n"));
}

/// Formats a run for people: its short name, and its command.
pub fn named(origin: &Origin) -> String {
    let name = short_name(&origin.run);
    let command = origin.command.strip_prefix("ns repl: ").unwrap_or(&origin.command);
    if command.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({})", safe::name(&shortened(command, COMMAND_CHARS)))
    }
}

/// Reports what was undone or redone.
pub fn say_undone(undone: &UndoReport, style: &CommandStyle) -> Exit {
    report_left(undone);
    report_displaced(undone);
    let (run, changes) = (named(&undone.origin), counted_changes(undone));
    let message = match (undone.steps, undone.is_redo) {
        (0, false) => format!("nothing of {run} was left to take back; it counts as undone"),
        (0, true) => format!("nothing of {run} was left to do again; it counts as redone"),
        (_, false) => format!("undid {run}: {changes}; `{}` does it again", style.command("redo")),
        (_, true) => format!("redid {run}: {changes}; `{}` takes it back", style.command("undo")),
    };
    say(&format!("{message}\n"));
    exit_of(undone)
}

/// How many of its changes were taken back or done again, counted as the log counts them.
fn counted_changes(undone: &UndoReport) -> String {
    match undone.origin.changes {
        Some(all) if all as usize > undone.steps => format!("{} of {all} changes", undone.steps),
        _ => counted(undone.steps, "change"),
    }
}

/// Reports the paths that were left as they are.
pub fn report_left(undone: &UndoReport) {
    for left in &undone.left {
        say(&format!(
            "warning: `{}` was left as it is: {}\n",
            safe::name(&left.path.display()),
            safe::name(&left.reason)
        ));
    }
}

fn report_displaced(undone: &UndoReport) {
    for Displaced { path, kept } in &undone.displaced {
        let (path, kept) = (path.display(), kept.display());
        say(&format!("note: the previous content of `{}` is kept as `{}`\n", safe::name(&path), safe::name(&kept)));
    }
}

/// Returns the outcome of the process.
pub fn exit_of(undone: &UndoReport) -> Exit {
    if undone.left.is_empty() { Exit::Done } else { Exit::Failed }
}
