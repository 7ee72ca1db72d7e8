//! Showing how far a call has come: the gate says when a call begins and ends, the meter counts, and the
//! front end draws, if somebody watches.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::limits::{Meter, Progress};

use super::registry::Tool;
use super::spec::Effect;

/// Whoever shows progress.
pub trait ProgressView {
    /// A call of a tool begins, and counts there.
    fn begin(&self, tool: &'static str, progress: Arc<Progress>);
    /// It ended, or somebody is to be asked: nothing of it is to be seen from here on.
    fn end(&self);

    /// The outermost FOR EACH of a run begins, and counts its turns there.
    fn begin_loop(&self, _progress: Arc<Progress>) {}
    /// It ended.
    fn end_loop(&self) {}
}

/// Trees whose number of entries is remembered.
const MOST_TREES: usize = 256;

/// Whoever watches the calls of a gate; often nobody.
#[derive(Default)]
pub struct Lookout {
    view: RefCell<Option<Rc<dyn ProgressView>>>,
    /// How many entries the last watched walk of a tree met, by the address of the tree.
    entries: RefCell<HashMap<String, u64>>,
}

/// A call that is being watched.
pub struct Watched(Rc<dyn ProgressView>);

impl fmt::Debug for Lookout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookout").finish_non_exhaustive()
    }
}

impl Lookout {
    /// Says who watches.
    pub fn set(&self, view: Rc<dyn ProgressView>) {
        *self.view.borrow_mut() = Some(view);
    }

    /// Whoever watches, if somebody does.
    pub fn view(&self) -> Option<Rc<dyn ProgressView>> {
        self.view.borrow().clone()
    }

    /// Shows a call until the answer is dropped, unless nobody watches or it touches nothing.
    pub(super) fn watch(&self, tool: &Tool, meter: &mut Meter) -> Option<Watched> {
        if tool.spec.effect == Effect::Pure {
            return None;
        }
        let view = self.view()?;
        let progress = Arc::new(Progress::default());
        meter.report_to(progress.clone());
        view.begin(tool.spec.name, progress);
        Some(Watched(view))
    }

    /// How many entries an earlier walk of a tree met, if one was watched.
    pub(super) fn entries_of(&self, tree: &str) -> Option<u64> {
        self.entries.borrow().get(tree).copied()
    }

    /// Remembers how many entries a walk of a tree met.
    pub(super) fn note_entries(&self, tree: &str, entries: u64) {
        let mut known = self.entries.borrow_mut();
        if known.len() < MOST_TREES || known.contains_key(tree) {
            known.insert(tree.to_owned(), entries);
        }
    }

    /// Clears what is shown, for a question.
    pub(super) fn clear(&self) {
        if let Some(view) = &*self.view.borrow() {
            view.end();
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.end();
    }
}
