//! `whole[index]`, where whole and index are specialized operands.

use crate::text::Span;
use crate::value::{Value, operators};

use super::super::machine::{EvalResult, Machine};
use super::operand::{Local, Operand, check_set, take_both};

/// `whole[index]`
pub struct Element<W, I> {
    /// The list, map or text.
    pub whole: W,
    /// The index or key.
    pub index: I,
    /// The position of the expression.
    pub span: Span,
}

impl<W: Operand, I: Operand> Element<W, I> {
    /// Borrows the element from a list that is not packed.
    #[inline(always)]
    pub fn in_place<'a>(&'a self, a: &'a W::Held, b: &'a I::Held, machine: &'a Machine) -> Option<&'a Value> {
        self.of(self.whole.peek(a, machine), b, machine)
    }

    /// Borrows an element of a list that is not packed.
    #[inline(always)]
    pub fn of<'a>(&self, whole: &'a Value, b: &I::Held, machine: &Machine) -> Option<&'a Value> {
        match whole {
            Value::List(list) => list.values()?.get(self.index.int(b, machine)? as usize),
            _ => None,
        }
    }

    /// Returns the element by the general rules.
    // Out of line so that the fast path saves no registers for it.
    #[inline(never)]
    pub fn evaluate(&self, machine: &mut Machine) -> EvalResult<Value> {
        let (a, b) = take_both(&self.whole, &self.index, machine)?;
        self.general(machine, a, b)
    }

    // Out of line, and takes ownership of the held operands, so that the fast path saves no registers for it.
    #[inline(never)]
    pub fn general(&self, machine: &mut Machine, a: W::Held, b: I::Held) -> EvalResult<Value> {
        check_set(machine, &self.whole, &a)?;
        check_set(machine, &self.index, &b)?;
        let value = operators::index(self.whole.peek(&a, machine), self.index.peek(&b, machine));
        value.map_err(|error| machine.throw(self.span, error))
    }
}

impl<I: Operand> Element<Local, I> {
    /// Borrows the element from a list that is not packed, if the index is immediate.
    #[inline(always)]
    pub fn now<'a>(&self, machine: &'a Machine) -> Option<&'a Value> {
        match machine.local(self.whole.slot) {
            Value::List(list) => list.values()?.get(self.index.try_int(machine)? as usize),
            _ => None,
        }
    }
}
