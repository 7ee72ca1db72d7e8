//! The state of a run: frames, meter, the current error and the environment; and the compiled code that it runs, whose
//! closures take the machine.
//!
//! Variables are stored in one slab of values; a frame is the part of it that starts at `base`. Top-level variables
//! come first, so that procedures can access them by number.

use std::rc::Rc;
use std::sync::Arc;

use crate::gate::{Gate, Policy, ProgressView, SessionMemory};
use crate::limits::{Limit, LimitHit, Meter, Progress};
use crate::text::{Sources, Span};
use crate::toolkit::ToolId;
use crate::value::Value;

use super::debug_table::{BodyId, DebugTable};
use super::fault::Fault;
use super::output::Output;
use super::refusals;

/// Marks that an error is propagating; the error itself is in the machine.
///
/// It is zero-sized, so results that contain it are no larger than their values.
#[derive(Debug)]
pub struct Thrown(());

/// A result whose error is in the machine.
pub type EvalResult<T> = Result<T, Thrown>;

/// How a statement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continue with the next statement.
    Next,
    /// Leave the innermost loop.
    Break,
    /// Continue with the next iteration of the innermost loop.
    Continue,
    /// Return from the procedure; the value is in the machine.
    Return,
    /// An error is in the machine.
    Throw,
}

/// Compiled code with a result.
pub type EvalFn<T> = Box<dyn Fn(&mut Machine) -> EvalResult<T>>;
/// A compiled expression.
pub type ValueFn = EvalFn<Value>;
/// A compiled condition.
pub type CondFn = EvalFn<bool>;
/// A compiled statement or block.
pub type StmtFn = Box<dyn Fn(&mut Machine) -> Flow>;

/// A compiled procedure or top level.
pub struct Code {
    /// The statements, except a final RETURN.
    pub block: StmtFn,
    /// The value of the final RETURN, if the body ends in one.
    pub tail: Option<ValueFn>,
    /// Number of slots in its frame.
    pub frame: usize,
    /// The slot of `LAST`, if anything reads it.
    pub last: Option<usize>,
}

impl Code {
    /// Refunds the step of the final RETURN, which was charged with the block, if the block is left before reaching it.
    #[inline(always)]
    pub fn refund_tail(&self, meter: &mut Meter) {
        meter.refund(u64::from(self.tail.is_some()));
    }
}

/// A compiled program.
pub struct Compiled {
    /// The procedures, by number.
    pub procedures: Rc<[Code]>,
    /// The top-level statements.
    pub top: Code,
}

/// The state of one run or session.
pub struct Machine {
    pub(super) slab: Vec<Value>,
    pub(super) base: usize,
    pub(super) depth: usize,
    pub(super) returned: Value,
    pub(super) meter: Meter,
    fault: Option<Box<Fault>>,
    /// Whether CLEAR_ERROR has run in the current handler.
    pub(super) cleared: bool,
    /// The outcome of the latest tool call.
    pub(super) last_error: Value,
    /// The command-line arguments.
    pub(super) args: Value,
    /// The compiled procedures, by number.
    pub(super) procedures: Rc<[Code]>,
    pub(super) world: RunContext,
    /// The view of the outermost FOR EACH; `None` while one runs, or if there is no view.
    view: Option<Rc<dyn ProgressView>>,
    /// The debugger, if there is one.
    pub(super) debug: Option<Box<DebugState>>,
}

/// The outermost FOR EACH of a run, whose progress is displayed.
pub(super) struct WatchedLoop {
    view: Rc<dyn ProgressView>,
    progress: Arc<Progress>,
}

impl WatchedLoop {
    /// Reports the number of completed iterations.
    pub fn tell(&self, turns: usize, all: usize) {
        self.progress.reached(turns as u64, all as u64);
    }

    /// Returns the progress of the loop, for a source that counts its bytes.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }
}

/// The environment of a run.
pub struct RunContext {
    /// The gate to the tools and the sandbox.
    pub gate: Rc<Gate>,
    /// The texts that spans refer to.
    pub sources: Rc<Sources>,
    /// The memory of the run or of its session.
    pub memory: Rc<SessionMemory>,
    /// The destination of EMIT and warnings.
    pub output: Box<dyn Output>,
    /// Whether every tool failure is an error.
    pub strict: bool,
}

/// A debugger, which is told of a run. An error ends the run.
pub trait Debugger {
    /// A statement is about to run.
    fn before_statement(&self, machine: &mut Machine, statement: usize) -> Result<(), LimitHit>;

    /// An error was raised, or a handler has passed on one that it seemed to handle.
    fn raised(&self, machine: &mut Machine, fault: &Fault, is_handled: bool) -> Result<(), LimitHit>;

