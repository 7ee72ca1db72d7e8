//! Both operands of an operation, and how its result is computed from them: with fast paths for two ints and for two
//! floats, and by the general rules.

use crate::text::Span;
use crate::value::{List, Value, ValueError, operators};

use super::super::machine::{EvalResult, Machine, Thrown};
use super::operand::{Operand, check_set, take_both};
use super::shortcut::{Arithmetic, Comparison};

/// Both operands of an operation, and its span.
pub struct Operands<L, R> {
    /// The left operand.
    pub left: L,
    /// The right operand.
    pub right: R,
    /// The position of the operation.
    pub span: Span,
}

impl<L: Operand, R: Operand> Operands<L, R> {
    const IS_IMMEDIATE: bool = L::IS_IMMEDIATE && R::IS_IMMEDIATE;

    /// Computes the result. If both operands are immediate, they are read without holding anything.
    #[inline(always)]
    pub fn compute<O: Arithmetic>(&self, machine: &mut Machine) -> EvalResult<Value> {
        if !Self::IS_IMMEDIATE {
            return self.evaluate::<O>(machine);
        }
        if let Some(x) = self.left.try_int(machine) {
            if let Some(y) = self.right.try_int(machine)
                && let Some(result) = O::ints(x, y)
            {
                return Ok(result);
            }
        } else if let Some(number) = self.try_float::<O>(machine) {
            return Ok(number.into());
        }
        self.compute_apart::<O>(machine)
    }

