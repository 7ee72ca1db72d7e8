//! The variables that statements and expressions read.

use std::collections::HashSet;

use super::tree::{Block, Expr, ExprKind, Program, Slot, Stmt, StmtKind, Variable};

/// Slots of one body.
pub type Slots = HashSet<Slot>;

/// Returns the variables of the top level that procedures read.
pub fn outer_reads(program: &Program) -> Slots {
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
    outer
}

/// Calls `visit` with each expression of a block that is not a part of another one.
pub fn each_expr(block: &Block, visit: &mut dyn FnMut(&Expr)) {
    for stmt in block {
        stmt.kind.exprs().into_iter().for_each(&mut *visit);
        stmt.kind.blocks().into_iter().for_each(|block| each_expr(block, visit));
    }
}

/// Calls `visit` with each variable that an expression reads.
pub fn each_variable(expr: &Expr, visit: &mut dyn FnMut(Variable)) {
    match &expr.kind {
        ExprKind::Variable(variable) => visit(*variable),
        ExprKind::Taken(slot) => visit(Variable::Local(*slot)),
        ExprKind::Eval(_, scope) => scope.names.iter().for_each(|(_, variable)| visit(*variable)),
        _ => {}
    }
    expr.parts().into_iter().for_each(|part| each_variable(part, visit));
}

/// Returns the local variables that a block reads.
pub fn reads_of(block: &Block) -> Slots {
    let mut reads = Slots::new();
    each_expr(block, &mut |expr| each_variable(expr, &mut |variable| reads.extend(local(variable))));
    // A part of a variable is set in the value that the variable has.
    each_stmt(block, &mut |kind| reads.extend(changed_in_part(kind)));
    reads
}

/// Returns the variables of which a statement sets a part.
pub fn changed_in_part(kind: &StmtKind) -> impl Iterator<Item = Slot> + '_ {
    kind.targets().iter().filter(|target| !target.steps.is_empty()).map(|target| target.slot)
}

/// Calls `visit` with each statement of a block, also inside others.
pub fn each_stmt(block: &[Stmt], visit: &mut dyn FnMut(&StmtKind)) {
    for stmt in block {
        visit(&stmt.kind);
        stmt.kind.blocks().into_iter().for_each(|block| each_stmt(block, visit));
    }
}

/// Returns the slot of a variable of the body itself.
pub fn local(variable: Variable) -> Option<Slot> {
    match variable {
        Variable::Local(slot) => Some(slot),
        Variable::Outer(_) => None,
    }
}
