//! ON ERROR: which handler runs for an error, and where the run resumes.
//!
//! A body with ON ERROR keeps the number of the handler in force in a hidden variable. When a statement fails, each
//! enclosing block, innermost first, calls [`handle`].

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::value::Value;

use super::machine::{Flow, Machine, StmtFn};

/// One ON ERROR block.
pub struct Handler {
    /// The slot of the variable that holds the error.
    name: Option<usize>,
    block: OnceCell<StmtFn>,
}

impl Handler {
    /// Creates a handler whose block is not compiled yet.
    pub fn waiting(name: Option<usize>) -> Handler {
        Handler { name, block: OnceCell::new() }
    }

    /// Sets the compiled block, once.
    pub fn set(&self, block: StmtFn) {
        let first = self.block.set(block);
        assert!(first.is_ok(), "a handler has one block");
    }
}

/// Handles the error of a statement in a guarded block.
#[cold]
#[inline(never)]
pub fn handle(machine: &mut Machine, slot: usize, handlers: &RefCell<Vec<Rc<Handler>>>) -> Flow {
    let in_force = match machine.local(slot) {
        Value::Int(number) => *number,
        _ => return Flow::Throw,
    };
    let fault = machine.fault_mut();
    if fault.passed || !fault.is_catchable() {
        return Flow::Throw;
    }
    let handler = handlers.borrow()[in_force as usize].clone();
    let mut fault = machine.take_fault();
    let error = fault.to_value(&machine.world.sources);
    machine.last_error = error.clone();
    if let Some(name) = handler.name {
        *machine.local_mut(name) = error;
    }
    // No handler is in force while a handler runs: its own errors propagate to the caller.
    *machine.local_mut(slot) = Value::Nil;
    let outer_cleared = std::mem::replace(&mut machine.cleared, false);
    let block = handler.block.get().expect("a handler is compiled before anything runs");
    let flow = block(machine);
    let cleared = std::mem::replace(&mut machine.cleared, outer_cleared);
    if flow == Flow::Throw {
        return Flow::Throw;
    }
    if matches!(machine.local(slot), Value::Nil) {
        *machine.local_mut(slot) = Value::Int(in_force);
    }
    match flow {
        Flow::Next if !cleared => {
            fault.passed = true;
            machine.rethrow(fault);
            Flow::Throw
        }
        flow => flow,
    }
}
