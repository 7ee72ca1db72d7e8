//! The engine: what a front end uses to check, run and call, against one sandbox and one policy.

mod analysis;
mod audit;
mod call;
mod canary;
mod changes;
mod config;
mod debug;
mod fix;
mod foreign;
mod foreign_syntax;
mod format;
mod found_scripts;
mod gc;
mod history;
mod info;
mod invocation;
mod known_texts;
mod libraries;
mod listing;
mod lockdown;
mod memory;
mod migrate;
mod missing_argument;
mod modules;
mod open_texts;
mod options;
mod outcome;
mod parse;
mod plan;
mod platforms;
mod policies;
mod prepare;
mod projection;
mod render;
mod required_version;
mod run;
mod script;
mod session;
mod setup;
mod stack;
mod test_folder;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::gate::Gate;
use crate::limits::MemoryCharge;
use crate::syntax::{TextLimits, weight};
use crate::text::{Code, Diagnostic, FindingCode, Source, Sources};
use crate::toolkit::Registry;
use crate::value::json;

pub use crate::eval::{EmitError, Fault, Output, emitted};
#[cfg(target_os = "linux")]
pub use crate::gate::WatchPoint;
pub use crate::gate::{
    Approver, Barrier, Clock, Console, FilePage, InputFault, Layer, MemoryEntry, MemoryRow, MemoryRows, PolicyFile,
    ProgressView, Provenance, Question, RUN_NAME, Reply, Salvaged, SessionMemory, SourceLine, Unused,
};
pub use crate::limits::{Bounds, Interrupt, Jobs, LimitHit, Limits, Meter, Progress, Watch, space, work};
pub use crate::program::pages::{CodeExample, Page, PageExample, PageKind, code_example, pages};
pub use crate::program::{
    Builtin, Element, HigherOrder, Interface, Kind, ModuleId, OWN_OPTIONS, Occurrence, OccurrenceRole, Occurrences,
    Parameter, Role, Symbol, Words, is_option,
};
pub use crate::sandbox::{Resolver, Root, UserKey};
pub use crate::syntax::ast;
pub use crate::syntax::keyword::{BEGINNING_WORDS, CONSTANTS, HEAD_WORDS, RESERVED, STATEMENT_WORDS};
pub use crate::syntax::{Token, TokenClass, TokenKind, closed_heads, next_words, tokens};
pub use crate::tools::registry as built_in_tools;
pub use crate::value::Value;
pub use crate::value::json::ParseError;
pub use analysis::{Analysis, AnalyzedText};
pub use audit::{AuditFault, AuditFilter, AuditLines, AuditLog, AuditVerdict};
pub use call::{AnswerForm, ToolCall};
pub use changes::{COMPARED_BYTES, Content, Described, Diff, Differ, Difference, time_span};
pub use config::files::state_folder;
pub use config::{KeyRow, policy_keys};
pub use debug::{
    AnnouncedChange, BreakpointRule, BreakpointStop, DebugClient, DebugLocation, Evaluated, LineBreakpoint,
    MAX_BREAKPOINTS, Moved, Paused, ProcedureBreakpoint, Purity, RaisedError, Resume, Served, SetBreakpoint,
    StackFrame, Stop, StopFilters, Variable, VariableScope,
};
pub use fix::Fixed;
pub use foreign::{ForeignAction, ForeignRun, ForeignState, NO_KEY_YET, Ownership};
pub use format::{CONTINUED, Formatted, INDENT, Spelling, format_script};
pub use found_scripts::FoundScript;
pub use gc::{Amount, GcRequest, ReclaimReason, Reclaimed, SweepReport, Tally};
pub use history::{
    Address, ChangeKind, ChangeReport, Conflict, Displaced, End, EndedRun, Holds, Origin, Reversal, RunReport,
    RunSummary, Selection, SkippedRun, UndoReport, short_name,
};
pub use info::{Info, ProcedureInfo};
pub use invocation::{Arguments, Invocation};
pub use known_texts::KnownTexts;
pub use migrate::{MigratedScript, Migration, MigrationNote, Verdict, migrate_script};
pub use options::{Options, SetupError};
pub use outcome::{Ending, Outcome};
pub use parse::{DescribedScript, Parsed, describe_script, parse_script};
pub use plan::{Applied, Plan, PlanAbout, PlanError, read_plan};
pub use platforms::{Holding, PROMISES, Promise, System};
pub use policies::{check_policy, policy_paths};
pub use render::{Rendered, Results};
pub use script::Script;
pub use session::{LineOutcome, LineResult, Session};
pub use test_folder::{Found, TestFolder};

pub use listing::NamesWanted;
pub use lockdown::{
    LockdownStatus, Network, Process, TestPaths, leave_scratch, open_outside, outside, scratch_home, seal_tester,
    seal_tests, settle_scratch,
};
use open_texts::OpenTexts;
pub use stack::{hush_panics, on_large_stack};

/// A guide for language models that have never seen the language. It is a page of the book, so its examples are
/// tested.
pub const GUIDE: &str = include_str!("../../docs/guide.md");

