//! Operands of specialized operations: a local variable, a constant, or any expression.
//!
//! An operation is compiled once for each pair of shapes, so that frequent ones read their operands without a call or a
//! copy.

use crate::program::tree::{Expr, ExprKind, Variable};
use crate::text::Span;
use crate::value::Value;

use super::super::machine::{EvalResult, Machine, ValueFn};
use super::Compiler;

/// The source of a value for an operation.
pub trait Operand: 'static {
    /// The data held between evaluation and use.
    type Held;
    /// Whether evaluation can fail or have an effect.
    const COMPUTES: bool = false;
    /// Whether a numeric value is immediate: reading it calls no closure, holds nothing and creates no error, so that
    /// an operation on numbers is a function without a stack frame.
    const IS_IMMEDIATE: bool = false;

    /// Evaluates the operand as far as necessary.
    fn take(&self, machine: &mut Machine) -> EvalResult<Self::Held>;

    /// Borrows the value.
    fn peek<'a>(&'a self, held: &'a Self::Held, machine: &'a Machine) -> &'a Value;

    /// Returns the value, to be stored or changed.
    #[inline(always)]
    fn owned(&self, held: Self::Held, machine: &mut Machine) -> Value {
        self.peek(&held, machine).clone()
    }

    /// Returns the value if it is an int; known at compile time for constants.
    #[inline(always)]
    fn int(&self, held: &Self::Held, machine: &Machine) -> Option<i64> {
        match self.peek(held, machine) {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the value if it is a float.
    #[inline(always)]
    fn float(&self, held: &Self::Held, machine: &Machine) -> Option<f64> {
        match self.peek(held, machine) {
            Value::Float(number) => Some(number.get()),
            _ => None,
        }
    }

    /// Returns the held form of a number that was read immediately.
    fn hold(&self, number: Value) -> Self::Held;

    /// Returns whether the operand gives up its value, so that [`Operand::owned`] may be its only holder.
    fn gives_up(&self) -> bool {
        false
    }

    /// Returns the span of the variable's name if the operand is a variable.
    fn variable(&self) -> Option<Span>;

    /// Returns the value if it is an immediate int.
    #[inline(always)]
    fn try_int(&self, _: &Machine) -> Option<i64> {
        None
    }

    /// Returns the value if it is an immediate float.
    #[inline(always)]
    fn try_float(&self, _: &Machine) -> Option<f64> {
        None
    }

    /// Returns the value if it is an immediate number or truth value.
    #[inline(always)]
    fn try_scalar(&self, machine: &Machine) -> Option<Value> {
        match self.try_int(machine) {
            Some(number) => Some(Value::Int(number)),
            None => self.try_float(machine).map(Value::from),
        }
    }
}

/// Copies a number or a truth value.
#[inline(always)]
pub fn scalar(value: &Value) -> Option<Value> {
    match value {
        Value::Int(number) => Some(Value::Int(*number)),
        Value::Float(number) => Some(Value::Float(*number)),
        Value::Bool(truth) => Some(Value::Bool(*truth)),
        _ => None,
    }
}

/// A variable of the running procedure.
#[derive(Clone, Copy)]
pub struct Local {
    pub slot: usize,
    pub span: Span,
    /// Whether this is the last use of the value.
    pub is_last: bool,
}

impl Local {
    /// Returns the operand of an expression that is a variable of the running procedure.
    pub fn of(expr: &Expr) -> Option<Local> {
        let (slot, is_last) = match expr.kind {
            ExprKind::Variable(Variable::Local(slot)) => (slot, false),
            ExprKind::Taken(slot) => (slot, true),
            _ => return None,
        };
        Some(Local { slot: slot.0 as usize, span: expr.span, is_last })
    }
}

impl Operand for Local {
    type Held = ();
    const IS_IMMEDIATE: bool = true;

    #[inline(always)]
    fn take(&self, _: &mut Machine) -> EvalResult<()> {
        Ok(())
    }

    #[inline(always)]
    fn peek<'a>(&'a self, _: &'a (), machine: &'a Machine) -> &'a Value {
        machine.local(self.slot)
    }

    #[inline(always)]
    fn owned(&self, _: (), machine: &mut Machine) -> Value {
        if self.is_last { machine.take_local(self.slot) } else { machine.local(self.slot).clone() }
    }

    fn hold(&self, _: Value) {}

    fn gives_up(&self) -> bool {
        self.is_last
    }

    fn variable(&self) -> Option<Span> {
        Some(self.span)
    }

    #[inline(always)]
    fn try_int(&self, machine: &Machine) -> Option<i64> {
        self.int(&(), machine)
    }

    #[inline(always)]
    fn try_float(&self, machine: &Machine) -> Option<f64> {
        self.float(&(), machine)
    }

    #[inline(always)]
    fn try_scalar(&self, machine: &Machine) -> Option<Value> {
        scalar(machine.local(self.slot))
    }
}

