//! Elements that are pulled one at a time from a call of a tool, instead of from the list that it would return.
//!
//! An error of a pull is raised at the call, like an error of the call itself.

use std::sync::Arc;

use crate::gate::{Caller, OpenStream};
use crate::limits::Progress;
use crate::text::Span;
use crate::toolkit::{ToolError, ToolId};
use crate::value::Value;

use super::machine::{EvalResult, Machine, Thrown};
use super::tool_call;

/// The elements of a call.
pub struct Pulled {
    stream: OpenStream,
    call: Span,
    /// The progress that pulls report to, if they are displayed.
    progress: Option<Arc<Progress>>,
}

impl Pulled {
    /// Calls a tool that streams, with arguments in declaration order. Charges a step, as every call does.
    pub fn open(machine: &mut Machine, id: ToolId, args: &mut [Option<Value>], call: Span) -> EvalResult<Pulled> {
        machine.step(call)?;
        let caller = Caller { meter: &mut machine.meter, session: &machine.world.memory };
        let opened = machine.world.gate.open(id, args, caller);
        tool_call::tell_notes(machine, id, call)?;
        match opened {
            Ok(stream) => {
                machine.last_error = Value::Nil;
                Ok(Pulled { stream, call, progress: None })
            }
            Err(error) => Err(tool_call::raise(machine, *error, call)),
        }
    }

    /// Shows how many of the bytes have been read.
    pub fn report_to(&mut self, machine: &mut Machine, progress: &Arc<Progress>) {
        if let Some(bytes) = self.stream.bytes() {
            progress.expect_bytes(bytes);
        }
        self.progress = Some(progress.clone());
        machine.meter.end_report();
    }

    /// Returns the next element, or `None` after the last one.
    pub fn next(&mut self, machine: &mut Machine) -> EvalResult<Option<Value>> {
        let watched = self.progress.is_some();
        if let Some(progress) = &self.progress {
            machine.meter.report_to(progress.clone());
        }
        let caller = Caller { meter: &mut machine.meter, session: &machine.world.memory };
        let pulled = machine.world.gate.pull(&mut self.stream, caller);
        if watched {
            // The calls of the body are not part of it.
            machine.meter.end_report();
        }
        pulled.map_err(|error| self.failed(machine, *error))
    }

    #[cold]
    #[inline(never)]
    fn failed(&self, machine: &mut Machine, error: ToolError) -> Thrown {
        tool_call::raise(machine, error, self.call)
    }
}
