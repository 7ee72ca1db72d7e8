//! `ns log` and `ns show`: list runs, and show the changes of one.

use std::io::{IsTerminal, stdout};

use chrono::{Local, SecondsFormat};
use comfy_table::{CellAlignment, ColumnConstraint, Row, Width};

use crate::engine::{Described, Differ, End, Engine, Options, Reversal, RunReport, RunSummary, Selection, Value};
use crate::text::{Diagnostic, FindingCode, Sources, safe};
use crate::toolkit::ToolError;
use crate::value::Map;

use super::above::ParentSandbox;
use super::args::{Global, LogArgs, ShowArgs};
use super::changes;
use super::exit::Exit;
use super::interrupts::catch_interrupts;
use super::screen;
use super::show::{Format, Printer};
use super::table;
use super::terminal::{self, report_findings, report_notes, say};

/// Minimum width in columns of the command of a run, however narrow the terminal.
const COMMAND_COLUMNS: u16 = 16;
/// Message for a sandbox without runs.
const NOTHING: &str = "no run has changed anything here";
/// Number of runs that `:log` shows.
const SHOWN_IN_SESSION: usize = 10;

/// `ns log`
pub fn log(global: &Global, args: &LogArgs) -> Exit {
    let above = ParentSandbox::find(global);
    with_engine(global, |engine| {
        let (selection, most) = if args.all {
            (Selection::All, usize::MAX)
        } else {
            (Selection::Folded, usize::try_from(args.limit).unwrap_or(usize::MAX))
        };
        let runs = engine.runs(selection, most)?;
        if runs.is_empty() {
            say_nothing(above.as_ref());
        }
        match Format::for_call(global.output) {
            Some(Format::Table) | None if runs.is_empty() => Ok(Exit::Done),
            Some(Format::Table) | None => Ok(terminal::print(&overview(&runs))),
            format => {
                let rows = Value::list(runs.iter().map(row_of_run).collect())?;
                print_as(format.unwrap_or(Format::Table), rows)
            }
        }
    })
}

/// `ns show RUN`
pub fn show(global: &Global, args: &ShowArgs) -> Exit {
    let above = ParentSandbox::find(global);
    with_engine(global, |engine| {
        catch_interrupts(engine.interrupt());
        let Some(run) = run_to_show(engine, args.run.as_deref())? else {
            say_nothing(above.as_ref());
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

fn whole(run: &RunReport, described: &[Described]) -> Result<Value, ToolError> {
    Ok(head(run).with("changes", rows(described)?).into())
}

/// Formats a run for people: its data, the tree of its changes, and the diffs.
fn page(run: &RunReport, described: &[Described], with_differences: bool) -> String {
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

/// `:log` of a session.
pub(crate) fn log_in_session(engine: &Engine) {
    match engine.runs(Selection::Folded, SHOWN_IN_SESSION) {
        Ok(runs) if runs.is_empty() => say_nothing(None),
        // A closed output is not an error.
        Ok(runs) => drop(terminal::print(&overview(&runs))),
        Err(error) => drop(report(error)),
    }
}

/// `:show` of a session: shows the named run, or the newest.
pub(crate) fn show_in_session(engine: &Engine, run: Option<&str>) {
    let shown = run_to_show(engine, run).and_then(|run| match run {
        None => Ok(format!("{NOTHING}\n")),
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

/// Reports that there are no runs here, and where there are some.
fn say_nothing(above: Option<&ParentSandbox>) {
    match above {
        Some(above) => say(&format!("{NOTHING}; {}\n", above.hint("log"))),
        None => say(&format!("{NOTHING}\n")),
    }
}

/// Returns the named run, or the newest; `None` if there are no runs.
fn run_to_show(engine: &Engine, run: Option<&str>) -> Result<Option<RunReport>, ToolError> {
    match run {
        Some(run) => engine.show_run(run).map(Some),
        None => engine.runs(Selection::Folded, 1)?.first().map(|run| engine.show_run(&run.run)).transpose(),
    }
}

pub(super) fn with_engine(global: &Global, work: impl FnOnce(&Engine) -> Result<Exit, ToolError>) -> Exit {
    with_options(&global.options(), work)
}

/// Opens an engine with these options, locks the process down and calls `work`.
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

/// Reports an error that did not occur in a script.
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

fn row_of_run(run: &RunSummary) -> Value {
    let command = run.begin.as_ref().map_or("(foreign: see `ns adopt`)", |begin| begin.command.as_str());
    let changes = run.steps.map_or(Value::Nil, |steps| Value::from(i64::from(steps)));
    let time = run.began().map_or(Value::Nil, |time| Value::text(&time.to_rfc3339_opts(SecondsFormat::Secs, true)));
    let row = Map::with_capacity(7).with("run", run.run.as_str()).with("id", run.short()).with("time", time);
    let by = run.reversal.as_ref().map_or(Value::Nil, |reversal| Value::text(&reversal.by));
    row.with("command", command)
        .with("changes", changes)
        .with("state", state(run.reversal.as_ref(), run.end))
        .with("by", by)
        .into()
}

/// Returns the state of a run: how it ended, or that it was undone or redone.
fn state(reversal: Option<&Reversal>, end: Option<End>) -> &'static str {
    match reversal {
        Some(Reversal { is_undone: true, .. }) => "undone",
        Some(Reversal { is_undone: false, .. }) => "redone",
        None => ending(end),
    }
}

/// Formats the runs for people: one line each, limited to the width of the terminal.
fn overview(runs: &[RunSummary]) -> String {
    let columns = stdout().is_terminal().then(|| table::terminal_columns().unwrap_or(screen::COLUMNS));
    let mut table = table::new_table_of(columns);
    table.set_truncation_indicator("…");
    let mut head = Row::from(["id", "when", "changes", "state", "command"]);
    head.max_height(1);
    table.set_header(head);
    for run in runs {
        let when = run.began().map(|time| time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string());
        let command = run.begin.as_ref().map_or("(foreign: see `ns adopt`)", |begin| begin.command.as_str());
        // A line of a session needs no prefix.
        let command = command.strip_prefix("ns repl: ").unwrap_or(command);
        let changes = run.steps.map(|steps| steps.to_string()).unwrap_or_default();
        let cells = [
            run.short().to_owned(),
            when.unwrap_or_default(),
            changes,
            state(run.reversal.as_ref(), run.end).to_owned(),
            safe::name(command).into_owned(),
        ];
        let mut row = Row::from(cells);
        row.max_height(1);
        table.add_row(row);
    }
    for (number, column) in table.column_iter_mut().enumerate() {
        // Only the command is truncated if the terminal is too narrow.
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

fn ending(end: Option<End>) -> &'static str {
    match end {
        None => "goes on",
        Some(End::Done) => "done",
        Some(End::Failed) => "failed",
        Some(End::TakenBack) => "rolled back",
        Some(End::Interrupted) => "interrupted",
    }
}

fn head(run: &RunReport) -> Map {
    let undoes = run.begin.undoes.as_deref().map_or(Value::Nil, Value::text);
    let damaged = run.damaged.map_or(Value::Nil, |line| Value::from(line as i64));
    let head = Map::with_capacity(6).with("run", run.begin.run.as_str()).with("command", run.begin.command.as_str());
    let head = head.with("user", i64::from(run.begin.user)).with("state", state(run.reversal.as_ref(), run.end));
    head.with("takesBack", undoes).with("damagedLine", damaged)
}
