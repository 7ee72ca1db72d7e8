//! Sums and texts that grow: the first operand is appended to where that copies nothing.
//!
//! In `SET place = place + …` the first operand is evaluated like any other. If its value is the very text or list that
//! the place holds, the other operands are appended to it there. So it does not matter how the operand is written:
//! `m.x`, `m["x"]` and `MAP.Get(m, "x", [])` give the same list. Nothing changes before all operands are evaluated,
//! because one of them may fail and an ON ERROR may read the place.
//!
//! Elsewhere the first operand grows if it is its last use ([`super::release`]).

use std::cell::Cell;
use std::iter::once;

use crate::program::tree::{Args, AssignTarget, BinaryOp, Expr, ExprKind, Piece, Target};
use crate::text::Span;
use crate::value::{Str, Value, operators, print};

use super::super::machine::{EvalResult, Machine, ValueFn};
use super::Compiler;
use super::expr::{constant, local};
use super::operand::Local;
use super::release::{BeforeCall, Released};

/// `first + …`, or a text with embedded values that starts with `first`.
struct Sum {
    first: ValueFn,
    rest: Vec<ValueFn>,
    /// Whether the operands are concatenated as text, whatever they are.
    concatenates: bool,
    span: Span,
}

/// A sum whose operands are evaluated.
enum Evaluated {
    /// The sum itself.
    Sum(Value),
    /// A text or a list, and the operands to append to it.
    Parts(Value, Vec<Value>),
}

impl Sum {
    fn evaluate(&self, machine: &mut Machine) -> EvalResult<Evaluated> {
        let first = (self.first)(machine)?;
        match first {
            Value::Text(_) => self.parts(machine, first),
            Value::List(_) if !self.concatenates => self.parts(machine, first),
            _ if self.concatenates && !first.is_text() => {
                let text = print::to_text(&first).map_err(|hit| machine.throw(self.span, hit))?;
                let text = Str::from_compact(text);
                if first.quotes_refusal() {
                    text.mark_refusal();
                }
                self.add(machine, text.into(), &self.rest)
            }
            _ => self.add(machine, first, &self.rest),
        }
    }

    /// Evaluates the operands one by one, and adds each to the sum so far.
    fn add(&self, machine: &mut Machine, mut sum: Value, rest: &[ValueFn]) -> EvalResult<Evaluated> {
        for operand in rest {
            let operand = operand(machine)?;
            self.add_one(machine, &mut sum, &operand)?;
        }
        Ok(Evaluated::Sum(sum))
    }

    fn add_one(&self, machine: &mut Machine, sum: &mut Value, operand: &Value) -> EvalResult<()> {
        operators::add_in_place(sum, operand).map_err(|error| machine.throw(self.span, error))
    }

    /// Evaluates the operands that are appended to a text or a list.
    fn parts(&self, machine: &mut Machine, mut first: Value) -> EvalResult<Evaluated> {
        let mut parts = Vec::with_capacity(self.rest.len());
        for (index, operand) in self.rest.iter().enumerate() {
            let operand = operand(machine)?;
            if matches!(first, Value::List(_)) && !matches!(operand, Value::List(_)) {
                // The list is not appended to: it becomes a part of a text, or it is an error.
                for operand in parts.iter().chain(once(&operand)) {
                    self.add_one(machine, &mut first, operand)?;
                }
                return self.add(machine, first, &self.rest[index + 1..]);
            }
            parts.push(operand);
        }
        Ok(Evaluated::Parts(first, parts))
    }

    /// Returns the sum of evaluated operands.
    fn total(&self, machine: &mut Machine, mut first: Value, parts: &[Value]) -> EvalResult<Value> {
        for part in parts {
            self.add_one(machine, &mut first, part)?;
        }
        Ok(first)
    }
}

/// `SET place = first + …`
///
/// Most such places hold numbers, for which the plain assignment is faster. So it is used until its value is a text or
/// a list for the first time.
pub struct Growth {
    applies: Cell<bool>,
    sum: Sum,
    slot: usize,
    steps: Vec<ValueFn>,
}

impl Growth {
    /// Lets the place grow, or returns the value that it must be set to.
    // Out of line so that the fast path of an assignment saves no registers for it.
    #[inline(never)]
    pub fn run(&self, machine: &mut Machine) -> EvalResult<Option<Value>> {
        match self.sum.evaluate(machine)? {
            Evaluated::Sum(sum) => Ok(Some(sum)),
            Evaluated::Parts(first, parts) => self.append(machine, first, parts),
        }
    }

    #[inline(never)]
    fn append(&self, machine: &mut Machine, first: Value, parts: Vec<Value>) -> EvalResult<Option<Value>> {
        let mut steps = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            steps.push(step(machine)?);
        }
        match machine.local_mut(self.slot).grow_place(&steps, first, &parts) {
            Ok(None) => Ok(None),
            Ok(Some(first)) => self.sum.total(machine, first, &parts).map(Some),
            Err(error) => Err(machine.throw(self.sum.span, error)),
        }
    }
}

