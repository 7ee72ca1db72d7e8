//! Operators between two values, fused with the shapes of their operands.

use std::cmp::Ordering;

use crate::program::tree::{BinaryOp, Expr, Link};
use crate::text::Span;
use crate::value::{Fallible, Value, number, operators};

use super::super::machine::{Machine, Run, Thrown};
use super::operand::{Any, Operand, Shape, with_operands};
use super::{Compiler, CondFn, ValueFn};

/// Links beyond which a chain is evaluated by a loop instead of by nested operations, so that no
/// length of it takes native stack.
const LONG_CHAIN: usize = 32;

/// An operator that gives a value: its shortcuts for numbers, and the whole of its rules.
trait Arithmetic: 'static {
    /// The int of two ints; none when the rules must say what becomes of them.
    fn ints(left: i64, right: i64) -> Option<Value>;

    /// The result of two floats; none when the rules must say what becomes of them.
    fn floats(left: f64, right: f64) -> Option<f64>;

    fn apply(left: &Value, right: &Value) -> Fallible<Value>;
}

struct Add;
struct Subtract;
struct Multiply;
struct Divide;
struct Remainder;

impl Arithmetic for Add {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        left.checked_add(right).map(Value::Int)
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> Option<f64> {
        Some(left + right)
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::add(left, right)
    }
}

impl Arithmetic for Subtract {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        left.checked_sub(right).map(Value::Int)
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> Option<f64> {
        Some(left - right)
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::subtract(left, right)
    }
}

impl Arithmetic for Multiply {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        left.checked_mul(right).map(Value::Int)
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> Option<f64> {
        Some(left * right)
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::multiply(left, right)
    }
}

impl Arithmetic for Divide {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        match number::divide(left, right) {
            Some(number::Quotient::Int(quotient)) => Some(Value::Int(quotient)),
            Some(number::Quotient::Float(quotient)) => Some(quotient.into()),
            None => None,
        }
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> Option<f64> {
        (right != 0.0).then(|| left / right)
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::divide(left, right)
    }
}

impl Arithmetic for Remainder {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        // Division of numbers that fit into 32 bits is several times as fast.
        if let (Ok(left), Ok(right)) = (u32::try_from(left), u32::try_from(right)) {
            return left.checked_rem(right).map(|rest| Value::Int(rest.into()));
        }
        left.checked_rem(right).map(Value::Int)
    }

    #[inline(always)]
    fn floats(_: f64, _: f64) -> Option<f64> {
        None
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::remainder(left, right)
    }
}

/// An operator that gives a truth value.
trait Comparison: 'static {
    fn ints(left: i64, right: i64) -> bool;

    fn floats(left: f64, right: f64) -> bool;

    fn apply(left: &Value, right: &Value) -> Fallible<bool>;
}

struct Equal;
struct NotEqual;
struct Less;
struct LessEqual;
struct Greater;
struct GreaterEqual;
struct In;
struct NotIn;

macro_rules! ordering {
    ($name:ident, $op:tt, $test:expr) => {
        impl Comparison for $name {
            #[inline(always)]
            fn ints(left: i64, right: i64) -> bool {
                left $op right
            }

            #[inline(always)]
            fn floats(left: f64, right: f64) -> bool {
                left $op right
            }

            fn apply(left: &Value, right: &Value) -> Fallible<bool> {
                Ok(operators::compare(stringify!($op), left, right)?.is_some_and($test))
            }
        }
    };
}

ordering!(Less, <, Ordering::is_lt);
ordering!(LessEqual, <=, Ordering::is_le);
ordering!(Greater, >, Ordering::is_gt);
ordering!(GreaterEqual, >=, Ordering::is_ge);

impl Comparison for Equal {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> bool {
        left == right
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> bool {
        left == right
    }

    fn apply(left: &Value, right: &Value) -> Fallible<bool> {
        Ok(operators::equal(left, right))
    }
}

impl Comparison for NotEqual {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> bool {
        left != right
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> bool {
        left != right
    }

    fn apply(left: &Value, right: &Value) -> Fallible<bool> {
        Ok(!operators::equal(left, right))
    }
}

impl Comparison for In {
    fn ints(_: i64, _: i64) -> bool {
        unreachable!("IN has no shortcut for numbers")
    }

