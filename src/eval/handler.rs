//! ON ERROR: who handles an error, and where the run goes on.
//!
//! A body with ON ERROR keeps in a hidden variable which of its handlers is in force. Each block of
//! it, innermost first, asks here what becomes of an error of one of its statements.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::value::Value;

use super::compile::StmtFn;
use super::machine::{Flow, Machine};

/// One ON ERROR block.
pub struct Handler {
    /// The variable that holds the error.
    name: Option<usize>,
    block: OnceCell<StmtFn>,
}

impl Handler {
    /// A handler whose block is not compiled yet.
    pub fn waiting(name: Option<usize>) -> Handler {
        Handler { name, block: OnceCell::new() }
    }

    /// Sets its block, once.
    pub fn set(&self, block: StmtFn) {
        let first = self.block.set(block);
        debug_assert!(first.is_ok(), "a handler has one block");
    }
}

/// What becomes of the error that a statement of a guarded block gave.
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
    // While a handler runs none is in force: its own errors go to the caller.
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
