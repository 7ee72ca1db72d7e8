//! How a run ended, and what is to be shown of it.

use std::rc::Rc;

use crate::eval::Fault;
use crate::limits::Limit;
use crate::text::{Diagnostic, FindingCode, Sources, ToolCode};
use crate::value::Value;

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
}

/// A run that is over.
pub struct Outcome {
    /// The texts, for showing findings.
    pub sources: Sources,
    /// What was found before the run, or the error that ended it.
    pub findings: Vec<Diagnostic>,
    /// How it ended.
    pub ending: Ending,
    /// The value that RETURN gave at the top level, or the procedure that was run.
    pub value: Value,
    /// Steps that it took.
    pub steps: u64,
}

impl Outcome {
    /// A run that did not begin.
    pub(super) fn refused(sources: Sources, findings: Vec<Diagnostic>) -> Outcome {
        Outcome { sources, findings, ending: Ending::Failed, value: Value::Nil, steps: 0 }
    }

    /// A run that ended.
    pub(super) fn of_run(sources: Rc<Sources>, result: Result<Value, Box<Fault>>, steps: u64) -> Outcome {
        let sources = (*sources).clone();
        match result {
            Ok(value) => Outcome { sources, findings: Vec::new(), ending: Ending::Done, value, steps },
            Err(fault) => {
                let findings = if fault.is_unread() { Vec::new() } else { vec![fault.to_diagnostic()] };
                Outcome { sources, findings, ending: ending_of(&fault), value: Value::Nil, steps }
            }
        }
    }
}

/// What a fault means for the end of a run.
pub(super) fn ending_of(fault: &Fault) -> Ending {
    match (fault.limit, fault.code) {
        _ if fault.is_unread() => Ending::Unread,
        (Some(Limit::Steps | Limit::Time), _) => Ending::OutOfTime,
        (Some(Limit::Interrupt), _) => Ending::Interrupted,
        (_, FindingCode::Tool(ToolCode::SandboxViolation | ToolCode::PolicyDenied)) => Ending::Refused,
        _ => Ending::Failed,
    }
}