    /// Returns the int result of two immediate ints.
    #[inline(always)]
    pub fn try_int<O: Arithmetic>(&self, machine: &Machine) -> Option<i64> {
        match O::ints(self.left.try_int(machine)?, self.right.try_int(machine)?) {
            Some(Value::Int(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns the float result of two immediate floats.
    #[inline(always)]
    pub fn try_float<O: Arithmetic>(&self, machine: &Machine) -> Option<f64> {
        O::floats(self.left.try_float(machine)?, self.right.try_float(machine)?)
    }

    // Out of line so that the fast path saves no registers for it.
    #[inline(never)]
    fn compute_apart<O: Arithmetic>(&self, machine: &mut Machine) -> EvalResult<Value> {
        let (a, b) = take_both(&self.left, &self.right, machine)?;
        self.general::<O>(machine, a, b)
    }

    #[inline(always)]
    fn evaluate<O: Arithmetic>(&self, machine: &mut Machine) -> EvalResult<Value> {
        if L::IS_IMMEDIATE && L::COMPUTES {
            if let Some(x) = self.left.try_int(machine) {
                return self.with_int::<O>(x, machine);
            }
            if let Some(x) = self.left.try_float(machine) {
                return self.with_float::<O>(x, machine);
            }
        }
        let (a, b) = take_both(&self.left, &self.right, machine)?;
        if let (Some(x), Some(y)) = (self.left.int(&a, machine), self.right.int(&b, machine)) {
            if let Some(result) = O::ints(x, y) {
                return Ok(result);
            }
        } else if let (Some(x), Some(y)) = (self.left.float(&a, machine), self.right.float(&b, machine))
            && let Some(result) = O::floats(x, y)
        {
            return Ok(result.into());
        }
        self.general::<O>(machine, a, b)
    }

    /// Computes the result with an immediate int on the left.
    #[inline(always)]
    fn with_int<O: Arithmetic>(&self, x: i64, machine: &mut Machine) -> EvalResult<Value> {
        let b = self.right.take(machine)?;
        match self.right.int(&b, machine).and_then(|y| O::ints(x, y)) {
            Some(result) => Ok(result),
            None => self.general::<O>(machine, self.left.hold(Value::Int(x)), b),
        }
    }

    /// Computes the result with an immediate float on the left.
    #[inline(always)]
    fn with_float<O: Arithmetic>(&self, x: f64, machine: &mut Machine) -> EvalResult<Value> {
        let b = self.right.take(machine)?;
        match self.right.float(&b, machine).and_then(|y| O::floats(x, y)) {
            Some(result) => Ok(result.into()),
            None => self.general::<O>(machine, self.left.hold(x.into()), b),
        }
    }

    // Out of line, and takes ownership of the held operands, so that the fast paths save no registers for it.
    #[inline(never)]
    fn general<O: Arithmetic>(&self, machine: &mut Machine, a: L::Held, b: R::Held) -> EvalResult<Value> {
        if O::GROWS && matches!(self.left.peek(&a, machine), Value::Text(_) | Value::List(_)) {
            return self.grow(machine, a, b);
        }
        let result = O::apply(self.left.peek(&a, machine), self.right.peek(&b, machine));
        result.map_err(|error| blame(machine, &self.left, &a, &self.right, &b, error, self.span))
    }

    /// Appends to a text or a list, in place if the operand is its only holder.
    #[inline(never)]
    fn grow(&self, machine: &mut Machine, a: L::Held, b: R::Held) -> EvalResult<Value> {
        check_set(machine, &self.right, &b)?;
        let mut grown = self.left.owned(a, machine);
        if self.right.gives_up()
            && let (Value::List(before), Value::List(list)) = (&grown, self.right.peek(&b, machine))
            && before.len() < list.len()
        {
            let Value::List(mut list) = self.right.owned(b, machine) else { unreachable!("it was just a list") };
            List::prepend(&mut list, before).map_err(|hit| machine.throw(self.span, hit))?;
            return Ok(Value::List(list));
        }
        match operators::add_in_place(&mut grown, self.right.peek(&b, machine)) {
            Ok(()) => Ok(grown),
            Err(error) => Err(machine.throw(self.span, error)),
        }
    }

    /// Compares in the same way as [`Operands::compute`] computes.
    #[inline(always)]
    pub fn compare<O: Comparison>(&self, machine: &mut Machine) -> EvalResult<bool> {
        if !Self::IS_IMMEDIATE {
            return self.examine::<O>(machine);
        }
        if let Some(x) = self.left.try_int(machine) {
            if let Some(y) = self.right.try_int(machine) {
                return Ok(O::ints(x, y));
            }
        } else if let Some(x) = self.left.try_float(machine)
            && let Some(y) = self.right.try_float(machine)
        {
            return Ok(O::floats(x, y));
        }
        self.compare_apart::<O>(machine)
    }

    // Out of line so that the fast path saves no registers for it.
    #[inline(never)]
    fn compare_apart<O: Comparison>(&self, machine: &mut Machine) -> EvalResult<bool> {
        let (a, b) = take_both(&self.left, &self.right, machine)?;
        self.test::<O>(machine, a, b)
    }

    #[inline(always)]
    fn examine<O: Comparison>(&self, machine: &mut Machine) -> EvalResult<bool> {
        let (a, b) = take_both(&self.left, &self.right, machine)?;
        if let (Some(x), Some(y)) = (self.left.int(&a, machine), self.right.int(&b, machine)) {
            return Ok(O::ints(x, y));
        }
        if let (Some(x), Some(y)) = (self.left.float(&a, machine), self.right.float(&b, machine)) {
            return Ok(O::floats(x, y));
        }
        self.test::<O>(machine, a, b)
    }

    /// Compares by the general rules.
    #[inline(never)]
    pub fn test<O: Comparison>(&self, machine: &mut Machine, a: L::Held, b: R::Held) -> EvalResult<bool> {
        check_both(machine, &self.left, &a, &self.right, &b)?;
        let result = O::apply(self.left.peek(&a, machine), self.right.peek(&b, machine));
        result.map_err(|error| machine.throw(self.span, error))
    }
}

/// Throws the error of an operation, or that of an unset variable if this is the cause.
#[cold]
#[inline(never)]
pub fn blame<L: Operand, R: Operand>(
    machine: &mut Machine,
    left: &L,
    a: &L::Held,
    right: &R,
    b: &R::Held,
    error: Box<ValueError>,
    span: Span,
) -> Thrown {
    match check_both(machine, left, a, right, b) {
        Err(thrown) => thrown,
        Ok(()) => machine.throw(span, error),
    }
}

/// Refuses unset variables.
#[inline(always)]
fn check_both<L: Operand, R: Operand>(
    machine: &mut Machine,
    left: &L,
    a: &L::Held,
    right: &R,
    b: &R::Held,
) -> EvalResult<()> {
    check_set(machine, left, a)?;
    check_set(machine, right, b)
}
