//! How far a call has come, for a client that asked to be told.

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::{Engine, Progress, ProgressView};

/// A call of a tool, and where it is counted.
pub type Call = (&'static str, Arc<Progress>);

/// The call of a tool that goes on, for another thread to look at.
#[derive(Clone, Default)]
pub struct Watched(Arc<Mutex<Option<Call>>>);

impl Watched {
    /// Sees the calls of an engine.
    pub fn watch(&self, engine: &Engine) {
        engine.set_progress_view(Rc::new(self.clone()));
    }

    /// How much the call that goes on has done, and in words; none between calls.
    pub fn look(&self) -> Option<(u64, String)> {
        let call = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (tool, progress) = call?;
        let done = progress.bytes_read() + progress.bytes_written() + progress.items().0;
        Some((done, message(tool, &progress)))
    }
}

impl ProgressView for Watched {
    fn begin(&self, tool: &'static str, progress: Arc<Progress>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((tool, progress));
    }

    fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// `FS.CopyFile: 412 of 1000 items, 52000 bytes written`
pub fn message(tool: &str, progress: &Progress) -> String {
    let mut parts = Vec::new();
    let (items, all) = progress.items();
    if all > 0 {
        parts.push(format!("{items} of {all} items"));
    }
    for (bytes, word) in [(progress.bytes_read(), "read"), (progress.bytes_written(), "written")] {
        if bytes > 0 {
            parts.push(format!("{bytes} bytes {word}"));
        }
    }
    if parts.is_empty() { tool.to_owned() } else { format!("{tool}: {}", parts.join(", ")) }
}
