//! `ns log`, `ns show`, `ns undo` and `ns redo`: what runs changed, and how it is taken back.

use std::io::{IsTerminal, stderr, stdout};
use std::path::Path;

use chrono::{Local, SecondsFormat};
use comfy_table::{CellAlignment, ColumnConstraint, Row, Width};

use crate::engine::{
    Described, Differ, End, Ended, Engine, Listed, Options, PassedOver, ShownRun, Undone, Value, short_name,
};
use crate::text::{Diagnostic, FindingCode, Sources, safe};
use crate::toolkit::ToolError;
use crate::value::Map;

use super::args::{Global, LogArgs, ShowArgs, UndoArgs};
use super::changes;
use super::exit::Exit;
use super::interrupts::catch_interrupts;
use super::screen;
use super::show::{Format, Printer};
use super::table;
use super::terminal::{self, report_findings, report_notes, say};

/// Columns that the command of a run takes at least, however narrow the terminal is.
const COMMAND_COLUMNS: u16 = 16;
/// Runs that `:log` of a session shows.
const SHOWN_IN_SESSION: usize = 10;

/// `ns log`
pub fn log(global: &Global, args: &LogArgs) -> Exit {
    with_engine(global, |engine| {
        let most = if args.all { usize::MAX } else { usize::try_from(args.limit).unwrap_or(usize::MAX) };
        let runs = engine.runs(most)?;
        if runs.is_empty() {
            say("no run has changed anything here\n");
        }
        match Format::for_call(global.output) {
            Some(Format::Table) | None if !runs.is_empty() => Ok(terminal::print(&overview(&runs))),
            format => {
                let rows = Value::list(runs.iter().map(row_of_run).collect())?;
                print_as(format.unwrap_or(Format::Table), rows)
            }
        }
    })
}

/// `ns show RUN`
pub fn show(global: &Global, args: &ShowArgs) -> Exit {
    with_engine(global, |engine| {
        catch_interrupts(engine.interrupt());
        let Some(run) = run_to_show(engine, args.run.as_deref())? else {
            say("no run has changed anything here\n");
            return Ok(Exit::Done);
        };
        let differ = if args.diff { Differ::showing(engine.watch()) } else { Differ::counting(engine.watch()) };
        let described = engine.describe_run(&run, differ)?;
        match Format::for_shown(global.output) {
            Some(Format::Json) => print_as(Format::Json, whole(&run, &described)?),
            Some(format) => print_as(format, rows(&described)?),
            None => Ok(terminal::print(&page(&run, &described, args.diff))),
        }
    })
}

fn rows(described: &[Described]) -> Result<Value, ToolError> {
    Ok(Value::list(described.iter().map(Described::row).collect())?)
}

fn whole(run: &ShownRun, described: &[Described]) -> Result<Value, ToolError> {
    Ok(head(run).with("changes", rows(described)?).into())
}

/// A run as people see it: what it was, the tree of what it changed, and the differences.
fn page(run: &ShownRun, described: &[Described], with_differences: bool) -> String {
    let paint = terminal::paint();
    let head = head(run);
    let told = head.iter().filter(|(_, value)| !matches!(value, Value::Nil));
    let mut page: String =
        told.map(|(key, value)| format!("{}: {}\n", key.as_text(), safe::name(&value.to_string()))).collect();
    let tree = changes::tree(described, paint);
    page.push_str(&format!("\n{tree}\n{}", changes::summary(described)));
    let differences = if with_differences { changes::differences(described, paint) } else { String::new() };
    if !differences.is_empty() {
        page.push_str(&format!("\n{differences}"));
    }
    page
}

/// `ns undo`
pub fn undo(global: &Global, args: &UndoArgs) -> Exit {
    with_engine(global, |engine| {
        catch_interrupts(engine.interrupt());
        if !args.skip {
            return engine.undo(args.run.as_deref(), false, args.force).map(|undone| say_undone(&undone));
        }
        let (undone, passed) = engine.undo_past_conflicts()?;
        for PassedOver { run, error } in passed {
            say(&format!("passed over `{}`{}: {}\n", run.short(), command_of(&run), error.message));
        }
        Ok(say_undone(&undone))
    })
}

