//! `ns undo` and `ns redo`: reverse a run or repeat an undone one, or show what that would change.

use crate::engine::{Address, Described, Differ, Displaced, Engine, Options, Plan, UndoReport, Value};
use crate::options::Global;
use crate::terminal::changes;
use crate::terminal::exit::Exit;
use crate::terminal::interrupts::catch_interrupts;
use crate::terminal::paint::paint;
use crate::terminal::printer::Format;
use crate::terminal::report::{print, say};
use crate::terminal::undo::{exit_of, named, report_left, say_undone};
use crate::text::{ToolCode, safe};
use crate::toolkit::ToolError;
use crate::value::Map;

use super::above::ParentSandbox;
use super::args::{RedoArgs, UndoArgs};
use super::finish::command_style;
use super::print_value::print_as;
use super::start::{settle, with_options};

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
        && let Err(exit) = settle()
    {
        return exit;
    }
    let above = ParentSandbox::find(global);
    with_options(&Options { plan: request.plan, ..global.options() }, |engine| {
        catch_interrupts(engine.interrupt());
        let undone = reverse_run(engine, request).map_err(|error| match &above {
            Some(above) if error.code == ToolCode::NotFound && request.run.is_none() => {
                error.hint(above.hint(if request.redo { "redo" } else { "undo" }))
            }
            _ => error,
        })?;
        match (request.plan, Format::for_shown(global.output)) {
            (true, format) => show_plan(engine, &undone, format),
            (false, Some(format)) => print_undone(&undone, Value::from(undone.steps as i64), format),
            (false, None) => Ok(say_undone(&undone, &command_style(global))),
        }
    })
}

fn reverse_run(engine: &Engine, request: Request<'_>) -> Result<UndoReport, ToolError> {
    if !request.skip {
        return engine.undo(request.run, request.redo, request.force);
    }
    let (undone, passed) = engine.undo_past_conflicts()?;
    for skipped in passed {
        say(&format!("passed over {}: {}\n", named(&skipped.origin), skipped.reason));
    }
    Ok(undone)
}

/// Shows what an undo or a redo would change, and what stands in its way.
fn show_plan(engine: &Engine, undone: &UndoReport, format: Option<Format>) -> Result<Exit, ToolError> {
    let verb = if undone.is_redo { "redo" } else { "undo" };
    let plan = engine.plan(&format!("ns {verb}"), false)?.expect("the engine plans");
    if let Some(format) = format {
        let described = engine.describe_plan(&plan, Differ::counting(engine.watch()))?;
        let rows = Value::list(described.iter().map(Described::row).collect())?;
        return print_undone(undone, rows, format);
    }
    report_left(undone);
    for Displaced { path, .. } in &undone.displaced {
        say(&format!("note: what stands at `{}` would be kept below `.ns`\n", safe::name(&path.display())));
    }
    say(&format!("plan: `ns {verb}` of {}\n", named(&undone.origin)));
    show_changes_of(engine, &plan)?;
    Ok(exit_of(undone))
}

/// Prints a report for programs. `changes` is the number of changes made, or the list of those planned.
fn print_undone(undone: &UndoReport, changes: Value, format: Format) -> Result<Exit, ToolError> {
    let text = |path: &Address| Value::text(&path.display());
    let row = |path: &Address, key: &str, value: Value| {
        Value::from(Map::with_capacity(2).with("path", text(path)).with(key, value))
    };
    let left = undone.left.iter().map(|left| row(&left.path, "reason", Value::text(&left.reason)));
    let displaced = undone.displaced.iter().map(|displaced| row(&displaced.path, "keptAs", text(&displaced.kept)));
    let by = undone.by.as_deref().map_or(Value::Nil, Value::text);
    let report = Map::with_capacity(7)
        .with("run", undone.origin.run.as_str())
        .with("command", undone.origin.command.as_str())
        .with("state", if undone.is_redo { "redone" } else { "undone" })
        .with("by", by)
        .with("changes", changes)
        .with("left", Value::list(left.collect())?)
        .with("displaced", Value::list(displaced.collect())?);
    print_as(format, report.into())?;
    Ok(exit_of(undone))
}

/// Shows the planned changes of an undo or a redo.
fn show_changes_of(engine: &Engine, plan: &Plan) -> Result<(), ToolError> {
    if plan.changes.is_empty() {
        say("nothing would be changed\n");
        return Ok(());
    }
    let described = engine.describe_plan(plan, Differ::counting(engine.watch()))?;
    print(&format!("{}\n{}", changes::tree(&described, paint()), changes::summary(&described)));
    Ok(())
}
