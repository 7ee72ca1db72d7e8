//! The parts of earlier versions of a script and its modules, of which a check looks only at those that are new.

use std::cell::RefCell;

use crate::program::KnownProcedures;
use crate::syntax::KnownLines;

/// The lines and procedures of earlier versions of a script and its modules.
#[derive(Default)]
pub struct KnownTexts {
    pub(super) lines: RefCell<KnownLines>,
    pub(super) procedures: RefCell<KnownProcedures>,
}

impl KnownTexts {
    /// Returns the number of procedures that the newest check did not look at, since there is nothing to find in them.
    pub fn skipped_procedures(&self) -> usize {
        self.procedures.borrow().skipped_procedures()
    }
}
