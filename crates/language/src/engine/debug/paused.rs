//! A suspended run: what a client can inspect and change.

use crate::eval::{BodyId, Machine};
use crate::gate::UndoRequest;
use crate::limits::{Limits, Meter};
use crate::toolkit::ToolError;
use crate::value::Value;

use super::super::history::take_back;
use super::breakpoints::{Breakpoint, LineBreakpoint, ProcedureBreakpoint, SetBreakpoint};
use super::debuggee::Debuggee;
use super::evaluate::{Evaluated, Purity};
use super::program::DebugLocation;
use super::snapshot::{FrameSnapshot, Snapshot};
use super::stop::{BreakpointStop, DueBreakpoint, Resume, StopFilters};
use super::visits::Visit;

/// A suspended run.
pub struct Paused<'a> {
    run: &'a Debuggee,
    machine: &'a mut Machine,
    /// The variables of the present, once somebody has looked at them.
    present: Option<Snapshot>,
}

/// A running body, for people.
#[derive(Clone, Debug)]
pub struct StackFrame {
    /// The name of the procedure, or `top level`.
    pub name: String,
    /// The statement that it runs.
    pub location: DebugLocation,
}

/// A variable and its value, which is [`Value::Unset`] before it is set.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// Variables of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableScope {
    /// Variables of the frame's own body.
    Local,
    /// Top-level variables, which a procedure can read.
    Outer,
    /// `LAST`, `LAST_ERROR` and `ARGS`.
    Outcome,
}

/// Outcome of a step over changes.
#[derive(Debug)]
pub enum Moved {
    /// It shows another state now.
    Shown,
    /// It stands at breakpoints.
    AtBreakpoint(BreakpointStop),
    /// It shows the present, and goes on from there.
    Present,
    /// The undo or redo was refused.
    Stuck(Box<ToolError>),
    /// There is no change in that direction.
    Nowhere(String),
}

