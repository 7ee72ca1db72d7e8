//! `run_script`: the report on the output, value and changes of a script.
//!
//! The script runs in a worker ([`super::super::worker`]). This module builds the report that the worker sends, in the
//! form in which the client receives it.
//!
//! Everything in the report is bounded by its size as JSON, so that a report always fits into one message of the worker:
//! a change that was made is never reported as a failure of the worker.

use std::fmt::Display;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::engine::{Ending, Engine, Outcome};
use crate::text::render::{Style, to_json, to_terminal};
use crate::text::{Diagnostic, Sources};
use crate::toolkit::{Answer, Effect, Risk, Spec, ToolError, arguments};
use crate::value::{List, Str, json as json_of_value};

use super::super::hints::for_a_client;
use super::super::order::{Given, Named, Order, OrderedSandbox};
use super::super::recent_answers::WHOLE;
use super::changes::{ChangeRoom, Changed, Changes, made, planned};
use super::json_room::{JsonRoom, json_len};

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
            sandbox: OrderedSandbox::default(),
            within: None,
            client: None,
            remembered: Vec::new(),
            key: None,
        }
    }
}

/// Maximum size in bytes of the message that has the report.
pub const MAX_REPORT: u64 = 2 * WHOLE;
/// The part of it that remains for names and numbers.
const FRAME: u64 = 1 << 20;
/// Maximum size in bytes of all warnings.
const WARNINGS: usize = 256 << 10;
/// Maximum size in bytes of the message of an error, of its hint, and of the findings with their places. They are small
/// beside an answer, which keeps its form as long as only one part of it is long.
const MESSAGE: usize = 8 << 10;
const FINDINGS: usize = 32 << 10;

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

/// The texts that a run printed.
#[derive(Debug, Default)]
pub struct Printed {
    /// The output of EMIT.
    pub output: String,
    /// The first different warnings of tools, and how often each was given.
    pub warnings: IndexMap<String, usize>,
    /// Number of other warnings.
    pub more_warnings: usize,
}

/// Builds the report on a finished run, and returns whether the run failed.
pub fn report(engine: &Engine, outcome: &Outcome, printed: Printed, offered: Option<&Named>) -> (Json, bool) {
    let Printed { output, warnings: of_tools, more_warnings } = printed;
    let mut room = JsonRoom::new((MAX_REPORT - FRAME) as usize);
    let has_failed = !matches!(outcome.ending, Ending::Done | Ending::Unread);
    let fault = has_failed.then(|| fault(&findings_for_a_client(outcome), &outcome.sources, offered, &mut room));
    let lists = ChangeRoom::of(&mut room);
    let Changes { changes, changed, undo_id, warning } = match engine.ended_run() {
        _ if engine.is_planning() => planned(engine, outcome.ending != Ending::Done, lists),
        Some(ended) => made(engine, ended.run, lists),
        None => Changes::default(),
    };
    let mut rest = room.part(WARNINGS);
    let mut warnings: Vec<String> = outcome.warnings.iter().map(|warning| for_a_client(warning)).collect();
    warnings.extend(of_tools.iter().map(|(warning, times)| match times {
        1 => for_a_client(warning),
        _ => format!("{} ({times} times)", for_a_client(warning)),
    }));
    warnings.extend(warning);
    let value = value_of(engine, outcome, &mut room).unwrap_or_else(|why| {
        warnings.push(why);
        Json::Null
    });
    let output = room.fit(output, usize::MAX);
    let warnings = warnings.into_iter().map(|warning| JsonRoom::new(MESSAGE).fit(warning, MESSAGE));
    let (fitting, further): (Vec<String>, Vec<String>) = warnings.partition(|warning| rest.take(json_len(warning)));
    let left_out = further.len() + more_warnings;
    let warnings = fitting.into_iter().chain((left_out > 0).then(|| format!("{left_out} more warnings"))).collect();
    let report =
        Report { plan: engine.is_planning(), output, value, changes, changed, undo_id, warnings, steps: outcome.steps };
    let report = serde_json::to_value(report).expect("a report has a JSON form");
    match fault {
        Some(fault) => (with_fault(&fault, report), true),
        None => (report, false),
    }
}

/// Returns the value of a script as JSON, or the reason why it is left out.
fn value_of(engine: &Engine, outcome: &Outcome, room: &mut JsonRoom) -> Result<Json, String> {
    let _bounds = engine.bound();
    let left_out = |why: &dyn Display| format!("the value of RETURN is left out: {why}");
    if let Some(found) = json_of_value::Unwritable::find_in(&outcome.value).map_err(|hit| left_out(&hit))? {
        return Err(left_out(&found));
    }
    match json_of_value::to_text_of_at_most(&outcome.value, WHOLE) {
        Ok(Some(text)) if room.take(text.len()) => serde_json::from_str(&text).map_err(|error| left_out(&error)),
        Ok(Some(_)) => Err(left_out(&"there is no room for it")),
        Ok(None) => Err(left_out(&format!("it takes more than {WHOLE} bytes as JSON"))),
        Err(hit) => Err(left_out(&hit)),
    }
}

/// Builds the report on a script that did not run at all.
pub fn failed_report(error: &ToolError) -> Json {
    json!({ "error": error.shape() })
}

/// Returns the findings of a run with help that a client can follow.
fn findings_for_a_client(outcome: &Outcome) -> Vec<Diagnostic> {
    let mut findings = outcome.findings.clone();
    for help in findings.iter_mut().filter_map(|finding| finding.help.as_mut()) {
        *help = for_a_client(help);
    }
    findings
}

/// Returns the error in the form common to all failures, with the report that `ns check` would print.
fn fault(findings: &[Diagnostic], sources: &Sources, offered: Option<&Named>, room: &mut JsonRoom) -> Json {
    let first = findings.first().map(|finding| to_json(finding, sources));
    let report = findings_in(findings, sources, room);
    let mut text = |text: &str| room.fit(text.to_owned(), MESSAGE);
    let place = first.as_ref().and_then(|first| first.place.as_ref());
    json!({
        "code": first.as_ref().map(|first| first.code),
        "message": first.as_ref().map(|first| text(first.message)),
        "tool": offered.map_or(SPEC.wire, |offered| &offered.tool),
        "argument": offered.is_none().then_some("script"),
        "path": null,
        "hint": first.as_ref().and_then(|first| first.help).map(text),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "report": report,
    })
}

/// Renders as many findings as fit. If some do not, the text ends with a note.
fn findings_in(findings: &[Diagnostic], sources: &Sources, room: &mut JsonRoom) -> String {
    let mut room = room.part(FINDINGS);
    let mut text = String::new();
    for (number, finding) in findings.iter().enumerate() {
        let rendered = to_terminal(finding, sources, Style::Plain);
        if number == 0 {
            text = room.fit(rendered, usize::MAX);
        } else if room.take(json_len(&rendered)) {
            text.push_str(&rendered);
        } else {
            text.push_str(&format!("[cut: {number} of {} findings]\n", findings.len()));
            break;
        }
    }
    text
}

fn with_fault(fault: &Json, report: Json) -> Json {
    let mut whole = json!({ "error": fault });
    if let (Json::Object(whole), Json::Object(report)) = (&mut whole, report) {
        whole.extend(report);
    }
    whole
}

impl Report {
    /// Returns the output schema.
    pub fn schema() -> Json {
        <Report as Answer>::schema()
    }
}
