//! The engine: what a front end uses to check, run and call, against one sandbox and one policy.

mod audit;
mod canary;
mod changes;
mod config;
mod fix;
mod foreign;
mod foreign_syntax;
mod format;
mod gc;
mod history;
mod info;
mod invocation;
mod libraries;
mod lockdown;
mod memory;
mod missing_argument;
mod modules;
mod options;
mod outcome;
mod parse;
mod plan;
mod policies;
mod projection;
mod render;
mod script;
mod session;
mod setup;
mod stack;
mod test_folder;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::eval::{Machine, RunContext, compile};
use crate::gate::Gate;
use crate::limits::MemoryCharge;
use crate::program::{Bound, Environment, Unit, lint, lower, tree::Program};
use crate::syntax::{TextLimits, parse, weight};
use crate::text::{Code, Diagnostic, FindingCode, Source, Sources, ToolCode, shell_line};
use crate::toolkit::{Registry, ToolError};
use crate::value::Map;
use crate::value::json;

pub use crate::eval::{EmitError, Fault, Output, emitted};
pub use crate::gate::{
    Approver, Clock, Console, InputFault, Layer, MemoryEntry, MemoryRow, PolicyFile, ProgressView, Provenance,
    Question, Reply, Salvaged, SessionMemory, SourceLine, Unused,
};
pub use crate::limits::{Bounds, Interrupt, LimitHit, Limits, Meter, Progress, Watch, space, work};
pub use crate::program::pages::{CodeExample, Page, PageExample, PageKind, code_example, pages};
pub use crate::program::{
    Builtin, Element, HigherOrder, Interface, Kind, OWN_OPTIONS, Parameter, Role, Words, is_option,
};
pub use crate::sandbox::{Resolver, UserKey};
pub use crate::syntax::ast;
pub use crate::syntax::keyword::STATEMENT_WORDS;
pub use crate::syntax::{Token, TokenKind, tokens};
pub use crate::tools::registry as built_in_tools;
pub use crate::value::Value;
pub use crate::value::json::ParseError;
pub use audit::{AuditFault, AuditFilter, AuditLines, AuditLog, AuditVerdict};
pub use changes::{COMPARED_BYTES, Content, Described, Diff, Differ, Difference};
pub use config::files::state_folder;
pub use config::{KeyRow, policy_keys};
pub use fix::Fixed;
pub use foreign::{ForeignAction, ForeignRun, ForeignState, Ownership};
pub use format::{Formatted, Spelling, format_script};
pub use gc::{Amount, GcRequest, ReclaimReason, Reclaimed, SweepReport, Tally};
pub use history::{
    Address, ChangeKind, ChangeReport, Conflict, Displaced, End, EndedRun, Holds, Origin, Reversal, RunReport,
    RunSummary, Selection, SkippedRun, UndoReport, short_name,
};
pub use info::{Info, ProcedureInfo};
pub use invocation::{Arguments, Invocation};
pub use options::{Options, SetupError};
pub use outcome::{Ending, Outcome};
pub use parse::{DescribedScript, Parsed, describe_script, parse_script};
pub use plan::{Applied, Plan, PlanError, read_plan};
pub use policies::check_policy;
pub use render::{Rendered, Results};
pub use script::Script;
pub use session::{LineOutcome, LineResult, Session};
pub use test_folder::{Found, TestFolder};

pub use lockdown::{
    LockdownStatus, Network, Process, TestPaths, leave_scratch, open_outside, outside, scratch_home, seal_tester,
    seal_tests, settle_scratch,
};
use modules::Loader;
pub use stack::{hush_panics, on_large_stack};

/// A guide for language models that have never seen the language. It is a page of the book, so its examples are
/// tested.
pub const GUIDE: &str = include_str!("../../docs/guide.md");
/// Maximum number of paths of one argument of a call in the list of runs.
const CALL_PATHS: usize = 8;
/// Maximum number of characters of a call in the list of runs.
const CALL_CHARS: usize = 200;

