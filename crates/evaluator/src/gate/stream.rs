//! Streams of tools: [`Gate::open`] passes the gate once, like every call, and [`Gate::pull`] continues that call.
//!
//! An error of a pull is an error of the call: it has the same tool, path and help. The answer is each element, so each
//! is bounded on its own.

use std::cell::RefCell;
use std::fmt;

use crate::limits::Meter;
use crate::memory::Session as SessionMemory;
use crate::toolkit::{Bound, Declaration, Failure, ToolError, ToolId};
use crate::value::Value;

use super::assembly::Gate;
use super::call::unless_stopped;
use super::call_record::CallRecord;
use super::caller::Caller;
use super::context::Context;
use super::named::NamedPlaces;
use super::tool::{Stream, ToolRef};
use super::truncate::{Bounds, deliver};

/// An open stream, and the call that opened it.
pub struct OpenStream {
    stream: Box<dyn Stream>,
    tool: ToolId,
    named: NamedPlaces,
}

impl OpenStream {
    /// Returns the tool that opened the stream.
    pub fn tool(&self) -> ToolId {
        self.tool
    }

    /// Returns the number of bytes that are read up to the end, or `None` if it is unknown.
    pub fn bytes(&self) -> Option<u64> {
        self.stream.bytes()
    }
}

impl fmt::Debug for OpenStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenStream").field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl Gate {
    /// Calls a tool that streams, with arguments in the declared order, and returns the stream of its elements.
    pub fn open(
        &self,
        id: ToolId,
        args: &mut [Option<Value>],
        caller: Caller<'_>,
    ) -> Result<OpenStream, Box<ToolError>> {
        let declaration = self.registry().get(id);
        let open = self.toolbox.opener(id);
        let opened = RefCell::new(None);
        let run = |context: &mut Context<'_>, bound: &mut Bound<'_>| {
            let named = NamedPlaces::of(declaration.params, bound);
            opened.replace(Some(OpenStream { stream: open(context, bound)?, tool: id, named }));
            Ok(Value::Nil)
        };
        let called = self.admit_and_run(ToolRef { declaration, run: &run }, args, caller.meter, caller.session);
        called.map_err(|error| Box::new(self.explained(*error, declaration)))?;
        Ok(opened.into_inner().expect("a call that succeeded has opened its stream"))
    }

    /// Returns the next element of a stream, or `None` after the last one.
    pub fn pull(&self, open: &mut OpenStream, caller: Caller<'_>) -> Result<Option<Value>, Box<ToolError>> {
        let Caller { meter, session } = caller;
        let declaration = self.registry().get(open.tool);
        let pulled = self.pull_located(open, declaration, meter, session);
        pulled.map_err(|error| Box::new(self.explained(*error, declaration)))
    }

    fn pull_located(
        &self,
        open: &mut OpenStream,
        tool: &Declaration,
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Option<Value>, Box<ToolError>> {
        let Gate { admission, world, .. } = self;
        let record = CallRecord::without_arguments(tool.spec.name, session);
        let answer_bytes = meter.answer_bytes();
        let mut context = Context { meter, answer_bytes, world, admission, record: &record };
        let pulled = open.stream.pull(&mut context).map_err(|error| Box::new(open.named.complete(error)));
        match unless_stopped(pulled, false)? {
            None => Ok(None),
            Some(element) => {
                let bounds = Bounds { bytes: answer_bytes, has_changed: false, failure: Failure::Raise };
                deliver(Ok(element), bounds).map(Some)
            }
        }
    }
}
