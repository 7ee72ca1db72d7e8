//! The one thing a front end holds: checks, runs and calls, against one sandbox and one policy.

mod audit;
mod canary;
mod changes;
mod config;
mod elsewhere;
mod fix;
mod foreign;
mod format;
mod gc;
mod history;
mod info;
mod invocation;
mod libraries;
mod memory;
mod missing_argument;
mod modules;
mod outcome;
mod parse;
mod plan;
mod policies;
mod render;
mod script;
mod session;
mod setup;
mod spare;
mod stack;
mod test_folder;
mod wall;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::eval::{Machine, World, compile};
use crate::limits::Held;
use crate::program::{Bound, Surroundings, Unit, lint, lower, tree::Program};
use crate::syntax::{TextLimits, parse, weight};
use crate::text::{Code, Diagnostic, FindingCode, Source, Sources, ToolCode};
use crate::toolkit::{Gate, Registry, ToolError};
use crate::value::Map;
use crate::value::json;

pub use crate::eval::{EmitError, Fault, Output, emitted};
pub use crate::limits::{Bounds, Interrupt, LimitHit, Limits, Meter, Progress, Watch, space, work};
pub use crate::program::pages::{CodeExample, Page, PageExample, PageKind, code_example, pages};
pub use crate::program::{Builtin, Element, Interface, Kind, OWN_OPTIONS, Over, Parameter, Role, Words, is_option};
pub use crate::sandbox::{Resolver, UserKey};
pub use crate::syntax::ast;
pub use crate::syntax::keyword::STATEMENT_WORDS;
pub use crate::syntax::{Token, TokenKind, tokens};
pub use crate::toolkit::{
    Approver, Clock, Console, InputFault, Layer, MemoryEntry, MemoryRow, PolicyFile, ProgressView, Provenance,
    Question, Reply, Salvaged, SessionMemory, Stated, Unused,
};
pub use crate::tools::registry as built_in_tools;
pub use crate::value::Value;
pub use crate::value::json::NoJson;
pub use audit::{AuditFault, AuditFilter, AuditLines, AuditLog, AuditVerdict};
pub use changes::{COMPARED_BYTES, Content, Described, Diff, Differ, Difference};
pub use config::files::state_folder;
pub use config::{KeyRow, policy_keys};
pub use fix::Fixed;
pub use foreign::{ForeignDeed, ForeignRun, ForeignState, Ownership};
pub use format::{Formatted, Spelling, format_script};
pub use gc::{Amount, GcRequest, GivenUp, Swept, Tally, Why};
pub use history::{
    Conflict, Displaced, End, Ended, Holds, Listed, Origin, PassedOver, Reversal, Selection, ShownChange, ShownRun,
    Undone, What, short_name,
};
pub use info::{Info, ProcedureInfo};
pub use invocation::{Arguments, Invocation};
pub use outcome::{Ending, Outcome};
pub use parse::{DescribedScript, Parsed, describe_script, parse_script};
pub use plan::{Applied, Plan, PlanError, read_plan};
pub use policies::check_policy;
pub use render::{Rendered, Results};
pub use script::Script;
pub use session::{LineOutcome, LineResult, Session};
pub use setup::{Options, SetupError};
pub use test_folder::{Found, TestFolder};

use modules::Loader;
pub use stack::{hush_panics, on_large_stack};
pub use wall::{
    Force, Network, Process, TestGrounds, leave_scratch, open_outside, outside, scratch_home, seal_tester, seal_tests,
    settle_scratch,
};

/// What a model that has never seen the language needs to write a right script: a page of the book, so that
/// what is in it runs.
pub const GUIDE: &str = include_str!("../../docs/guide.md");

/// An engine: a sandbox, a policy, limits and the tools.
pub struct Engine {
    gate: Rc<Gate>,
    limits: Limits,
    strict: bool,
    /// Whether a run that fails is taken back.
    atomic: bool,
    interrupt: Interrupt,
    /// The run that ended last, if it changed something.
    ended: RefCell<Option<Ended>>,
    /// The watch of the newest run, line or call; showing its answer is bounded by it too.
    newest: RefCell<Option<Watch>>,
    /// What the kernel keeps it from.
    force: OnceCell<Force>,
}

/// What a check found.
pub struct Checked {
    /// The text, for showing findings.
    pub sources: Sources,
    /// What was found, in the order of the text.
    pub findings: Vec<Diagnostic>,
    /// What the script says about itself.
    pub info: Info,
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Calls outside of runs and sessions may have made some.
        self.gate.remove_temporary();
        self.gate.end_journal(End::Done);
        self.settle();
    }
}

