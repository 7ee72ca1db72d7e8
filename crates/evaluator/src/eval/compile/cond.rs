//! Expressions as conditions.

use crate::program::tree::{Expr, ExprKind, UnaryOp, Variable};
use crate::value::Value;

use super::super::machine::{CondFn, EvalResult, Machine};
use super::Compiler;
use super::fused::with_wide;
use super::operand::Operand;

impl Compiler<'_> {
    /// Compiles an expression as a condition: whether its value is true.
    pub fn condition(&self, expr: &Expr) -> CondFn {
        match &expr.kind {
            ExprKind::Const(value) => {
                let truth = value.is_true();
                Box::new(move |_| Ok(truth))
            }
            ExprKind::Variable(Variable::Local(slot)) | ExprKind::Taken(slot) => {
                let (slot, span) = (slot.0 as usize, expr.span);
                Box::new(move |machine| match machine.local(slot) {
                    Value::Unset => Err(machine.throw_unset(span)),
                    value => Ok(value.is_true()),
                })
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.condition(operand);
                Box::new(move |machine| Ok(!operand(machine)?))
            }
            ExprKind::And(operands) => all(self.conditions(operands)),
            ExprKind::Or(operands) => any(self.conditions(operands)),
            ExprKind::Chain(left, links) if links[0].op.is_comparison() => self.comparison(left, &links[0], expr.span),
            _ => with_wide!(self.wide(expr), |value| truth(value)),
        }
    }

    fn conditions(&self, exprs: &[Expr]) -> Vec<CondFn> {
        exprs.iter().map(|expr| self.condition(expr)).collect()
    }
}

/// Compiles whether a value is true.
fn truth<V: Operand>(value: V) -> CondFn {
    Box::new(move |machine| match value.try_scalar(machine) {
        Some(scalar) => Ok(scalar.is_true()),
        None => evaluated_truth(&value, machine),
    })
}

// Out of line so that the fast path saves no registers for it.
#[inline(never)]
fn evaluated_truth<V: Operand>(value: &V, machine: &mut Machine) -> EvalResult<bool> {
    let held = value.take(machine)?;
    Ok(value.peek(&held, machine).is_true())
}

fn all(conditions: Vec<CondFn>) -> CondFn {
    match <[CondFn; 2]>::try_from(conditions) {
        Ok([first, second]) => Box::new(move |machine| Ok(first(machine)? && second(machine)?)),
        Err(conditions) => Box::new(move |machine| {
            for condition in &conditions {
                if !condition(machine)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }),
    }
}

fn any(conditions: Vec<CondFn>) -> CondFn {
    match <[CondFn; 2]>::try_from(conditions) {
        Ok([first, second]) => Box::new(move |machine| Ok(first(machine)? || second(machine)?)),
        Err(conditions) => Box::new(move |machine| {
            for condition in &conditions {
                if condition(machine)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }),
    }
}
