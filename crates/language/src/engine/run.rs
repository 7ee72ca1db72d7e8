//! One run of a script, from its announcement to the end of its journal. An atomic run that fails is rolled back.

use std::rc::Rc;

use crate::eval::{Compiled, Fault, Machine, Output, RunContext, compile};
use crate::gate::SessionMemory;
use crate::limits::{Meter, space, work};
use crate::program::Bound;
use crate::program::tree::Program;
use crate::text::{Diagnostic, FindingCode, Sources};
use crate::value::Value;

use super::debug::{DebugClient, DebugTexts};
use super::invocation::command_of;
use super::prepare::{Prepared, Purpose};
use super::{
    End, EndedRun, Ending, Engine, Invocation, Outcome, Script, internal_fault, missing_argument, on_large_stack,
};

/// The session of a run.
#[derive(Clone, Copy)]
struct RunSession<'a> {
    /// Its memory.
    memory: &'a Rc<SessionMemory>,
    /// The command, as the list of runs shows it.
    listed: &'a str,
    /// The client of the debugger, if the run has one.
    debugger: Option<&'a Rc<dyn DebugClient>>,
}

impl Engine {
    /// Runs a script, or one procedure of it.
    pub fn run(&self, script: &Script, invocation: &Invocation, output: Box<dyn Output>) -> Outcome {
        self.run_under(script, invocation, output, None)
    }

    /// Runs a script, under a debugger if there is one.
    pub(super) fn run_under(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        debugger: Option<&Rc<dyn DebugClient>>,
    ) -> Outcome {
        let memory = SessionMemory::new(command_of(script, self.gate.root().path()));
        let listed = self.listed_command(script, invocation);
        self.run_listed(script, invocation, output, RunSession { memory: &Rc::new(memory), listed: &listed, debugger })
    }

    /// Returns the command of a run as the list of runs and plans show it. A script is named by its path from the
    /// sandbox root, or by its absolute path outside of it.
    pub fn listed_command(&self, script: &Script, invocation: &Invocation) -> String {
        invocation.listed(script, &command_of(script, self.gate.root().path()))
    }

    /// Like [`Engine::run`], with a session memory that outlives the run.
    pub fn run_in_session(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        memory: &Rc<SessionMemory>,
    ) -> Outcome {
        self.run_listed(script, invocation, output, RunSession { memory, listed: memory.command(), debugger: None })
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
        let mut outcome = on_large_stack(|| self.prepare_and_run(script, invocation, output, session))
            .unwrap_or_else(|panic| Outcome::refused(Sources::new(), vec![internal_fault(&panic)]));
        outcome.warnings = self.end_run(self.run_end(outcome.ending, session.memory));
        if let Some(finding) = self.undurable() {
            outcome.findings.push(finding);
            outcome.ending = Ending::Failed;
        }
        outcome
    }

    /// Returns how the journal ends a run. Rolls back an atomic run that failed; returns `None` if that was
    /// incomplete.
    pub(super) fn run_end(&self, ending: Ending, session: &SessionMemory) -> Option<End> {
        match ending {
            // An atomic run is done only if it is durable.
            Ending::Done | Ending::Unread if !self.atomic || self.gate.barrier().pass().is_ok() => Some(End::Done),
            Ending::Interrupted if !self.atomic => Some(End::Interrupted),
            _ if !self.atomic => Some(End::Failed),
            _ => self.take_back(session),
        }
    }

    /// Rolls back everything that the current run has changed.
    fn take_back(&self, session: &SessionMemory) -> Option<End> {
        let failures = match self.gate.roll_back_run(session) {
            Ok(failures) if failures.is_empty() => return Some(End::TakenBack),
            Ok(failures) => failures.into_iter().map(|(_, error)| error).collect(),
            Err(error) => vec![error],
        };
        let notes = failures.iter().map(|error| format!("a change is not taken back before the next start: {error}"));
        notes.for_each(|note| self.gate.note(note));
        None
    }

    /// Cleans up after a run and returns the pending warnings. If `end` is `None`, the next start recovers the run.
    pub(super) fn end_run(&self, end: Option<End>) -> Vec<String> {
        self.gate.end_run();
        self.settle();
        match end {
            Some(end) => self.end_journal(end),
            None => self.gate.abandon_journal(),
        }
        self.gate.take_notes()
    }