/// An int known before the run.
pub struct ConstInt(pub i64, pub Value);

impl Operand for ConstInt {
    type Held = ();
    const IS_IMMEDIATE: bool = true;

    #[inline(always)]
    fn take(&self, _: &mut Machine) -> EvalResult<()> {
        Ok(())
    }

    #[inline(always)]
    fn peek<'a>(&'a self, _: &'a (), _: &'a Machine) -> &'a Value {
        &self.1
    }

    #[inline(always)]
    fn int(&self, _: &(), _: &Machine) -> Option<i64> {
        Some(self.0)
    }

    #[inline(always)]
    fn float(&self, _: &(), _: &Machine) -> Option<f64> {
        None
    }

    fn hold(&self, _: Value) {}

    fn variable(&self) -> Option<Span> {
        None
    }

    #[inline(always)]
    fn try_int(&self, _: &Machine) -> Option<i64> {
        Some(self.0)
    }
}

/// Any other value known before the run.
pub struct Const(pub Value);

impl Operand for Const {
    type Held = ();
    const IS_IMMEDIATE: bool = true;

    #[inline(always)]
    fn take(&self, _: &mut Machine) -> EvalResult<()> {
        Ok(())
    }

    #[inline(always)]
    fn peek<'a>(&'a self, _: &'a (), _: &'a Machine) -> &'a Value {
        &self.0
    }

    #[inline(always)]
    fn int(&self, _: &(), _: &Machine) -> Option<i64> {
        None
    }

    fn hold(&self, _: Value) {}

    fn variable(&self) -> Option<Span> {
        None
    }

    #[inline(always)]
    fn try_float(&self, machine: &Machine) -> Option<f64> {
        self.float(&(), machine)
    }

    #[inline(always)]
    fn try_scalar(&self, _: &Machine) -> Option<Value> {
        scalar(&self.0)
    }
}

/// A computation that produces a value.
pub trait Compute: 'static {
    /// Whether a numeric result is available without an evaluation.
    const IS_IMMEDIATE: bool = false;

    fn compute(&self, machine: &mut Machine) -> EvalResult<Value>;

    /// Returns the result if it is an int that is immediately available.
    #[inline(always)]
    fn try_int(&self, _: &Machine) -> Option<i64> {
        None
    }

    /// Returns the result if it is a float that is immediately available.
    #[inline(always)]
    fn try_float(&self, _: &Machine) -> Option<f64> {
        None
    }
}

impl Compute for ValueFn {
    #[inline(always)]
    fn compute(&self, machine: &mut Machine) -> EvalResult<Value> {
        self(machine)
    }
}

/// An operand that is computed.
pub struct Computed<C>(pub C);

/// Any expression.
pub type Any = Computed<ValueFn>;

impl<C: Compute> Operand for Computed<C> {
    type Held = Value;
    const COMPUTES: bool = true;
    const IS_IMMEDIATE: bool = C::IS_IMMEDIATE;

    #[inline(always)]
    fn take(&self, machine: &mut Machine) -> EvalResult<Value> {
        self.0.compute(machine)
    }

