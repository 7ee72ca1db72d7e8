//! The statements and bodies of a program that is compiled for a debugger.

use std::cell::RefCell;

use crate::text::Span;

/// A procedure, or the top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyId {
    /// The top level.
    Top,
    /// A procedure, by its number.
    Procedure(usize),
}

/// A statement before which a program can stop.
#[derive(Clone, Copy, Debug)]
pub struct StatementPlace {
    /// The line of the statement, or of its head.
    pub span: Span,
    /// The body that contains it.
    pub body: BodyId,
}

/// The hidden slots of a body.
#[derive(Clone, Copy, Debug, Default)]
pub struct HiddenSlots {
    /// The slot of `LAST`.
    pub last: Option<usize>,
    /// The slot that says which handler is in force.
    pub(super) handler: Option<usize>,
}

/// The statements and bodies of a program that was compiled for a debugger.
#[derive(Debug, Default)]
pub struct DebugTable {
    statements: RefCell<Vec<StatementPlace>>,
    procedures: RefCell<Vec<HiddenSlots>>,
    top: RefCell<HiddenSlots>,
}

impl DebugTable {
    /// Adds a statement and returns its number.
    pub(super) fn add(&self, place: StatementPlace) -> usize {
        let mut statements = self.statements.borrow_mut();
        statements.push(place);
        statements.len() - 1
    }

    /// Records the hidden slots of a body. Procedures come in the order of their numbers.
    pub(super) fn add_body(&self, body: BodyId, last: Option<usize>, handler: Option<usize>) {
        let slots = HiddenSlots { last, handler };
        match body {
            BodyId::Top => *self.top.borrow_mut() = slots,
            BodyId::Procedure(_) => self.procedures.borrow_mut().push(slots),
        }
    }

    /// Returns the statements, by their numbers.
    pub fn statements(&self) -> Vec<StatementPlace> {
        self.statements.borrow().clone()
    }

    /// Returns the hidden slots of a body.
    pub fn hidden(&self, body: BodyId) -> HiddenSlots {
        match body {
            BodyId::Top => *self.top.borrow(),
            BodyId::Procedure(number) => self.procedures.borrow().get(number).copied().unwrap_or_default(),
        }
    }
}
