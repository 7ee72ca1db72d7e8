//! Debugging: programs that are compiled for a debugger tell it before each statement, and when something fails.
//!
//! Only [`compile_for_debugger`](super::compile_for_debugger) adds these hooks, so other programs do not pay for them.
//! Hooks charge no steps; results and errors are those of a program without hooks. The debugger works in the thread of
//! the run, and a hook returns when the run may go on. `engine/debug` decides where a run stops.

use std::rc::Rc;

use crate::gate::SessionMemory;
use crate::limits::Limit;
use crate::text::Span;
use crate::toolkit::ToolId;
use crate::value::{Fallible, Map, Value};

use super::debug_table::{BodyId, DebugTable};
use super::fault::Raised;
use super::machine::{ChangingCall, DebugFrame, DebugState, Debugger, EvalFn, EvalResult, Flow, Machine, StmtFn};
use super::tool_call::{self, Handling};

impl Machine {
    /// Attaches a debugger to a machine that runs a program with this table.
    pub fn attach(&mut self, debugger: Rc<dyn Debugger>, table: Rc<DebugTable>) {
        self.debug = Some(Box::new(DebugState { debugger, table, frames: Vec::new() }));
    }

    /// Detaches the debugger.
    pub fn detach(&mut self) {
        self.debug = None;
    }

    /// Returns the bodies that run, the outermost first.
    pub fn debug_frames(&self) -> &[DebugFrame] {
        let frames = self.debug.as_ref().map_or(&[][..], |state| &state.frames);
        let running = frames.iter().rposition(|frame| frame.depth <= self.depth).map_or(0, |last| last + 1);
        &frames[..running]
    }

    /// Returns a variable of a running body.
    pub fn variable_in(&self, frame: &DebugFrame, slot: usize) -> &Value {
        self.slab.get(frame.base + slot).unwrap_or(&Value::Unset)
    }

    /// Sets a variable of a running body, or a place in its value.
    pub fn set_variable_in(&mut self, frame: &DebugFrame, slot: usize, steps: &[Value], value: Value) -> Fallible<()> {
        let Some(variable) = self.slab.get_mut(frame.base + slot) else { return Ok(()) };
        if steps.is_empty() {
            *variable = value;
            return Ok(());
        }
        if matches!(variable, Value::Unset) {
            *variable = Value::from(Map::with_capacity(1));
        }
        variable.set_place(steps, value)
    }

    /// Returns `LAST_ERROR` and `ARGS`.
    pub fn outcome_and_args(&self) -> [&Value; 2] {
        [&self.last_error, &self.args]
    }

    /// Sets `LAST_ERROR`.
    pub fn set_outcome(&mut self, outcome: Value) {
        self.last_error = outcome;
    }

    /// Returns whether every failure of a tool is an error.
    pub fn is_strict(&self) -> bool {
        self.world.strict
    }

    /// Returns the session memory of the run, to share it.
    pub fn shared_memory(&self) -> Rc<SessionMemory> {
        self.world.memory.clone()
    }

    fn debugger(&self) -> Option<Rc<dyn Debugger>> {
        self.debug.as_ref().map(|state| state.debugger.clone())
    }

    /// Records that a body begins.
    fn enter_body(&mut self, body: BodyId) {
        let (base, depth) = (self.base, self.depth);
        if let Some(state) = &mut self.debug {
            while state.frames.last().is_some_and(|frame| frame.depth >= depth) {
                state.frames.pop();
            }
            state.frames.push(DebugFrame { body, base, depth, statement: None });
        }
    }

    fn tell_statement(&mut self, statement: usize, span: Span) -> EvalResult<()> {
        let depth = self.depth;
        let Some(state) = &mut self.debug else { return Ok(()) };
        while state.frames.last().is_some_and(|frame| frame.depth > depth) {
            state.frames.pop();
        }
        if let Some(frame) = state.frames.last_mut() {
            frame.statement = Some(statement);
        }
        let debugger = state.debugger.clone();
        debugger.before_statement(self, statement).map_err(|hit| self.throw(span, hit))
    }

    /// Reports the propagating error to the debugger, once.
    #[cold]
    #[inline(never)]
    fn tell_error(&mut self, span: Span) {
        let Some(debugger) = self.debugger() else { return };
        let is_handled = self.is_handled();
        let fault = self.fault_mut();
        let before = fault.raised;
        fault.raised = if is_handled { Raised::AsHandled } else { Raised::AsUnhandled };
        let is_news = before == Raised::Untold || before == Raised::AsHandled && !is_handled;
        if !is_news || fault.is_unread() || fault.limit == Some(Limit::Interrupt) {
            return;
        }
        let fault = self.take_fault();
        let told = debugger.raised(self, &fault, is_handled);
        self.rethrow(fault);
        if let Err(hit) = told {
            self.throw(span, hit);
        }
    }

    /// Returns whether a running body has a handler for the propagating error in force.
    fn is_handled(&mut self) -> bool {
        let fault = self.fault_mut();
        let (is_catchable, is_passed) = (fault.is_catchable(), fault.passed);
        let Some(state) = self.debug.as_ref().filter(|_| is_catchable) else { return false };
        let frames = self.debug_frames().iter().rev();
        frames.skip(usize::from(is_passed)).any(|frame| {
            let slot = state.table.hidden(frame.body).handler;
            slot.is_some_and(|slot| matches!(self.variable_in(frame, slot), Value::Int(_)))
        })
    }
}

/// Compiles a statement before which the debugger is told.
pub(super) fn statement(number: usize, span: Span, inner: StmtFn) -> StmtFn {
    Box::new(move |machine| {
        if machine.tell_statement(number, span).is_err() {
            return Flow::Throw;
        }
        let flow = inner(machine);
        if flow == Flow::Throw {
            machine.tell_error(span);
        }
        flow
    })
}

/// Compiles a condition, or the value of a final RETURN, before which the debugger is told as of a statement.
pub(super) fn expression<T: 'static>(number: usize, span: Span, inner: EvalFn<T>) -> EvalFn<T> {
    Box::new(move |machine| {
        machine.tell_statement(number, span)?;
        inner(machine).inspect_err(|_| machine.tell_error(span))
    })
}

/// Compiles the statements of a body.
pub(super) fn body(body: BodyId, inner: StmtFn) -> StmtFn {
    Box::new(move |machine| {
        machine.enter_body(body);
        let flow = inner(machine);
        if flow == Flow::Throw {
            machine.tell_error(Span::default());
        }
        flow
    })
}

/// Calls a tool that may change something, as [`tool_call::call`] does.
pub(super) fn changing_call(
    machine: &mut Machine,
    id: ToolId,
    args: &mut [Option<Value>],
    span: Span,
    handling: Handling,
) -> EvalResult<Value> {
    let Some(debugger) = machine.debugger() else { return tool_call::call(machine, id, args, span, handling) };
    let call = ChangingCall { tool: id, args, span };
    debugger.before_call(machine, &call).map_err(|hit| machine.throw(span, hit))?;
    let result = tool_call::call(machine, id, args, span, handling);
    debugger.after_call(machine);
    result
}