    /// A call that may change files or memory is about to be made.
    fn before_call(&self, machine: &mut Machine, call: &ChangingCall<'_>) -> Result<(), LimitHit>;

    /// The call has ended.
    fn after_call(&self, machine: &mut Machine);
}

/// A call that may change files or memory.
#[derive(Debug)]
pub struct ChangingCall<'a> {
    /// The tool.
    pub tool: ToolId,
    /// The arguments, in declaration order.
    pub args: &'a [Option<Value>],
    /// The span of the call.
    pub span: Span,
}

/// A running body.
#[derive(Clone, Copy, Debug)]
pub struct DebugFrame {
    /// The body.
    pub body: BodyId,
    /// The first slot of its frame.
    pub(super) base: usize,
    /// Number of calls around it.
    pub(super) depth: usize,
    /// The number of the statement that it runs, once it runs one.
    pub statement: Option<usize>,
}

/// The debugger of a machine, and the bodies that run.
pub struct DebugState {
    pub(super) debugger: Rc<dyn Debugger>,
    pub(super) table: Rc<DebugTable>,
    /// The outermost first. Frames deeper than the machine have returned.
    pub(super) frames: Vec<DebugFrame>,
}

/// Number of slots in a new slab.
const FIRST_SLAB: usize = 256;

/// Native stack, in bytes, that must be left when a procedure is called: several times what the deepest permitted
/// nesting of blocks and brackets needs.
const RED_ZONE: usize = 4 << 20;

impl Machine {
    /// Creates a machine for one run or session.
    pub fn new(world: RunContext, meter: Meter) -> Machine {
        Machine {
            slab: vec![Value::Unset; FIRST_SLAB],
            base: 0,
            depth: 0,
            returned: Value::Nil,
            meter,
            fault: None,
            cleared: false,
            last_error: Value::Nil,
            args: Value::Nil,
            procedures: Rc::new([]),
            world,
            view: None,
            debug: None,
        }
    }

    /// Starts displaying a loop over elements. Returns `None` if there is no view or an outer loop is displayed.
    pub(super) fn watch_loop(&mut self) -> Option<WatchedLoop> {
        let view = self.view.take()?;
        let progress = Arc::new(Progress::default());
        view.begin_loop(progress.clone());
        Some(WatchedLoop { view, progress })
    }

    /// Ends the display of a loop.
    pub(super) fn end_loop(&mut self, watched: WatchedLoop) {
        watched.view.end_loop();
        self.view = Some(watched.view);
    }

    /// Runs the top-level statements of a program.
    pub fn run_top(&mut self, program: &Compiled) -> Result<Value, Box<Fault>> {
        self.procedures = program.procedures.clone();
        self.reserve_frame(0, program.top.frame);
        self.run_code(&program.top)
    }

    /// Returns the session memory of the run.
    pub fn memory(&self) -> &SessionMemory {
        &self.world.memory
    }

    /// Returns the first `count` top-level variables, for a session to keep or restore.
    pub fn top_values(&self, count: usize) -> Vec<Value> {
        self.slab[..count.min(self.slab.len())].to_vec()
    }

    /// Sets the top-level variables, and clears all other slots.
    pub fn restore_top(&mut self, values: Vec<Value>) {
        self.base = 0;
        self.depth = 0;
        self.slab.fill(Value::Unset);
        self.reserve_frame(0, values.len());
        for (slot, value) in values.into_iter().enumerate() {
            self.slab[slot] = value;
        }
    }

    /// Returns the value of `LAST` at the top level of a program.
    pub fn top_last(&self, program: &Compiled) -> Value {
        program.top.last.map_or(Value::Nil, |slot| self.slab[slot].clone())
    }

    /// Sets `LAST` at the top level of a program.
    pub fn set_top_last(&mut self, program: &Compiled, value: Value) {
        if let Some(slot) = program.top.last {
            self.reserve_frame(0, slot + 1);
            self.slab[slot] = value;
        }
    }

    /// Sets the meter for the next line of a session.
    pub fn set_meter(&mut self, meter: Meter) {
        self.meter = meter;
    }

    /// Sets the gate for the next line of a session.
    pub fn set_gate(&mut self, gate: Rc<Gate>) {
        self.world.gate = gate;
    }

    /// Returns the policy of the run.
    pub fn policy(&self) -> &Policy {
        self.world.gate.policy()
    }

    /// Sets the texts that spans refer to.
    pub fn set_sources(&mut self, sources: Rc<Sources>) {
        self.world.sources = sources;
    }

    /// Sets `ARGS`.
    pub fn set_args(&mut self, args: Value) {
        self.args = args;
    }