impl Engine {
    /// The tools.
    pub fn registry(&self) -> &Registry {
        &self.gate.registry
    }

    /// The gate, with the sandbox and the policy.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Says who is asked before calls that need leave.
    pub fn set_approver(&self, approver: Rc<dyn Approver>) {
        *self.gate.approvals.approver.borrow_mut() = Some(approver);
    }

    /// Says who types what scripts read, and reads what they show.
    pub fn set_console(&self, console: Rc<dyn Console>) {
        self.gate.consoles.set(console);
    }

    /// Says who is shown how far calls have come.
    pub fn set_progress_view(&self, view: Rc<dyn ProgressView>) {
        self.gate.lookout.set(view);
    }

    /// The limits of its runs.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets what one answer of a tool may take, and gives what it could take before.
    pub fn bound_answers(&mut self, bytes: u64) -> Option<u64> {
        self.limits.tool_output_bytes.replace(bytes)
    }

    /// Whether nothing is changed, and what would be is kept instead.
    pub fn is_planning(&self) -> bool {
        self.gate.overlay.is_some()
    }

    /// What stops its runs.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Every key of the policy file with its value in force, in the order of the table of keys.
    pub fn values(&self) -> Vec<(KeyRow, String)> {
        let gate = &self.gate;
        let mut values = gate.policy.summary();
        values.extend(self.limits.summary());
        values.extend(gate.settings.summary());
        let value = |row: &KeyRow| values.iter().find(|(key, _)| *key == row.name).map(|(_, value)| value.clone());
        policy_keys().map(|row| (row, value(&row).unwrap_or_default())).collect()
    }

