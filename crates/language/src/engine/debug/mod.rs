//! Runs under a debugger, for front ends: where a run stops, and what can be looked at and changed there.
//!
//! A [`DebugClient`] is asked in the thread of the run, which waits until it answers; values never leave that thread.
//! Each call that changes files becomes a run of its own in the journal. So the state before a change is shown by the
//! undo of that run and the variables that were kept, and going forward is its redo. Nothing is executed twice.

mod breakpoints;
mod debuggee;
mod evaluate;
mod history;
mod paused;
mod program;
mod run;
mod snapshot;
mod stop;
mod visits;
mod watches;

use std::rc::Rc;

use crate::eval::{Compiled, DebugTable, Fault, Machine, compile_for_debugger};
use crate::program::tree::Program;
use crate::text::{Code, Diagnostic, Sources};

use super::{Engine, Invocation, Outcome, Output, Script};

pub use breakpoints::{BreakpointRule, LineBreakpoint, MAX_BREAKPOINTS, ProcedureBreakpoint, SetBreakpoint};
use debuggee::{DebugParts, Debuggee};
pub use evaluate::{Evaluated, Purity};
pub use paused::{Moved, Paused, StackFrame, Variable, VariableScope};
pub use program::DebugLocation;
use program::DebugProgram;
pub(super) use program::DebugTexts;
pub use run::DebugClient;
use run::DebugRun;
pub use stop::{AnnouncedChange, BreakpointStop, RaisedError, Resume, Served, Stop, StopFilters};

/// A program that was compiled for a debugger, and its run.
pub(super) struct Debugged {
    /// The closures.
    pub compiled: Compiled,
    run: Rc<DebugRun>,
    table: Rc<DebugTable>,
}

impl Debugged {
    /// Lets the client set breakpoints, and calls `work` with the debugger attached to the machine.
    ///
    /// # Errors
    /// The client ends the run, or `work` fails.
    pub fn run<T>(
        &self,
        machine: &mut Machine,
        work: impl FnOnce(&mut Machine, &Compiled) -> Result<T, Box<Fault>>,
    ) -> Result<T, Box<Fault>> {
        machine.attach(self.run.clone(), self.table.clone());
        let configured = self.run.configure(machine).map_err(|hit| Box::new(hit.into()));
        let result = configured.and_then(|()| work(machine, &self.compiled));
        machine.detach();
        result
    }

    /// Returns the texts after the run.
    pub fn take_texts(&self) -> DebugTexts {
        self.run.debuggee.code.texts.take()
    }
}

impl Engine {
    /// Runs a script, or one procedure of it, under a debugger. An engine whose runs are atomic refuses it, since each
    /// change becomes a run of its own.
    pub fn debug(
        &self,
        script: &Script,
        invocation: &Invocation,
        output: Box<dyn Output>,
        client: Rc<dyn DebugClient>,
    ) -> Outcome {
        if self.atomic {
            let message = "a run under a debugger cannot be atomic, because each change is a run of its own";
            let finding = Diagnostic::placeless(Code::BadPolicy, message).help("open the engine without `atomic`");
            return Outcome::refused(Sources::new(), vec![finding]);
        }
        self.run_under(script, invocation, output, Some(&client))
    }

    /// Compiles a program for a debugger.
    pub(super) fn debugged(
        &self,
        program: Program,
        texts: DebugTexts,
        sources: &Rc<Sources>,
        listed: &str,
        client: &Rc<dyn DebugClient>,
    ) -> Debugged {
        let table = Rc::new(DebugTable::default());
        let compiled = compile_for_debugger(&program, self.gate.registry(), &table);
        let code = DebugProgram::new(sources.clone(), program, table.clone(), texts);
        let debuggee = Debuggee::new(DebugParts {
            gate: self.gate.clone(),
            limits: self.limits.clone(),
            interrupt: self.interrupt.clone(),
            listed: listed.to_owned(),
            code,
        });
        Debugged { compiled, run: Rc::new(DebugRun::new(debuggee, client.clone())), table }
    }
}