/// An engine: a sandbox, a policy, limits and the tools.
pub struct Engine {
    gate: Rc<Gate>,
    limits: Limits,
    strict: bool,
    /// Whether a failed run is rolled back.
    atomic: bool,
    /// Whether lines may be planned later ([`Options::may_plan`]).
    may_plan: bool,
    interrupt: Interrupt,
    /// The last run that ended, if it changed something.
    ended: RefCell<Option<EndedRun>>,
    /// The watch of the newest run, line or call, which also bounds the output of its answer.
    newest: RefCell<Option<Watch>>,
    /// The lockdown of the process, once it is in force.
    lockdown: OnceCell<LockdownStatus>,
    /// Texts of modules that replace their files.
    open_texts: RefCell<OpenTexts>,
}

/// The result of a check.
pub struct Checked {
    /// The texts, for showing findings.
    pub sources: Sources,
    /// The findings, in the order of the text.
    pub findings: Vec<Diagnostic>,
    /// The metadata of the script.
    pub info: Info,
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Calls outside of runs and sessions may have created some.
        self.gate.remove_temporary();
        self.settle();
        self.gate.end_journal(End::Done);
    }
}

impl Engine {
    /// Returns the tools.
    pub fn registry(&self) -> &Registry {
        self.gate.registry()
    }

    /// Returns the gate, with the sandbox and the policy.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Sets the approver, which is asked before calls that need approval.
    pub fn set_approver(&self, approver: Rc<dyn Approver>) {
        self.gate.set_approver(approver);
    }

    /// Sets the console, for the input and output of scripts.
    pub fn set_console(&self, console: Rc<dyn Console>) {
        self.gate.console().set(console);
    }

    /// Sets the view that shows progress.
    pub fn set_progress_view(&self, view: Rc<dyn ProgressView>) {
        self.gate.observers().set(view);
    }

    /// Returns the limits of runs.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the number of threads that one call may use.
    pub fn jobs(&self) -> Jobs {
        self.gate.jobs()
    }

    /// Sets the size limit of a tool's answer, and returns the previous one.
    pub fn bound_answers(&mut self, bytes: u64) -> Option<u64> {
        self.limits.tool_output_bytes.replace(bytes)
    }

    /// Whether runs only plan changes.
    pub fn is_planning(&self) -> bool {
        self.gate.is_planning()
    }

    /// Returns the interrupt that stops runs.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Returns every key of the policy file with its value in force, in the order of the table of keys.
    pub fn values(&self) -> Vec<(KeyRow, String)> {
        let gate = &self.gate;
        let mut values = gate.policy().summary();
        values.extend(self.limits.summary());
        values.extend(gate.settings().summary());
        let value = |row: &KeyRow| values.iter().find(|(key, _)| *key == row.name).map(|(_, value)| value.clone());
        policy_keys().map(|row| (row, value(&row).unwrap_or_default())).collect()
    }

    /// Returns the policy files that were read, and the origin of each value in force.
    pub fn provenance(&self) -> &Provenance {
        &self.gate.policy().provenance
    }

    /// Starts the meter of a run, line or call.
    fn begin_account(&self) -> Meter {
        let meter = Meter::new(&self.limits, self.interrupt.clone());
        *self.newest.borrow_mut() = Some(meter.watch());
        meter
    }

    /// Applies the limits of runs to work on values in this thread until the guard is dropped. The time limit starts
    /// now.
    pub fn bound(&self) -> Bounds {
        self.interrupt.clear();
        Bounds::enter(&self.limits, Meter::new(&self.limits, self.interrupt.clone()).watch())
    }

    /// Like [`Engine::bound`], for output of the answer of the newest run, line or call, whose time limit continues.
    pub fn bound_answer(&self) -> Bounds {
        let newest = self.newest.borrow().clone();
        let watch = newest.unwrap_or_else(|| Meter::new(&self.limits, self.interrupt.clone()).watch());
        Bounds::enter(&self.limits, watch)
    }

    /// Checks a script: errors, and code that is probably not what was meant.
    pub fn check(&self, script: &Script) -> Checked {
        self.analyze(script).checked
    }

    /// Whether other commands can undo the changes of runs.
    pub fn can_undo(&self) -> bool {
        self.gate.lost_because().is_none()
    }

    /// Parses a JSON text to a value, within the limits.
    pub fn value_of_json(&self, text: &str) -> Result<Value, ParseError> {
        let _space = space::enter(&self.limits);
        json::from_text(text)
    }

    /// Creates a session, whose variables and procedures live from line to line.
    pub fn session(&self, output: Box<dyn Output>) -> Session<'_> {
        Session::new(self, output)
    }

    fn text_limits(&self) -> TextLimits {
        TextLimits { nesting: self.limits.nesting, operators: crate::limits::MAX_OPERATORS, deadline: None }
    }
}

/// Charges the memory that reading a text needs. Returns a finding if that is too much.
fn admit_text(source: &Source, held: &mut MemoryCharge) -> Option<Diagnostic> {
    let hit = held.grow(weight(source.text())).err()?;
    let message =
        format!("reading the text would take more than is left of the {} bytes of `memory_bytes`", hit.allowed);
    let finding = Diagnostic::error(hit.limit.code(), source.span(), message);
    Some(finding.help("split it, or raise `memory_bytes` in `[limits]`"))
}

/// Returns the finding for a panic: see [`Code::Internal`].
pub fn internal_fault(what: &str) -> Diagnostic {
    Diagnostic::placeless(FindingCode::Script(Code::Internal), format!("a fault of NeuroScript itself: {what}"))
        .help("please report it, with the script")
}
