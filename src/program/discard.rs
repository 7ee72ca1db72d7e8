//! Results of tools that are put into a variable which nothing reads. The assignment becomes a bare call, so that its
//! failure is shown like that of a CALL whose result nothing checks.

use std::collections::HashSet;

use super::tree::{
    Args, AssignTarget, Block, Body, Call, Expr, ExprKind, Piece, Program, Slot, StmtKind, Target, Variable,
};

/// Rewrites `SET name = Tool(…)` as `CALL Tool(…)` where nothing reads the variable. The program must be all that ever
/// sees its variables.
pub fn discard_unread(program: &mut Program) {
    let mut outer = HashSet::new();
    let in_procedures: Vec<_> = program.procedures.iter().map(|procedure| reads(&procedure.body, &mut outer)).collect();
    let mut at_top = reads(&program.top, &mut HashSet::new());
    at_top.extend(outer);
    for (procedure, read) in program.procedures.iter_mut().zip(&in_procedures) {
        rewrite(&mut procedure.body.block, read);
    }
    rewrite(&mut program.top.block, &at_top);
}

/// Returns the variables of its own that a body reads, and adds those of the top level to `outer`.
fn reads(body: &Body, outer: &mut HashSet<Slot>) -> HashSet<Slot> {
    let mut found = HashSet::new();
    let mut expressions = Vec::new();
    let mut ahead: Vec<&Block> = vec![&body.block];
    while let Some(block) = ahead.pop() {
        for stmt in block {
            parts(&stmt.kind, &mut ahead, &mut expressions, &mut found);
        }
    }
    let mut read = |variable: &Variable| match variable {
        Variable::Local(slot) => drop(found.insert(*slot)),
        Variable::Outer(slot) => drop(outer.insert(*slot)),
    };
    while let Some(expr) = expressions.pop() {
        match &expr.kind {
            ExprKind::Variable(variable) => read(variable),
            ExprKind::Eval(text, scope) => {
                expressions.push(text);
                scope.names.iter().for_each(|(_, variable)| read(variable));
            }
            _ => operands(expr, &mut expressions),
        }
    }
    found
}

/// Adds the blocks and expressions of a statement, and the variables of which it changes a part.
fn parts<'p>(stmt: &'p StmtKind, ahead: &mut Vec<&'p Block>, found: &mut Vec<&'p Expr>, read: &mut HashSet<Slot>) {
    let mut target = |target: &'p AssignTarget, found: &mut Vec<&'p Expr>| {
        found.extend(&target.steps);
        if !target.steps.is_empty() {
            read.insert(target.slot);
        }
    };
    match stmt {
        StmtKind::Set { target: to, value } => {
            target(to, found);
            found.push(value);
        }
        StmtKind::SetMany { targets, value } => {
            targets.iter().for_each(|to| target(to, found));
            found.push(value);
        }
        StmtKind::Emit(values) => found.extend(values),
        StmtKind::Call(value) | StmtKind::Return(value) => found.push(value),
        StmtKind::If { arms, otherwise } => {
            found.extend(arms.iter().map(|arm| &arm.condition));
            ahead.extend(arms.iter().map(|arm| &arm.block).chain([otherwise]));
        }
        StmtKind::While { condition, body } => {
            found.push(condition);
            ahead.push(body);
        }
        StmtKind::ForEach { list, body, .. } => {
            found.push(list);
            ahead.push(body);
        }
        StmtKind::Must { value, message } => found.extend([value].into_iter().chain(message)),
        StmtKind::MustCall { call, message } => {
            given(call, found);
            found.extend(message);
        }
        StmtKind::Fail(message) => found.extend(message),
        StmtKind::OnError { body, .. } => ahead.push(body),
        StmtKind::Break | StmtKind::Continue | StmtKind::ClearError => {}
    }
}

fn operands<'p>(expr: &'p Expr, found: &mut Vec<&'p Expr>) {
    match &expr.kind {
        ExprKind::List(items) | ExprKind::And(items) | ExprKind::Or(items) => found.extend(items),
        ExprKind::Map(entries) => found.extend(entries.iter().map(|entry| &entry.value)),
        ExprKind::Unary(_, value) | ExprKind::Field(value, _) | ExprKind::Eval(value, _) => found.push(value),
        ExprKind::Chain(first, links) => {
            found.push(first);
            found.extend(links.iter().map(|link| &link.operand));
        }
        ExprKind::Power(left, right) | ExprKind::Index(left, right) => found.extend([&**left, right]),
        ExprKind::Join(pieces) => found.extend(pieces.iter().filter_map(|piece| match piece {
            Piece::Value(value) => Some(value),
            Piece::Text(_) => None,
        })),
        ExprKind::Call(call) => given(call, found),
        ExprKind::Const(_) | ExprKind::Variable(_) | ExprKind::Last | ExprKind::LastError | ExprKind::Args => {}
    }
}

fn given<'p>(call: &'p Call, found: &mut Vec<&'p Expr>) {
    match &call.args {
        Args::InOrder(values) => found.extend(values),
        Args::Placed { values, .. } => found.extend(values.iter().map(|arg| &arg.value)),
        Args::PerhapsMap(value) => found.push(value),
    }
}

fn rewrite(block: &mut Block, read: &HashSet<Slot>) {
    let mut ahead = vec![block];
    while let Some(block) = ahead.pop() {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::If { arms, otherwise } => {
                    ahead.extend(arms.iter_mut().map(|arm| &mut arm.block));
                    ahead.push(otherwise);
                }
                StmtKind::While { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::OnError { body, .. } => {
                    ahead.push(body);
                }
                kind => discard(kind, read),
            }
        }
    }
}

fn discard(kind: &mut StmtKind, read: &HashSet<Slot>) {
    let StmtKind::Set { target, value } = kind else { return };
    let is_tool = matches!(&value.kind, ExprKind::Call(call) if matches!(call.target, Target::Tool(_)));
    if is_tool && target.steps.is_empty() && !read.contains(&target.slot) {
        let value = std::mem::replace(value, Expr { kind: ExprKind::Last, span: value.span });
        *kind = StmtKind::Call(value);
    }
}
