//! `ns undo` and `ns redo`: reverse a run or repeat an undone one, or show what that would change.

use std::io::{IsTerminal, stderr};

use crate::engine::{Displaced, EndedRun, Engine, Options, Origin, SkippedRun, UndoReport, short_name};
use crate::text::{ToolCode, safe, shell_word};
use crate::toolkit::ToolError;

use super::above::ParentSandbox;
use super::args::{Global, RedoArgs, UndoArgs};
use super::exit::Exit;
use super::history::{report, with_options};
use super::interrupts::catch_interrupts;
use super::plan;
use super::terminal::{self, say};

/// The run to reverse, and how.
#[derive(Clone, Copy)]
struct Request<'a> {
    /// The named run, or `None` for the newest.
    run: Option<&'a str>,
    /// Whether to redo instead of undo.
    redo: bool,
    /// Whether to skip conflicting paths.
    force: bool,
    /// Whether to pass over runs that cannot be undone.
    skip: bool,
    /// Whether to change nothing and show the planned changes.
    plan: bool,
}

/// `ns undo`
pub fn undo(global: &Global, args: &UndoArgs) -> Exit {
    let UndoArgs { run, force, skip, plan } = args;
    reverse(global, Request { run: run.as_deref(), redo: false, force: *force, skip: *skip, plan: *plan })
}

/// `ns redo`
pub fn redo(global: &Global, args: &RedoArgs) -> Exit {
    let RedoArgs { run, force, plan } = args;
    reverse(global, Request { run: run.as_deref(), redo: true, force: *force, skip: false, plan: *plan })
}

fn reverse(global: &Global, request: Request<'_>) -> Exit {
    if request.plan
        && let Err(exit) = super::settle()
    {
        return exit;
    }
    let above = ParentSandbox::find(global);
    with_options(&Options { plan: request.plan, ..global.options() }, |engine| {
        catch_interrupts(engine.interrupt());
        let undone = reverse_here(engine, request).map_err(|error| match &above {
            Some(above) if error.code == ToolCode::NotFound && request.run.is_none() => {
                error.hint(above.hint(if request.redo { "redo" } else { "undo" }))
            }
            _ => error,
        })?;
        if request.plan {
            show_plan(engine, &undone)
        } else {
            Ok(say_undone(&undone, &CommandStyle::of_command(global)))
        }
    })
}

fn reverse_here(engine: &Engine, request: Request<'_>) -> Result<UndoReport, ToolError> {
    if !request.skip {
        return engine.undo(request.run, request.redo, request.force);
    }
    let (undone, passed) = engine.undo_past_conflicts()?;
    for SkippedRun { origin, error } in passed {
        say(&format!("passed over {}: {}\n", named(&origin), error.message));
    }
    Ok(undone)
}

/// Shows what an undo or a redo would change.
fn show_plan(engine: &Engine, undone: &UndoReport) -> Result<Exit, ToolError> {
    let verb = if undone.is_redo { "redo" } else { "undo" };
    let plan = engine.plan(&format!("ns {verb}"), false)?.expect("the engine plans");
    report_left(undone);
    for Displaced { path, .. } in &undone.displaced {
        say(&format!("note: what stands at `{}` would be kept below `.ns`\n", safe::name(&path.display())));
    }
    say(&format!("plan: `ns {verb}` of {}\n", named(&undone.origin)));
    plan::show_plan_of(engine, &plan)?;
    Ok(exit_of(undone))
}

/// The form of suggested commands: for a shell or for a session.
enum CommandStyle {
    /// Options that choose the same sandbox, appended to a command.
    Command(String),
    /// Commands of a session.
    Session,
}

impl CommandStyle {
    fn of_command(global: &Global) -> CommandStyle {
        // Paths of the machine are only printed to a terminal.
        if !stderr().is_terminal() {
            return CommandStyle::Command(String::new());
        }
        let sandbox = global.sandbox.as_ref().map(|folder| safe::name(&folder.to_string_lossy()).into_owned());
        CommandStyle::Command(sandbox.map(|folder| format!(" --sandbox {}", shell_word(&folder))).unwrap_or_default())
    }

    fn command(&self, verb: &str) -> String {
        match self {
            CommandStyle::Command(options) => format!("ns {verb}{options}"),
            CommandStyle::Session => format!(":{verb}"),
        }
    }
}

/// Reports on a terminal what the run that just ended has changed, and how to undo it.
pub(super) fn say_ended(global: &Global, engine: &Engine) {
    let Some(EndedRun { steps, .. }) = engine.ended_run() else { return };
    if !global.quiet {
        say_changes(engine, steps, &CommandStyle::of_command(global));
    }
}

/// Reports the changes of a line of a session.
pub(crate) fn say_ended_in_session(engine: &Engine, steps: u32) {
    say_changes(engine, steps, &CommandStyle::Session);
}

fn say_changes(engine: &Engine, steps: u32, voice: &CommandStyle) {
    if steps == 0 || !stderr().is_terminal() {
        return;
    }
    let changes = terminal::counted(steps as usize, "change");
    let planned = if engine.is_planning() { " planned" } else { "" };
    let them = if steps == 1 { "it" } else { "them" };
    // If undo is impossible, a note has given the reason.
    let remedy =
        if engine.can_undo() { format!("; {} takes {them} back", voice.command("undo")) } else { String::new() };
    say(&format!("{changes}{planned}{remedy}\n"));
}

/// `:undo` and `:redo` of a session.
pub(crate) fn undo_in_session(engine: &Engine, run: Option<&str>, redo: bool) {
    match engine.undo(run, redo, false) {
        Ok(undone) => drop(say_undone(&undone, &CommandStyle::Session)),
        Err(error) => drop(report(ToolError { hint: error.hint.as_deref().map(in_session), ..error })),
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

/// Formats a run for people: its short name, and its command.
fn named(origin: &Origin) -> String {
    let name = short_name(&origin.run);
    let command = origin.command.strip_prefix("ns repl: ").unwrap_or(&origin.command);
    if command.is_empty() { name.to_owned() } else { format!("{name} ({})", safe::name(command)) }
}

fn say_undone(undone: &UndoReport, voice: &CommandStyle) -> Exit {
    report_left(undone);
    report_displaced(undone);
    let (run, changes) = (named(&undone.origin), counted_changes(undone));
    let told = match (undone.steps, undone.is_redo) {
        (0, false) => format!("nothing of {run} could be taken back; it counts as undone"),
        (0, true) if undone.left.is_empty() => format!("nothing of {run} was taken back; it counts as redone"),
        (0, true) => format!("nothing of {run} could be done again; it counts as redone"),
        (_, false) => format!("undid {run}: {changes}; `{}` does it again", voice.command("redo")),
        (_, true) => format!("redid {run}: {changes}; `{}` takes it back", voice.command("undo")),
    };
    say(&format!("{told}\n"));
    exit_of(undone)
}

/// Formats the number of changes that were undone or redone, counted as in the log.
fn counted_changes(undone: &UndoReport) -> String {
    match undone.origin.changes {
        Some(all) if all as usize > undone.steps => format!("{} of {all} changes", undone.steps),
        _ => terminal::counted(undone.steps, "change"),
    }
}

fn report_left(undone: &UndoReport) {
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
        say(&format!("note: what stood at `{}` is kept as `{}`\n", safe::name(&path), safe::name(&kept)));
    }
}

fn exit_of(undone: &UndoReport) -> Exit {
    if undone.left.is_empty() { Exit::Done } else { Exit::Failed }
}