impl<'a> Paused<'a> {
    pub(super) fn new(run: &'a Debuggee, machine: &'a mut Machine) -> Paused<'a> {
        Paused { run, machine, present: None }
    }

    /// Replaces the breakpoints of a text.
    pub fn set_breakpoints(&mut self, source: &str, wanted: &[LineBreakpoint]) -> Vec<SetBreakpoint> {
        self.run.breakpoints.borrow_mut().set_lines(&self.run.code, source, wanted, &|text| self.run.check_text(text))
    }

    /// Replaces the breakpoints on procedures.
    pub fn set_procedure_breakpoints(&mut self, wanted: &[ProcedureBreakpoint]) -> Vec<SetBreakpoint> {
        self.run.breakpoints.borrow_mut().set_procedures(&self.run.code, wanted, &|text| self.run.check_text(text))
    }

    /// Sets where the run stops besides breakpoints.
    pub fn set_filters(&mut self, filters: StopFilters) {
        self.run.filters.set(filters);
    }

    /// Returns the names of the texts, and whether each is a module.
    pub fn texts(&self) -> Vec<(String, bool)> {
        let texts = self.run.code.sources.iter();
        texts.map(|source| (source.name().to_owned(), source.is_module())).collect()
    }

    /// Returns a text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.run.code.source_named(name).map(|source| source.text().to_owned())
    }

    /// Returns the text of the line at which the run is.
    pub fn current_line(&mut self) -> Option<String> {
        self.with_variables(|run, variables| {
            let statement = variables.frames.last()?.statement?;
            let span = run.code.span_of(statement);
            let source = run.code.sources.of(span)?;
            Some(source.line(source.position(span).line).0.to_owned())
        })
    }

    /// Returns the lines of a range at which a run can stop.
    pub fn lines(&self, source: &str, first: usize, last: usize) -> Vec<usize> {
        let source = self.run.code.source_named(source);
        source.map_or_else(Vec::new, |source| self.run.code.lines_between(source, first, last))
    }

    /// Waits until all changes are durable, before somebody is told of them. A failure is reported at the end of the run.
    pub fn settle(&self) {
        // The run itself fails then, at its next line of output or at its end.
        let _ = self.run.gate.barrier().pass();
    }

    /// Reads a line from the console of the run, for a client at a terminal. Returns `None` at the end of the input.
    ///
    /// # Errors
    /// The input cannot be read, or somebody interrupts.
    pub fn read_line(&self, prompt: &str) -> Result<Option<String>, ToolError> {
        // The limits of the run apply to scripts only.
        let meter = Meter::new(&Limits::default(), self.run.interrupt.clone());
        self.run.gate.console().read_line(prompt, &meter)
    }

    /// Returns the number of running bodies.
    pub fn frame_count(&mut self) -> usize {
        self.with_variables(|_, variables| variables.frames.len())
    }

    /// Returns the running bodies from the innermost on: at most `most`, without the first `skipped`.
    pub fn frames(&mut self, skipped: usize, most: usize) -> Vec<StackFrame> {
        self.with_variables(|run, variables| {
            let frames = variables.frames.iter().rev().skip(skipped).take(most).map(|frame| {
                let span = frame.statement.map(|statement| run.code.span_of(statement)).unwrap_or_default();
                StackFrame { name: run.code.body_name(frame.body), location: run.code.location(span) }
            });
            frames.collect()
        })
    }

    /// Whether a frame, counted from the outermost, can read variables of the top level: it is a procedure of the script.
    pub fn reads_outer(&mut self, frame: usize) -> bool {
        self.with_variables(|run, variables| {
            let frame = variables.frames.get(frame).filter(|frame| frame.body != BodyId::Top);
            frame.is_some_and(|frame| run.code.module_of(frame.statement).is_none())
        })
    }

    /// Returns the variables of a frame, counted from the outermost, in the order in which they were first set.
    pub fn variables(&mut self, frame: usize, scope: VariableScope) -> Vec<Variable> {
        self.with_variables(|run, variables| {
            let Some(shown) = variables.frames.get(frame) else { return Vec::new() };
            let outer = variables.frames.iter().find(|frame| frame.body == BodyId::Top);
            let of = |frame: &FrameSnapshot| {
                let names = run.code.body(frame.body).slots.iter();
                let named = names
                    .zip(&frame.values)
                    .map(|(name, value)| Variable { name: name.to_string(), value: value.clone() });
                named.collect::<Vec<_>>()
            };
            match scope {
                VariableScope::Local => of(shown),
                VariableScope::Outer if shown.body == BodyId::Top => Vec::new(),
                VariableScope::Outer => outer.map(of).unwrap_or_default(),
                VariableScope::Outcome => {
                    [("LAST", &shown.last), ("LAST_ERROR", &variables.last_error), ("ARGS", &variables.args)]
                        .map(|(name, value)| Variable { name: name.to_owned(), value: value.clone() })
                        .to_vec()
                }
            }
        })
    }

    /// Sets a variable of a frame, counted from the outermost, or a place in its value.
    ///
    /// # Errors
    /// Why it cannot be set.
    pub fn set_variable(&mut self, frame: usize, name: &str, steps: &[Value], value: Value) -> Result<(), String> {
        if self.is_in_past() {
            return Err("an earlier state is shown, and nothing in it can be set; go forward first".to_owned());
        }
        let Some(body) = self.machine.debug_frames().get(frame).copied() else {
            return Err("the frame is gone".to_owned());
        };
        let slot = self.run.code.body(body.body).slots.iter().position(|known| known == name);
        let Some(slot) = slot else { return Err(format!("there is no variable `{name}` here")) };
        self.present = None;
        self.machine.set_variable_in(&body, slot, steps, value).map_err(|error| error.to_string())
    }

    /// Evaluates an expression in the variables of a frame, counted from the outermost.
    ///
    /// # Errors
    /// Why it has no value.
    pub fn evaluate(&mut self, frame: Option<usize>, text: &str, purity: Purity) -> Result<Evaluated, String> {
        let past = self.run.history.borrow().shown().cloned();
        let variables = past.unwrap_or_else(|| self.run.snapshot(self.machine));
        let evaluated = self.run.evaluate(self.machine, &variables, frame, text, purity);
        self.settle();
        evaluated
    }

    /// Returns the value of an expression that only computes, in the variables of a frame.
    ///
    /// # Errors
    /// Why it has no value.
    pub fn watch(&mut self, frame: usize, text: &str) -> Result<Value, String> {
        self.evaluate(Some(frame), text, Purity::Pure).map(|evaluated| evaluated.value)
    }

    /// Whether an earlier state is shown.
    pub fn is_in_past(&self) -> bool {
        self.run.history.borrow().is_in_past()
    }

    /// Returns the number of changes that are taken back, and of all that were made.
    pub fn changes(&self) -> [usize; 2] {
        self.run.history.borrow().position()
    }

    /// Goes back before the previous change.
    pub fn step_back(&mut self) -> Moved {
        let previous = self.run.history.borrow().previous().map(|change| change.run.clone());
        let undone = match previous {
            Err(reason) => return Moved::Nowhere(reason),
            Ok(run) => self.take_back(&run, false),
        };
        match undone {
            Err(error) => Moved::Stuck(error),
            Ok(()) => {
                self.run.history.borrow_mut().went_back();
                Moved::Shown
            }
        }
    }

    /// Goes back before the first change, or to a breakpoint on the way.
    pub fn run_back(&mut self) -> Moved {
        let mut moved = self.step_back();
        while matches!(moved, Moved::Shown) {
            if let Some(stop) = self.stop_here() {
                return Moved::AtBreakpoint(stop);
            }
            match self.step_back() {
                Moved::Nowhere(_) => return Moved::Shown,
                next => moved = next,
            }
        }
        moved
    }

    /// Makes the next change again; with [`Resume::Continue`] all of them, up to a breakpoint, which may be that of the
    /// present. Otherwise the run itself goes on at the present.
    pub fn forward(&mut self, resume: Resume) -> Moved {
        loop {
            let next = self.run.history.borrow().next().map(|change| change.run.clone());
            let Some(run) = next else { return Moved::Present };
            if let Err(error) = self.take_back(&run, true) {
                return Moved::Stuck(error);
            }
            self.run.history.borrow_mut().went_forward();
            if resume != Resume::Continue {
                return Moved::Shown;
            }
            if let Some(stop) = self.stop_here() {
                return Moved::AtBreakpoint(stop);
            }
        }
    }

    fn take_back(&self, run: &str, redo: bool) -> Result<(), Box<ToolError>> {
        let Debuggee { gate, limits, interrupt, listed, .. } = self.run;
        self.run.next_run(listed);
        let summary = gate.run_named(run)?;
        let done = take_back(gate, limits, interrupt, &summary, UndoRequest { redo, force: false });
        self.run.next_run(listed);
        done.map(drop).map_err(|refusal| Box::new(refusal.error))
    }

    /// Returns the breakpoints that stop at the state that is shown, as they stop the run itself: not within a statement
    /// that has changed files already.
    fn stop_here(&mut self) -> Option<BreakpointStop> {
        let (statement, visit) = self.with_variables(|_, variables| {
            (variables.frames.last().and_then(|frame| frame.statement), variables.visit.clone())
        });
        if visit.has_changed() {
            return None;
        }
        let points = self.run.breakpoints.borrow().at(statement?);
        let due = points.iter().filter_map(|point| self.due_again(&point.borrow(), &visit));
        BreakpointStop::of(due.collect())
    }

    /// Returns a breakpoint if it stops at the state that is shown. Nothing is counted or printed.
    fn due_again(&mut self, point: &Breakpoint, visit: &Visit) -> Option<DueBreakpoint> {
        if point.message.is_some() {
            return None;
        }
        match self.holds(point) {
            Ok(holds) => (holds && point.admitted(visit)).then(|| point.due(None)),
            Err(problem) => Some(point.due(Some(problem))),
        }
    }

    /// Whether the condition of a breakpoint is true in the innermost body.
    ///
    /// # Errors
    /// Why the condition cannot be evaluated.
    pub(super) fn holds(&mut self, point: &Breakpoint) -> Result<bool, String> {
        let Some(condition) = &point.condition else { return Ok(true) };
        let innermost = self.frame_count().saturating_sub(1);
        let value = self.watch(innermost, condition);
        value.map(|value| value.is_true()).map_err(|error| format!("the condition `{condition}`: {error}"))
    }

    fn with_variables<T>(&mut self, look: impl FnOnce(&Debuggee, &Snapshot) -> T) -> T {
        let run = self.run;
        let history = run.history.borrow();
        match history.shown() {
            Some(shown) => look(run, shown),
            None => look(run, self.present.get_or_insert_with(|| run.snapshot(self.machine))),
        }
    }
}
