//! Showing how far a call has come: the gate says when a call begins and ends, the meter counts, and the
//! front end draws, if somebody watches.

use std::cell::RefCell;
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

/// Whoever watches the calls of a gate; often nobody.
#[derive(Default)]
pub struct Lookout(RefCell<Option<Rc<dyn ProgressView>>>);

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
        *self.0.borrow_mut() = Some(view);
    }

    /// Whoever watches, if somebody does.
    pub fn view(&self) -> Option<Rc<dyn ProgressView>> {
        self.0.borrow().clone()
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

    /// Clears what is shown, for a question.
    pub(super) fn clear(&self) {
        if let Some(view) = &*self.0.borrow() {
            view.end();
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.end();
    }
}
