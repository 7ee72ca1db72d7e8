//! Sessions: lines that share variables and procedures, as in the REPL.

mod plan;
mod view;

use std::rc::Rc;

use compact_str::CompactString;

use crate::eval::{Fault, Machine, Output, RunContext, compile};
use crate::gate::{End, SessionMemory};
use crate::limits::{Limits, MemoryCharge, Meter, space, work};
use crate::program::tree::Program;
use crate::program::truncation::mark_truncations;
use crate::program::{Environment, Module, Observed, Unit, Uses, lower, mark_procedures};
use crate::syntax::ast::{Statement, StatementKind, Tree};
use crate::syntax::keyword::{STATEMENT_WORDS, first_word};
use crate::syntax::{is_foreign_statement, is_open, is_unfinished, parse, parse_value};
use crate::text::{Diagnostic, Sources, nearest};
use crate::toolkit::ToolError;
use crate::value::Value;
use crate::value::print::shortened;

use super::debug::{DebugClient, DebugTexts};
use super::missing_argument;
use super::modules::Loader;
use super::outcome::{ending_before_run, ending_of};
use super::parse::parse_known;
use super::required_version::keep_version_findings;
use super::stack::on_large_stack;
use super::{EndedRun, Ending, Engine, Script, admit_text};

/// A session: lines that share variables and procedures.
pub struct Session<'e> {
    /// The engine whose runs change the sandbox.
    base: &'e Engine,
    /// The planning engine, while lines are planned.
    plan: Option<Engine>,
    machine: Machine,
    sources: Sources,
    units: Vec<Unit>,
    modules: Vec<Module>,
    /// The modules by name.
    uses: Uses,
    /// Names of the top-level variables, in the order of their slots.
    names: Vec<CompactString>,
    last: Value,
    lines: usize,
    /// The client of the debugger under which lines run, if there is one.
    debugger: Option<Rc<dyn DebugClient>>,
}

/// The outcome of a line.
pub struct LineOutcome {
    /// The findings before it ran, or the error that ended it.
    pub findings: Vec<Diagnostic>,
    /// How the line ended.
    pub ending: Ending,
    /// The result.
    pub result: LineResult,
    /// Number of steps taken.
    pub steps: u64,
    /// The run in the journal, if the line changed something.
    pub ended: Option<EndedRun>,
}

/// The result of a line that completed.
pub enum LineResult {
    /// Nothing to show.
    None,
    /// The value of a line that is a single expression; it is printed.
    Shown(Value),
    /// The result of a line that is a single CALL statement.
    Called(Value),
}

impl LineOutcome {
    /// Creates the outcome of a line that did not begin.
    fn refused(findings: Vec<Diagnostic>) -> LineOutcome {
        LineOutcome { ending: ending_before_run(&findings), findings, result: LineResult::None, steps: 0, ended: None }
    }
}

/// A line that ran.
struct RanLine {
    result: Result<Value, Box<Fault>>,
    unit: Unit,
    /// Names of the top-level variables.
    slots: Vec<CompactString>,
    /// `LAST`
    last: Value,
}

/// How a line is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As statements.
    Statements,
    /// As a single expression.
    Value,
}

/// Maximum number of characters of a line in the name of its run.
const NAMED_CHARS: usize = 60;

/// Returns the name of the run of an input: its first line. An input that begins with a blank is not recorded, so its
/// run has no name of its own.
fn command_of(text: &str) -> String {
    if text.starts_with([' ', '\t']) {
        return "ns repl".to_owned();
    }
    let first = text.trim_start().lines().next().unwrap_or_default();
    format!("ns repl: {}", shortened(first, NAMED_CHARS))
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.base.gate.end_run();
    }
}