    fn floats(_: f64, _: f64) -> bool {
        unreachable!("IN has no shortcut for numbers")
    }

    fn apply(left: &Value, right: &Value) -> Fallible<bool> {
        operators::contains(right, left)
    }
}

impl Comparison for NotIn {
    fn ints(_: i64, _: i64) -> bool {
        unreachable!("NOT IN has no shortcut for numbers")
    }

    fn floats(_: f64, _: f64) -> bool {
        unreachable!("NOT IN has no shortcut for numbers")
    }

    fn apply(left: &Value, right: &Value) -> Fallible<bool> {
        Ok(!operators::contains(right, left)?)
    }
}

impl Compiler {
    /// Operators of one strength, from the left, as a value.
    pub fn chain(&self, first: &Expr, links: &[Link], span: Span) -> ValueFn {
        if links.len() > LONG_CHAIN {
            return self.long_chain(first, links, span);
        }
        if links[0].op.is_comparison() {
            let condition = self.comparison(first, &links[0], span);
            return Box::new(move |machine| Ok(condition(machine)?.into()));
        }
        let (last, before) = links.split_last().expect("a chain has a link");
        let left = match before {
            [] => self.operand(first),
            _ => Shape::Any(Any(self.chain(first, before, span))),
        };
        arithmetic(last.op, left, self.operand(&last.operand), span)
    }

    /// A comparison as a condition.
    pub fn comparison(&self, left: &Expr, link: &Link, span: Span) -> CondFn {
        let (left, right) = (self.operand(left), self.operand(&link.operand));
        match link.op {
            BinaryOp::Equal => with_operands!(left, right, |l, r| compare::<Equal, _, _>(l, r, span)),
            BinaryOp::NotEqual => with_operands!(left, right, |l, r| compare::<NotEqual, _, _>(l, r, span)),
            BinaryOp::Less => with_operands!(left, right, |l, r| compare::<Less, _, _>(l, r, span)),
            BinaryOp::LessEqual => with_operands!(left, right, |l, r| compare::<LessEqual, _, _>(l, r, span)),
            BinaryOp::Greater => with_operands!(left, right, |l, r| compare::<Greater, _, _>(l, r, span)),
            BinaryOp::GreaterEqual => with_operands!(left, right, |l, r| compare::<GreaterEqual, _, _>(l, r, span)),
            BinaryOp::In => with_operands!(left, right, |l, r| test::<In, _, _>(l, r, span)),
            _ => with_operands!(left, right, |l, r| test::<NotIn, _, _>(l, r, span)),
        }
    }

