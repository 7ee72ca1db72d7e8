//! A session: lines that share variables and procedures, as in the REPL.

use std::rc::Rc;

use compact_str::CompactString;

use crate::eval::{Machine, Output, World, compile};
use crate::limits::{Meter, space};
use crate::program::{Module, Surroundings, Unit, Uses, lower};
use crate::syntax::{is_unfinished, parse};
use crate::text::{Diagnostic, Sources};
use crate::toolkit::{End, Gate, SessionMemory};
use crate::value::Value;

use super::modules::Loader;
use super::outcome::{ending_before_run, ending_of};
use super::stack::on_large_stack;
use super::{Ending, Engine};

/// Lines that share variables and procedures.
pub struct Session<'e> {
    engine: &'e Engine,
    machine: Machine,
    sources: Sources,
    units: Vec<Unit>,
    modules: Vec<Module>,
    /// What the names of modules stand for.
    uses: Uses,
    /// Names of the top-level variables, in the order of their slots.
    names: Vec<CompactString>,
    last: Value,
    lines: usize,
}

/// What became of a line.
pub struct LineOutcome {
    /// What was found before it ran, or the error that ended it.
    pub findings: Vec<Diagnostic>,
    /// How it ended.
    pub ending: Ending,
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.engine.gate.end_run();
    }
}

impl<'e> Session<'e> {
    pub(super) fn new(engine: &'e Engine, output: Box<dyn Output>) -> Session<'e> {
        let sources = Rc::new(Sources::new());
        let memory = SessionMemory::new("ns repl");
        let world = World { gate: engine.gate.clone(), sources, memory, output, strict: engine.strict };
        let machine = Machine::new(world, Meter::new(&engine.limits, engine.interrupt.clone()));
        Session {
            engine,
            machine,
            sources: Sources::new(),
            units: Vec::new(),
            modules: Vec::new(),
            uses: Uses::new(),
            names: Vec::new(),
            last: Value::Nil,
            lines: 0,
        }
    }

    /// The texts of all lines, for showing findings.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Whether a text is a beginning that more lines could complete.
    pub fn is_unfinished(&self, text: &str) -> bool {
        on_large_stack(|| is_unfinished(text, self.engine.text_limits())).unwrap_or(false)
    }

    /// Runs a line, or prints its value when it is an expression alone.
    pub fn evaluate(&mut self, text: &str) -> LineOutcome {
        let printing = format!("EMIT {text}");
        match !self.parses(text) && self.parses(&printing) {
            true => self.run(&printing),
            false => self.run(text),
        }
    }

    /// Whether a text is a line that can be parsed.
    fn parses(&self, text: &str) -> bool {
        let mut findings = Vec::new();
        let mut sources = Sources::new();
        let parsed = on_large_stack(|| parse(sources.add("", text), self.engine.text_limits(), &mut findings));
        parsed.is_ok() && findings.is_empty()
    }

    /// Runs a line, or several. One that fails changes no variable.
    pub fn run(&mut self, text: &str) -> LineOutcome {
        let _space = space::enter(&self.engine.limits);
        let outcome = on_large_stack(|| self.run_here(text)).unwrap_or_else(|panic| LineOutcome {
            findings: vec![super::internal_fault(&panic)],
            ending: Ending::Failed,
        });
        let how = if outcome.ending == Ending::Done { End::Done } else { End::Failed };
        self.engine.gate.end_journal(how);
        self.engine.settle();
        outcome
    }

    fn run_here(&mut self, text: &str) -> LineOutcome {
        self.engine.interrupt.clear();
        self.engine.gate.announce("ns repl", false);
        self.lines += 1;
        let mut findings = Vec::new();
        let modules_before = self.modules.len();
        let unit = self.parse_line(text, &mut findings);
        let Gate { registry, settings, .. } = &*self.engine.gate;
        let (earlier, variables, modules) = (&self.units, &self.names, &self.modules);
        let surroundings = Surroundings { registry, settings, earlier, variables, modules };
        let mut program = lower(&unit, &surroundings, &mut findings);
        findings.retain(Diagnostic::is_error);
        if !findings.is_empty() {
            findings.sort_by_key(Diagnostic::span);
            self.modules.truncate(modules_before);
            return LineOutcome { ending: ending_before_run(&findings), findings };
        }
        program.top.keeps_last = true;
        let compiled = compile(&program);
        let before = self.machine.top_values(self.names.len());
        self.machine.set_sources(Rc::new(self.sources.clone()));
        self.machine.set_meter(Meter::new(&self.engine.limits, self.engine.interrupt.clone()));
        self.machine.set_top_last(&compiled, self.last.clone());
        match self.machine.run_top(&compiled) {
            Ok(_) => {
                self.last = self.machine.top_last(&compiled);
                self.names = program.top.slots.clone();
                let values = self.machine.top_values(self.names.len());
                self.machine.restore_top(values);
                self.uses.clone_from(&unit.uses);
                self.units.push(unit);
                LineOutcome { findings, ending: Ending::Done }
            }
            Err(fault) => {
                self.machine.restore_top(before);
                self.modules.truncate(modules_before);
                LineOutcome { findings: vec![fault.to_diagnostic()], ending: ending_of(&fault) }
            }
        }
    }

    /// The text of a line, with the modules that it uses and those of the lines before.
    fn parse_line(&mut self, text: &str, findings: &mut Vec<Diagnostic>) -> Unit {
        let Session { engine, sources, modules, machine, .. } = self;
        let source = sources.add(format!("<line {}>", self.lines), text);
        let span = source.span();
        let tree = parse(source, engine.text_limits(), findings);
        let mut loader = Loader { engine, session: Some(machine.memory()), sources, findings, modules };
        let mut uses = self.uses.clone();
        uses.extend(loader.load(span, &tree));
        Unit { tree, uses }
    }
}
