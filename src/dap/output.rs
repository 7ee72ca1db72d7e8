//! What a script prints, as events.

use std::sync::Arc;

use crate::engine::{Barrier, EmitError, Meter, Output, Value, emitted};
use crate::text::Diagnostic;
use crate::text::Sources;

use super::message::Sender;

/// The output of a script.
pub struct Events {
    sender: Sender,
    barrier: Option<Arc<Barrier>>,
}

impl Events {
    /// Creates an output to a client.
    pub fn new(sender: Sender) -> Events {
        Events { sender, barrier: None }
    }

    /// Makes the changes so far durable before somebody is told of them.
    fn pass(&self) -> Result<(), EmitError> {
        let passed = self.barrier.as_ref().map_or(Ok(()), |barrier| barrier.pass());
        passed.map_err(|error| EmitError::Io(std::io::Error::other(error.to_string())))
    }
}

impl Output for Events {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        let line = emitted(values, meter)?;
        self.pass()?;
        self.sender.show("stdout", &line).map_err(|_| EmitError::Closed)
    }

    fn warn(&mut self, text: &str) {
        // The next line of output reports the failure.
        let _ = self.pass();
        let _ = self.sender.show("stderr", &format!("warning: {text}\n"));
    }

    fn warn_of_script(&mut self, finding: Diagnostic, sources: &Sources) {
        let _ = self.sender.show("stderr", &super::launch::rendered(&[finding], sources));
    }

    fn wait_for(&mut self, barrier: &Arc<Barrier>) {
        self.barrier = Some(barrier.clone());
    }
}
