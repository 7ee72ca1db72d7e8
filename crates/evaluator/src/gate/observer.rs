//! Progress of calls: the gate reports when a call begins and ends, the meter counts, and the front end draws, if it
//! has a view.
//!
//! Without a view nothing is counted, and a pure tool is never watched. The outermost FOR EACH reports its iterations
//! in the same way (`Machine::watch_loop`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::limits::{Meter, Progress};
use crate::toolkit::{Declaration, Effect};

/// A view that shows progress.
pub trait ProgressView {
    /// A call of a tool begins; `progress` counts its work.
    fn begin(&self, tool: &'static str, progress: Arc<Progress>);
    /// The call ended, or an approval question follows: clear the view.
    fn end(&self);

    /// The outermost FOR EACH of a run begins; `progress` counts its iterations.
    fn begin_loop(&self, _progress: Arc<Progress>) {}
    /// The loop ended.
    fn end_loop(&self) {}
}

/// Maximum number of trees whose size is remembered.
const MOST_TREES: usize = 256;

/// The progress view of a gate, if there is one.
#[derive(Default)]
pub struct CallObservers {
    view: RefCell<Option<Rc<dyn ProgressView>>>,
    /// Number of entries that the last watched walk of a tree met, by the address of the tree.
    entries: RefCell<HashMap<String, u64>>,
}

/// A call that is being watched; the view is cleared on drop.
pub struct ObservedCall(Rc<dyn ProgressView>);

impl fmt::Debug for CallObservers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallObservers").finish_non_exhaustive()
    }
}

impl CallObservers {
    /// Sets the view.
    pub fn set(&self, view: Rc<dyn ProgressView>) {
        *self.view.borrow_mut() = Some(view);
    }

    /// Returns the view, if there is one.
    pub fn view(&self) -> Option<Rc<dyn ProgressView>> {
        self.view.borrow().clone()
    }

    /// Shows the progress of a call until the returned guard is dropped. Returns `None` without a view, or if the
    /// tool is pure.
    pub(super) fn watch(&self, tool: &Declaration, meter: &mut Meter) -> Option<ObservedCall> {
        if tool.spec.effect == Effect::Pure {
            return None;
        }
        let view = self.view()?;
        let progress = Arc::new(Progress::default());
        meter.report_to(progress.clone());
        view.begin(tool.spec.name, progress);
        Some(ObservedCall(view))
    }

    /// Returns the number of entries that an earlier walk of a tree met, if one was watched.
    pub(super) fn entries_of(&self, tree: &str) -> Option<u64> {
        self.entries.borrow().get(tree).copied()
    }

    /// Remembers the number of entries that a walk of a tree met.
    pub(super) fn note_entries(&self, tree: &str, entries: u64) {
        let mut known = self.entries.borrow_mut();
        if known.len() < MOST_TREES || known.contains_key(tree) {
            known.insert(tree.to_owned(), entries);
        }
    }

    /// Clears the view before a question.
    pub(super) fn clear(&self) {
        if let Some(view) = &*self.view.borrow() {
            view.end();
        }
    }
}

impl Drop for ObservedCall {
    fn drop(&mut self) {
        self.0.end();
    }
}