    fn long_chain(&self, first: &Expr, links: &[Link], span: Span) -> ValueFn {
        let first = self.value(first);
        let links: Vec<(BinaryOp, ValueFn)> = links.iter().map(|link| (link.op, self.value(&link.operand))).collect();
        Box::new(move |machine| {
            let mut left = first(machine)?;
            for (op, right) in &links {
                let right = right(machine)?;
                left = apply(*op, &left, &right).map_err(|error| machine.throw(span, error))?;
            }
            Ok(left)
        })
    }
}

fn arithmetic(op: BinaryOp, left: Shape, right: Shape, span: Span) -> ValueFn {
    match op {
        BinaryOp::Add => with_operands!(left, right, |l, r| compute::<Add, _, _>(l, r, span)),
        BinaryOp::Subtract => with_operands!(left, right, |l, r| compute::<Subtract, _, _>(l, r, span)),
        BinaryOp::Multiply => with_operands!(left, right, |l, r| compute::<Multiply, _, _>(l, r, span)),
        BinaryOp::Divide => with_operands!(left, right, |l, r| compute::<Divide, _, _>(l, r, span)),
        BinaryOp::Remainder => with_operands!(left, right, |l, r| compute::<Remainder, _, _>(l, r, span)),
        _ => with_operands!(left, right, |l, r| general(op, l, r, span)),
    }
}

/// An operation with shortcuts for two ints and two floats.
fn compute<O: Arithmetic, L: Operand, R: Operand>(left: L, right: R, span: Span) -> ValueFn {
    Box::new(move |machine| {
        let (a, b) = (left.take(machine)?, right.take(machine)?);
        if let (Some(x), Some(y)) = (left.int(&a, machine), right.int(&b, machine)) {
            if let Some(result) = O::ints(x, y) {
                return Ok(result);
            }
        } else if let (Some(x), Some(y)) = (left.float(&a, machine), right.float(&b, machine))
            && let Some(result) = O::floats(x, y)
        {
            return Ok(result.into());
        }
        let result = O::apply(left.peek(&a, machine), right.peek(&b, machine));
        result.map_err(|error| blame(machine, &left, &a, &right, &b, error, span))
    })
}

/// A comparison with shortcuts for two ints and two floats.
fn compare<O: Comparison, L: Operand, R: Operand>(left: L, right: R, span: Span) -> CondFn {
    Box::new(move |machine| {
        let (a, b) = (left.take(machine)?, right.take(machine)?);
        if let (Some(x), Some(y)) = (left.int(&a, machine), right.int(&b, machine)) {
            return Ok(O::ints(x, y));
        }
        if let (Some(x), Some(y)) = (left.float(&a, machine), right.float(&b, machine)) {
            return Ok(O::floats(x, y));
        }
        check_set(machine, &left, &a, &right, &b)?;
        let result = O::apply(left.peek(&a, machine), right.peek(&b, machine));
        result.map_err(|error| machine.throw(span, error))
    })
}

/// A comparison without shortcuts.
fn test<O: Comparison, L: Operand, R: Operand>(left: L, right: R, span: Span) -> CondFn {
    Box::new(move |machine| {
        let (a, b) = (left.take(machine)?, right.take(machine)?);
        check_set(machine, &left, &a, &right, &b)?;
        let result = O::apply(left.peek(&a, machine), right.peek(&b, machine));
        result.map_err(|error| machine.throw(span, error))
    })
}

/// An operation without shortcuts.
fn general<L: Operand, R: Operand>(op: BinaryOp, left: L, right: R, span: Span) -> ValueFn {
    Box::new(move |machine| {
        let (a, b) = (left.take(machine)?, right.take(machine)?);
        let result = apply(op, left.peek(&a, machine), right.peek(&b, machine));
        result.map_err(|error| blame(machine, &left, &a, &right, &b, error, span))
    })
}

/// Any operator of a chain, by the whole of its rules.
fn apply(op: BinaryOp, left: &Value, right: &Value) -> Fallible<Value> {
    match op {
        BinaryOp::Add => operators::add(left, right),
        BinaryOp::Subtract => operators::subtract(left, right),
        BinaryOp::Multiply => operators::multiply(left, right),
        BinaryOp::Divide => operators::divide(left, right),
        BinaryOp::Remainder => operators::remainder(left, right),
        BinaryOp::BitAnd => operators::bits("&", left, right, |a, b| a & b),
        BinaryOp::BitOr => operators::bits("|", left, right, |a, b| a | b),
        BinaryOp::BitXor => operators::bits("^", left, right, |a, b| a ^ b),
        _ => unreachable!("comparisons do not chain, AND and OR are conditions"),
    }
}

/// The error of an operation: of a variable that was not set, where that is the reason.
#[cold]
#[inline(never)]
fn blame<L: Operand, R: Operand>(
    machine: &mut Machine,
    left: &L,
    a: &L::Held,
    right: &R,
    b: &R::Held,
    error: Box<crate::value::ValueError>,
    span: Span,
) -> Thrown {
    match check_set(machine, left, a, right, b) {
        Err(thrown) => thrown,
        Ok(()) => machine.throw(span, error),
    }
}

/// Refuses variables that were not set yet.
#[inline(always)]
fn check_set<L: Operand, R: Operand>(machine: &mut Machine, left: &L, a: &L::Held, right: &R, b: &R::Held) -> Run<()> {
    if let (Value::Unset, Some(span)) = (left.peek(a, machine), left.variable()) {
        return Err(machine.throw_unset(span));
    }
    if let (Value::Unset, Some(span)) = (right.peek(b, machine), right.variable()) {
        return Err(machine.throw_unset(span));
    }
    Ok(())
}