/// `ns redo`
pub fn redo(global: &Global, force: bool) -> Exit {
    with_engine(global, |engine| {
        catch_interrupts(engine.interrupt());
        engine.undo(None, true, force).map(|undone| say_undone(&undone))
    })
}

/// Says at a terminal what the run that just ended has changed, and how that is taken back.
pub(super) fn say_ended(global: &Global, engine: &Engine) {
    let Some(Ended { steps, .. }) = engine.ended_run().filter(|ended| ended.steps > 0) else { return };
    if global.quiet || !stderr().is_terminal() {
        return;
    }
    let changes = terminal::counted(steps as usize, "change");
    let them = if steps == 1 { "it" } else { "them" };
    let sandbox =
        global.sandbox.as_ref().map(|folder| format!(" --sandbox {}", shell_word(folder))).unwrap_or_default();
    // A note said why where nothing can be taken back.
    let remedy = if engine.can_undo() { format!("; ns undo{sandbox} takes {them} back") } else { String::new() };
    say(&format!("{changes}{remedy}\n"));
}

/// A path as a word for a shell.
fn shell_word(path: &Path) -> String {
    let text = safe::name(&path.to_string_lossy()).into_owned();
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "/._-+,@:".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// `:log` of a session.
pub(crate) fn log_in_session(engine: &Engine) {
    match engine.runs(SHOWN_IN_SESSION) {
        Ok(runs) if runs.is_empty() => say("no run has changed anything here\n"),
        // That nobody reads it is nobody's error.
        Ok(runs) => drop(terminal::print(&overview(&runs))),
        Err(error) => drop(report(error)),
    }
}

/// `:show` of a session: the run that is named, or the newest.
pub(crate) fn show_in_session(engine: &Engine, run: Option<&str>) {
    let shown = run_to_show(engine, run).and_then(|run| match run {
        None => Ok("no run has changed anything here\n".to_owned()),
        Some(run) => {
            let described = engine.describe_run(&run, Differ::showing(engine.watch()))?;
            Ok(page(&run, &described, true))
        }
    });
    match shown {
        Ok(page) => drop(terminal::print(&page)),
        Err(error) => drop(report(error)),
    }
}

/// `:undo` and `:redo` of a session.
pub(crate) fn undo_in_session(engine: &Engine, run: Option<&str>, redo: bool) {
    match engine.undo(run, redo, false) {
        Ok(undone) => drop(say_undone(&undone)),
        Err(error) => drop(report(error)),
    }
}

/// The run that is named, else the newest; none where there is none.
fn run_to_show(engine: &Engine, run: Option<&str>) -> Result<Option<ShownRun>, ToolError> {
    match run {
        Some(run) => engine.show_run(run).map(Some),
        None => engine.runs(1)?.first().map(|run| engine.show_run(&run.run)).transpose(),
    }
}

fn say_undone(undone: &Undone) -> Exit {
    for left in &undone.left {
        say(&format!("warning: `{}` was left as it is: {}\n", left.path.shown(), left.reason));
    }
    let (run, changes) = (short_name(&undone.run), terminal::counted(undone.steps, "change"));
    match undone.by.as_deref().map(short_name) {
        Some(by) if undone.steps > 0 => {
            say(&format!("{run} was taken back ({changes}); `ns undo {by}` does it again\n"))
        }
        _ => say(&format!("nothing of {run} could be taken back; it counts as taken back\n")),
    }
    if undone.left.is_empty() { Exit::Done } else { Exit::Failed }
}

pub(super) fn with_engine(global: &Global, work: impl FnOnce(&Engine) -> Result<Exit, ToolError>) -> Exit {
    with_options(&global.options(), work)
}

/// Does something with an engine of these options, behind the wall.
pub(super) fn with_options(options: &Options, work: impl FnOnce(&Engine) -> Result<Exit, ToolError>) -> Exit {
    let engine = match super::open(options) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    if let Err(error) = super::seal(&engine) {
        terminal::report_setup(&error);
        return Exit::Usage;
    }
    let done = work(&engine);
    report_notes(&engine.gate().take_notes());
    done.unwrap_or_else(report)
}

/// Shows the error of something that is no script.
pub(crate) fn report(error: ToolError) -> Exit {
    let finding = Diagnostic::placeless(FindingCode::Tool(error.code), error.message);
    report_findings(&[error.hint.into_iter().fold(finding, Diagnostic::help)], &Sources::new());
    error.code.into()
}

pub(super) fn print(global: &Global, value: Value) -> Result<Exit, ToolError> {
    print_as(Format::for_call(global.output).unwrap_or(Format::Table), value)
}

fn print_as(format: Format, value: Value) -> Result<Exit, ToolError> {
    let mut printer = Printer::new(format);
    let printed = printer.print(&[value]).and_then(|()| printer.flush());
    Ok(if printed.is_ok() { Exit::Done } else { Exit::Failed })
}

fn row_of_run(run: &Listed) -> Value {
    let command = run.begin.as_ref().map_or("(foreign: see `ns adopt`)", |begin| begin.command.as_str());
    let changes = run.steps.map_or(Value::Nil, |steps| Value::from(i64::from(steps)));
    let time = run.began().map_or(Value::Nil, |time| Value::text(&time.to_rfc3339_opts(SecondsFormat::Secs, true)));
    let row = Map::with_capacity(6).with("run", run.run.as_str()).with("id", run.short()).with("time", time);
    let state = match (&run.redone_by, &run.undone_by) {
        (Some(by), _) => format!("taken back, and done again by {by}"),
        (None, Some(by)) => format!("taken back by {by}"),
        (None, None) => ending(run.end).to_owned(),
    };
    row.with("command", command).with("changes", changes).with("state", state.as_str()).into()
}

/// The runs as people read them: one line each, as wide as the terminal at most.
fn overview(runs: &[Listed]) -> String {
    let columns = stdout().is_terminal().then(|| table::terminal_columns().unwrap_or(screen::COLUMNS));
    let mut table = table::new_table_of(columns);
    table.set_truncation_indicator("…");
    let mut head = Row::from(["id", "when", "changes", "state", "command"]);
    head.max_height(1);
    table.set_header(head);
    for run in runs {
        let when = run.began().map(|time| time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string());
        let state = match (&run.redone_by, &run.undone_by) {
            (Some(by), _) => format!("redone {}", short_name(by)),
            (None, Some(by)) => format!("undone {}", short_name(by)),
            (None, None) => ending(run.end).to_owned(),
        };
        let command = run.begin.as_ref().map_or("(foreign: see `ns adopt`)", |begin| begin.command.as_str());
        // A line of a session speaks for itself.
        let command = command.strip_prefix("ns repl: ").unwrap_or(command);
        let changes = run.steps.map(|steps| steps.to_string()).unwrap_or_default();
        let cells =
            [run.short().to_owned(), when.unwrap_or_default(), changes, state, safe::name(command).into_owned()];
        let mut row = Row::from(cells);
        row.max_height(1);
        table.add_row(row);
    }
    for (number, column) in table.column_iter_mut().enumerate() {
        // The command alone is cut where the terminal is too narrow.
        column.set_constraint(match number {
            4 => ColumnConstraint::LowerBoundary(Width::Fixed(COMMAND_COLUMNS)),
            _ => ColumnConstraint::ContentWidth,
        });
        if number == 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{}\n", table.trim_fmt())
}

/// The command that began a run, in parentheses; empty if it is not known.
fn command_of(run: &Listed) -> String {
    run.begin.as_ref().map(|begin| format!(" ({})", safe::name(&begin.command))).unwrap_or_default()
}

fn ending(end: Option<End>) -> &'static str {
    match end {
        None => "goes on",
        Some(End::Done) => "done",
        Some(End::Failed) => "failed",
        Some(End::TakenBack) => "failed, taken back",
        Some(End::Interrupted) => "interrupted",
    }
}

fn head(run: &ShownRun) -> Map {
    let undoes = run.begin.undoes.as_deref().map_or(Value::Nil, Value::text);
    let damaged = run.damaged.map_or(Value::Nil, |line| Value::from(line as i64));
    let head = Map::with_capacity(6).with("run", run.begin.run.as_str()).with("command", run.begin.command.as_str());
    let head = head.with("user", i64::from(run.begin.user)).with("state", ending(run.end));
    head.with("takesBack", undoes).with("damagedLine", damaged)
}
