//! Answers to the page, as JSON: findings, outcomes, plans, files.

use std::fmt;

use neuroscript_language::engine::{Ending, Outcome, Plan, RunSummary};
use neuroscript_language::front_end::toolkit::ToolError;
use neuroscript_sandbox::{Kind, SandboxError};
use neuroscript_text::{Diagnostic, Sources, Span};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::utf16::Utf16Offsets;

/// Converts an answer to JSON.
pub fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_else(|error| Refusal::new(error.to_string()).json())
}

/// A request that was not carried out.
#[derive(Debug, Serialize)]
pub struct Refusal {
    code: &'static str,
    message: String,
    help: Option<String>,
}

impl Refusal {
    /// Creates a refusal with a message alone.
    pub fn new(message: impl Into<String>) -> Refusal {
        Refusal { code: "refused", message: message.into(), help: None }
    }

    /// Returns the answer of the failed request.
    pub fn json(&self) -> String {
        serde_json::json!({ "error": self }).to_string()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<ToolError> for Refusal {
    fn from(error: ToolError) -> Refusal {
        Refusal { code: error.code.id(), message: error.message, help: error.hint }
    }
}

impl From<SandboxError> for Refusal {
    fn from(error: SandboxError) -> Refusal {
        Refusal::new(error.to_string())
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Refusal {
        Refusal::new(error.to_string())
    }
}

/// A finding. Offsets count UTF-16 code units of its source.
#[derive(Serialize)]
pub struct Finding<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    explanation: &'static str,
    place: Option<SourceRange<'a>>,
    fix: Option<Fix<'a>>,
}

/// A range of a source.
#[derive(Serialize)]
pub struct SourceRange<'a> {
    /// The name of a module, or `None` for the script.
    module: Option<&'a str>,
    start: usize,
    end: usize,
    line: usize,
    column: usize,
}

/// An edit of the script that repairs it, or that the help suggests.
#[derive(Serialize)]
pub struct Fix<'a> {
    start: usize,
    end: usize,
    text: &'a str,
    /// Whether the script does the same after it.
    is_safe: bool,
}

/// Returns the findings about a script and its modules.
pub fn findings<'a>(found: &'a [Diagnostic], sources: &'a Sources) -> Vec<Finding<'a>> {
    found.iter().map(|finding| finding_of(finding, sources)).collect()
}

fn finding_of<'a>(finding: &'a Diagnostic, sources: &'a Sources) -> Finding<'a> {
    let fix = finding.fix.as_ref().or(finding.suggestion.as_ref()).and_then(|edit| {
        let range = range_of(edit.span, sources).filter(|range| range.module.is_none())?;
        Some(Fix { start: range.start, end: range.end, text: &edit.text, is_safe: finding.fix.is_some() })
    });
    Finding {
        code: finding.code.id(),
        severity: if finding.is_error() { "error" } else { "warning" },
        message: &finding.message,
        help: finding.help.as_deref(),
        explanation: finding.code.explanation(),
        place: finding.primary.as_ref().and_then(|label| range_of(label.span, sources)),
        fix,
    }
}

fn range_of(span: Span, sources: &Sources) -> Option<SourceRange<'_>> {
    let source = sources.of(span)?;
    let (start, end) = source.local(span);
    let mut offsets = Utf16Offsets::new(source.text());
    let position = source.position(span);
    Some(SourceRange {
        module: source.is_module().then(|| source.name()),
        start: offsets.at(start),
        end: offsets.at(end),
        line: position.line,
        column: position.column,
    })
}

/// The end of a run or a planned run.
#[derive(Serialize)]
pub struct Ended<'a> {
    ending: &'static str,
    findings: Vec<Finding<'a>>,
    warnings: &'a [String],
    steps: u64,
    /// Number of changes that the run made.
    changes: u32,
    /// The plan, if the run was planned.
    plan: Option<PlanView>,
}

impl<'a> Ended<'a> {
    /// Creates the view of an outcome.
    pub fn new(outcome: &'a Outcome, changes: u32, plan: Option<PlanView>) -> Ended<'a> {
        let Outcome { sources, findings: found, warnings, steps, .. } = outcome;
        let ending = ending_word(outcome.ending);
        Ended { ending, findings: findings(found, sources), warnings, steps: *steps, changes, plan }
    }
}

fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Done | Ending::Unread => "done",
        Ending::Failed | Ending::Misused => "failed",
        Ending::Refused => "refused",
        Ending::OutOfTime => "out_of_time",
        Ending::Interrupted => "interrupted",
    }
}

/// A plan.
#[derive(Serialize)]
pub struct PlanView {
    /// Whether the planned run failed, so that the plan cannot be applied.
    failed: bool,
    /// The changes, each the row of a `Described`.
    changes: Vec<Box<RawValue>>,
}

impl PlanView {
    /// Creates the view of a plan with its changes in JSON.
    pub fn new(plan: &Plan, changes: Vec<Box<RawValue>>) -> PlanView {
        PlanView { failed: plan.about.failed, changes }
    }
}

/// A run in the history.
#[derive(Serialize)]
pub struct RunView<'a> {
    command: &'a str,
    is_undone: bool,
}

impl<'a> RunView<'a> {
    /// Creates the view of a run; `None` if it changed nothing.
    pub fn new(run: &'a RunSummary) -> Option<RunView<'a>> {
        let command = run.begin.as_ref().map_or("", |begin| begin.command.as_str());
        Some(RunView { command, is_undone: run.is_undone() }).filter(|_| !run.is_nothing())
    }
}

/// An entry of the folder.
#[derive(Debug, Serialize)]
pub struct EntryView {
    /// The path from the root.
    pub path: String,
    /// The kind.
    pub kind: Kind,
    /// The size of a file in bytes.
    pub size: u64,
}

/// The beginning of a file.
#[derive(Serialize)]
pub struct FileView {
    /// The size in bytes.
    pub size: u64,
    /// The text; `None` if the file is binary.
    pub text: Option<String>,
    /// Whether the text is only the beginning.
    pub is_cut: bool,
}

/// A path that was left out, and why.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    /// The path.
    pub path: String,
    /// The reason.
    pub reason: String,
}