/// An engine: a sandbox, a policy, limits and the tools.
pub struct Engine {
    gate: Rc<Gate>,
    limits: Limits,
    strict: bool,
    /// Whether a failed run is rolled back.
    atomic: bool,
    interrupt: Interrupt,
    /// The last run that ended, if it changed something.
    ended: RefCell<Option<EndedRun>>,
    /// The watch of the newest run, line or call, which also bounds the output of its answer.
    newest: RefCell<Option<Watch>>,
    /// The lockdown of the process, once it is in force.
    force: OnceCell<LockdownStatus>,
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
        self.gate.end_journal(End::Done);
        self.settle();
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
        let _space = space::enter(&self.limits);
        on_large_stack(|| {
            let Prepared { sources, findings, program, unit, interface, .. } = self.prepare(script, Purpose::Check);
            Checked { sources, findings, info: Info::of(&unit.tree, &program, interface.ok()) }
        })
        .unwrap_or_else(|panic| Checked {
            sources: Sources::new(),
            findings: vec![internal_fault(&panic)],
            info: Info::default(),
        })
    }

    /// Runs a script, or one procedure of it.
    pub fn run(&self, script: &Script, invocation: &Invocation, output: Box<dyn Output>) -> Outcome {
        let memory = SessionMemory::new(invocation::command_of(script, self.gate.root().path()));
        let listed = invocation.listed(script, memory.command());
        self.run_listed(script, invocation, output, RunSession { memory: &Rc::new(memory), listed: &listed })
    }

    /// Like [`Engine::run`], with a session memory that outlives the run.
    pub fn run_within(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        memory: &Rc<SessionMemory>,
    ) -> Outcome {
        self.run_listed(script, invocation, output, RunSession { memory, listed: memory.command() })
    }

    /// Runs a script for a session.
    fn run_listed(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        session: RunSession<'_>,
    ) -> Outcome {
        let _space = space::enter(&self.limits);
        let mut outcome = on_large_stack(|| self.run_here(script, invocation, output, session))
            .unwrap_or_else(|panic| Outcome::refused(Sources::new(), vec![internal_fault(&panic)]));
        outcome.warnings = self.end_run(self.run_end(outcome.ending));
        outcome
    }

    /// Returns how the journal ends a run. Rolls back an atomic run that failed; returns `None` if that was
    /// incomplete.
    fn run_end(&self, ending: Ending) -> Option<End> {
        match ending {
            Ending::Done | Ending::Unread => Some(End::Done),
            Ending::Interrupted if !self.atomic => Some(End::Interrupted),
            _ if !self.atomic => Some(End::Failed),
            _ => self.take_back(),
        }
    }

    /// Rolls back everything that the current run has changed.
    fn take_back(&self) -> Option<End> {
        let failures = match self.gate.roll_back(1) {
            Ok(failures) if failures.is_empty() => return Some(End::TakenBack),
            Ok(failures) => failures.into_iter().map(|(_, error)| error).collect(),
            Err(error) => vec![error],
        };
        let told = failures.iter().map(|error| format!("a change is not taken back before the next start: {error}"));
        told.for_each(|note| self.gate.note(note));
        None
    }

    /// Cleans up after a run and returns the pending warnings. If `how` is `None`, the next start recovers the run.
    fn end_run(&self, how: Option<End>) -> Vec<String> {
        self.gate.end_run();
        match how {
            Some(how) => self.end_journal(how),
            None => self.gate.abandon_journal(),
        }
        self.settle();
        self.gate.take_notes()
    }

    fn end_journal(&self, how: End) {
        *self.ended.borrow_mut() = self.gate.end_journal(how);
    }

    /// Returns the last run or call that ended, if it changed something.
    pub fn ended_run(&self) -> Option<EndedRun> {
        self.ended.borrow().clone()
    }

    /// Whether other commands can undo the changes of runs.
    pub fn can_undo(&self) -> bool {
        self.gate.lost_because().is_none()
    }

    /// Syncs the audit log at the end of a run, so that its lines survive a power cut.
    fn settle(&self) {
        if let Err(error) = self.gate.audit().sync() {
            self.gate.note(format!("the audit log may be lost in a power cut: {error}"));
        }
    }

    fn run_here(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        RunSession { memory, listed }: RunSession<'_>,
    ) -> Outcome {
        if let Some(finding) = self.unsealed() {
            return Outcome::refused(Sources::new(), vec![finding]);
        }
        let prepared = self.prepare(script, Purpose::Run { memory, procedure: invocation.procedure.as_deref() });
        let Prepared { sources, findings, program, interface, mut held, .. } = prepared;
        if findings.iter().any(Diagnostic::is_error) {
            return Outcome::refused(sources, findings);
        }
        let interface = match interface {
            Ok(interface) => interface,
            Err(finding) => return Outcome::refused(sources, vec![finding]),
        };
        let Bound { args, values } = match invocation.bind(&interface) {
            Ok(bound) => bound,
            Err(findings) => return Outcome::misused(findings, interface.help(&invocation.command(script))),
        };
        let sources = Rc::new(sources);
        self.gate.announce(listed, self.atomic);
        let (gate, memory) = (self.gate.clone(), memory.clone());
        let world = RunContext { gate, sources: sources.clone(), memory, output, strict: self.strict };
        let mut machine = Machine::new(world, self.begin_account());
        let _work = work::enter(machine.meter().watch());
        let args = Value::list(args).unwrap_or_default();
        machine.set_args(args.clone());
        let compiled = compile(&program);
        held.shrink(held.bytes() / 2);
        let result = match interface.procedure.as_ref().and_then(|name| program.own_procedure(name)) {
            None => machine.run_top(&compiled),
            Some(number) => machine.run_procedure(&compiled, number, values),
        };
        let explained = |fault| {
            missing_argument::explain(fault, &sources, &args, interface.usage.as_deref(), &invocation.command(script))
        };
        let result = result.map_err(explained);
        Outcome::of_run(&sources, result, (machine, compiled, program))
    }

    /// Parses a JSON text to a value, within the limits.
    pub fn value_of_json(&self, text: &str) -> Result<Value, ParseError> {
        let _space = space::enter(&self.limits);
        json::from_text(text)
    }

    /// Calls one tool with the arguments in a JSON object.
    pub fn call(&self, tool: &str, args: &Value) -> Result<Value, ToolError> {
        self.call_within(tool, args, &SessionMemory::new("ns call"))
    }

    /// Calls one tool with a session memory that outlives the call, such as that of a connection.
    pub fn call_within(&self, tool: &str, args: &Value, session: &SessionMemory) -> Result<Value, ToolError> {
        let _space = space::enter(&self.limits);
        self.gate.announce(&format!("{} {}", session.command(), self.listed_call(tool, args)), false);
        let result = on_large_stack(|| self.call_here(tool, args, session))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        self.end_journal(if result.is_ok() { End::Done } else { End::Failed });
        self.settle();
        result
    }

    /// Returns a call as the list of runs shows it: the name as given, and the paths among the arguments.
    fn listed_call(&self, tool: &str, args: &Value) -> String {
        let params = self.gate.registry().find(tool).map_or(&[][..], |id| self.gate.registry().get(id).binder().params);
        let Value::Map(map) = args else { return tool.to_owned() };
        let is_path = |key: &str| params.iter().any(|param| param.kind.is_place() && param.is_called(key));
        let paths = map.iter().filter(|(key, _)| is_path(&key.as_text())).flat_map(|(_, value)| match value {
            Value::List(list) => list.iter().take(CALL_PATHS).collect(),
            value => vec![value],
        });
        let paths: Vec<String> = paths.filter_map(|path| path.as_text().map(|path| path.to_string())).collect();
        let words = std::iter::once(tool).chain(paths.iter().map(String::as_str));
        shell_line(words, CALL_CHARS)
    }

    fn call_here(&self, tool: &str, args: &Value, session: &SessionMemory) -> Result<Value, ToolError> {
        self.check_sealed()?;
        let mut meter = self.begin_account();
        let _work = work::enter(meter.watch());
        let id = self.gate.registry().find(tool).ok_or_else(|| self.unknown_tool(tool))?;
        let binder = self.gate.registry().get(id).binder();
        let named = |error: ToolError| ToolError { tool: Some(binder.callee), ..error };
        let Value::Map(map) = args else {
            let error = ToolError::new(
                ToolCode::BadArgs,
                format!("the arguments are a JSON object, not a {}", args.type_name()),
            );
            return Err(named(error.hint("give them as `{\"name\": value}`")));
        };
        let mut args = binder.spread(map as &Map).map_err(|error| named(error.into()))?;
        self.gate.call(id, &mut args, &mut meter, session).map_err(|error| *error)
    }

    fn unknown_tool(&self, name: &str) -> ToolError {
        let shown = crate::value::print::shortened(name, 60);
        let error = ToolError::new(ToolCode::UnknownTool, format!("unknown tool `{shown}`"));
        match self.gate.registry().nearest(name) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`ns tools` lists the tools"),
        }
    }

    /// Creates a session, whose variables and procedures live from line to line.
    pub fn session(&self, output: Box<dyn Output>) -> Session<'_> {
        Session::new(self, output)
    }

    fn text_limits(&self) -> TextLimits {
        TextLimits { nesting: self.limits.nesting, operators: crate::limits::MAX_OPERATORS }
    }

    fn prepare(&self, script: &Script, purpose: Purpose<'_>) -> Prepared {
        let mut sources = Sources::new();
        let mut findings = Vec::new();
        let mut held = MemoryCharge::default();
        let (text, undecodable) = script.decode_script(self.limits.script_bytes);
        let source = sources.add(script.name(), text);
        if let Some(finding) = undecodable.or_else(|| admit_text(source, &mut held)) {
            findings.push(finding);
            let (program, unit, interface) = Default::default();
            return Prepared { sources, findings, held, program, unit, interface: Ok(interface) };
        }
        let span = source.span();
        let tree = parse(source, self.text_limits(), &mut findings);
        let mut modules = Vec::new();
        let (engine, session) = (self, purpose.session());
        let mut loader = Loader {
            engine,
            session,
            sources: &mut sources,
            findings: &mut findings,
            modules: &mut modules,
            held: &mut held,
        };
        let uses = loader.load(span, &tree);
        let mut of_interface = Vec::new();
        let interface = Interface::of(&tree, purpose.procedure(), &mut of_interface);
        // Only a check reports these warnings, and it finds them again.
        findings.extend(of_interface.into_iter().filter(Diagnostic::is_error));
        let unit = Unit { tree, uses };
        let (registry, settings) = (self.gate.registry(), self.gate.settings());
        let environment = Environment { registry, settings, earlier: &[], variables: &[], modules: &modules };
        let mut program = lower(&unit, &environment, &mut findings);
        if let Purpose::Run { .. } = purpose {
            self.project(&mut program);
        }
        if let Purpose::Check = purpose {
            let (gate, limits, strict) = (&*self.gate, self.text_limits(), self.strict);
            let ground = lint::LintContext { program: &program, gate, limits, strict };
            let texts = modules.iter().map(|module| (module.span, &module.unit.tree));
            for (span, tree) in texts.chain([(span, &unit.tree)]) {
                let source = sources.of(span).expect("the texts were added");
                lint::lint(source, tree, ground, &mut findings);
            }
        }
        findings.sort_by_key(|finding| finding.span());
        Prepared { sources, findings, held, program, unit, interface }
    }
}

