//! Progress of the current call, for clients that request progress notifications.

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::{Progress, ProgressView};

use super::sandboxes::Sandboxes;

/// A tool call and its progress counters.
pub type Call = (&'static str, Arc<Progress>);

/// The current tool call, visible to other threads.
#[derive(Clone, Default)]
pub struct CurrentProgress(Arc<Mutex<Option<Call>>>);

impl CurrentProgress {
    /// Registers itself as the progress view of the engines.
    pub fn watch_all(&self, sandboxes: &Sandboxes) {
        sandboxes.engines().for_each(|engine| engine.set_progress_view(Rc::new(self.clone())));
    }

    /// Returns the amount of work done by the current call and a message about it, or `None` between calls.
    pub fn look(&self) -> Option<(u64, String)> {
        let call = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (tool, progress) = call?;
        let counts = [progress.items().0, progress.entries().0, progress.files_searched().0];
        let done = progress.bytes_read() + progress.bytes_written() + counts.iter().sum::<u64>();
        Some((done, message(tool, &progress)))
    }
}

impl ProgressView for CurrentProgress {
    fn begin(&self, tool: &'static str, progress: Arc<Progress>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((tool, progress));
    }

    fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Formats progress, such as `FS.CopyFile: 412 of 1000 items, 52000 bytes written` or `FS.SearchFiles: 96 files searched,
/// 7 matches, 52000 bytes read`.
pub fn message(tool: &str, progress: &Progress) -> String {
    let mut parts = Vec::new();
    let (items, all) = progress.items();
    if all > 0 {
        parts.push(format!("{items} of {all} items"));
    }
    match (progress.entries(), progress.files_searched()) {
        (_, (files, matches)) if files > 0 => parts.push(format!("{files} files searched, {matches} matches")),
        ((entries, expected), _) if expected > 0 => parts.push(format!("{entries} of about {expected} entries seen")),
        ((entries, _), _) if entries > 0 => parts.push(format!("{entries} entries seen")),
        _ => {}
    }
    for (bytes, word) in [(progress.bytes_read(), "read"), (progress.bytes_written(), "written")] {
        if bytes > 0 {
            parts.push(format!("{bytes} bytes {word}"));
        }
    }
    if parts.is_empty() { tool.to_owned() } else { format!("{tool}: {}", parts.join(", ")) }
}
