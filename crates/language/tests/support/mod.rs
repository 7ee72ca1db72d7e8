//! Output for the tests of this crate.

use std::cell::RefCell;
use std::rc::Rc;

use neuroscript_language::engine::{EmitError, Meter, Output, Value, emitted};

/// Collects the output of a script. A warning is a failure.
#[derive(Clone, Default)]
pub struct Lines(Rc<RefCell<String>>);

impl Lines {
    /// Returns the output so far.
    pub fn text(&self) -> String {
        self.0.borrow().clone()
    }
}

impl Output for Lines {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.0.borrow_mut().push_str(&emitted(values, meter)?);
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        panic!("{text}");
    }
}