/// The purpose of parsing and lowering a script.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    /// To report errors and probable mistakes.
    Check,
    /// To run it. `memory` is the session that loads its modules, `procedure` the requested entry point.
    Run { memory: &'a SessionMemory, procedure: Option<&'a str> },
}

impl<'a> Purpose<'a> {
    fn session(self) -> Option<&'a SessionMemory> {
        match self {
            Purpose::Check => None,
            Purpose::Run { memory, .. } => Some(memory),
        }
    }

    fn procedure(self) -> Option<&'a str> {
        match self {
            Purpose::Check => None,
            Purpose::Run { procedure, .. } => procedure,
        }
    }
}

/// The session of a run.
#[derive(Clone, Copy)]
struct RunSession<'a> {
    /// Its memory.
    memory: &'a Rc<SessionMemory>,
    /// The command, as the list of runs shows it.
    listed: &'a str,
}

/// A parsed and lowered script.
struct Prepared {
    sources: Sources,
    findings: Vec<Diagnostic>,
    /// The memory that the texts need.
    held: MemoryCharge,
    program: Program,
    unit: Unit,
    /// The command-line interface, or the reason why the entry point is unknown.
    interface: Result<Interface, Diagnostic>,
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
fn internal_fault(what: &str) -> Diagnostic {
    Diagnostic::placeless(FindingCode::Script(Code::Internal), format!("a fault of NeuroScript itself: {what}"))
        .help("please report it, with the script")
}
