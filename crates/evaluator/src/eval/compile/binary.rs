//! Binary operators, specialized for the shapes of their operands.

use crate::program::tree::{BinaryOp, Expr, Link};
use crate::text::Span;
use crate::value::{Fallible, Value, operators};

use super::super::machine::{CondFn, Flow, StmtFn, ValueFn};
use super::Compiler;
use super::fused::{with_both_wide, with_wide};
use super::operand::{Computed, Operand, Shape, take_both, with_operands};
use super::operands::{Operands, blame};
use super::shortcut::{
    Add, Arithmetic, Comparison, Divide, Equal, Greater, GreaterEqual, In, Less, LessEqual, Multiply, NotEqual, NotIn,
    Remainder, Subtract,
};

/// Number of links above which a chain is evaluated in a loop instead of by nested operations, so that native stack use
/// does not grow with its length.
const LONG_CHAIN: usize = 32;

impl Compiler<'_> {
    /// Compiles operators of one precedence, left to right, as a value.
    pub fn chain(&self, first: &Expr, links: &[Link], span: Span) -> ValueFn {
        if links.len() > LONG_CHAIN {
            return self.long_chain(first, links, span);
        }
        if links[0].op.is_comparison() {
            let condition = self.comparison(first, &links[0], span);
            return Box::new(move |machine| Ok(condition(machine)?.into()));
        }
        let (last, before) = links.split_last().expect("a chain has a link");
        let left = || self.wide_chain(first, before, span);
        let right = || self.wide(&last.operand);
        match last.op {
            BinaryOp::Add => with_both_wide!(left(), right(), |l, r| compute::<Add, _, _>(l, r, span)),
            BinaryOp::Subtract => with_both_wide!(left(), right(), |l, r| compute::<Subtract, _, _>(l, r, span)),
            BinaryOp::Multiply => with_both_wide!(left(), right(), |l, r| compute::<Multiply, _, _>(l, r, span)),
            op => arithmetic(op, self.plain_chain(first, before, span), self.operand(&last.operand), span),
        }
    }

    /// Returns the shape of the part of a chain before its last link, without fusing.
    pub fn plain_chain(&self, first: &Expr, links: &[Link], span: Span) -> Shape {
        match links {
            [] => self.operand(first),
            _ => Shape::Any(Computed(self.chain(first, links, span))),
        }
    }

    /// Compiles `SET slot = …` with arithmetic on the right: the result is written directly to the slot.
    pub fn set_computed(&self, slot: usize, first: &Expr, links: &[Link], span: Span) -> Option<StmtFn> {
        let (last, before) = links.split_last().expect("a chain has a link");
        if links.len() > LONG_CHAIN {
            return None;
        }
        let left = || self.wide_chain(first, before, span);
        let right = || self.wide(&last.operand);
        Some(match last.op {
            BinaryOp::Add => with_both_wide!(left(), right(), |l, r| compute_into::<Add, _, _>(slot, l, r, span)),
            BinaryOp::Subtract => {
                with_both_wide!(left(), right(), |l, r| compute_into::<Subtract, _, _>(slot, l, r, span))
            }
            BinaryOp::Multiply => {
                with_both_wide!(left(), right(), |l, r| compute_into::<Multiply, _, _>(slot, l, r, span))
            }
            BinaryOp::Remainder => {
                let (left, right) = (self.plain_chain(first, before, span), self.operand(&last.operand));
                with_operands!(left, right, |l, r| compute_into::<Remainder, _, _>(slot, l, r, span))
            }
            _ => return None,
        })
    }

    /// Compiles a comparison as a condition.
    pub fn comparison(&self, left: &Expr, link: &Link, span: Span) -> CondFn {
        let right = &link.operand;
        match link.op {
            BinaryOp::In => {
                with_operands!(self.operand(left), self.operand(right), |l, r| test::<In, _, _>(l, r, span))
            }
            BinaryOp::NotIn => {
                with_operands!(self.operand(left), self.operand(right), |l, r| test::<NotIn, _, _>(l, r, span))
            }
            op => with_both_wide!(self.wide(left), self.wide(right), |l, r| compare(op, l, r, span)),
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

/// Compiles an operator that is specialized only for simple operands.
fn arithmetic(op: BinaryOp, left: Shape, right: Shape, span: Span) -> ValueFn {
    match op {
        BinaryOp::Divide => with_operands!(left, right, |l, r| compute::<Divide, _, _>(l, r, span)),
        BinaryOp::Remainder => with_operands!(left, right, |l, r| compute::<Remainder, _, _>(l, r, span)),
        _ => with_operands!(left, right, |l, r| general(op, l, r, span)),
    }
}

/// Compiles an operation with fast paths for two ints and for two floats.
fn compute<O: Arithmetic, L: Operand, R: Operand>(left: L, right: R, span: Span) -> ValueFn {
    let operands = Operands { left, right, span };
    Box::new(move |machine| operands.compute::<O>(machine))
}

/// `SET slot = left op right`, with the same fast paths.
fn compute_into<O: Arithmetic, L: Operand, R: Operand>(slot: usize, left: L, right: R, span: Span) -> StmtFn {
    let operands = Operands { left, right, span };
    Box::new(move |machine| match operands.compute::<O>(machine) {
        Ok(value) => {
            *machine.local_mut(slot) = value;
            Flow::Next
        }
        Err(_) => Flow::Throw,
    })
}

/// Compiles a comparison by any operator except IN and NOT IN.
fn compare<L: Operand, R: Operand>(op: BinaryOp, left: L, right: R, span: Span) -> CondFn {
    match op {
        BinaryOp::Equal => compare_by::<Equal, _, _>(left, right, span),
        BinaryOp::NotEqual => compare_by::<NotEqual, _, _>(left, right, span),
        BinaryOp::Less => compare_by::<Less, _, _>(left, right, span),
        BinaryOp::LessEqual => compare_by::<LessEqual, _, _>(left, right, span),
        BinaryOp::Greater => compare_by::<Greater, _, _>(left, right, span),
        BinaryOp::GreaterEqual => compare_by::<GreaterEqual, _, _>(left, right, span),
        _ => unreachable!("the other operators do not compare"),
    }
}

/// Compiles a comparison with fast paths for two ints and for two floats.
fn compare_by<O: Comparison, L: Operand, R: Operand>(left: L, right: R, span: Span) -> CondFn {
    let operands = Operands { left, right, span };
    Box::new(move |machine| operands.compare::<O>(machine))
}

/// Compiles a comparison without fast paths.
fn test<O: Comparison, L: Operand, R: Operand>(left: L, right: R, span: Span) -> CondFn {
    let operands = Operands { left, right, span };
    Box::new(move |machine| {
        let (a, b) = take_both(&operands.left, &operands.right, machine)?;
        operands.test::<O>(machine, a, b)
    })
}

/// Compiles an operation without fast paths.
fn general<L: Operand, R: Operand>(op: BinaryOp, left: L, right: R, span: Span) -> ValueFn {
    Box::new(move |machine| {
        let (a, b) = take_both(&left, &right, machine)?;
        let result = apply(op, left.peek(&a, machine), right.peek(&b, machine));
        result.map_err(|error| blame(machine, &left, &a, &right, &b, error, span))
    })
}

/// Applies any operator of a chain by the general rules.
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