    /// The policy files that were read, and where each value in force comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.gate.policy.provenance
    }

    /// The account of a run, line or call that begins.
    fn begin_account(&self) -> Meter {
        let meter = Meter::new(&self.limits, self.interrupt.clone());
        *self.newest.borrow_mut() = Some(meter.watch());
        meter
    }

    /// Bounds what this thread does with values until it is dropped, by the limits of runs; the time begins now.
    pub fn bound(&self) -> Bounds {
        self.interrupt.clear();
        Bounds::enter(&self.limits, Meter::new(&self.limits, self.interrupt.clone()).watch())
    }

    /// The same for showing what the newest run, line or call gave: its time goes on.
    pub fn bound_answer(&self) -> Bounds {
        let newest = self.newest.borrow().clone();
        let watch = newest.unwrap_or_else(|| Meter::new(&self.limits, self.interrupt.clone()).watch());
        Bounds::enter(&self.limits, watch)
    }

    /// Finds what is wrong with a script, and what is probably not meant.
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
        let memory = SessionMemory::new(format!("ns run {}", script.file_name()));
        let listed = invocation.listed(script, memory.command());
        self.run_listed(script, invocation, output, (&Rc::new(memory), &listed))
    }

    /// The same for a caller whose session memory outlives the run.
    pub fn run_within(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        memory: &Rc<SessionMemory>,
    ) -> Outcome {
        self.run_listed(script, invocation, output, (memory, memory.command()))
    }

    /// Runs a script that the list of runs shows by a command.
    fn run_listed(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        (memory, listed): (&Rc<SessionMemory>, &str),
    ) -> Outcome {
        let _space = space::enter(&self.limits);
        let mut outcome = on_large_stack(|| self.run_here(script, invocation, output, (memory, listed)))
            .unwrap_or_else(|panic| Outcome::refused(Sources::new(), vec![internal_fault(&panic)]));
        outcome.warnings = self.end_run(self.how(outcome.ending));
        outcome
    }

    /// How the journal ends a run; one that is atomic and failed is taken back here. None where that did not
    /// succeed.
    fn how(&self, ending: Ending) -> Option<End> {
        match ending {
            Ending::Done | Ending::Unread => Some(End::Done),
            Ending::Interrupted if !self.atomic => Some(End::Interrupted),
            _ if !self.atomic => Some(End::Failed),
            _ => self.take_back(),
        }
    }

    /// Takes back everything that the run that goes on has changed.
    fn take_back(&self) -> Option<End> {
        let failures = match self.gate.roll_back(1) {
            Ok(failures) if failures.is_empty() => return Some(End::TakenBack),
            Ok(failures) => failures.into_iter().map(|(_, error)| error).collect(),
            Err(error) => vec![error],
        };
        let told = failures.iter().map(|error| format!("a change is not taken back before the next start: {error}"));
        self.gate.notes.borrow_mut().extend(told);
        None
    }

    /// Cleans up after a run, and gives what is still to be told. The next start takes back what could not be.
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

    /// The run or call that ended last, if it changed something.
    pub fn ended_run(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    /// Whether other commands can take back what runs change.
    pub fn can_undo(&self) -> bool {
        self.gate.lost_because().is_none()
    }

    /// At the end of a run: what the audit log says of it outlives a power cut from here on.
    fn settle(&self) {
        if let Err(error) = self.gate.audit.sync() {
            self.gate.notes.borrow_mut().push(format!("the audit log may be lost in a power cut: {error}"));
        }
    }

    fn run_here(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        (memory, listed): (&Rc<SessionMemory>, &str),
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
        let world = World { gate, sources: sources.clone(), memory, output, strict: self.strict };
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

    /// The value of a JSON text, within the limits.
    pub fn value_of_json(&self, text: &str) -> Result<Value, NoJson> {
        let _space = space::enter(&self.limits);
        json::from_text(text)
    }

    /// Calls one tool with the arguments of a JSON object.
    pub fn call(&self, tool: &str, args: &Value) -> Result<Value, ToolError> {
        self.call_within(tool, args, &SessionMemory::new("ns call"))
    }

    /// Calls one tool for a caller whose session memory outlives the call, as a connection's does.
    pub fn call_within(&self, tool: &str, args: &Value, session: &SessionMemory) -> Result<Value, ToolError> {
        let _space = space::enter(&self.limits);
        self.gate.announce(&format!("{} {tool}", session.command()), false);
        let result = on_large_stack(|| self.call_here(tool, args, session))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        self.end_journal(if result.is_ok() { End::Done } else { End::Failed });
        self.settle();
        result
    }

    fn call_here(&self, tool: &str, args: &Value, session: &SessionMemory) -> Result<Value, ToolError> {
        self.check_sealed()?;
        let mut meter = self.begin_account();
        let _work = work::enter(meter.watch());
        let id = self.gate.registry.find(tool).ok_or_else(|| self.unknown_tool(tool))?;
        let binder = self.gate.registry.get(id).binder();
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
        match self.gate.registry.nearest(name) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`ns tools` lists the tools"),
        }
    }

    /// A session, whose variables and procedures live from line to line.
    pub fn session(&self, output: Box<dyn Output>) -> Session<'_> {
        Session::new(self, output)
    }

    fn text_limits(&self) -> TextLimits {
        TextLimits { nesting: self.limits.nesting, operators: crate::limits::MAX_OPERATORS }
    }

    fn prepare(&self, script: &Script, purpose: Purpose<'_>) -> Prepared {
        let mut sources = Sources::new();
        let mut findings = Vec::new();
        let mut held = Held::default();
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
        // Warnings are for the check, which finds them again.
        findings.extend(of_interface.into_iter().filter(Diagnostic::is_error));
        let unit = Unit { tree, uses };
        let Gate { registry, settings, .. } = &*self.gate;
        let surroundings = Surroundings { registry, settings, earlier: &[], variables: &[], modules: &modules };
        let mut program = lower(&unit, &surroundings, &mut findings);
        if let Purpose::Run { .. } = purpose {
            self.spare(&mut program);
        }
        if let Purpose::Check = purpose {
            let (gate, limits, strict) = (&*self.gate, self.text_limits(), self.strict);
            let ground = lint::Ground { program: &program, gate, limits, strict };
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

/// What a script is parsed and lowered for.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    /// To say what is wrong and what is probably not meant.
    Check,
    /// To run it, with the session memory that its modules are read for, and the procedure that is wanted.
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

/// A script that was parsed and lowered.
struct Prepared {
    sources: Sources,
    findings: Vec<Diagnostic>,
    /// What the texts take.
    held: Held,
    program: Program,
    unit: Unit,
    /// What it takes from its command line; or why it is not known where it begins.
    interface: Result<Interface, Diagnostic>,
}

/// Counts what reading a text takes as live; a finding where that is too much.
fn admit_text(source: &Source, held: &mut Held) -> Option<Diagnostic> {
    let hit = held.grow(weight(source.text())).err()?;
    let message =
        format!("reading the text would take more than is left of the {} bytes of `memory_bytes`", hit.allowed);
    let finding = Diagnostic::error(hit.limit.code(), source.span(), message);
    Some(finding.help("split it, or raise `memory_bytes` in `[limits]`"))
}

/// The finding for a panic: see [`Code::Internal`].
fn internal_fault(what: &str) -> Diagnostic {
    Diagnostic::placeless(FindingCode::Script(Code::Internal), format!("a fault of NeuroScript itself: {what}"))
        .help("please report it, with the script")
}
