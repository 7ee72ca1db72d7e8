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

    /// Returns how often an expression itself, without its parts, reads a variable.
    fn of_itself(expr: &Expr, slot: Slot) -> usize {
        let reads = |variable: &Variable| local(*variable) == Some(slot);
        match &expr.kind {
            ExprKind::Variable(variable) => usize::from(reads(variable)),
            ExprKind::Taken(taken) => usize::from(*taken == slot),
            ExprKind::Eval(_, scope) => scope.names.iter().filter(|(_, variable)| reads(variable)).count(),
            _ => 0,
        }
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
        value.kind = ExprKind::Taken(slot);
        return;
    }
    Search { slot, reads, is_over: false }.visit(value, &mut |expr, counts| {
        // This is the innermost expression that includes all reads, except perhaps for the only read itself.
        match counts.iter().position(|count| *count == reads) {
            Some(index) => take_operand(expr, index, slot),
            None => release_operands(expr, slot, counts),
        }
        true
    });
}

/// Marks the expression that releases a place inside a variable, which `value` reads `reads` times. Returns whether
/// there is one.
pub fn release_place(value: &mut Expr, place: &ReleasedPlace, reads: usize) -> bool {
    let mut search = Search { slot: place.slot, reads, is_over: false };
    search.visit(value, &mut |expr, counts| {
        // The operands are evaluated one after the other.
        let is_ordered = matches!(expr.kind, ExprKind::Call(_) | ExprKind::List(_) | ExprKind::Map(_));
        let last = counts.iter().rposition(|count| *count > 0).filter(|_| is_ordered);
        if let Some(last) = last
            && counts[last] < reads
            && release_place(expr.parts_mut().swap_remove(last), place, counts[last])
        {
            return true;
        }
        let can_release = can_release(expr, place.slot, counts);
        if can_release {
            release(expr, place.clone(), ReleaseMoment::BeforeUse);
        }
        can_release
    });
    search.is_over
}

/// Releases a place when an expression that reads it is evaluated.
pub fn release_after(value: &mut Expr, place: &ReleasedPlace) {
    if matches!(value.kind, ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Call(_)) {
        release(value, place.clone(), ReleaseMoment::AfterValue);
    }
}

/// A search for an expression that includes all reads of a variable.
struct Search {
    slot: Slot,
    reads: usize,
    is_over: bool,
}

impl Search {
    /// Calls `act` with the expressions that consist of others and include all reads, from the innermost to the
    /// outermost, and with the number of reads in each of their parts, until it returns true. Returns the number of
    /// reads in `expr`.
    fn visit(&mut self, expr: &mut Expr, act: &mut dyn FnMut(&mut Expr, &[usize]) -> bool) -> usize {
        let counts: Vec<usize> = expr.parts_mut().into_iter().map(|part| self.visit(part, act)).collect();
        let own = Reads::of_itself(expr, self.slot);
        let count = counts.iter().sum::<usize>() + own;
        if !self.is_over && count == self.reads && !counts.is_empty() && own == 0 {
            self.is_over = act(expr, &counts);
        }
        count
    }
}

fn take_operand(expr: &mut Expr, index: usize, slot: Slot) {
    if owns_operand(expr, index) {
        let operand = expr.parts_mut().swap_remove(index);
        if is_read_of(operand, slot) {
            operand.kind = ExprKind::Taken(slot);
        }
    }
}

/// Returns whether an expression moves the value of an operand on, or changes it.
fn owns_operand(expr: &Expr, index: usize) -> bool {
    match &expr.kind {
        ExprKind::Call(call) => !matches!(call.target, Target::Builtin(_)),
        ExprKind::List(_) | ExprKind::Map(_) => true,
        // A list grows at its end, or at its beginning.
        ExprKind::Chain(_, links) => links[0].op == BinaryOp::Add && (index == 0 || index == 1 && links.len() == 1),
        ExprKind::Join(pieces) => index == 0 && matches!(pieces.first(), Some(Piece::Value(_))),
        _ => false,
    }
}

/// Marks the last use of a dead variable that several operands of an expression read.
fn release_operands(expr: &mut Expr, slot: Slot, counts: &[usize]) {
    let last = counts.iter().rposition(|count| *count > 0).unwrap_or_default();
    let is_passed_before = expr.parts().into_iter().take(last).any(|part| is_read_of(part, slot));
    match &mut expr.kind {
        ExprKind::Call(call) if matches!(call.target, Target::Builtin(_)) => {}
        ExprKind::Call(_) if is_passed_before => {
            release(expr, ReleasedPlace { slot, steps: Vec::new() }, ReleaseMoment::BeforeUse);
        }
        // The operands are evaluated one after the other.
        ExprKind::Call(_) | ExprKind::List(_) | ExprKind::Map(_) => {
            if is_read_of(expr.parts()[last], slot) {
                take_operand(expr, last, slot);
            } else {
                take_variable(expr.parts_mut().swap_remove(last), slot, counts[last]);
            }
        }
        ExprKind::Chain(first, links) => {
            // A single link uses the value after the call has returned; more may use it before.
            let is_used_last = links.len() == 1 && matches!(links[0].operand.kind, ExprKind::Call(_));
            if is_read_of(first, slot) && links[0].op == BinaryOp::Add && is_used_last {
                first.kind = ExprKind::Taken(slot);
            }
        }
        _ => {}
    }
}

fn is_read_of(expr: &Expr, slot: Slot) -> bool {
    matches!(expr.kind, ExprKind::Variable(variable) if local(variable) == Some(slot))
}

/// Returns whether an expression holds the values of its operands itself when it uses them. `counts` are their reads
/// of the variable.
fn can_release(expr: &Expr, slot: Slot, counts: &[usize]) -> bool {
    // An operand that is the whole variable also holds the place.
    let is_apart = |operand: &Expr| !is_read_of(operand, slot);
    match &expr.kind {
        ExprKind::Call(call) if matches!(call.target, Target::Builtin(_)) => false,
        ExprKind::Call(_) | ExprKind::List(_) | ExprKind::Map(_) => expr.parts().into_iter().all(is_apart),
        ExprKind::Chain(first, links) => {
            counts[0] > 0 && is_apart(first) && links.iter().all(|link| link.op == BinaryOp::Add)
        }
        ExprKind::Join(pieces) => {
            matches!(pieces.first(), Some(Piece::Value(first)) if counts[0] > 0 && is_apart(first))
        }
        _ => false,
    }
}

fn release(expr: &mut Expr, place: ReleasedPlace, moment: ReleaseMoment) {
    expr.wrap(|expr| ExprKind::Release(Box::new(Release { expr, place, moment })));
}
