//! `ns undo` and `ns redo`: a run is taken back, or done again; before that, what it comes to.

use std::io::{IsTerminal, stderr};

use crate::engine::{Displaced, Ended, Engine, Options, Origin, PassedOver, Undone, short_name};
use crate::text::{ToolCode, safe, shell_word};
use crate::toolkit::ToolError;

use super::above::Above;
use super::args::{Global, RedoArgs, UndoArgs};
use super::exit::Exit;
use super::history::{report, with_options};
use super::interrupts::catch_interrupts;
use super::plan;
use super::terminal::{self, say};

/// Which run is concerned, and what is done with it.
#[derive(Clone, Copy)]
struct Request<'a> {
    /// The run that is named; the newest if left out.
    run: Option<&'a str>,
    /// Whether it is done again.
    redo: bool,
    /// Whether what stands in the way is left as it is.
    force: bool,
    /// Whether runs that cannot be taken back are passed over.
    skip: bool,
    /// Whether nothing is changed, and what would be is shown.
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
    let above = Above::find(global);
    with_options(&Options { plan: request.plan, ..global.options() }, |engine| {
        catch_interrupts(engine.interrupt());
        let undone = reverse_here(engine, request).map_err(|error| match &above {
            Some(above) if error.code == ToolCode::NotFound && request.run.is_none() => {
                error.hint(above.hint(if request.redo { "redo" } else { "undo" }))
            }
            _ => error,
        })?;
        if request.plan { show_plan(engine, &undone) } else { Ok(say_undone(&undone, &Voice::of_command(global))) }
    })
}

fn reverse_here(engine: &Engine, request: Request<'_>) -> Result<Undone, ToolError> {
    if !request.skip {
        return engine.undo(request.run, request.redo, request.force);
    }
    let (undone, passed) = engine.undo_past_conflicts()?;
    for PassedOver { origin, error } in passed {
        say(&format!("passed over {}: {}\n", named(&origin), error.message));
    }
    Ok(undone)
}

/// Shows what taking a run back would change.
fn show_plan(engine: &Engine, undone: &Undone) -> Result<Exit, ToolError> {
    let verb = if undone.is_redo { "redo" } else { "undo" };
    let plan = engine.plan(&format!("ns {verb}"), false)?.expect("the engine plans");
    report_left(undone);
    for Displaced { path, .. } in &undone.displaced {
        say(&format!("note: what stands at `{}` would be kept below `.ns`\n", safe::name(&path.shown())));
    }
    say(&format!("plan: `ns {verb}` of {}\n", named(&undone.origin)));
    plan::show_plan_of(engine, &plan)?;
    Ok(exit_of(undone))
}

/// How a person goes on: by commands of a shell, or by those of a session.
enum Voice {
    /// Options that choose the same sandbox, appended to a command.
    Command(String),
    /// A session.
    Session,
}

impl Voice {
    fn of_command(global: &Global) -> Voice {
        // Only a terminal is told paths of the machine.
        if !stderr().is_terminal() {
            return Voice::Command(String::new());
        }
        let sandbox = global.sandbox.as_ref().map(|folder| safe::name(&folder.to_string_lossy()).into_owned());
        Voice::Command(sandbox.map(|folder| format!(" --sandbox {}", shell_word(&folder))).unwrap_or_default())
    }

    fn command(&self, verb: &str) -> String {
        match self {
            Voice::Command(options) => format!("ns {verb}{options}"),
            Voice::Session => format!(":{verb}"),
        }
    }
}

/// Says at a terminal what the run that just ended has changed, and how that is taken back.
pub(super) fn say_ended(global: &Global, engine: &Engine) {
    let Some(Ended { steps, .. }) = engine.ended_run() else { return };
    if !global.quiet {
        say_changes(engine, steps, &Voice::of_command(global));
    }
}

/// The same for a line of a session.
pub(crate) fn say_ended_in_session(engine: &Engine, steps: u32) {
    say_changes(engine, steps, &Voice::Session);
}

fn say_changes(engine: &Engine, steps: u32, voice: &Voice) {
    if steps == 0 || !stderr().is_terminal() {
        return;
    }
    let changes = terminal::counted(steps as usize, "change");
    let planned = if engine.is_planning() { " planned" } else { "" };
    let them = if steps == 1 { "it" } else { "them" };
    // A note said why where nothing can be taken back.
    let remedy =
        if engine.can_undo() { format!("; {} takes {them} back", voice.command("undo")) } else { String::new() };
    say(&format!("{changes}{planned}{remedy}\n"));
}

/// `:undo` and `:redo` of a session.
pub(crate) fn undo_in_session(engine: &Engine, run: Option<&str>, redo: bool) {
    match engine.undo(run, redo, false) {
        Ok(undone) => drop(say_undone(&undone, &Voice::Session)),
        Err(error) => drop(report(ToolError { hint: error.hint.as_deref().map(in_session), ..error })),
    }
}

/// A hint with the commands of a session in place of those of a shell, where there are such.
fn in_session(hint: &str) -> String {
    let parts = hint.split('`').enumerate().map(|(at, part)| match part.strip_prefix("ns ") {
        Some(command) if at % 2 == 1 && !command.contains("--") => format!(":{command}"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// A run as people know it: its short name, and the command that began it.
fn named(origin: &Origin) -> String {
    let name = short_name(&origin.run);
    let command = origin.command.strip_prefix("ns repl: ").unwrap_or(&origin.command);
    if command.is_empty() { name.to_owned() } else { format!("{name} ({})", safe::name(command)) }
}

fn say_undone(undone: &Undone, voice: &Voice) -> Exit {
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

/// How many of its changes were taken back or done again, counted as the log counts them.
fn counted_changes(undone: &Undone) -> String {
    match undone.origin.changes {
        Some(all) if all as usize > undone.steps => format!("{} of {all} changes", undone.steps),
        _ => terminal::counted(undone.steps, "change"),
    }
}

fn report_left(undone: &Undone) {
    for left in &undone.left {
        say(&format!(
            "warning: `{}` was left as it is: {}\n",
            safe::name(&left.path.shown()),
            safe::name(&left.reason)
        ));
    }
}

fn report_displaced(undone: &Undone) {
    for Displaced { path, kept } in &undone.displaced {
        let (path, kept) = (path.shown(), kept.shown());
        say(&format!("note: what stood at `{}` is kept as `{}`\n", safe::name(&path), safe::name(&kept)));
    }
}

fn exit_of(undone: &Undone) -> Exit {
    if undone.left.is_empty() { Exit::Done } else { Exit::Failed }
}
