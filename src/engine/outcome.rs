//! How a run ended, and what is to be shown of it.

use std::rc::Rc;

use crate::eval::{Compiled, Fault, Machine, is_refusal};
use crate::limits::Limit;
use crate::program::tree::Program;
use crate::text::{Diagnostic, Sources};
use crate::value::Value;

use super::stack::on_large_stack;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It is done.
    Done,
    /// The script is not runnable, or failed.
    Failed,
    /// The policy or the sandbox refused.
    Refused,
    /// The step or time limit was reached.
    OutOfTime,
    /// It was interrupted.
    Interrupted,
    /// Nobody reads its output any more.
    Unread,
    /// The arguments are not those that the script takes; nothing ran.
    Misused,
}

/// A run that is over.
pub struct Outcome {
    /// The texts, for showing findings.
    pub sources: Sources,
    /// What was found before the run, or the error that ended it.
    pub findings: Vec<Diagnostic>,
    /// What its end has to say, a sentence each.
    pub warnings: Vec<String>,
    /// How it ended.
    pub ending: Ending,
    /// The value that RETURN gave at the top level, or the procedure that was run.
    pub value: Value,
    /// Steps that it took.
    pub steps: u64,
    /// How the script is used, where its arguments were wrong.
    pub usage: Option<String>,
    _remains: Remains,
}

/// The values and the code of a run that is over: freed with its outcome, so that a process which
/// ends need not wait for it.
struct Remains(Option<Box<(Machine, Compiled, Program)>>);

impl Drop for Remains {
    fn drop(&mut self) {
        if let Some(remains) = self.0.take() {
            // Code is nested as deep as its text; a panic here would leave nothing but memory behind.
            let _ = on_large_stack(|| drop(remains));
        }
    }
}

impl Outcome {
    /// A run that did not begin.
    pub(super) fn refused(sources: Sources, findings: Vec<Diagnostic>) -> Outcome {
        let ending = ending_before_run(&findings);
        let (value, warnings) = (Value::Nil, Vec::new());
        Outcome { sources, findings, warnings, ending, value, steps: 0, usage: None, _remains: Remains(None) }
    }

    /// A run that did not begin, since the arguments are not those that the script takes.
    pub(super) fn misused(findings: Vec<Diagnostic>, usage: String) -> Outcome {
        Outcome { ending: Ending::Misused, usage: Some(usage), ..Outcome::refused(Sources::new(), findings) }
    }

    /// A run that ended.
    pub(super) fn of_run(
        sources: &Rc<Sources>,
        result: Result<Value, Box<Fault>>,
        (machine, compiled, program): (Machine, Compiled, Program),
    ) -> Outcome {
        let steps = machine.meter().steps_taken();
        let remains = Remains(Some(Box::new((machine, compiled, program))));
        let sources = (**sources).clone();
        let (findings, ending, value) = match result {
            Ok(value) => (Vec::new(), Ending::Done, value),
            Err(fault) if fault.is_unread() => (Vec::new(), Ending::Unread, Value::Nil),
            Err(fault) => (vec![fault.to_diagnostic()], ending_of(&fault), Value::Nil),
        };
        Outcome { sources, findings, warnings: Vec::new(), ending, value, steps, usage: None, _remains: remains }
    }
}

/// How a run ends that does not begin.
pub(super) fn ending_before_run(findings: &[Diagnostic]) -> Ending {
    match findings.iter().any(|finding| is_refusal(finding.code)) {
        true => Ending::Refused,
        false => Ending::Failed,
    }
}

/// What a fault means for the end of a run.
pub(super) fn ending_of(fault: &Fault) -> Ending {
    match (fault.limit, fault.code) {
        _ if fault.is_unread() => Ending::Unread,
        (Some(Limit::Steps | Limit::Time), _) => Ending::OutOfTime,
        (Some(Limit::Interrupt), _) => Ending::Interrupted,
        (_, code) if fault.refused || is_refusal(code) => Ending::Refused,
        _ => Ending::Failed,
    }
}
