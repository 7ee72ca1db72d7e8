//! `run_script`: the report on the output, value and changes of a script.
//!
//! The script runs in a worker ([`super::super::worker`]). This module builds the report that the worker sends, in the
//! form in which the client receives it.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::engine::{Described, Differ, Ending, Engine, Outcome, Plan};
use crate::text::render::{Style, to_json, to_terminal};
use crate::text::{Diagnostic, Sources};
use crate::toolkit::{Answer, Effect, Risk, Spec, ToolError, arguments};
use crate::value::{List, Str, Value, json as json_of_value};

use super::super::order::{Given, Named, Order};
use super::super::recent_answers::WHOLE;

pub const SPEC: Spec = Spec {
    effect: Effect::Writes,
    risk: Risk::Medium,
    ..super::reading(
        "NS.RunScript",
        "run_script",
        "Runs a NeuroScript text, which can call every tool in loops and conditions: one call instead of many. \
            `language_guide` has the language",
    )
};

arguments! {
    struct Args {
        script: Str = Required, Kind::Text, "the script";
        plan: bool = Is(Literal::Bool(false)), Kind::Bool, "change nothing, and list the changes that would be made";
        atomic: bool = Is(Literal::Bool(true)), Kind::Bool, "take all changes back when the script fails";
        args: Option<std::rc::Rc<List>> = Absent, Kind::Texts, "the texts in ARGS";
    }
}

impl Args {
    /// Returns the order for the worker.
    pub fn order(&self) -> Order {
        let args = self.args.iter().flat_map(|args| args.iter());
        Order {
            server: std::process::id(),
            script: self.script.as_text().to_string(),
            plan: self.plan,
            atomic: self.atomic,
            given: Given::Words(args.filter_map(|arg| Some(arg.as_text()?.to_string())).collect()),
            offered: None,
            within: None,
            remembered: Vec::new(),
            key: None,
        }
    }
}

/// Maximum number of changes in a report.
const LISTED: usize = 1_000;
/// Maximum size in bytes of one diff, and of all diffs, in a report.
const DIFFERENCE: usize = 16 << 10;
const DIFFERENCES: usize = 1 << 20;

/// The report on a script: its output, value and changes.
#[derive(Default, Serialize, JsonSchema)]
pub struct Report {
    /// Whether this is a plan: nothing was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    plan: bool,
    /// Output of EMIT.
    output: String,
    /// Value of a RETURN at the top level.
    value: Json,
    /// The changes made, or planned under `plan`.
    changes: Vec<Changed>,
    /// Total number of changes.
    changed: usize,
    /// The id for `undo` to reverse the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    undo_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Number of steps executed.
    steps: u64,
}

