//! The errors of undoing and applying: why a run cannot be undone, and where the tree is not in the expected state.

use crate::sandbox::{Conflict, SandboxError, UndoError, short_name};
use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::{Map, Value};

/// Maximum number of paths named when the tree no longer matches what a run left.
const NAMED: usize = 10;
/// The remedy if an undo found no room on the disk.
const MAKE_ROOM: &str =
    "everything is as before; make room on the disk, outside of `ns` or with `ns gc`, and try again";
/// The treatment of an entry in the place where something comes back by force.
const KEEPS: &str = "keeps what stands in its place below `.ns`";

/// Returns the error for a run that cannot be undone or shown.
pub fn undo_refused(error: UndoError, run: &str) -> ToolError {
    let message = error.to_string();
    match error {
        UndoError::Sandbox(error) => error.into(),
        UndoError::RolledBack { error, .. } => {
            let hint = match &error {
                SandboxError::NoSpace(_) => Some(MAKE_ROOM),
                error => error.help(),
            };
            ToolError { message, hint: hint.map(str::to_owned), ..error.into() }
        }
        UndoError::Unknown(_) => ToolError::new(ToolCode::NotFound, message).hint("`ns log` lists the runs"),
        UndoError::GoesOn(_) => ToolError::new(ToolCode::Conflict, message).hint("wait until it ends, or stop it"),
        UndoError::Nothing(_) => {
            ToolError::new(ToolCode::Conflict, message).hint("`ns log` lists what became of each run")
        }
        UndoError::Undone(run) => {
            ToolError::new(ToolCode::Conflict, message).hint(format!("`ns redo {}` does it again", short_name(&run)))
        }
        UndoError::NotUndone(run) => {
            ToolError::new(ToolCode::Conflict, message).hint(format!("`ns undo {}` takes it back", short_name(&run)))
        }
        UndoError::Foreign(_) => ToolError::new(ToolCode::IoError, message)
            .hint("`ns adopt` shows the runs that are foreign, and takes them over if you say so"),
        UndoError::Unreadable { .. } => ToolError::new(ToolCode::IoError, message)
            .hint(format!("`ns undo {} --force` takes back what can be read of it", short_name(run))),
        UndoError::NothingBack { conflicts, later, .. }
        | UndoError::MovedOn { conflicts, is_forceable: false, later, .. } => {
            conflicted(&message, &conflicts, &format!("nothing was done{}", undo_first(&later)))
        }
        UndoError::MovedOn { run, is_redo: true, conflicts, later, .. } => {
            let run = short_name(&run);
            let force = format!("`ns redo {run} --force` does what can be done, and {KEEPS}");
            conflicted(&message, &conflicts, &format!("nothing was done{}; {force}", undo_first(&later)))
        }
        UndoError::MovedOn { run, conflicts, later, .. } => {
            let run = short_name(&run);
            let force = format!("`ns undo {run} --force` gives back what can come back, and {KEEPS}");
            conflicted(&message, &conflicts, &format!("nothing was done{}; {force}", undo_first(&later)))
        }
    }
}

/// Returns a clause that names the commands which take back the later runs in the way, newest first.
fn undo_first(later: &[String]) -> String {
    let commands = later.iter().take(NAMED).map(|run| format!("`ns undo {run}`")).collect::<Vec<_>>().join(", then ");
    match later.len() {
        0 => String::new(),
        1 => format!("; {commands} takes back the later run in its way"),
        2..=NAMED => format!("; {commands} take back the later runs in its way"),
        count => format!("; {commands} take back {NAMED} of the {count} later runs in its way"),
    }
}

/// Returns why a run cannot be undone, as a clause that stands beside its name. Returns `None` if the cause is not the
/// run.
pub fn reason_beside_run(error: &UndoError) -> Option<String> {
    let reason = match error {
        UndoError::Sandbox(_) | UndoError::RolledBack { .. } => return None,
        UndoError::Unknown(_) => "there is no such run".to_owned(),
        UndoError::GoesOn(_) => "it still goes on".to_owned(),
        UndoError::Undone(_) => "it is taken back already".to_owned(),
        UndoError::NotUndone(_) => "it is not taken back".to_owned(),
        UndoError::Nothing(_) => "nothing that it changed stays".to_owned(),
        UndoError::Foreign(_) => "it is foreign: see `ns adopt`".to_owned(),
        UndoError::Unreadable { reason, .. } => format!("its journal cannot be read: {reason}"),
        UndoError::NothingBack { conflicts, .. } => format!("nothing of it could be reversed: {}", listed(conflicts)),
        UndoError::MovedOn { conflicts, .. } if conflicts.len() == 1 => {
            format!("1 path has changed: {}", listed(conflicts))
        }
        UndoError::MovedOn { conflicts, .. } => {
            format!("{} paths have changed: {}", conflicts.len(), listed(conflicts))
        }
    };
    Some(reason)
}

/// Lists the first conflicts, and the number of further ones.
fn listed(conflicts: &[Conflict]) -> String {
    let named = conflicts.iter().take(NAMED).map(|Conflict { path, reason }| format!("`{}`: {reason}", path.display()));
    let named = named.collect::<Vec<_>>().join("; ");
    let more = conflicts.len().saturating_sub(NAMED);
    if more == 0 { named } else { format!("{named}; and {more} more") }
}

/// Returns the error for a tree that is not in the expected state, with one row per conflict.
pub fn conflicted(message: &str, conflicts: &[Conflict], hint: &str) -> ToolError {
    let error = ToolError::new(ToolCode::Conflict, format!("{message}: {}", listed(conflicts))).hint(hint);
    match rows_of(conflicts) {
        Some(rows) => error.answering(rows),
        None => error,
    }
}

/// Converts conflicts to a list of maps. Returns `None` if they exceed a limit.
fn rows_of(conflicts: &[Conflict]) -> Option<Value> {
    let row = |Conflict { path, reason }: &Conflict| {
        Value::from(
            Map::with_capacity(2).with("path", Value::text(&path.display())).with("reason", Value::text(reason)),
        )
    };
    Value::list(conflicts.iter().map(row).collect()).ok()
}