    /// Returns the meter of the run.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Runs a procedure with these arguments.
    pub fn run_procedure(&mut self, program: &Compiled, number: usize, args: Vec<Value>) -> Result<Value, Box<Fault>> {
        self.procedures = program.procedures.clone();
        let code = &program.procedures[number];
        let base = program.top.frame;
        self.reserve_frame(base, code.frame);
        for (slot, arg) in args.into_iter().enumerate() {
            self.slab[base + slot] = arg;
        }
        self.base = base;
        let result = self.run_code(code);
        self.slab[base..base + code.frame].fill(Value::Unset);
        self.base = 0;
        result
    }

    fn run_code(&mut self, code: &Code) -> Result<Value, Box<Fault>> {
        self.view = self.world.gate.observers().view();
        let result = match (code.block)(self) {
            Flow::Next => match &code.tail {
                Some(tail) => tail(self),
                None => Ok(Value::Nil),
            },
            Flow::Return => {
                code.refund_tail(&mut self.meter);
                Ok(std::mem::replace(&mut self.returned, Value::Nil))
            }
            _ => {
                code.refund_tail(&mut self.meter);
                Err(Thrown(()))
            }
        };
        result.map_err(|_| {
            // Calls that the error left clear their own frames.
            self.take_fault()
        })
    }

    /// Raises an error, at `span` unless it already has a span.
    #[cold]
    #[inline(never)]
    pub fn throw(&mut self, span: Span, fault: impl Into<Fault>) -> Thrown {
        let mut fault = fault.into();
        fault.span.get_or_insert(span);
        fault.refused |= refusals::follows(&fault, &self.last_error);
        fault.explain_failed_call(&self.last_error);
        self.fault = Some(Box::new(fault));
        Thrown(())
    }

    /// Raises the error of an unset variable, whose name is the text of the span.
    #[cold]
    #[inline(never)]
    pub fn throw_unset(&mut self, span: Span) -> Thrown {
        let name = self.world.sources.of(span).map_or("", |source| source.slice(span)).to_owned();
        self.throw(span, Fault::unset(&name))
    }

    /// Raises an error again.
    pub(super) fn rethrow(&mut self, fault: Box<Fault>) -> Thrown {
        self.fault = Some(fault);
        Thrown(())
    }

    /// Takes the propagating error.
    pub(super) fn take_fault(&mut self) -> Box<Fault> {
        self.fault.take().expect("an error is on its way")
    }

    /// Returns the propagating error.
    pub(super) fn fault_mut(&mut self) -> &mut Fault {
        self.fault.as_mut().expect("an error is on its way")
    }

    /// Returns the variable in a slot of the current frame.
    #[inline(always)]
    pub fn local(&self, slot: usize) -> &Value {
        &self.slab[self.base + slot]
    }

    /// Returns the variable in a slot of the current frame, mutably.
    #[inline(always)]
    pub fn local_mut(&mut self, slot: usize) -> &mut Value {
        &mut self.slab[self.base + slot]
    }

    /// Takes the value of the variable in a slot of the current frame, which nothing reads afterwards.
    #[inline(always)]
    pub fn take_local(&mut self, slot: usize) -> Value {
        std::mem::replace(self.local_mut(slot), Value::Unset)
    }

    /// Returns a top-level variable.
    #[inline(always)]
    pub fn outer(&self, slot: usize) -> &Value {
        &self.slab[slot]
    }

    /// Ensures that the slab has room for a frame of `size` slots at `start`.
    #[inline(always)]
    pub fn reserve_frame(&mut self, start: usize, size: usize) {
        if start + size > self.slab.len() {
            self.grow(start + size);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, needed: usize) {
        let length = needed.max(self.slab.len() * 2);
        self.slab.resize(length, Value::Unset);
    }

    /// Increments the call depth. Errors: too many nested calls, or little native stack left.
    #[inline(always)]
    pub fn enter_call(&mut self) -> Result<(), LimitHit> {
        self.depth += 1;
        if self.depth > self.meter.call_depth() || (self.depth.is_multiple_of(8) && is_stack_short()) {
            self.depth -= 1;
            return Err(LimitHit { limit: Limit::CallDepth, allowed: self.depth as u64 });
        }
        Ok(())
    }

    /// Charges one step, for a call or a statement that was not charged with its block.
    #[inline(always)]
    pub fn step(&mut self, span: Span) -> EvalResult<()> {
        match self.meter.step(1) {
            Ok(()) => Ok(()),
            Err(hit) => Err(self.throw(span, hit)),
        }
    }
}

/// Returns whether the native stack could run out in the next few calls.
#[inline(never)]
fn is_stack_short() -> bool {
    stacker::remaining_stack().is_some_and(|left| left < RED_ZONE)
}
