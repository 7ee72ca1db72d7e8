//! Finds the last use of a value before its variable or place is overwritten, so that it is moved and not shared there.
//!
//! In `SET list = Add(list, item)` nothing reads the old value of `list` after the arguments are evaluated. If the
//! variable releases it before the call, the procedure is its only holder and can change it in place. The same holds
//! for `SET m[k] = LIST.Append(m[k], item)`, for a value that is returned, and for
//! `SET g = m[k]` … `SET m[k] = g`.
//!
//! A release must not be seen. So it happens only where nothing can read the variable before it is set again: no later
//! operand, no handler of an error (a failed SET leaves its target as it was), no EVAL, and no procedure that reads the
//! variables of the top level. Sessions keep what an interrupted line has computed, so their top level releases
//! nothing.

mod liveness;
mod points;

use std::collections::HashSet;

use super::tree::{Block, Body, Expr, ExprKind, Program, Slot, Stmt, StmtKind, Variable};

use liveness::Liveness;

/// Number of statements times number of variables above which a body is left as it is.
const MAX_WORK: usize = 4_000_000;

/// Slots of one body.
type Slots = HashSet<Slot>;

/// Marks the last uses in a program that nothing observes while it runs.
pub fn mark_last_uses(program: &mut Program) {
    let mut outer = Slots::new();
    for procedure in &program.procedures {
        each_expr(&procedure.body.block, &mut |expr| {
            each_variable(expr, &mut |variable| {
                if let Variable::Outer(slot) = variable {
                    outer.insert(slot);
                }
            });
        });
    }
    mark_procedures(program);
    mark(&mut program.top, &outer);
}

/// Marks the last uses in the procedures of a program whose top level somebody observes.
pub fn mark_procedures(program: &mut Program) {
    program.procedures.iter_mut().for_each(|procedure| mark(&mut procedure.body, &Slots::new()));
}

/// Marks the last uses in a body. `outer` are its variables that procedures read.
fn mark(body: &mut Body, outer: &Slots) {
    if count(&body.block).saturating_mul(body.slots.len()) > MAX_WORK {
        return;
    }
    let mut analysis = Liveness::new(body, outer);
    let mut live = outer.clone();
    analysis.block(&mut body.block, &mut live);
}

/// Returns the number of statements.
fn count(block: &Block) -> usize {
    block.iter().map(|stmt| 1 + stmt.kind.blocks().into_iter().map(count).sum::<usize>()).sum()
}

/// Calls `visit` with each expression of a block that is not a part of another one.
fn each_expr(block: &Block, visit: &mut dyn FnMut(&Expr)) {
    for stmt in block {
        stmt.kind.exprs().into_iter().for_each(&mut *visit);
        stmt.kind.blocks().into_iter().for_each(|block| each_expr(block, visit));
    }
}

/// Calls `visit` with each variable that an expression reads.
fn each_variable(expr: &Expr, visit: &mut dyn FnMut(Variable)) {
    match &expr.kind {
        ExprKind::Variable(variable) => visit(*variable),
        ExprKind::Taken(slot) => visit(Variable::Local(*slot)),
        ExprKind::Eval(_, scope) => scope.names.iter().for_each(|(_, variable)| visit(*variable)),
        _ => {}
    }
    expr.parts().into_iter().for_each(|part| each_variable(part, visit));
}

/// Returns the local variables that a block reads.
fn reads_of(block: &Block) -> Slots {
    let mut reads = Slots::new();
    each_expr(block, &mut |expr| each_variable(expr, &mut |variable| reads.extend(local(variable))));
    // A part of a variable is set in the value that the variable has.
    each_stmt(block, &mut |kind| reads.extend(changed_in_part(kind)));
    reads
}

/// Returns the variables of which a statement sets a part.
fn changed_in_part(kind: &StmtKind) -> impl Iterator<Item = Slot> + '_ {
    kind.targets().iter().filter(|target| !target.steps.is_empty()).map(|target| target.slot)
}

fn each_stmt(block: &[Stmt], visit: &mut dyn FnMut(&StmtKind)) {
    for stmt in block {
        visit(&stmt.kind);
        stmt.kind.blocks().into_iter().for_each(|block| each_stmt(block, visit));
    }
}

fn local(variable: Variable) -> Option<Slot> {
    match variable {
        Variable::Local(slot) => Some(slot),
        Variable::Outer(_) => None,
    }
}