#[derive(Serialize, JsonSchema)]
struct Changed {
    what: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// Builds the report on a finished run, and returns whether the run failed.
pub fn report(engine: &Engine, outcome: &Outcome, output: String, offered: Option<&Named>) -> (Json, bool) {
    let (changes, changed, undo_id, lost) =
        if engine.is_planning() { planned(engine, outcome.ending != Ending::Done) } else { done(engine) };
    let mut warnings = outcome.warnings.clone();
    warnings.extend(lost);
    let value = value_of(engine, outcome).unwrap_or_else(|why| {
        warnings.push(why);
        Json::Null
    });
    let report =
        Report { plan: engine.is_planning(), output, value, changes, changed, undo_id, warnings, steps: outcome.steps };
    let mut report = serde_json::to_value(report).expect("a report has a JSON form");
    let has_failed = !matches!(outcome.ending, Ending::Done | Ending::Unread);
    if has_failed {
        let fault = fault(&outcome.findings, &outcome.sources, offered);
        report = with_fault(&fault, report);
    }
    (report, has_failed)
}

/// Returns the value of a script as JSON, or the reason why it is left out.
fn value_of(engine: &Engine, outcome: &Outcome) -> Result<Json, String> {
    let _bounds = engine.bound();
    let left_out = |why: &dyn Display| format!("the value of RETURN is left out: {why}");
    match json_of_value::to_text_of_at_most(&outcome.value, WHOLE) {
        Ok(Some(text)) => serde_json::from_str(&text).map_err(|error| left_out(&error)),
        Ok(None) => Err(left_out(&format!("it takes more than {WHOLE} bytes as JSON"))),
        Err(hit) => Err(left_out(&hit)),
    }
}

/// Builds the report on a script that did not run at all.
pub fn failed_report(error: &ToolError) -> Json {
    json!({ "error": error.shape() })
}

/// Returns the error in the form common to all failures, with the report that `ns check` would print.
fn fault(findings: &[Diagnostic], sources: &Sources, offered: Option<&Named>) -> Json {
    let first = findings.first().map(|finding| to_json(finding, sources));
    let report: String = findings.iter().map(|finding| to_terminal(finding, sources, Style::Plain)).collect();
    let place = first.as_ref().and_then(|first| first.place.as_ref());
    json!({
        "code": first.as_ref().map(|first| first.code),
        "message": first.as_ref().map(|first| first.message),
        "tool": offered.map_or(SPEC.name, |offered| &offered.tool),
        "argument": offered.is_none().then_some("script"),
        "path": null,
        "hint": first.as_ref().and_then(|first| first.help),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "report": report,
    })
}

fn with_fault(fault: &Json, report: Json) -> Json {
    let mut whole = json!({ "error": fault });
    if let (Json::Object(whole), Json::Object(report)) = (&mut whole, report) {
        whole.extend(report);
    }
    whole
}

type Changes = (Vec<Changed>, usize, Option<String>, Option<String>);

fn done(engine: &Engine) -> Changes {
    let Some(id) = engine.ended_run().map(|ended| ended.run) else { return (Vec::new(), 0, None, None) };
    match engine.show_run(&id) {
        Ok(run) if run.changes.is_empty() => (Vec::new(), 0, None, None),
        Ok(run) => {
            let changed = run.changes.len();
            let changes = run.changes.into_iter().take(LISTED);
            let changes = changes.map(|change| Described { change, difference: crate::engine::Difference::None });
            (changes.map(|described| row(&described, &mut 0)).collect(), changed, Some(id), None)
        }
        Err(error) => (Vec::new(), 0, Some(id), Some(format!("the changes cannot be listed: {}", error.message))),
    }
}

fn planned(engine: &Engine, failed: bool) -> Changes {
    let listed = engine.plan("ns mcp run_script", failed).and_then(|plan| {
        let plan: Plan = plan.expect("the engine plans");
        let changed = plan.changes.len();
        let refused = plan.about.refused.lines().collect::<Vec<_>>().join("; ");
        let refused = (!refused.is_empty()).then(|| format!("refused while it was planned: {refused}"));
        let described = engine.describe_plan(&plan, Differ::showing(engine.watch()))?;
        let mut room = DIFFERENCES;
        Ok((described.iter().take(LISTED).map(|described| row(described, &mut room)).collect(), changed, refused))
    });
    match listed {
        Ok((changes, changed, refused)) => (changes, changed, None, refused),
        Err(error) => (Vec::new(), 0, None, Some(format!("the plan cannot be listed: {}", error.message))),
    }
}

/// Converts a change, with as much of its diff as fits into the remaining budget.
fn row(described: &Described, room: &mut usize) -> Changed {
    let Value::Map(row) = described.row() else { unreachable!("a row is a map") };
    let text = |key: &str| row.get_str(key).and_then(|value| Some(value.as_text()?.to_string()));
    Changed {
        what: text("what").unwrap_or_default(),
        path: text("path").unwrap_or_default(),
        detail: text("detail"),
        diff: text("diff").map(|diff| bounded(diff, room)),
    }
}

fn bounded(mut diff: String, room: &mut usize) -> String {
    let most = DIFFERENCE.min(*room);
    let bytes = diff.len();
    if bytes > most {
        diff.truncate(diff.floor_char_boundary(most));
        diff.push_str(&format!("\n[cut: {} of {bytes} bytes]", diff.len()));
    }
    *room = room.saturating_sub(diff.len());
    diff
}

impl Report {
    /// Returns the output schema.
    pub fn schema() -> Json {
        <Report as Answer>::schema()
    }
}
