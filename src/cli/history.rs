//! `ns log`, `ns show`, `ns undo` and `ns redo`: what runs changed, and how it is taken back.

use crate::engine::{Described, Differ, End, Engine, Listed, Options, ShownRun, Value};
use crate::text::{Diagnostic, FindingCode, Sources, safe};
use crate::toolkit::ToolError;
use crate::value::Map;

use super::args::{Global, LogArgs, ShowArgs};
use super::changes;
use super::exit::Exit;
use super::interrupts::catch_interrupts;
use super::show::{Format, Printer};
use super::terminal::{self, report_findings, report_notes, say};

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
        print(global, Value::list(runs.iter().map(row_of_run).collect())?)
    })
}

/// `ns show RUN`
pub fn show(global: &Global, args: &ShowArgs) -> Exit {
    with_engine(global, |engine| {
        catch_interrupts(engine.interrupt());
        let run = engine.show_run(&args.run)?;
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

/// `ns undo` and `ns redo`
pub fn undo(global: &Global, run: Option<&str>, redo: bool, force: bool) -> Exit {
    with_engine(global, |engine| {
        catch_interrupts(engine.interrupt());
        take_back(engine, run, redo, force)
    })
}

/// `:log` of a session.
pub(crate) fn log_in_session(engine: &Engine) {
    let listed = engine.runs(SHOWN_IN_SESSION).and_then(|runs| {
        let rows = Value::list(runs.iter().map(row_of_run).collect())?;
        let mut printer = Printer::new(Format::Table);
        // That nobody reads it is nobody's error.
        let _ = printer.print(&[rows]).and_then(|()| printer.flush());
        Ok(())
    });
    if let Err(error) = listed {
        report(error);
    }
}

/// `:show` of a session: the run that is named, or the newest.
pub(crate) fn show_in_session(engine: &Engine, run: Option<&str>) {
    let newest = || engine.runs(1).map(|runs| runs.first().map(|run| run.run.clone()));
    let shown = run.map_or_else(newest, |run| Ok(Some(run.to_owned()))).and_then(|run| match run {
        None => Ok("no run has changed anything here\n".to_owned()),
        Some(run) => {
            let run = engine.show_run(&run)?;
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
    if let Err(error) = take_back(engine, run, redo, false) {
        report(error);
    }
}

fn take_back(engine: &Engine, run: Option<&str>, redo: bool, force: bool) -> Result<Exit, ToolError> {
    let undone = engine.undo(run, redo, force)?;
    for left in &undone.left {
        say(&format!("warning: `{}` was left as it is: {}\n", left.path.shown(), left.reason));
    }
    let changes = if undone.steps == 1 { "1 change".to_owned() } else { format!("{} changes", undone.steps) };
    match undone.by {
        Some(by) => say(&format!("{} was taken back ({changes}); `ns undo {by}` does it again\n", undone.run)),
        None => say(&format!("{} had left nothing that could be taken back\n", undone.run)),
    }
    Ok(if undone.left.is_empty() { Exit::Done } else { Exit::Failed })
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
    let row = Map::with_capacity(5).with("run", run.run.as_str()).with("command", command);
    let state = match (&run.redone_by, &run.undone_by) {
        (Some(by), _) => format!("taken back, and done again by {by}"),
        (None, Some(by)) => format!("taken back by {by}"),
        (None, None) => ending(run.end).to_owned(),
    };
    row.with("changes", changes).with("state", state.as_str()).into()
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