    #[inline(always)]
    fn peek<'a>(&'a self, held: &'a Value, _: &'a Machine) -> &'a Value {
        held
    }

    #[inline(always)]
    fn owned(&self, held: Value, _: &mut Machine) -> Value {
        held
    }

    fn hold(&self, number: Value) -> Value {
        number
    }

    fn variable(&self) -> Option<Span> {
        None
    }

    #[inline(always)]
    fn try_int(&self, machine: &Machine) -> Option<i64> {
        self.0.try_int(machine)
    }

    #[inline(always)]
    fn try_float(&self, machine: &Machine) -> Option<f64> {
        self.0.try_float(machine)
    }
}

/// Evaluates both operands. An unset variable on the left is refused before the right side is evaluated.
#[inline(always)]
pub fn take_both<L: Operand, R: Operand>(left: &L, right: &R, machine: &mut Machine) -> EvalResult<(L::Held, R::Held)> {
    let a = left.take(machine)?;
    if R::COMPUTES {
        check_set(machine, left, &a)?;
    }
    Ok((a, right.take(machine)?))
}

/// Refuses an unset variable.
#[inline(always)]
pub fn check_set<W: Operand>(machine: &mut Machine, operand: &W, held: &W::Held) -> EvalResult<()> {
    match (operand.peek(held, machine), operand.variable()) {
        (Value::Unset, Some(span)) => Err(machine.throw_unset(span)),
        _ => Ok(()),
    }
}

/// Returns the value of an operand, and refuses an unset variable.
#[inline(always)]
pub fn take_set<V: Operand>(machine: &mut Machine, operand: &V, held: V::Held) -> EvalResult<Value> {
    check_set(machine, operand, &held)?;
    Ok(operand.owned(held, machine))
}

/// The shape of an operand.
pub enum Shape {
    Local(Local),
    ConstInt(ConstInt),
    Const(Const),
    Any(Any),
}

impl Compiler<'_> {
    /// Returns the shape of an expression as an operand.
    pub fn operand(&self, expr: &Expr) -> Shape {
        if let Some(local) = Local::of(expr) {
            return Shape::Local(local);
        }
        match &expr.kind {
            ExprKind::Const(value @ Value::Int(number)) => Shape::ConstInt(ConstInt(*number, value.clone())),
            ExprKind::Const(value) => Shape::Const(Const(value.clone())),
            _ => Shape::Any(Computed(self.value(expr))),
        }
    }
}

/// Calls a function that is generic over an operand with the operand of a shape.
macro_rules! with_operand {
    ($operand:expr, |$o:ident| $body:expr) => {{
        use $crate::eval::compile::operand::Shape;
        match $operand {
            Shape::Local($o) => $body,
            Shape::ConstInt($o) => $body,
            Shape::Const($o) => $body,
            Shape::Any($o) => $body,
        }
    }};
}
pub(super) use with_operand;

/// Calls a function that is generic over two operands with the operands of two shapes.
macro_rules! with_operands {
    ($left:expr, $right:expr, |$l:ident, $r:ident| $body:expr) => {{
        use $crate::eval::compile::operand::Shape;
        match ($left, $right) {
            (Shape::Local($l), Shape::Local($r)) => $body,
            (Shape::Local($l), Shape::ConstInt($r)) => $body,
            (Shape::Local($l), Shape::Const($r)) => $body,
            (Shape::Local($l), Shape::Any($r)) => $body,
            (Shape::ConstInt($l), Shape::Local($r)) => $body,
            (Shape::ConstInt($l), Shape::ConstInt($r)) => $body,
            (Shape::ConstInt($l), Shape::Const($r)) => $body,
            (Shape::ConstInt($l), Shape::Any($r)) => $body,
            (Shape::Const($l), Shape::Local($r)) => $body,
            (Shape::Const($l), Shape::ConstInt($r)) => $body,
            (Shape::Const($l), Shape::Const($r)) => $body,
            (Shape::Const($l), Shape::Any($r)) => $body,
            (Shape::Any($l), Shape::Local($r)) => $body,
            (Shape::Any($l), Shape::ConstInt($r)) => $body,
            (Shape::Any($l), Shape::Const($r)) => $body,
            (Shape::Any($l), Shape::Any($r)) => $body,
        }
    }};
}
pub(super) use with_operands;
