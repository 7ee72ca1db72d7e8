//! The outcome of a run.

use std::rc::Rc;

use crate::eval::{Compiled, Fault, Machine, is_refusal};
use crate::limits::Limit;
use crate::program::tree::Program;
use crate::text::{Diagnostic, Sources};
use crate::value::Value;

use super::invocation::Invocation;
use super::stack::on_large_stack;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It completed.
    Done,
    /// The script is not runnable, or it failed.
    Failed,
    /// The policy or the sandbox refused something.
    Refused,
    /// The step or time limit was reached.
    OutOfTime,
    /// The run was interrupted.
    Interrupted,
    /// The reader of its output is gone.
    Unread,
    /// The arguments or the named procedure do not fit the script; nothing ran.
    Misused,
}

/// A run that is over.
pub struct Outcome {
    /// The texts, for showing findings.
    pub sources: Sources,
    /// The findings before the run, or the error that ended it.
    pub findings: Vec<Diagnostic>,
    /// Warnings from the end of the run, one sentence each.
    pub warnings: Vec<String>,
    /// How the run ended.
    pub ending: Ending,
    /// The value of RETURN at the top level, or of the procedure that ran.
    pub value: Value,
    /// Number of steps taken.
    pub steps: u64,
    /// The usage of the script, if its arguments were wrong.
    pub usage: Option<String>,
    _remains: DeferredDrop,
}

/// The values and the code of a finished run. They are freed with the outcome, so that a process that exits need not
/// wait for that.
struct DeferredDrop(Option<Box<(Machine, Compiled, Program)>>);

impl Drop for DeferredDrop {
    fn drop(&mut self) {
        if let Some(remains) = self.0.take() {
            // Code is nested as deeply as its text, so dropping it needs a large stack. A panic here would only leak
            // memory.
            let _ = on_large_stack(|| drop(remains));
        }
    }
}

impl Outcome {
    /// Creates the outcome of a run that did not begin.
    pub(super) fn refused(sources: Sources, findings: Vec<Diagnostic>) -> Outcome {
        let ending = ending_before_run(&findings);
        let (value, warnings) = (Value::Nil, Vec::new());
        Outcome { sources, findings, warnings, ending, value, steps: 0, usage: None, _remains: DeferredDrop(None) }
    }

    /// Creates the outcome of a run that did not begin because it has no entry point. If the invocation names one, the
    /// command line is wrong, otherwise the script.
    pub(super) fn without_entry(sources: Sources, finding: Diagnostic, invocation: &Invocation) -> Outcome {
        let refused = Outcome::refused(sources, vec![finding]);
        let ending = if invocation.procedure.is_some() { Ending::Misused } else { refused.ending };
        Outcome { ending, ..refused }
    }

    /// Creates the outcome of a run that did not begin because its arguments do not fit the script.
    pub(super) fn misused(findings: Vec<Diagnostic>, usage: String) -> Outcome {
        Outcome { ending: Ending::Misused, usage: Some(usage), ..Outcome::refused(Sources::new(), findings) }
    }

    /// Creates the outcome of a run that ended.
    pub(super) fn of_run(
        sources: &Rc<Sources>,
        result: Result<Value, Box<Fault>>,
        machine: Machine,
        compiled: Compiled,
        program: Program,
    ) -> Outcome {
        let steps = machine.meter().steps_taken();
        let sources = (**sources).clone();
        let (findings, ending, value) = match result {
            Ok(value) => (Vec::new(), Ending::Done, value),
            Err(fault) if fault.is_unread() => (Vec::new(), Ending::Unread, Value::Nil),
            Err(fault) => (vec![fault.to_diagnostic(machine.policy())], ending_of(&fault), Value::Nil),
        };
        let remains = DeferredDrop(Some(Box::new((machine, compiled, program))));
        Outcome { sources, findings, warnings: Vec::new(), ending, value, steps, usage: None, _remains: remains }
    }
}

/// Returns the ending of a run that did not begin.
pub(super) fn ending_before_run(findings: &[Diagnostic]) -> Ending {
    let has = |limit: Limit| findings.iter().any(|finding| finding.code == limit.code().into());
    if findings.iter().any(|finding| is_refusal(finding.code)) {
        Ending::Refused
    } else if has(Limit::Time) {
        Ending::OutOfTime
    } else if has(Limit::Interrupt) {
        Ending::Interrupted
    } else {
        Ending::Failed
    }
}

/// Returns the ending of a run with this fault.
pub(super) fn ending_of(fault: &Fault) -> Ending {
    match (fault.limit, fault.code) {
        _ if fault.is_unread() => Ending::Unread,
        (Some(Limit::Steps | Limit::Time), _) => Ending::OutOfTime,
        (Some(Limit::Interrupt), _) => Ending::Interrupted,
        (_, code) if fault.refused || is_refusal(code) => Ending::Refused,
        _ => Ending::Failed,
    }
}
