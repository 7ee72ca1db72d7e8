//! `ns log` and `ns show`: list runs, and show the changes of one.

use chrono::SecondsFormat;

use crate::engine::{Described, Differ, RunReport, RunSummary, Selection, Value};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::interrupts::catch_interrupts;
use crate::terminal::printer::Format;
use crate::terminal::report::{print, say};
use crate::terminal::runs::{NOTHING, head, listed_state, overview, page, run_to_show};
use crate::terminal::user_names::read_user_names;
use crate::toolkit::ToolError;
use crate::value::Map;

use super::above::ParentSandbox;
use super::args::{LogArgs, ShowArgs};
use super::print_value::print_as;
use super::start::with_engine;

/// `ns log`
pub fn log(global: &Global, args: &LogArgs) -> Exit {
    let above = ParentSandbox::find(global);
    with_engine(global, |engine| {
        let (selection, most) = if args.all {
            (Selection::All, usize::MAX)
        } else {
            (Selection::Folded, usize::try_from(args.limit).unwrap_or(usize::MAX))
        };
        // One more tells whether there are more.
        let mut runs = engine.runs(selection, most.saturating_add(1))?;
        let has_more = runs.len() > most;
        runs.truncate(most);
        if runs.is_empty() {
            say_nothing(above.as_ref());
        }
        match Format::for_call(global.output) {
            Some(Format::Table) | None if runs.is_empty() => Ok(Exit::Done),
            Some(Format::Table) | None => {
                let exit = print(&overview(&runs));
                if has_more {
                    say(&format!(
                        "older runs are left out; `ns log -n {}` lists more, `ns log --all` all\n",
                        most.saturating_mul(10)
                    ));
                }
                Ok(exit)
            }
            format => {
                let rows = Value::list(runs.iter().map(row_of_run).collect())?;
                print_as(format.unwrap_or(Format::Table), rows)
            }
        }
    })
}

/// `ns show RUN`
pub fn show(global: &Global, args: &ShowArgs) -> Exit {
    read_user_names();
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
            None => Ok(print(&page(&run, &described, args.diff))),
        }
    })
}

fn rows(described: &[Described]) -> Result<Value, ToolError> {
    Ok(Value::list(described.iter().map(Described::row).collect())?)
}

fn whole(run: &RunReport, described: &[Described]) -> Result<Value, ToolError> {
    Ok(head(run).with("changes", rows(described)?).into())
}

/// Reports that there are no runs here, and where there are some.
fn say_nothing(above: Option<&ParentSandbox>) {
    match above {
        Some(above) => say(&format!("{NOTHING}; {}\n", above.hint("log"))),
        None => say(&format!("{NOTHING}\n")),
    }
}

fn row_of_run(run: &RunSummary) -> Value {
    let command = run.begin.as_ref().map_or("(foreign: see `ns adopt`)", |begin| begin.command.as_str());
    let changes = run.steps.map_or(Value::Nil, |steps| Value::from(i64::from(steps)));
    let time = run.began().map_or(Value::Nil, |time| Value::text(&time.to_rfc3339_opts(SecondsFormat::Secs, true)));
    let row = Map::with_capacity(7).with("run", run.run.as_str()).with("id", run.short()).with("time", time);
    let by = run.reversal.as_ref().map_or(Value::Nil, |reversal| Value::text(&reversal.by));
    row.with("command", command).with("changes", changes).with("state", listed_state(run)).with("by", by).into()
}