/// Returns the value that a place must be set to, computed by `value`, or lets the place grow and returns `None`.
#[inline(always)]
pub fn grown_or(
    growth: Option<&Growth>,
    machine: &mut Machine,
    value: impl FnOnce(&mut Machine) -> EvalResult<Value>,
) -> EvalResult<Option<Value>> {
    let Some(growth) = growth else { return value(machine).map(Some) };
    if growth.applies.get() {
        return growth.run(machine);
    }
    let value = value(machine)?;
    growth.applies.set(matches!(value, Value::Text(_) | Value::List(_)));
    Ok(Some(value))
}

impl Compiler<'_> {
    /// Compiles an assignment whose first operand may be the value of its target.
    pub fn growth(&self, target: &AssignTarget, value: &Expr) -> Option<Growth> {
        let operands = operands(value).filter(|operands| may_be_target(operands.first, target))?;
        let mut sum = self.sum(&operands, value.span);
        if let ExprKind::Taken(slot) = operands.first.kind {
            // The place holds the value until all operands are evaluated, because they may read it.
            sum.first = local(slot.0 as usize, operands.first.span);
        }
        Some(Growth { applies: Cell::new(false), sum, slot: target.slot.0 as usize, steps: self.values(&target.steps) })
    }

    /// Compiles a sum or a text that releases a place before it uses its operands.
    pub fn growing_value(&self, value: &Expr, released: Released) -> ValueFn {
        let operands = operands(value).expect("only sums and texts that begin with a value release a place");
        let sum = self.sum(&operands, value.span);
        Box::new(move |machine| match sum.evaluate(machine)? {
            Evaluated::Sum(sum) => Ok(sum),
            Evaluated::Parts(first, parts) => {
                released.run(machine);
                sum.total(machine, first, &parts)
            }
        })
    }

    /// Compiles a text that starts with the last use of a variable.
    pub fn join_to_taken(&self, value: &Expr) -> Option<ValueFn> {
        let operands = operands(value).filter(|operands| matches!(operands.first.kind, ExprKind::Taken(_)))?;
        let sum = self.sum(&operands, value.span);
        Some(Box::new(move |machine| match sum.evaluate(machine)? {
            Evaluated::Sum(sum) => Ok(sum),
            Evaluated::Parts(first, parts) => sum.total(machine, first, &parts),
        }))
    }

    fn sum(&self, operands: &Operands<'_>, span: Span) -> Sum {
        let rest = operands.rest.iter().map(|operand| match operand {
            Rest::Text(text) => constant(Value::from((*text).clone())),
            Rest::Value(expr) => self.value(expr),
        });
        Sum { first: self.value(operands.first), rest: rest.collect(), concatenates: operands.concatenates, span }
    }
}

/// The operands of a [`Sum`].
struct Operands<'a> {
    first: &'a Expr,
    rest: Vec<Rest<'a>>,
    concatenates: bool,
}

/// An operand after the first.
enum Rest<'a> {
    Text(&'a Str),
    Value(&'a Expr),
}

/// Returns the operands of a sum, from left to right, or the pieces of a text.
fn operands(value: &Expr) -> Option<Operands<'_>> {
    match &value.kind {
        ExprKind::Chain(first, links) if links.iter().all(|link| link.op == BinaryOp::Add) => {
            let links = links.iter().map(|link| Rest::Value(&link.operand));
            let Some(inner) = operands(first).filter(|inner| !inner.concatenates) else {
                return Some(Operands { first, rest: links.collect(), concatenates: false });
            };
            Some(Operands { rest: inner.rest.into_iter().chain(links).collect(), ..inner })
        }
        ExprKind::Join(pieces) => {
            let (Piece::Value(first), rest) = pieces.split_first()? else { return None };
            let rest = rest.iter().map(|piece| match piece {
                Piece::Text(text) => Rest::Text(text),
                Piece::Value(value) => Rest::Value(value),
            });
            Some(Operands { first, rest: rest.collect(), concatenates: true })
        }
        _ => None,
    }
}

/// Returns whether an expression may give the value of the target.
fn may_be_target(expr: &Expr, target: &AssignTarget) -> bool {
    let slot = target.slot.0 as usize;
    let is_whole = is_variable(expr, slot);
    if target.steps.is_empty() { is_whole } else { !is_whole && reads_part(expr, slot) }
}

/// Returns whether an expression reads a part of a variable, by its syntax or by a tool.
fn reads_part(expr: &Expr, slot: usize) -> bool {
    match &expr.kind {
        ExprKind::Variable(_) | ExprKind::Taken(_) => is_variable(expr, slot),
        ExprKind::Index(whole, _) | ExprKind::Field(whole, _) => reads_part(whole, slot),
        ExprKind::Call(call) => match (call.target, &call.args) {
            (Target::Tool(_), Args::Placed { values, .. }) => values.iter().any(|arg| reads_part(&arg.value, slot)),
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether an expression is a variable of the running procedure.
pub fn is_variable(expr: &Expr, slot: usize) -> bool {
    Local::of(expr).is_some_and(|local| local.slot == slot)
}
