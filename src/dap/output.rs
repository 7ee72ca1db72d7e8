//! The output of a script, as events.

use std::sync::Arc;

use crate::engine::{Barrier, EmitError, Meter, Output, Value, emitted, on_large_stack};
use crate::text::render::{Style, to_terminal};
use crate::text::{Diagnostic, Sources};

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
        let _ = self.sender.show("stderr", &rendered(&[finding], sources));
    }

    fn wait_for(&mut self, barrier: &Arc<Barrier>) {
        self.barrier = Some(barrier.clone());
    }
}

/// Returns findings as they are shown to people.
pub fn rendered(findings: &[Diagnostic], sources: &Sources) -> String {
    let shown = on_large_stack(|| findings.iter().map(|finding| to_terminal(finding, sources, Style::Plain)).collect());
    shown.unwrap_or_default()
}
