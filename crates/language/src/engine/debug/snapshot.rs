//! The variables of all running bodies at one moment. Values are shared, so that a snapshot copies none.

use crate::eval::{BodyId, Machine};
use crate::value::Value;

use super::program::DebugProgram;
use super::visits::{Visit, Visits};

/// The variables of all running bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    /// The innermost last.
    pub frames: Vec<FrameSnapshot>,
    /// `LAST_ERROR`
    pub last_error: Value,
    /// `ARGS`
    pub args: Value,
    /// The execution of the innermost body's statement.
    pub visit: Visit,
}

/// The variables of a running body.
#[derive(Clone, Debug)]
pub(super) struct FrameSnapshot {
    /// The body.
    pub body: BodyId,
    /// The number of the statement that it runs.
    pub statement: Option<usize>,
    /// The values of its variables.
    pub values: Vec<Value>,
    /// `LAST`
    pub last: Value,
}

impl Snapshot {
    /// Takes the variables of a machine.
    pub fn of(machine: &Machine, program: &DebugProgram, visits: &Visits) -> Snapshot {
        let frames = machine.debug_frames().iter().map(|frame| {
            let count = program.body(frame.body).slots.len();
            let values = (0..count).map(|slot| machine.variable_in(frame, slot).clone()).collect();
            let last = program.table.hidden(frame.body).last;
            let last = match last.map(|slot| machine.variable_in(frame, slot)) {
                None | Some(Value::Unset) => Value::Nil,
                Some(value) => value.clone(),
            };
            FrameSnapshot { body: frame.body, statement: frame.statement, values, last }
        });
        let frames: Vec<FrameSnapshot> = frames.collect();
        let visit = visits.of(frames.len(), frames.last().and_then(|frame| frame.statement));
        let [last_error, args] = machine.outcome_and_args();
        Snapshot { frames, last_error: last_error.clone(), args: args.clone(), visit }
    }

    /// Returns the number of values.
    pub fn size(&self) -> usize {
        self.frames.iter().map(|frame| frame.values.len() + 1).sum()
    }
}