    /// Returns the finding about a run that ended if its changes may not be durable.
    pub(super) fn undurable(&self) -> Option<Diagnostic> {
        let error = self.gate.check_durable().err()?;
        Some(Diagnostic::placeless(FindingCode::Tool(error.code), error.message))
    }

    pub(super) fn end_journal(&self, end: End) {
        *self.ended.borrow_mut() = self.gate.end_journal(end);
    }

    /// Returns the last run or call that ended, if it changed something.
    pub fn ended_run(&self) -> Option<EndedRun> {
        self.ended.borrow().clone()
    }

    /// Syncs the audit log at the end of a run, so that its lines survive a power cut. This comes before the sync of the
    /// journal, which would make the length of the log durable without its last lines.
    pub(super) fn settle(&self) {
        if let Err(error) = self.gate.audit().sync() {
            self.gate.note(format!("the audit log may be lost in a power cut: {error}"));
        }
    }

    /// Creates the machine of a run.
    fn machine(
        &self,
        memory: &Rc<SessionMemory>,
        sources: &Rc<Sources>,
        mut output: Box<dyn Output>,
        meter: Meter,
    ) -> Machine {
        output.wait_for(self.gate.barrier());
        let (gate, memory, sources) = (self.gate.clone(), memory.clone(), sources.clone());
        Machine::new(RunContext { gate, sources, memory, output, strict: self.strict }, meter)
    }

    fn prepare_and_run(
        &self,
        script: &Script,
        invocation: &Invocation,
        mut output: Box<dyn Output>,
        RunSession { memory, listed, debugger }: RunSession<'_>,
    ) -> Outcome {
        if let Some(finding) = self.unsealed() {
            return Outcome::refused(Sources::new(), vec![finding]);
        }
        let meter = self.begin_account();
        let watch = meter.watch();
        let _work = work::enter(watch.clone());
        let procedure = invocation.procedure.as_deref();
        let prepared =
            self.prepare(script, Purpose::Run { memory, procedure, watch: &watch, for_debugger: debugger.is_some() });
        let Prepared { sources, findings, program, unit, modules, uncalled_main, interface, mut held } = prepared;
        if findings.iter().any(Diagnostic::is_error) {
            return Outcome::refused(sources, findings);
        }
        if let Some(finding) = uncalled_main {
            output.warn_of_script(finding, &sources);
        }
        let interface = match interface {
            Ok(interface) => interface,
            Err(finding) => return Outcome::without_entry(sources, finding, invocation),
        };
        let Bound { args, values } = match invocation.bind(&interface) {
            Ok(bound) => bound,
            Err(findings) => return Outcome::misused(findings, interface.help(&invocation.command(script))),
        };
        let sources = Rc::new(sources);
        self.gate.announce(listed, self.atomic);
        let mut machine = self.machine(memory, &sources, output, meter);
        let args = Value::list(args).unwrap_or_default();
        machine.set_args(args.clone());
        let entry = interface.procedure.as_ref().and_then(|name| program.own_procedure(name));
        let (compiled, program, result) = match debugger {
            None => {
                let compiled = compile(&program, self.gate.registry());
                held.shrink(held.bytes() / 2);
                let result = run_compiled(&mut machine, &compiled, entry, values);
                (compiled, program, result)
            }
            Some(client) => {
                let texts = DebugTexts { units: vec![unit], modules };
                let debugged = self.debugged(program, texts, &sources, listed, client);
                let result = debugged.run(&mut machine, |machine, code| run_compiled(machine, code, entry, values));
                (debugged.compiled, Program::default(), result)
            }
        };
        let explained =
            |fault| missing_argument::explain(fault, &sources, &args, &interface.usage(&invocation.command(script)));
        let result = result.map_err(explained);
        Outcome::of_run(&sources, result, machine, compiled, program)
    }
}

/// Runs the top level, or a procedure with these arguments.
fn run_compiled(
    machine: &mut Machine,
    compiled: &Compiled,
    entry: Option<usize>,
    values: Vec<Value>,
) -> Result<Value, Box<Fault>> {
    match entry {
        None => machine.run_top(compiled),
        Some(number) => machine.run_procedure(compiled, number, values),
    }
}
