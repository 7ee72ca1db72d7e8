//! The expression that releases a place: the innermost one whose operands include every read of the place's variable.

use super::super::reads::{each_variable, local};
use super::super::tree::{
    AssignTarget, BinaryOp, Expr, ExprKind, Piece, Release, ReleaseMoment, ReleasedPlace, ReleasedStep, Slot, Target,
    Variable,
};

/// The local variables that an expression reads, and how often.
pub struct Reads(Vec<(Slot, usize)>);

impl Reads {
    /// Counts the reads of an expression.
    pub fn of(expr: &Expr) -> Reads {
        let mut reads: Vec<Slot> = Vec::new();
        each_variable(expr, &mut |variable| reads.extend(local(variable)));
        reads.sort_unstable_by_key(|slot| slot.0);
        Reads(reads.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect())
    }

    /// Returns the number of variables.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the variables.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.0.iter().map(|(slot, _)| *slot)
    }

    /// Returns how often a variable is read.
    pub fn count(&self, slot: Slot) -> usize {
        self.0.iter().find(|(read, _)| *read == slot).map_or(0, |(_, count)| *count)
    }
}

/// Returns the place that a SET overwrites, if it is a part of a variable and its steps are simple.
pub fn place_of_target(target: &AssignTarget) -> Option<ReleasedPlace> {
    let steps = target.steps.iter().map(|step| match &step.kind {
        ExprKind::Const(value) => Some(ReleasedStep::Const(value.clone())),
        ExprKind::Variable(Variable::Local(slot)) if *slot != target.slot => Some(ReleasedStep::Local(*slot)),
        _ => None,
    });
    let steps = steps.collect::<Option<Vec<_>>>().filter(|steps| !steps.is_empty())?;
    Some(ReleasedPlace { slot: target.slot, steps })
}

/// Marks the last use of a dead variable, which `value` reads `reads` times.
pub fn take_variable(value: &mut Expr, slot: Slot, reads: usize) {
    if is_read_of(value, slot) {
        return take(value, slot);
    }
    let parts = value.parts();
    let Some(index) = parts.iter().position(|part| Reads::of(part).count(slot) == reads) else {
        return release_operands(value, slot, reads);
    };
    if is_read_of(parts[index], slot) && !owns_operand(value, index) {
        return;
    }
    take_variable(value.parts_mut().swap_remove(index), slot, reads);
}

/// Returns whether an expression moves the value of an operand on, or changes it.
fn owns_operand(expr: &Expr, index: usize) -> bool {
    match &expr.kind {
        ExprKind::Call(call) => !matches!(call.target, Target::Builtin(_)),
        ExprKind::List(_) | ExprKind::Map(_) => true,
        // A list grows at its end, or at its beginning.
        ExprKind::Chain(_, links) => links[0].op == BinaryOp::Add && (index == 0 || index == 1 && links.len() == 1),
        ExprKind::Join(pieces) => index == 0 && matches!(pieces.first(), Some(Piece::Value(_))),
        ExprKind::Release(_) => true,
        _ => false,
    }
}

/// Marks the last use of a dead variable that several operands of an expression read.
fn release_operands(expr: &mut Expr, slot: Slot, reads: usize) {
    let passes = expr.parts().into_iter().any(|part| is_read_of(part, slot));
    match &mut expr.kind {
        ExprKind::Call(call) => {
            if passes && !matches!(call.target, Target::Builtin(_)) {
                release(expr, ReleasedPlace { slot, steps: Vec::new() });
            }
        }
        ExprKind::Chain(first, links) => {
            // The first link uses the value after the call has returned.
            let right = &links[0].operand;
            let is_last = matches!(right.kind, ExprKind::Call(_)) && 1 + Reads::of(right).count(slot) == reads;
            if is_read_of(first, slot) && links[0].op == BinaryOp::Add && is_last {
                take(first, slot);
            }
        }
        _ => {}
    }
}

fn is_read_of(expr: &Expr, slot: Slot) -> bool {
    matches!(expr.kind, ExprKind::Variable(variable) if local(variable) == Some(slot))
}

fn take(expr: &mut Expr, slot: Slot) {
    expr.kind = ExprKind::Taken(slot);
}

/// Marks the expression that releases a place inside a variable, which `value` reads `reads` times.
pub fn release_place(value: &mut Expr, place: &ReleasedPlace, reads: usize) {
    let parts = value.parts();
    if let Some(index) = parts.iter().position(|part| Reads::of(part).count(place.slot) == reads)
        && has_point(parts[index], place, reads)
    {
        return release_place(value.parts_mut().swap_remove(index), place, reads);
    }
    if can_release(value, place) {
        release(value, place.clone());
    }
}

fn has_point(expr: &Expr, place: &ReleasedPlace, reads: usize) -> bool {
    can_release(expr, place)
        || expr
            .parts()
            .into_iter()
            .any(|part| Reads::of(part).count(place.slot) == reads && has_point(part, place, reads))
}

/// Returns whether an expression holds the values of its operands itself when it uses them.
fn can_release(expr: &Expr, place: &ReleasedPlace) -> bool {
    // An operand that is the whole variable also holds the place.
    let is_apart = |operand: &Expr| !is_read_of(operand, place.slot);
    let is_source = |operand: &Expr| is_apart(operand) && Reads::of(operand).count(place.slot) > 0;
    match &expr.kind {
        ExprKind::Call(call) if matches!(call.target, Target::Builtin(_)) => false,
        ExprKind::Call(_) | ExprKind::List(_) | ExprKind::Map(_) => expr.parts().into_iter().all(is_apart),
        ExprKind::Chain(first, links) => is_source(first) && links.iter().all(|link| link.op == BinaryOp::Add),
        ExprKind::Join(pieces) => matches!(pieces.first(), Some(Piece::Value(first)) if is_source(first)),
        _ => false,
    }
}

fn release(expr: &mut Expr, place: ReleasedPlace) {
    expr.wrap(|expr| {
        ExprKind::Release(Box::new(Release { expr, places: vec![place], moment: ReleaseMoment::BeforeUse }))
    });
}