impl<'e> Session<'e> {
    pub(super) fn new(engine: &'e Engine, mut output: Box<dyn Output>) -> Session<'e> {
        output.wait_for(engine.gate.barrier());
        let sources = Rc::new(Sources::new());
        let memory = Rc::new(SessionMemory::new("ns repl"));
        let world = RunContext { gate: engine.gate.clone(), sources, memory, output, strict: engine.strict };
        let machine = Machine::new(world, Meter::new(&engine.limits, engine.interrupt.clone()));
        Session {
            base: engine,
            plan: None,
            machine,
            sources: Sources::new(),
            units: Vec::new(),
            modules: Vec::new(),
            uses: Uses::new(),
            names: Vec::new(),
            last: Value::Nil,
            lines: 0,
            debugger: None,
        }
    }

    /// Returns the texts of all lines, for showing findings.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Reads a line from the console, for consoles without line editing. Returns `None` at the end of the input.
    pub fn read_line(&self, prompt: &str) -> Result<Option<String>, ToolError> {
        self.engine().interrupt.clear();
        // The engine's limits apply to scripts only.
        let meter = Meter::new(&Limits::default(), self.engine().interrupt.clone());
        self.engine().gate.console().read_line(prompt, &meter)
    }

    /// Whether a text is incomplete, and more lines could complete it.
    pub fn is_unfinished(&self, text: &str) -> bool {
        on_large_stack(|| is_unfinished(text, self.engine().text_limits())).unwrap_or(false)
    }

    /// Whether some block, bracket or text is open at the end, regardless of other errors.
    pub fn is_open(&self, text: &str) -> bool {
        on_large_stack(|| is_open(text, self.engine().text_limits())).unwrap_or(false)
    }

    /// Splits input that was typed or pasted at once into the parts that run one after another. Statements form one
    /// part; if there are single expressions among them, each line or block is a part.
    pub fn parts(&self, text: &str) -> Vec<String> {
        let is_whole = self.first_fault(text, Form::Statements).is_none();
        if is_whole || !text.trim_end().contains('\n') || self.first_fault(text, Form::Value).is_none() {
            return vec![text.to_owned()];
        }
        let mut parts = Vec::new();
        let mut part = String::new();
        for line in text.lines() {
            part.push_str(line);
            part.push('\n');
            if !self.is_open(&part) {
                parts.extend(Some(std::mem::take(&mut part)).filter(|part| !part.trim().is_empty()));
            }
        }
        parts.extend(Some(part).filter(|part| !part.trim().is_empty()));
        parts
    }

    /// Runs a line: statements, or a single expression. The value of an expression is returned and becomes `LAST`.
    pub fn evaluate(&mut self, text: &str) -> LineOutcome {
        let form = self.form(text);
        self.lines += 1;
        let script = Script::new(format!("<line {}>", self.lines), text);
        self.run_as(&script, form, &command_of(text))
    }

    /// Runs a script as if it had been typed. If it fails, no variable changes.
    pub fn run(&mut self, script: &Script) -> LineOutcome {
        self.run_as(script, Form::Statements, &format!("ns repl: :load {}", script.file_name()))
    }

    /// Decides how to parse a line. If neither form is valid, prefers the one that parses further.
    fn form(&self, text: &str) -> Form {
        let Some(statement) = self.first_fault(text, Form::Statements) else { return Form::Statements };
        match self.first_fault(text, Form::Value) {
            None => Form::Value,
            Some(_) if is_foreign_statement(text) => Form::Statements,
            Some(value) if value > statement && !begins_like_statement(text) => Form::Value,
            // No statement begins with these.
            Some(_) if text.trim_start().starts_with(['[', '(', '"', '\'']) => Form::Value,
            Some(_) => Form::Statements,
        }
    }

    /// Whether a text is a single expression.
    pub(super) fn is_value(&self, text: &str) -> bool {
        self.form(text) == Form::Value
    }

    /// Returns the position of the first error when a text is parsed in a form.
    fn first_fault(&self, text: &str, form: Form) -> Option<u32> {
        let mut findings = Vec::new();
        let mut sources = Sources::new();
        let source = sources.add("", text);
        let limits = self.engine().text_limits();
        let parsed = on_large_stack(|| match form {
            Form::Statements => Some(parse(source, limits, &mut findings)),
            Form::Value => parse_value(source, limits, &mut findings),
        });
        match parsed {
            Ok(Some(_)) => findings.iter().filter_map(Diagnostic::span).map(|span| span.start).min(),
            Ok(None) | Err(_) => Some(0),
        }
    }

    /// Runs the next lines under a debugger, or without one.
    pub fn set_debugger(&mut self, client: Option<Rc<dyn DebugClient>>) {
        self.debugger = client;
    }

    /// Runs a text; the list of runs shows the command.
    fn run_as(&mut self, script: &Script, form: Form, command: &str) -> LineOutcome {
        self.engine().gate.announce(command, false);
        let _space = space::enter(&self.engine().limits);
        let outcome = on_large_stack(|| self.compile_and_run(script, form, command)).unwrap_or_else(|panic| {
            LineOutcome { ending: Ending::Failed, ..LineOutcome::refused(vec![super::internal_fault(&panic)]) }
        });
        let end = match outcome.ending {
            Ending::Done => End::Done,
            Ending::Interrupted => End::Interrupted,
            _ => End::Failed,
        };
        self.engine().settle();
        let ended = self.engine().gate.end_journal(end);
        let mut outcome = LineOutcome { ended, ..outcome };
        if let Some(finding) = self.engine().undurable() {
            outcome.findings.push(finding);
            outcome.ending = Ending::Failed;
        }
        outcome
    }

    fn compile_and_run(&mut self, script: &Script, form: Form, command: &str) -> LineOutcome {
        if let Some(finding) = self.engine().unsealed() {
            return LineOutcome::refused(vec![finding]);
        }
        self.engine().interrupt.clear();
        let mut findings = Vec::new();
        let modules_before = self.modules.len();
        let unit = self.read(script, form, &mut findings);
        if keep_version_findings(&mut findings) {
            return self.refuse(findings, modules_before);
        }
        let gate = &self.engine().gate;
        let (registry, settings) = (gate.registry(), gate.settings());
        let (earlier, variables, modules) = (&self.units, &self.names, &self.modules);
        let sources = &self.sources;
        let environment = Environment { registry, settings, earlier, variables, modules, sources, known: None };
        let mut program = lower(&unit, &environment, &mut findings);
        findings.retain(Diagnostic::is_error);
        if !findings.is_empty() {
            return self.refuse(findings, modules_before);
        }
        program.top.keeps_last = true;
        mark_truncations(&mut program, registry);
        let before = self.machine.top_values(self.names.len());
        self.machine.set_sources(Rc::new(self.sources.clone()));
        let meter = self.engine().begin_account();
        let _work = work::enter(meter.watch());
        self.machine.set_meter(meter);
        let is_call = matches!(unit.tree.statements[..], [Statement { kind: StatementKind::Call(_), .. }]);
        let RanLine { result, unit, slots, last } = self.run_program(program, unit, command);
        let steps = self.machine.meter().steps_taken();
        match result {
            Ok(value) => {
                self.keep(unit, slots, last);
                if form == Form::Value {
                    self.last = value;
                }
                let result = match (form, is_call) {
                    (Form::Value, _) => LineResult::Shown(self.last.clone()),
                    (Form::Statements, true) => LineResult::Called(self.last.clone()),
                    (Form::Statements, false) => LineResult::None,
                };
                LineOutcome { findings, ending: Ending::Done, result, steps, ended: None }
            }
            Err(fault) => {
                let fault = missing_argument::explain(fault, &self.sources, &Value::default(), "ns FILE [WORDS]...");
                let ending = ending_of(&fault);
                match ending {
                    // Keep the values computed so far, so that they can be inspected.
                    Ending::Interrupted => self.keep(unit, slots, last),
                    _ => {
                        self.machine.restore_top(before);
                        self.modules.truncate(modules_before);
                    }
                }
                let findings = vec![fault.to_diagnostic(self.engine().gate.policy())];
                LineOutcome { findings, ending, result: LineResult::None, steps, ended: None }
            }
        }
    }

    /// Ends a line that did not begin, and forgets the modules that it loaded.
    fn refuse(&mut self, mut findings: Vec<Diagnostic>, modules_before: usize) -> LineOutcome {
        findings.sort_by_key(Diagnostic::span);
        self.modules.truncate(modules_before);
        LineOutcome::refused(findings)
    }

    /// Runs the program of a line, under the debugger if there is one.
    fn run_program(&mut self, mut program: Program, unit: Unit, command: &str) -> RanLine {
        let slots = program.top.slots.clone();
        let gate = self.engine().gate.clone();
        let Some(client) = self.debugger.clone() else {
            mark_procedures(&mut program, Observed::Never);
            let compiled = compile(&program, gate.registry());
            self.machine.set_top_last(&compiled, self.last.clone());
            let result = self.machine.run_top(&compiled);
            return RanLine { result, unit, slots, last: self.machine.top_last(&compiled) };
        };
        mark_procedures(&mut program, Observed::BetweenStatements);
        let (mut units, modules) = (std::mem::take(&mut self.units), std::mem::take(&mut self.modules));
        units.push(unit);
        let sources = Rc::new(self.sources.clone());
        let texts = DebugTexts { units, modules };
        let debugged = self.engine().debugged(program, texts, &sources, command, &client);
        self.machine.set_top_last(&debugged.compiled, self.last.clone());
        let result = debugged.run(&mut self.machine, |machine, code| machine.run_top(code));
        DebugTexts { units: self.units, modules: self.modules } = debugged.take_texts();
        let unit = self.units.pop().unwrap_or_default();
        RanLine { result, unit, slots, last: self.machine.top_last(&debugged.compiled) }
    }

    /// Keeps the variables and definitions of a line.
    fn keep(&mut self, unit: Unit, slots: Vec<CompactString>, last: Value) {
        self.last = last;
        self.names = slots;
        let values = self.machine.top_values(self.names.len());
        self.machine.restore_top(values);
        self.uses.clone_from(&unit.uses);
        if unit.tree.procedures().next().is_some() {
            self.units.push(unit);
        }
    }

    /// Parses a line, and loads its modules in addition to those of earlier lines.
    fn read(&mut self, script: &Script, form: Form, findings: &mut Vec<Diagnostic>) -> Unit {
        let Session { base, plan, sources, modules, machine, .. } = self;
        let engine = plan.as_ref().unwrap_or(base);
        let (text, undecodable) = script.decode_script(engine.limits.script_bytes);
        let source = sources.add(script.name(), text);
        let mut held = MemoryCharge::default();
        if let Some(finding) = undecodable.or_else(|| admit_text(source, &mut held)) {
            findings.push(finding);
            return Unit { tree: Tree::default(), uses: self.uses.clone() };
        }
        let span = source.span();
        let tree = match form {
            Form::Statements => parse_known(source, engine.text_limits(), findings, None),
            Form::Value => parse_value(source, engine.text_limits(), findings).unwrap_or_default(),
        };
        let mut loader = Loader {
            engine,
            limits: engine.text_limits(),
            known: None,
            session: Some(machine.memory()),
            sources,
            findings,
            modules,
            held: &mut held,
        };
        let mut uses = self.uses.clone();
        uses.extend(loader.load(span, &tree));
        Unit { tree, uses }
    }
}

/// Whether a text begins with a statement keyword, or nearly so.
fn begins_like_statement(text: &str) -> bool {
    let word = first_word(text.trim_start());
    let follows = text.trim_start()[word.len()..].trim_start();
    let is_named = follows.is_empty() || follows.starts_with(['(', '.', '[', '+', '-', '*', '/', '%', '<', '>', '!']);
    !word.is_empty() && !is_named && nearest(&word.to_uppercase(), STATEMENT_WORDS).is_some()
}
