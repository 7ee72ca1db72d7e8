//! A run under a debugger: decides before which statements it stops, and tells the client.

use std::cell::Cell;
use std::rc::Rc;

use crate::eval::{ChangingCall, Debugger, Fault, Machine};
use crate::limits::{Limit, LimitHit};
use crate::toolkit::Kind;
use crate::value::{Value, print};

use super::breakpoints::Breakpoint;
use super::debuggee::Debuggee;
use super::paused::Paused;
use super::stop::{AnnouncedChange, BreakpointStop, RaisedError, Resume, Served, Stop, StopFilters};

/// Who controls a run: an editor, or a person at a terminal. All functions are called in the thread of the run.
pub trait DebugClient {
    /// Called before the first statement, to set breakpoints.
    fn configure(&self, paused: &mut Paused<'_>) -> Resume;

    /// The run has stopped.
    fn stopped(&self, paused: &mut Paused<'_>, stop: &Stop) -> Resume;

    /// Returns whether requests are waiting. Called before each statement.
    fn has_requests(&self) -> bool;

    /// Serves requests without stopping. Returns whether the run must go on, stop or end.
    fn serve(&self, paused: &mut Paused<'_>) -> Served;

    /// Prints the message of a breakpoint.
    fn log(&self, paused: &mut Paused<'_>, message: &str);
}

/// Where a run that goes on stops next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// At a breakpoint.
    Run,
    /// At the next statement; for the first one it says that it is the entry.
    In { is_entry: bool },
    /// At the next statement of at most so many running bodies.
    Above(usize),
    /// At the next statement, since the client asked for it.
    Pause,
}

/// Maximum number of paths that an announced change names.
const NAMED_PATHS: usize = 20;
/// Maximum number of characters of such a path, and of a value in the message of a breakpoint.
const SHOWN_CHARS: usize = 1_000;

/// A run under a debugger.
pub(in crate::engine) struct DebugRun {
    pub(super) debuggee: Debuggee,
    client: Rc<dyn DebugClient>,
    mode: Cell<Mode>,
}

impl DebugRun {
    /// Creates the run that a client controls.
    pub fn new(debuggee: Debuggee, client: Rc<dyn DebugClient>) -> DebugRun {
        DebugRun { debuggee, client, mode: Cell::new(Mode::Run) }
    }

    /// Lets the client set breakpoints before anything runs.
    ///
    /// # Errors
    /// The client ends the run.
    pub fn configure(&self, machine: &mut Machine) -> Result<(), LimitHit> {
        let resume = self.during(machine, |client, paused| client.configure(paused));
        self.go_on(resume, 0)?;
        if self.mode.get() == (Mode::In { is_entry: false }) {
            self.mode.set(Mode::In { is_entry: true });
        }
        Ok(())
    }

    /// Stops the run until the client lets it go on.
    fn stop(&self, machine: &mut Machine, stop: &Stop) -> Result<(), LimitHit> {
        let resume = self.during(machine, |client, paused| client.stopped(paused, stop));
        self.go_on(resume, machine.debug_frames().len())
    }

    /// Calls the client. The time that it takes does not count as time of the run.
    fn during<T>(&self, machine: &mut Machine, work: impl FnOnce(&dyn DebugClient, &mut Paused<'_>) -> T) -> T {
        let watch = machine.meter().watch();
        watch.excusing(|| work(&*self.client, &mut Paused::new(&self.debuggee, machine)))
    }

    fn go_on(&self, resume: Resume, frames: usize) -> Result<(), LimitHit> {
        self.mode.set(match resume {
            Resume::Continue => Mode::Run,
            Resume::StepIn => Mode::In { is_entry: false },
            Resume::StepOver => Mode::Above(frames),
            Resume::StepOut => Mode::Above(frames.saturating_sub(1)),
            Resume::End => return Err(self.end()),
        });
        Ok(())
    }

    /// Ends the run as an interrupt does.
    fn end(&self) -> LimitHit {
        self.debuggee.interrupt.raise();
        LimitHit { limit: Limit::Interrupt, allowed: 0 }
    }

    #[cold]
    fn serve(&self, machine: &mut Machine) -> Result<(), LimitHit> {
        match self.during(machine, |client, paused| client.serve(paused)) {
            Served::On => Ok(()),
            Served::Pause => {
                self.mode.set(Mode::Pause);
                Ok(())
            }
            Served::End => Err(self.end()),
        }
    }

    /// Returns why the run stops before a statement.
    fn stop_at(&self, machine: &mut Machine, statement: usize) -> Option<Stop> {
        let mode = self.mode.get();
        let is_marked = self.debuggee.breakpoints.borrow().is_at(statement);
        if mode == Mode::Run && !is_marked {
            return None;
        }
        let hit = if is_marked { self.hit(machine, statement) } else { None };
        let frames = machine.debug_frames().len();
        hit.map(Stop::Breakpoint).or(match mode {
            Mode::In { is_entry: true } => Some(Stop::Entry),
            Mode::In { is_entry: false } => Some(Stop::Step),
            Mode::Pause => Some(Stop::Pause),
            Mode::Above(most) if frames <= most => Some(Stop::Step),
            Mode::Above(_) | Mode::Run => None,
        })
    }

    /// Counts a hit of the breakpoints of a statement. Returns those that stop.
    fn hit(&self, machine: &mut Machine, statement: usize) -> Option<BreakpointStop> {
        let points = self.debuggee.breakpoints.borrow().at(statement);
        let due = points.iter().filter_map(|point| {
            let point = &mut point.borrow_mut();
            match self.during(machine, |client, paused| self.is_due(point, client, paused)) {
                Ok(is_due) => is_due.then(|| point.due(None)),
                Err(problem) => Some(point.due(Some(problem))),
            }
        });
        BreakpointStop::of(due.collect())
    }

    /// Counts a hit if the condition is true. Returns whether the run stops: not for one that prints a message.
    ///
    /// # Errors
    /// Why the condition could not be evaluated.
    fn is_due(
        &self,
        point: &mut Breakpoint,
        client: &dyn DebugClient,
        paused: &mut Paused<'_>,
    ) -> Result<bool, String> {
        if !paused.holds(point)? {
            return Ok(false);
        }
        let hit = point.hit();
        self.debuggee.visits.borrow_mut().hit(hit);
        if !point.admits(hit) {
            return Ok(false);
        }
        let Some(message) = &point.message else { return Ok(true) };
        let innermost = paused.frame_count().saturating_sub(1);
        let text = filled(message, |expression| match paused.watch(innermost, expression) {
            Ok(value) => {
                print::to_text(&value).map_or_else(|hit| hit.to_string(), |text| print::shortened(&text, SHOWN_CHARS))
            }
            Err(error) => format!("{{{expression}: {error}}}"),
        });
        client.log(paused, &text);
        Ok(false)
    }

    /// Returns the call as it is announced.
    fn announced(&self, call: &ChangingCall<'_>) -> AnnouncedChange {
        let declaration = self.debuggee.gate.registry().get(call.tool);
        let text = |value: &Value| print::shortened(&value.to_string(), SHOWN_CHARS);
        let texts = |value: &Value| match value {
            Value::List(list) => list.iter().take(NAMED_PATHS).map(|path| text(&path)).collect(),
            value => vec![text(value)],
        };
        let count = |value: &Value| if let Value::List(list) = value { list.len() } else { 1 };
        let given = declaration.params.iter().zip(call.args);
        let given = given.filter(|(param, _)| matches!(param.kind, Kind::Path(..) | Kind::Paths(..) | Kind::Kept));
        let values: Vec<&Value> =
            given.filter_map(|(_, arg)| arg.as_ref()).filter(|value| !matches!(value, Value::Nil)).collect();
        let all: usize = values.iter().map(|value| count(value)).sum();
        let mut paths: Vec<String> = values.into_iter().flat_map(texts).collect();
        paths.truncate(NAMED_PATHS);
        AnnouncedChange { tool: declaration.spec.name, more: all - paths.len().min(all), paths }
    }
}

/// Replaces each expression in braces by its value. `{{` stands for a brace.
fn filled(message: &str, mut value: impl FnMut(&str) -> String) -> String {
    let (mut text, mut rest) = (String::new(), message);
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let (brace, behind) = rest[at..].split_at(1);
        if let Some(behind) = behind.strip_prefix(brace) {
            text.push_str(brace);
            rest = behind;
        } else if let Some(end) = behind.find('}').filter(|_| brace == "{") {
            text.push_str(&value(&behind[..end]));
            rest = &behind[end + 1..];
        } else {
            text.push_str(brace);
            rest = behind;
        }
    }
    text + rest
}

impl Debugger for DebugRun {
    fn before_statement(&self, machine: &mut Machine, statement: usize) -> Result<(), LimitHit> {
        if self.client.has_requests() {
            self.serve(machine)?;
        }
        self.debuggee.visits.borrow_mut().enter(machine.debug_frames().len(), statement);
        match self.stop_at(machine, statement) {
            None => Ok(()),
            Some(stop) => self.stop(machine, &stop),
        }
    }

    fn raised(&self, machine: &mut Machine, fault: &Fault, is_handled: bool) -> Result<(), LimitHit> {
        let StopFilters { errors, uncaught, .. } = self.debuggee.filters.get();
        if !errors && (is_handled || !uncaught) {
            return Ok(());
        }
        let error = RaisedError {
            code: fault.wire_code(),
            message: fault.message.clone(),
            help: fault.hint.clone(),
            is_handled,
        };
        self.stop(machine, &Stop::Error(error))
    }

    fn before_call(&self, machine: &mut Machine, call: &ChangingCall<'_>) -> Result<(), LimitHit> {
        let declaration = self.debuggee.gate.registry().get(call.tool);
        if self.debuggee.filters.get().changes && declaration.may_change(call.args) {
            self.stop(machine, &Stop::Change(self.announced(call)))?;
        }
        let line = self.debuggee.code.location(call.span).line;
        let what = format!("line {line}: {}", declaration.spec.name);
        self.debuggee.begin_change(self.debuggee.snapshot(machine), &what);
        Ok(())
    }

    fn after_call(&self, machine: &mut Machine) {
        if self.debuggee.end_change() {
            self.debuggee.visits.borrow_mut().change(machine.debug_frames().len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn expressions_in_braces_are_replaced() {
        let filled = |message: &str| filled(message, |expression| format!("<{expression}>"));
        assert_eq!(filled("a {b + 1} c{d}"), "a <b + 1> c<d>");
        assert_eq!(filled("{{a}} {b"), "{a} {b");
        assert_eq!(filled("é} {é}"), "é} <é>");
    }
}
