//! Runs for display: the list, and the changes of one.

use chrono::Local;

use crate::engine::{Applied, Described, End, Engine, Reversal, RunReport, RunSummary, Selection, Value, short_name};
use crate::text::safe;
use crate::toolkit::ToolError;
use crate::value::Map;

use super::changes;
use super::paint::paint;
use super::report::{counted, say};
use super::table::{self, Listing};
use super::user_names::user_name;

/// Columns that the other data of a run takes, at least.
const OTHER_COLUMNS: u16 = 47;
/// Message for a sandbox without runs.
pub const NOTHING: &str = "no run has changed anything here";

/// Returns the named run, or the newest; `None` if there are no runs.
pub fn run_to_show(engine: &Engine, run: Option<&str>) -> Result<Option<RunReport>, ToolError> {
    match run {
        Some(run) => engine.show_run(run).map(Some),
        None => engine.runs(Selection::Folded, 1)?.first().map(|run| engine.show_run(&run.run)).transpose(),
    }
}

/// Formats a run for people: its data, the tree of its changes, and the diffs.
pub fn page(run: &RunReport, described: &[Described], with_differences: bool) -> String {
    let paint = paint();
    let head = head(run);
    let fields = head.iter().filter(|(_, value)| !matches!(value, Value::Nil));
    let shown = |key: &str, value: &Value| match key {
        "user" => user_name(run.begin.user),
        _ => value.to_string(),
    };
    let mut page: String = fields
        .map(|(key, value)| format!("{}: {}\n", key.as_text(), safe::name(&shown(&key.as_text(), &value))))
        .collect();
    let tree = changes::tree(described, paint);
    page.push_str(&format!("\n{tree}\n{}", changes::summary(described)));
    let differences = if with_differences { changes::differences(described, paint) } else { String::new() };
    if !differences.is_empty() {
        page.push_str(&format!("\n{differences}"));
    }
    page
}

/// Returns the data of a run.
pub fn head(run: &RunReport) -> Map {
    let undoes = run.begin.undoes.as_deref().map_or(Value::Nil, Value::text);
    let damaged = run.damaged.map_or(Value::Nil, |line| Value::from(line as i64));
    let head = Map::with_capacity(6).with("run", run.begin.run.as_str()).with("command", run.begin.command.as_str());
    let head = head.with("user", i64::from(run.begin.user)).with("state", state(run.reversal.as_ref(), run.end));
    head.with("takesBack", undoes).with("damagedLine", damaged)
}

/// Returns the state of a run: how it ended, or that it was undone or redone.
pub fn state(reversal: Option<&Reversal>, end: Option<End>) -> &'static str {
    match reversal {
        Some(Reversal { is_undone: true, is_partial: true, .. }) => "partly undone",
        Some(Reversal { is_undone: true, .. }) => "undone",
        Some(Reversal { is_undone: false, .. }) => "redone",
        None => ending(end),
    }
}

/// Returns the state of a listed run. How a foreign run ended is its author's claim.
pub fn listed_state(run: &RunSummary) -> &'static str {
    if run.begin.is_none() { "foreign" } else { state(run.reversal.as_ref(), run.end) }
}

/// Formats the runs for people: one line each, limited to the width of the terminal.
pub fn overview(runs: &[RunSummary]) -> String {
    let columns = table::listing_width();
    let row = |run: &RunSummary| {
        let when = run.began().map(|time| time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string());
        let command = run.begin.as_ref().map_or("(foreign: see `ns adopt`)", |begin| begin.command.as_str());
        // A line of a session needs no prefix.
        let command = command.strip_prefix("ns repl: ").unwrap_or(command);
        let is_long =
            columns.is_some_and(|columns| command.chars().count() > usize::from(columns.saturating_sub(OTHER_COLUMNS)));
        let short = if is_long { near_end_of_path(command) } else { None };
        let command = short.unwrap_or_else(|| command.to_owned());
        let changes = run.steps.map(|steps| steps.to_string()).unwrap_or_default();
        let state = listed_state(run).to_owned();
        vec![run.short().to_owned(), when.unwrap_or_default(), changes, state, safe::name(&command).into_owned()]
    };
    let head = ["id", "when", "changes", "state", "command"];
    let rows = runs.iter().map(row).collect();
    Listing { head: &head, rows, numeric: &[2] }.to_text(columns)
}

/// Returns a command that runs a script in a deep directory, with the last two names of the path alone. `None` for other
/// commands.
fn near_end_of_path(command: &str) -> Option<String> {
    let rest = command.strip_prefix("ns run ").filter(|rest| !rest.starts_with('-'))?;
    let (quote, path) = rest.strip_prefix('\'').map_or(("", rest), |path| ("'", path));
    let end = if quote.is_empty() { path.find(' ') } else { path.find('\'') };
    let (path, words) = path.split_at(end.unwrap_or(path.len()));
    let (cut, _) = path.rmatch_indices('/').nth(1).filter(|(cut, _)| *cut > 0)?;
    Some(format!("ns run {quote}…{}{words}", &path[cut..]))
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

/// Reports that a plan was applied.
pub fn say_applied(applied: &Applied) {
    let changes = counted(applied.changes, "change");
    match applied.by.as_deref().map(short_name) {
        Some(by) => say(&format!("done ({changes}); `ns undo {by}` takes it back\n")),
        None => say("there was nothing to do\n"),
    }
}
